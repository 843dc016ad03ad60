"""Asking, evaluating and telling, one trial after another or many in flight."""

import contextlib
from collections.abc import Callable, Generator
from concurrent.futures import BrokenExecutor, Executor
from typing import TypeAlias

from milbox import events
from milbox.errors import Exhausted, JournalError
from milbox.run.evaluation import Objective, evaluate, failure
from milbox.run.in_flight import in_flight
from milbox.run.result import how_to_resume
from milbox.run.workers import TimeLimit, WorkerDied, own_workers
from milbox.study import Study
from milbox.trials import Failed, Finished, Trial
from milbox.trials.record import asked

Stopped: TypeAlias = Callable[[], str | None]
"""Why no more points should be asked; None while there should be more."""

DEATHS = 3
"""How often a worker may die with a trial before the trial fails."""


def one_by_one(
    study: Study, objective: Objective, budget: int, stopped: Stopped
) -> Generator[Trial, None, None]:
    """Ask, evaluate here, tell, until the budget is spent or something stops the run."""
    more = supply(study, budget, stopped)
    while trials := more(1):
        for trial in trials:
            # A fresh assignment, since the objective may change the arrays it is given.
            yield _told(study, trial, evaluate(objective, study.domain.assignment(trial.point), study.goal))


def side_by_side(
    study: Study,
    objective: Objective,
    budget: int,
    workers: int,
    executor: Executor | None,
    stopped: Stopped,
    timeout: float | None = None,
) -> Generator[Trial, None, None]:
    """Keep `workers` evaluations under way, and tell their values in the order they come.

    When something stops the run, those under way are waited for.
    """
    steps = in_flight(
        supply(study, budget, stopped),
        lambda trial: (evaluate, objective, study.domain.assignment(trial.point), study.goal),
        own_workers(objective, workers, timeout) if executor is None else executor,
        workers,
        own=executor is None,
        deaths=DEATHS,
        died=lambda trial, times: events.worker_died(trial.number, times),
    )
    with contextlib.closing(steps):
        try:
            for trial, answer in steps:
                yield _told(study, trial, _outcome(answer, timeout))
        except BrokenExecutor as error:
            raise BrokenExecutor(f"{error} {how_to_resume(study)}") from error


def supply(study: Study, budget: int, stopped: Stopped) -> Callable[[int], list[Trial]]:
    """A function that returns up to `n` trials to evaluate: pending ones, then new ones, then none.

    Pending ones that a change of the domain has left outside are given up.
    """
    # Pending trials of a shared journal are other workers', unless these have died.
    pending = [] if study.shared else [trial for trial in study.trials if trial.state == "pending"]
    for trial in pending:
        if trial.outside is not None:
            study.cancel(trial.number)
    pending = [trial for trial in pending if trial.outside is None]

    def trials(count: int) -> list[Trial]:
        if stopped() is not None:
            return []
        found = pending[:count] or study.taken_over(count)
        del pending[:count]
        if not found:
            with study.turn(), contextlib.suppress(Exhausted):
                left = budget - asked(study.trials)
                if left > 0 and not study.exhausted:
                    found = study.ask_many(min(count, left))
        return found

    return trials


def _outcome(answer: Finished | Failed | Exception, timeout: float | None) -> Finished | Failed:
    """What came of an evaluation, or why nothing did."""
    match answer:
        case TimeLimit() if timeout is not None:
            return Failed(f"time limit: it took longer than {timeout:g} s", timeout)
        case WorkerDied():
            why = f"its worker died {DEATHS} times: crashed, killed or out of memory"
            return Failed(why, infeasible=False)
        case Exception():
            return Failed(failure(answer), infeasible=False)
        case _:
            return answer


def _told(study: Study, trial: Trial, outcome: Finished | Failed) -> Trial:
    try:
        match outcome:
            case Finished(value, seconds, outputs=outputs):
                errors = study.goal.errors_of(outcome) or None
                study.tell(trial.number, dict(outputs) or value, error=errors, seconds=seconds)
            case Failed(reason, seconds, infeasible=infeasible):
                study.fail(trial.number, reason, infeasible=infeasible, seconds=seconds)
    except (ValueError, JournalError):
        # A worker that was thought dead, and whose trial another has taken over, may be the first to tell.
        if not (study.shared and study.trials[trial.number].ended):
            raise
    return study.trials[trial.number]
