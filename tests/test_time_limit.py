"""Evaluations that take too long are stopped, with everything they have started, and recorded as failed."""

import os
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import milbox as mb
from objectives import hang_at, score
from studies import shelf


@pytest.mark.parametrize("workers", [None, 2])
def test_an_evaluation_that_hangs_fails_and_the_run_goes_on(workers: int | None, tmp_path: Path) -> None:
    domain, mark = shelf(), tmp_path / "children"
    known = [({"x": point["x"], "k": point["k"]}, 0.0) for point in map(domain.assignment, domain)]
    hanging = [pair for pair in known if pair[0]["k"] == 2]
    left = hanging[:3] + [pair for pair in known if pair[0]["k"] == 4]
    rest = hanging[3:] + [pair for pair in known if pair[0]["k"] not in (2, 4)]
    result = mb.maximize(
        partial(hang_at, 2, mark),
        domain,
        budget=len(left),
        known=rest,
        strategy=mb.RandomSearch(),
        workers=workers,
        timeout=1.5,
        failures=1.0,
    )
    asked = [trial for trial in result.trials if trial.origin != "known"]
    hung = [trial for trial in asked if trial.assignment["k"] == 2]
    assert len(asked) == len(left)
    assert len(hung) == 3
    assert {trial.reason for trial in hung} == {"time limit: it took longer than 1.5 s"}
    assert all(trial.value == score(**trial.assignment) for trial in asked if trial.assignment["k"] == 4)
    for child in map(int, mark.read_text().split()):
        assert not alive(child)


def alive(process: int) -> bool:
    """Whether a process runs still; one that waits to be collected does not."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    os.kill(process, 0)
    return state != "Z"


def test_what_cannot_be_stopped_is_said() -> None:
    with ThreadPoolExecutor(1) as threads, pytest.raises(ValueError, match="timeout stops evaluations in"):
        mb.maximize(score, shelf(), budget=3, executor=threads, timeout=1.0)
    wrong: Any
    for wrong in (0, -1.0):
        with pytest.raises(ValueError, match="more than zero"):
            mb.minimize(score, shelf(), budget=3, timeout=wrong)
    with pytest.raises(TypeError, match="cannot be sent to worker processes") as refused:
        mb.maximize(lambda x, k: float(x[0] + k), shelf(), budget=3, timeout=1.0)
    assert "executor" not in str(refused.value)  # which would refuse the timeout
