"""Executors of other packages as workers of `maximize`: submitit, loky and executorlib."""

import os
import signal
from pathlib import Path

import pytest

from milbox.run import maximize
from milbox.strategies import RandomSearch
from objectives import score
from studies import shelf

BUDGET = 6


@pytest.fixture(autouse=True)
def _importable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers of other packages import the objective by its name."""
    tests = str(Path(__file__).parents[1])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([tests, os.environ.get("PYTHONPATH", "")]))


def check(result) -> None:  # type: ignore[no-untyped-def]
    assert len(result.trials) == BUDGET
    assert len({trial.point for trial in result.trials}) == BUDGET
    assert [trial.value for trial in result.trials] == [score(**trial.assignment) for trial in result.trials]


def dies(**_: object) -> float:
    os.kill(os.getpid(), signal.SIGKILL)
    return 0.0


def test_jobs_of_submitit(tmp_path: Path) -> None:
    submitit = pytest.importorskip("submitit")
    from milbox.integrations.submitit import SubmititExecutor

    local = submitit.LocalExecutor(folder=tmp_path / "jobs")
    local.update_parameters(timeout_min=5)
    with SubmititExecutor(local, every=0.2) as executor:
        check(maximize(score, shelf(), BUDGET, strategy=RandomSearch(), executor=executor, workers=3))
    with pytest.raises(RuntimeError, match="shut down"):
        executor.submit(dies)


def test_a_job_that_is_lost_is_a_worker_that_died(tmp_path: Path) -> None:
    submitit = pytest.importorskip("submitit")
    from milbox.integrations.submitit import SubmititExecutor
    from milbox.run.workers import WorkerDied

    local = submitit.LocalExecutor(folder=tmp_path / "jobs")
    local.update_parameters(timeout_min=5)
    with SubmititExecutor(local, every=0.2) as executor, pytest.raises(WorkerDied):
        executor.submit(dies).result(timeout=120)


def test_processes_of_loky() -> None:
    loky = pytest.importorskip("loky")
    executor = loky.ProcessPoolExecutor(max_workers=2)
    try:
        check(maximize(score, shelf(), BUDGET, strategy=RandomSearch(), executor=executor, workers=2))
    finally:
        executor.shutdown(kill_workers=True)


def test_processes_of_executorlib() -> None:
    executorlib = pytest.importorskip("executorlib")
    with executorlib.SingleNodeExecutor(max_workers=2) as executor:
        check(maximize(score, shelf(), BUDGET, strategy=RandomSearch(), executor=executor, workers=2))
