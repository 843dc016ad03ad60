"""Asking, evaluating and telling, one trial after another or many in flight."""

from collections import Counter, deque
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    wait,
)
from typing import Any, TypeAlias

from milbox import events
from milbox.errors import Exhausted
from milbox.run.evaluation import Objective, evaluate, failure
from milbox.run.result import how_to_resume
from milbox.run.workers import WorkerDied, discard, own_workers, remade
from milbox.study import Study
from milbox.trials import Failed, Finished, Trial
from milbox.trials.record import asked

Stopped: TypeAlias = Callable[[], str | None]
"""Why no more points should be asked; None while there should be more."""

_DEATHS = 3
"""How often a worker may die with a trial before the trial fails."""


def one_by_one(
    study: Study, objective: Objective, budget: int, stopped: Stopped
) -> Generator[Trial, None, None]:
    """Ask, evaluate here, tell, until the budget is spent or something stops the run."""
    waiting = deque(trial for trial in study.trials if trial.state == "pending")
    while stopped() is None and (waiting or _ask(study, budget, 1, waiting)):
        trial = waiting.popleft()
        # A fresh assignment, since the objective may change the arrays it is given.
        yield _told(study, trial, evaluate(objective, study.domain.assignment(trial.point)))


def in_flight(
    study: Study,
    objective: Objective,
    budget: int,
    workers: int,
    executor: Executor | None,
    stopped: Stopped,
) -> Generator[Trial, None, None]:
    """Keep `workers` evaluations under way, and tell their values in the order they come.

    When something stops the run, those under way are waited for.

    When a worker process dies, its trial is evaluated again. In a process pool of the user's, the pool dies
    with it, and with that every evaluation under way: all of them are evaluated again in a new pool. A trial
    that was under way in two deaths is evaluated alone, so that a third is its own doing: then it fails, and
    the innocent are not blamed.
    """
    waiting = deque(trial for trial in study.trials if trial.state == "pending")
    deaths: Counter[int] = Counter()
    flights: dict[Future[Finished | Failed], Trial] = {}
    pool = own_workers(objective, workers) if executor is None else executor
    try:
        while True:
            while len(flights) < workers and stopped() is None:
                if not waiting and not _ask(study, budget, workers - len(flights), waiting):
                    break
                if flights and any(deaths[t.number] >= _DEATHS - 1 for t in (waiting[0], *flights.values())):
                    break
                trial = waiting.popleft()
                flights[_submitted(pool, objective, study.domain.assignment(trial.point))] = trial
            if not flights:
                break
            landed, _ = wait(flights, return_when=FIRST_COMPLETED)
            broken = any(map(_broke, landed))
            if broken:
                landed, _ = wait(flights)  # the others end at once, each with its value or with the pool
            again = []
            for future in sorted(landed, key=lambda future: flights[future].number):
                trial = flights.pop(future)
                outcome = _outcome(future)
                if outcome is None:
                    deaths[trial.number] += 1
                    events.worker_died(trial.number, deaths[trial.number])
                    if deaths[trial.number] < _DEATHS:
                        again.append(trial)
                        continue
                    outcome = Failed(f"its worker died {_DEATHS} times: crashed, killed or out of memory")
                yield _told(study, trial, outcome)
            waiting.extendleft(reversed(again))
            if broken:
                fresh = remade(pool)
                if fresh is None:
                    raise BrokenExecutor(
                        f"the executor broke because a worker died, and milbox cannot make another "
                        f"{type(executor).__name__}. {how_to_resume(study)}"
                    )
                discard(pool)
                pool = fresh
        if pool is not executor:
            pool.shutdown()
    finally:
        for future in flights:
            future.cancel()
        if pool is not executor:
            discard(pool)


def _ask(study: Study, budget: int, count: int, waiting: deque[Trial]) -> bool:
    """Put new trials in the queue, as far as budget and domain allow; whether there were any."""
    left = budget - asked(study.trials)
    if left <= 0 or study.exhausted:
        return False
    try:
        waiting.extend(study.ask_many(min(count, left)))
    except Exhausted:
        return False
    return True


def _told(study: Study, trial: Trial, outcome: Finished | Failed) -> Trial:
    match outcome:
        case Finished(value, seconds):
            study.tell(trial.number, value, seconds=seconds)
        case Failed(reason, seconds):
            study.fail(trial.number, reason, seconds=seconds)
    return study.trials[trial.number]


def _submitted(
    pool: Executor, objective: Objective, assignment: Mapping[str, Any]
) -> "Future[Finished | Failed]":
    """An evaluation under way; in a pool that has just broken, one that has ended with it."""
    try:
        return pool.submit(evaluate, objective, assignment)
    except (BrokenExecutor, OSError) as error:  # or one whose pipe to its workers has just been closed
        future: Future[Finished | Failed] = Future()
        future.set_exception(BrokenExecutor(str(error)))
        return future


def _broke(future: "Future[Finished | Failed]") -> bool:
    """Whether a future ended because its pool did."""
    return not future.cancelled() and isinstance(future.exception(), BrokenExecutor)


def _outcome(future: "Future[Finished | Failed]") -> Finished | Failed | None:
    """What came of an evaluation; None when its worker, not the objective, came to an end."""
    try:
        return future.result()
    except (BrokenExecutor, CancelledError, WorkerDied):
        return None
    except Exception as error:  # what the executor itself could not do, such as sending the objective
        return Failed(failure(error))
