"""One call of the objective: a value, or the reason why there is none."""

import inspect
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from milbox.errors import ObjectiveFailed
from milbox.trials.goal import ONE, Goal
from milbox.trials.trial import Failed, Finished

Objective: TypeAlias = Callable[..., Any]
"""Called with the variables by name as keyword arguments; returns a finite number, or a mapping of outputs.

One that stands for a longer measurement returns `Finished(value, seconds)` with the seconds of that.
"""

_TAIL = 4000


def evaluate(objective: Objective, assignment: Mapping[str, Any], goal: Goal = ONE) -> Finished | Failed:
    """Call the objective, here or in a worker; whatever it does wrong is the trial's failure alone."""
    start = time.perf_counter()
    try:
        returned = objective(**assignment)
    except ObjectiveFailed as error:  # the objective's own words; a traceback would add nothing
        return Failed(str(error), time.perf_counter() - start, infeasible=error.infeasible)
    except (Exception, SystemExit) as error:
        return Failed(failure(error), time.perf_counter() - start)
    seconds = time.perf_counter() - start
    value = returned
    known: float | dict[str, float] | None = None
    if isinstance(returned, Finished):
        value, seconds, known = dict(returned.outputs) or returned.value, returned.seconds, returned.error
        if returned.errors:
            known = goal.errors_of(returned)
    try:
        return goal.told(value, "the value the objective returned", seconds=seconds, error=known)
    except (TypeError, ValueError) as error:
        return Failed(str(error), seconds)


def failure(error: BaseException) -> str:
    """A line that says what was raised, and under it the end of the traceback, from the user's code on."""
    summary = "".join(traceback.format_exception_only(error)).strip()
    # The first frame is the call above, which tells the user nothing.
    trace = error.__traceback__.tb_next if error.__traceback__ else None
    text = "".join(traceback.format_exception(type(error), error, trace)).strip()
    tail = text if len(text) <= _TAIL else "...\n" + text[-_TAIL:].partition("\n")[2]
    return f"{summary.partition(chr(10))[0][:500]}\n{tail}"


def check_objective(objective: Any, names: Sequence[str]) -> None:
    """Refuse an objective that cannot be called with the variables, before anything is spent."""
    if not callable(objective):
        raise TypeError(f"the objective must be a function, not {objective!r}")
    try:
        signature = inspect.signature(objective)
    except (TypeError, ValueError):
        return  # some built-in functions do not say what they take
    try:
        signature.bind(**dict.fromkeys(names))
    except TypeError as error:
        called = ", ".join(f"{name}=..." for name in names)
        raise TypeError(
            f"the objective is called with the variables by name, as f({called}), but it is "
            f"{getattr(objective, '__name__', 'f')}{signature}: {error}"
        ) from None
