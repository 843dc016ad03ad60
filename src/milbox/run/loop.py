"""The loop of a run: until its budget, the end of the domain, or too many failures."""

import contextlib
import sys
from collections import deque
from collections.abc import Callable, Generator
from concurrent.futures import Executor, ProcessPoolExecutor

from milbox import events
from milbox.errors import ObjectiveFailed
from milbox.run.bar import with_bar
from milbox.run.evaluation import Objective, check_objective
from milbox.run.result import Result, how_to_resume, result_of
from milbox.run.steps import Stopped, one_by_one, side_by_side
from milbox.run.stopping import NEVER, Stop, check_stop, stopped
from milbox.run.warming import stop_warming, warm
from milbox.run.workers import check_portable
from milbox.strategies import ModelBased
from milbox.study import Study
from milbox.trials import Trial
from milbox.trials.checks import measured, whole


def run(
    study: Study,
    objective: Objective,
    *,
    budget: int,
    workers: int | None = None,
    executor: Executor | None = None,
    failures: float = 0.5,
    window: int = 20,
    stop: Stop = NEVER,
    timeout: float | None = None,
    callback: Callable[[Trial], object] | None = None,
    progress: bool = False,
) -> Result:
    """Evaluate until the study has `budget` trials, nothing is left or `stop` says so; as `maximize`."""
    if callback is not None and not callable(callback):
        raise TypeError(f"callback must be a function of a trial, not {callback!r}")
    endings: list[str] = []
    steps = evaluations(
        study,
        objective,
        budget=budget,
        workers=workers,
        executor=executor,
        failures=failures,
        window=window,
        stop=stop,
        timeout=timeout,
        ending=endings.append,
    )
    with contextlib.closing(steps):
        for trial in with_bar(steps, study, budget) if progress else steps:
            if callback is not None and callback(trial) is True:
                break
    (why,) = endings
    if progress:
        print(f"Ended: {why}.", file=sys.stderr)
    return result_of(study, why)


def evaluations(
    study: Study,
    objective: Objective,
    *,
    budget: int,
    workers: int | None = None,
    executor: Executor | None = None,
    failures: float = 0.5,
    window: int = 20,
    stop: Stop = NEVER,
    timeout: float | None = None,
    ending: Callable[[str], object] = lambda _why: None,
) -> Generator[Trial, None, None]:
    """Every trial as it finishes or fails; arguments as `maximize`.

    Trials that a resumed journal holds as pending are evaluated first. What was yielded has been told; to
    stop early, stop iterating. `ending` is told in the end why the run ended.
    """
    budget = whole("budget", budget, 1)
    window = whole("window", window, 1)
    if not 0 <= failures <= 1:
        raise ValueError(f"failures is a share between 0 and 1, not {failures!r}")
    check_stop(stop, study.goal)
    check_objective(objective, [str(thing.name) for thing in study.domain.declared])
    if executor is not None and not isinstance(executor, Executor):
        raise TypeError(
            f"executor must be a concurrent.futures.Executor, not {executor!r}; "
            f"a Dask client makes one: client.get_executor(pure=False)"
        )
    if timeout is not None:
        timeout = measured(timeout, "timeout")
        if timeout <= 0:
            raise ValueError(f"timeout is a number of seconds, more than zero, not {timeout:g}")
        if executor is not None:
            raise ValueError(
                "timeout stops evaluations in worker processes of milbox's own, and not in an executor; "
                "leave the executor out, or let the objective keep the time"
            )
    if workers is None:
        workers = getattr(executor, "_max_workers", 1)
    workers = whole("workers", workers, 1)
    if isinstance(executor, ProcessPoolExecutor):
        check_portable(objective)
    if isinstance(study.strategy, ModelBased) and len(study.trials) < (study.strategy.initial or 0) < budget:
        warm(study.domain)
    halted = stopped(stop, study)
    if executor is None and workers == 1 and timeout is None:
        steps = one_by_one(study, objective, budget, halted)
    else:
        steps = side_by_side(study, objective, budget, workers, executor, halted, timeout)
    return _answering(study, _watched(study, steps, budget, failures, window, halted, ending))


def _answering(study: Study, steps: Generator[Trial, None, None]) -> Generator[Trial, None, None]:
    """The steps; meanwhile the study answers for the trials it has asked, where others share its journal."""
    with study.working(), contextlib.closing(steps):
        yield from steps


def _watched(
    study: Study,
    steps: Generator[Trial, None, None],
    budget: int,
    failures: float,
    window: int,
    halted: Stopped,
    ending: Callable[[str], object],
) -> Generator[Trial, None, None]:
    """The steps, until too many of the latest failed; with advice when they are interrupted."""
    latest: deque[Trial] = deque(maxlen=window)
    first: Trial | None = None
    why, ended = "stopped early", 0
    events.run_begins(budget, len(study.trials))
    try:
        for trial in steps:
            ended += 1
            latest.append(trial)
            if trial.reason is not None:
                first = first or trial
            yield trial
            failed = sum(each.reason is not None for each in latest)
            if failed > failures * window and first is not None:
                why = "too many evaluations failed"
                raise ObjectiveFailed(
                    f"{failed} of the last {len(latest)} evaluations failed. {how_to_resume(study)} "
                    f"The first to fail was trial {first.number}, {dict(first.assignment)}:\n{first.reason}"
                )
        left = "no point is left" if study.exhausted else f"the budget of {budget:,} is spent"
        why = halted() or left
    except KeyboardInterrupt as interrupt:
        why = "interrupted"
        stop_warming()
        in_all = sum(trial.ended for trial in study.trials)
        count = "1 trial" if in_all == 1 else f"{in_all} trials"
        interrupt.add_note(f"milbox: interrupted after {count}. {how_to_resume(study)}")
        raise
    finally:
        steps.close()
        events.run_ends(why, ended)
        ending(why)
