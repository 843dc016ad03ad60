"""Evaluations in other processes: k in flight, and workers that are killed."""

import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from milbox.run import maximize, run
from milbox.run.threads import LIMITS, share_of_cores
from milbox.study import Study
from milbox.trials import Journal
from objectives import die_at, die_once, score
from processes import ENVIRONMENT
from studies import Greedy, shelf

OPTIMUM = max(score(**shelf().assignment(point)) for point in shelf())


def test_a_killed_worker_breaks_the_pool_and_not_the_run(tmp_path: Path) -> None:
    result = maximize(partial(die_once, tmp_path / "mark"), shelf(), 42, strategy=Greedy(), workers=2)
    assert (tmp_path / "mark").exists(), "a worker was killed"
    assert result.proved
    assert result.best.value == OPTIMUM
    assert all(t.value == score(**t.assignment) for t in result.trials)


def test_a_point_that_kills_its_worker_every_time_fails_alone(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    result = maximize(partial(die_at, 4), shelf(), 42, strategy=Greedy(), workers=2, journal=path)
    (failed,) = [t for t in result.trials if t.state == "failed"]
    assert (list(failed.assignment["x"]), failed.assignment["k"]) == ([1, 0, 1], 4)
    assert failed.reason == "its worker died 3 times: crashed, killed or out of memory"
    assert [t.state for t in result.trials].count("finished") == 41
    assert not result.proved
    assert Journal.read(path)[1] == result.trials


def test_the_users_own_process_pool_is_made_again(tmp_path: Path) -> None:
    context = multiprocessing.get_context("forkserver")
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        result = maximize(partial(die_once, tmp_path / "mark"), shelf(), 42, strategy=Greedy(), executor=pool)
    assert (tmp_path / "mark").exists()
    assert result.proved
    assert result.best.value == OPTIMUM


def test_an_objective_that_cannot_be_sent_is_refused_before_anything_is_spent() -> None:
    def local(x: Any, k: int) -> float:
        return score(x, k)

    study = Study(shelf(), Greedy())
    with pytest.raises(TypeError, match=r"cannot be sent to worker processes .* define it with `def`"):
        run(study, local, budget=5, workers=2)
    with (
        ProcessPoolExecutor(2) as pool,
        pytest.raises(TypeError, match="cannot be sent to worker processes"),
    ):
        run(study, local, budget=5, executor=pool)
    assert study.trials == ()


class Flaky(Executor):
    """Ends the first evaluations it is given in a way of its own, and makes the others at once."""

    def __init__(self, end: Callable[["Future[Any]"], object], times: int) -> None:
        self.end = end
        self.left = times

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        future: Future[Any] = Future()
        if self.left > 0:
            self.left -= 1
            self.end(future)
        else:
            future.set_result(fn(*args, **kwargs))
        return future


def test_an_executor_that_cannot_be_made_again_ends_the_run_and_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    broken = Flaky(lambda future: future.set_exception(BrokenExecutor("a worker left")), 1)
    with pytest.raises(
        BrokenExecutor, match=r"cannot make another Flaky\. Everything told is kept in .*run\.db"
    ):
        maximize(score, shelf(), 6, strategy=Greedy(), executor=broken, workers=3, journal=path)
    assert [t.state for t in Journal.read(path)[1]] == ["pending", "finished", "finished"]
    again = maximize(score, shelf(), 6, strategy=Greedy(), executor=broken, workers=3, journal=path)
    assert [t.state for t in again.trials] == ["finished"] * 6


def cancel(future: "Future[Any]") -> None:
    future.cancel()
    future.set_running_or_notify_cancel()


def test_a_cancelled_evaluation_is_made_again_and_at_last_fails() -> None:
    result = maximize(score, shelf(), 4, strategy=Greedy(), executor=Flaky(cancel, 2))
    assert [t.state for t in result.trials] == ["finished"] * 4
    result = maximize(score, shelf(), 4, strategy=Greedy(), executor=Flaky(cancel, 3))
    assert [t.state for t in result.trials] == ["failed", "finished", "finished", "finished"]


def test_what_the_executor_cannot_do_is_the_reason_of_the_failure() -> None:
    refusing = Flaky(lambda future: future.set_exception(OSError("too many files")), 1)
    result = maximize(score, shelf(), 3, strategy=Greedy(), executor=refusing)
    assert result.trials[0].reason is not None
    assert result.trials[0].reason.startswith("OSError: too many files")
    assert [t.state for t in result.trials[1:]] == ["finished"] * 2


def process(script: str, *arguments: object, **options: Any) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, *map(str, (script, *arguments))],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
        **options,
    )


def test_a_script_without_a_main_guard_is_told_so(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "from objectives import score\n"
        "from studies import Greedy, shelf\n"
        "from milbox.run import maximize\n"
        "def objective(x, k):\n"
        "    return score(x, k)\n"
        "maximize(objective, shelf(), 5, strategy=Greedy(), workers=2)\n"
    )
    _, errors = process(str(script)).communicate(timeout=120)
    assert (
        "RuntimeError: the worker processes cannot load the objective: a script must make its calls under"
        in errors
    )


ORPHANS = """
import os, sys, threading
from functools import partial

def endless(pipe, x, k):
    with open(pipe, "w") as file:
        print(os.getpid(), file=file, flush=True)
        threading.Event().wait()

if __name__ == "__main__":
    from studies import Greedy, shelf
    from milbox.run import maximize
    maximize(partial(endless, sys.argv[1]), shelf(), 5, strategy=Greedy(), workers=2, journal=sys.argv[2])
"""


def test_workers_of_a_killed_run_end_with_it(tmp_path: Path) -> None:
    pipe, script = tmp_path / "pipe", tmp_path / "script.py"
    os.mkfifo(pipe)
    script.write_text(ORPHANS)
    run = process(str(script), pipe, tmp_path / "run.db")
    with pipe.open() as file:
        workers = {int(file.readline()), int(file.readline())}
        run.send_signal(signal.SIGKILL)
        run.communicate(timeout=60)
        # The end of the file comes when every process that writes to it is gone: it is what is waited for.
        assert file.read() == ""
    assert len(workers) == 2
    assert [t.state for t in Journal.read(tmp_path / "run.db")[1]] == ["pending", "pending"]


def test_dask_evaluates_a_killed_workers_point_again(tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs="CRITICAL"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        result = maximize(
            partial(die_once, tmp_path / "mark"),
            shelf(),
            42,
            strategy=Greedy(),
            executor=client.get_executor(pure=False),
            workers=2,
        )
    assert (tmp_path / "mark").exists()
    assert result.proved
    assert result.best.value == OPTIMUM


SHARES = """
import sys
from objectives import threads
from studies import Greedy, shelf
from milbox.run import maximize

if __name__ == "__main__":
    result = maximize(threads, shelf(), 4, strategy=Greedy(), workers=int(sys.argv[1]))
    print(sorted({int(trial.value) for trial in result.trials}))
"""


@pytest.mark.parametrize("given", [None, "5"])
def test_workers_share_the_cores(tmp_path: Path, given: str | None) -> None:
    script = tmp_path / "script.py"
    script.write_text(SHARES)
    environment = {name: value for name, value in ENVIRONMENT.items() if name not in LIMITS}
    if given is not None:  # what the user has set stays
        environment["OPENBLAS_NUM_THREADS"] = given
    command = [sys.executable, str(script), "3"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout.strip() == f"[{given or max(1, len(os.sched_getaffinity(0)) // 3)}]", done.stderr
    assert [share_of_cores(count) for count in (1, 1000)] == [len(os.sched_getaffinity(0)), 1]
