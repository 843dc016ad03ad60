"""What becomes of evaluations in flight: when a run is interrupted, and in any order they end."""

import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from milbox.errors import ObjectiveFailed
from milbox.run import evaluations, maximize
from milbox.study import Study
from milbox.trials import Journal
from objectives import score
from processes import ENVIRONMENT
from studies import Greedy, shelf

OPTIMUM = max(score(**shelf().assignment(point)) for point in shelf())

INTERRUPTED = """
import os, signal, sys, threading
from functools import partial
from pathlib import Path
from objectives import score

def interrupted(main, mark, x, k):
    if k == 4 and not mark.exists():
        mark.touch()
        os.kill(main, signal.SIGINT)
        if os.getpid() != main:
            threading.Event().wait()  # longer than anybody's patience: the run must end it
    return score(x, k)

if __name__ == "__main__":
    from studies import Greedy, shelf
    from milbox.run import maximize
    folder, workers, journal = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3] == "journal"
    result = maximize(
        partial(interrupted, os.getpid(), folder / "mark"), shelf(), 42, strategy=Greedy(), workers=workers,
        journal=folder / "run.db" if journal else None,
    )
    print(result.best.value)
"""


def interruptible(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    script = folder / "script.py"
    script.write_text(INTERRUPTED)
    return subprocess.run(
        [sys.executable, script, folder, *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env=ENVIRONMENT,
    )


@pytest.mark.parametrize("workers", ["1", "2"])
def test_ctrl_c_keeps_what_was_told_and_says_how_to_resume(tmp_path: Path, workers: str) -> None:
    first = interruptible(tmp_path, workers, "journal")
    assert first.returncode == -signal.SIGINT
    path = tmp_path / "run.db"
    assert "milbox: interrupted after " in first.stderr
    assert (
        f"Everything told is kept in {path}: to resume, run the same again with journal='{path}'."
        in first.stderr
    )
    kept = Journal.read(path)[1]
    assert "pending" in {t.state for t in kept}
    assert all(t.value == score(**t.assignment) for t in kept if t.state == "finished")
    second = interruptible(tmp_path, workers, "journal")
    assert second.returncode == 0, second.stderr
    assert float(second.stdout) == OPTIMUM
    trials = Journal.read(path)[1]
    assert [t.point for t in trials[: len(kept)]] == [t.point for t in kept]
    if workers == "1":
        assert trials == maximize(score, shelf(), 42, strategy=Greedy()).trials


def test_ctrl_c_without_a_journal_says_what_to_do_next_time(tmp_path: Path) -> None:
    first = interruptible(tmp_path, "1", "memory")
    assert first.returncode == -signal.SIGINT
    assert "Nothing is kept on disk: to be able to resume, use a journal" in first.stderr


def test_threads_keep_evaluations_in_flight() -> None:
    """Every pair meets at a barrier, which lets nobody pass who is alone."""
    barrier = threading.Barrier(2, timeout=60)

    def together(x: Any, k: int) -> float:
        barrier.wait()
        return score(x, k)

    with ThreadPoolExecutor(2) as threads:
        result = maximize(together, shelf(), 42, strategy=Greedy(), executor=threads)
        assert result.proved
        assert result.best.value == OPTIMUM
        assert threads.submit(int).result() == 0, "the user's executor is left open"


def test_results_may_come_in_any_order() -> None:
    """The first evaluation does not end before the second has been told."""
    first, told = threading.Lock(), threading.Event()

    def backwards(x: Any, k: int) -> float:
        if first.acquire(blocking=False):
            assert told.wait(60)
        return score(x, k)

    landed = []
    with ThreadPoolExecutor(2) as threads:
        study = Study(shelf(), Greedy())
        for trial in evaluations(study, backwards, budget=6, executor=threads):
            landed.append(trial.number)
            told.set()
    assert sorted(landed) == list(range(6))
    assert landed[0] == 1
    assert all(t.value == score(**t.assignment) for t in study.trials)


def test_failures_in_an_executor_are_failures_of_trials() -> None:
    def fragile(x: Any, k: int) -> float:
        if k == 4:
            raise RuntimeError("ran out of acid")
        return score(x, k)

    with ThreadPoolExecutor(2) as threads:
        result = maximize(fragile, shelf(), 42, strategy=Greedy(), executor=threads)
    assert {t.assignment["k"] for t in result.trials if t.reason is not None} == {4}
    with ThreadPoolExecutor(2) as threads, pytest.raises(ObjectiveFailed):
        maximize(lambda **_: None, shelf(), 42, strategy=Greedy(), executor=threads)


def test_an_executor_that_is_shut_down_is_an_error_of_its_own(tmp_path: Path) -> None:
    threads = ThreadPoolExecutor(2)
    threads.shutdown()
    with pytest.raises(RuntimeError, match="after shutdown"):
        maximize(score, shelf(), 9, strategy=Greedy(), executor=threads, journal=tmp_path / "run.db")
    with Study(shelf(), Greedy(), journal=tmp_path / "run.db") as study:
        asked = [t.point for t in study.trials]
    assert asked, "what was asked is not lost"
    resumed = maximize(score, shelf(), 9, strategy=Greedy(), journal=tmp_path / "run.db")
    assert [t.point for t in resumed.trials[: len(asked)]] == asked
    assert [t.value for t in resumed.trials] == [score(**t.assignment) for t in resumed.trials]
    assert len(resumed.trials) == 9
