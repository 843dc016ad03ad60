"""`maximize`, `minimize` and `optimize`: a study, run to the end of its budget."""

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from milbox.domain import Domain
from milbox.run.evaluation import Objective
from milbox.run.loop import run
from milbox.run.result import Result
from milbox.run.stopping import Stop
from milbox.study import Study
from milbox.trials import Trial
from milbox.trials.checks import whole
from milbox.trials.trial import VALUE

if TYPE_CHECKING:
    from milbox.strategies import Strategy


def maximize(
    objective: Objective,
    domain: Domain,
    budget: int,
    *,
    seed: int = 0,
    initial: int | None = None,
    known: Iterable[tuple[Mapping[str, Any], Any]] = (),
    strategy: "Strategy | str | None" = None,
    journal: Path | str | None = None,
    workers: int | None = None,
    executor: Executor | None = None,
    failures: float = 0.5,
    window: int = 20,
    noise: bool = False,
    learn_failures: bool = True,
    target: float | None = None,
    patience: int | None = None,
    seconds: float | None = None,
    timeout: float | None = None,
    callback: Callable[[Trial], object] | None = None,
    progress: bool = False,
    name: str | None = None,
    unit: str | None = None,
) -> Result:
    """The best point found within a budget of evaluations.

    Args:
        objective: called with the variables by name; returns a finite number. Where it raises or returns
            something else, that trial fails and the run goes on.
        domain: the points that may be evaluated.
        budget: how many trials there may be in all, those of a resumed journal included, `known` not.
        seed: a non-negative integer; the same seed gives the same run when evaluations come one by one.
        initial: how many random feasible points come first; by default the strategy's own number, which is
            for NN+MILP a fifth of the budget, within 5 and 50, and at most a quarter of the domain's points.
        known: the user's own data, as (assignment, value).
        strategy: who chooses the points, an object or a name such as "nn+milp/mixed"; NN+MILP by default.
        journal: a file that keeps the run, and resumes it when it exists already.
        workers: how many evaluations are kept in flight; without an executor, in processes of our own. By
            default as many as the executor says it has, or one.
        executor: any `concurrent.futures.Executor`: threads, processes, or Dask's
            `client.get_executor(pure=False)`, for which `workers` should be given.
        failures: the share of failed evaluations among the last `window` above which the run stops.
        window: how many evaluations are looked at for that.
        noise: whether values vary from one measurement to the next: points may be measured again, and the
            best is the one with the best estimate.
        learn_failures: whether to keep away from points that look like those that failed.
        target: a value that is good enough: the run ends when it is reached.
        patience: the run ends after so many evaluations without a better value.
        seconds: no point is asked for after so many seconds; evaluations under way are waited for.
        timeout: how many seconds one evaluation may take. Then it is stopped, with everything it has started,
            and its trial fails with the reason "time limit". Evaluations run in worker processes of milbox's
            own, also where there is one; an executor of the user's cannot be given beside it.
        callback: called with each trial when it has ended; the run ends when it returns True.
        progress: whether to draw a line on standard error that shows how far the run is.
        name: what the value is, such as "yield"; shown in messages, tables and on the page.
        unit: the unit of the value, such as "%".

    Raises:
        ObjectiveFailed: when too many evaluations failed; with the first traceback.
    """
    chosen = _with_initial(strategy, initial, domain)
    with Study(
        domain,
        chosen,
        seed=seed,
        journal=journal,
        budget=budget,
        known=known,
        noise=noise,
        learn_failures=learn_failures,
        **_called(name, unit, "maximize"),
    ) as study:
        return run(
            study,
            objective,
            budget=budget,
            workers=workers,
            executor=executor,
            failures=failures,
            window=window,
            stop=Stop(target, patience, seconds),
            timeout=timeout,
            callback=callback,
            progress=progress,
        )


def minimize(
    objective: Objective,
    domain: Domain,
    budget: int,
    *,
    seed: int = 0,
    initial: int | None = None,
    known: Iterable[tuple[Mapping[str, Any], Any]] = (),
    strategy: "Strategy | str | None" = None,
    journal: Path | str | None = None,
    workers: int | None = None,
    executor: Executor | None = None,
    failures: float = 0.5,
    window: int = 20,
    noise: bool = False,
    learn_failures: bool = True,
    target: float | None = None,
    patience: int | None = None,
    seconds: float | None = None,
    timeout: float | None = None,
    callback: Callable[[Trial], object] | None = None,
    progress: bool = False,
    name: str | None = None,
    unit: str | None = None,
) -> Result:
    """The point with the smallest value found within a budget of evaluations; arguments as `maximize`."""
    chosen = _with_initial(strategy, initial, domain)
    with Study(
        domain,
        chosen,
        seed=seed,
        journal=journal,
        budget=budget,
        known=known,
        noise=noise,
        learn_failures=learn_failures,
        **_called(name, unit, "minimize"),
    ) as study:
        return run(
            study,
            objective,
            budget=budget,
            workers=workers,
            executor=executor,
            failures=failures,
            window=window,
            stop=Stop(target, patience, seconds),
            timeout=timeout,
            callback=callback,
            progress=progress,
        )


def optimize(
    objective: Objective,
    domain: Domain,
    budget: int,
    *,
    objectives: Mapping[str, str],
    limits: Mapping[str, tuple[str, float]] | None = None,
    seed: int = 0,
    initial: int | None = None,
    known: Iterable[tuple[Mapping[str, Any], Any]] = (),
    strategy: "Strategy | str | None" = None,
    journal: Path | str | None = None,
    workers: int | None = None,
    executor: Executor | None = None,
    failures: float = 0.5,
    window: int = 20,
    noise: bool = False,
    learn_failures: bool = True,
    target: float | None = None,
    patience: int | None = None,
    seconds: float | None = None,
    timeout: float | None = None,
    callback: Callable[[Trial], object] | None = None,
    progress: bool = False,
    units: Mapping[str, str] | None = None,
) -> Result:
    """The best trade-offs among several outputs, or the best point of one under limits on others.

    The result has a `front` and its `hypervolume` where there are several objectives, else a `best` trial.

    Args:
        objective: called with the variables by name; returns a mapping of outputs to finite numbers.
        domain: the points that may be evaluated.
        budget: how many trials there may be in all.
        objectives: `{"yield": "maximize", "cost": "minimize"}`.
        limits: what outputs may not be above or below, as `{"tox": ("<=", 0.05)}`.
        seed: as in `maximize`, like all that follow.
        initial: how many random points come first.
        known: the user's own data, as (assignment, outputs).
        strategy: who chooses the points.
        journal: a file that keeps the run.
        workers: how many evaluations are kept in flight.
        executor: who evaluates.
        failures: the share of failed evaluations above which the run stops.
        window: how many evaluations are looked at for that.
        noise: whether values vary from one measurement to the next, so that points may be measured again.
        learn_failures: whether to keep away from points that look like those that failed.
        target: a value that is good enough, where there is one objective.
        patience: the run ends after so many evaluations without a better value, or, with several objectives,
            without one on the front.
        seconds: no point is asked for after so many seconds.
        timeout: how many seconds one evaluation may take.
        callback: called with each trial when it has ended.
        progress: whether to draw a line that shows how far the run is.
        units: of outputs by name, as `{"yield": "%"}`.
    """
    chosen = _with_initial(strategy, initial, domain)
    with Study(
        domain,
        chosen,
        seed=seed,
        journal=journal,
        objectives=objectives,
        limits=limits,
        budget=budget,
        known=known,
        noise=noise,
        learn_failures=learn_failures,
        units=units,
    ) as study:
        return run(
            study,
            objective,
            budget=budget,
            workers=workers,
            executor=executor,
            failures=failures,
            window=window,
            stop=Stop(target, patience, seconds),
            timeout=timeout,
            callback=callback,
            progress=progress,
        )


def _called(name: str | None, unit: str | None, sense: str) -> dict[str, Any]:
    """The arguments of a study with one objective of a name, a unit and a sense."""
    called = VALUE if name is None else name
    return {"objectives": {called: sense}, "units": None if unit is None else {called: unit}}


def _with_initial(
    strategy: "Strategy | str | None", initial: int | None, domain: Domain
) -> "Strategy | str | None":
    """The strategy with another number of random points first."""
    if initial is None:
        return strategy
    from milbox.strategies.named import by_name, chosen

    initial = whole("initial", initial, 0)
    if isinstance(strategy, str):
        return by_name(strategy, domain, initial)
    given: Any = chosen(strategy, domain)
    settings = {field.name for field in fields(given)} if is_dataclass(given) else set()
    if "initial" not in settings:
        raise ValueError(f"the strategy {given!r} has no number of initial points; leave out initial=")
    return cast("Strategy", replace(given, initial=initial))
