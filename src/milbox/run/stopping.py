"""Ends of a run before its budget: a target reached, no gain for long, time that has passed."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from milbox.study import Study
from milbox.trials import Trial
from milbox.trials.checks import measured, whole
from milbox.trials.goal import Goal
from milbox.trials.sense import sign_of


@dataclass(frozen=True, slots=True)
class Stop:
    """When a run ends before its budget; None never ends it.

    Attributes:
        target: a value that is good enough.
        patience: evaluations without a better value than before.
        seconds: how long new points are asked for; evaluations under way then are waited for.
    """

    target: float | None = None
    patience: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        if self.target is not None:
            measured(self.target, "target")
        if self.patience is not None:
            whole("patience", self.patience, 1)
        if self.seconds is not None and not measured(self.seconds, "seconds") > 0:
            raise ValueError(f"seconds must be more than 0, not {self.seconds!r}")


NEVER = Stop()


def stopped(stop: Stop, study: Study) -> Callable[[], str | None]:
    """A function that says why the run, which begins now, should end; None while it should go on."""
    began = time.monotonic()
    return lambda: reason(stop, study, time.monotonic() - began)


def reason(stop: Stop, study: Study, elapsed: float) -> str | None:
    """The reason to end a run before its budget is spent, after some seconds; None if there is none."""
    if stop.seconds is not None and elapsed >= stop.seconds:
        return f"{stop.seconds:g} s have passed"
    best = _latest_gain(study) if study.goal.several else study.best
    if best is None:
        return None
    sign, value = sign_of(study.sense), best.value
    if stop.target is not None and study.goal.noise:
        value, _ = study.record.estimate or (None, None)  # not the luckiest measurement
    if stop.target is not None and value is not None and sign * value >= sign * stop.target:
        return f"the target of {stop.target:g} is reached"
    if stop.patience is not None and _since(study, best.number) >= stop.patience:
        better = "value on the front" if study.goal.several else "better value"
        return f"the last {stop.patience} evaluations brought no {better}"
    return None


def check_stop(stop: Stop, goal: Goal) -> None:
    """Refuse a target where no single value could reach it."""
    if stop.target is not None and goal.several:
        raise ValueError("a target is for one objective; with several, use patience or seconds")


def _latest_gain(study: Study) -> Trial | None:
    """The latest trial of the front with values that no earlier one has."""
    names = [name for name, _ in study.goal.objectives]
    first: dict[tuple[float, ...], Trial] = {}
    for trial in study.front:
        first.setdefault(tuple(trial.values[name] for name in names), trial)
    return max(first.values(), key=lambda trial: trial.number, default=None)


def _since(study: Study, number: int) -> int:
    """The number of trials asked after a trial that have ended."""
    return sum(trial.ended for trial in study.trials[number + 1 :])
