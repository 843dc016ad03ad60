"""What a study wants: objectives with their senses, limits on outputs, noise and failures."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias, get_args

from milbox.errors import nearest
from milbox.trials.checks import measured
from milbox.trials.sense import Sense, sign_of
from milbox.trials.trial import VALUE, Finished, Outcome, Trial

Direction: TypeAlias = Literal["<=", ">="]

ERROR = "error"
"""What known standard errors are called beside outputs."""


@dataclass(frozen=True, slots=True)
class Limit:
    """An output that may not be above or below a level."""

    output: str
    direction: Direction
    level: float

    def slack(self, value: float) -> float:
        """By how much a value keeps the limit; negative where it breaks it."""
        return self.level - value if self.direction == "<=" else value - self.level

    def __str__(self) -> str:
        return f"{self.output} {self.direction} {self.level:g}"


@dataclass(frozen=True, slots=True)
class Goal:
    """What is wanted of the outputs of an evaluation.

    Attributes:
        objectives: names and senses; one called `value` where the user names none.
        limits: what outputs have to keep.
        noise: whether a point may be measured again, since its values vary.
        learn_failures: whether proposals keep away from points that look like those that failed.
        units: of outputs, by name; they change no proposal, and two goals are equal whatever theirs are.
    """

    objectives: tuple[tuple[str, Sense], ...] = ((VALUE, "maximize"),)
    limits: tuple[Limit, ...] = ()
    noise: bool = False
    learn_failures: bool = True
    units: tuple[tuple[str, str], ...] = field(default=(), compare=False)

    @property
    def several(self) -> bool:
        """Whether there are several objectives, and so a front in place of a best trial."""
        return len(self.objectives) > 1

    @property
    def sense(self) -> Sense:
        """The sense of the only objective; of several each has its own, and this one is never asked."""
        return "maximize" if self.several else self.objectives[0][1]

    @property
    def turned(self) -> "Goal":
        """The goal in the opposite sense; limits are about outputs as they were told."""
        ((name, sense),) = self.objectives
        return replace(self, objectives=((name, "minimize" if sense == "maximize" else "maximize"),))

    @property
    def outputs(self) -> tuple[str, ...]:
        """What an evaluation has to return, in order: the objectives, then outputs with a limit alone."""
        return tuple(
            dict.fromkeys([name for name, _ in self.objectives] + [limit.output for limit in self.limits])
        )

    @property
    def name(self) -> str:
        """What the only objective is called; `value` where the user gives no name."""
        return self.objectives[0][0]

    def unit(self, output: str) -> str:
        """The unit of an output after a space, to stand behind a number; empty where there is none."""
        found = dict(self.units).get(output)
        return "" if found is None else f" {found}"

    def label(self, output: str) -> str:
        """An output with its unit, as heads of columns and axes show it: `yield (%)`."""
        found = dict(self.units).get(output)
        return output if found is None else f"{output} ({found})"

    @property
    def named(self) -> tuple[str, ...]:
        """What an evaluation returns by name: nothing where a number is all there is to say."""
        if self.tells_errors:
            return (*self.outputs, ERROR)
        return () if self.outputs == (VALUE,) else self.outputs

    @property
    def tells_errors(self) -> bool:
        """Whether known standard errors may stand beside outputs, under a name that is no output's."""
        return self.noise and ERROR not in self.outputs

    @property
    def error_columns(self) -> dict[str, str]:
        """The columns of files in which known standard errors stand, and the output that each is about."""
        alone = None if self.several else self.name
        columns = {ERROR if name == alone else f"{ERROR}:{name}": name for name in self.outputs}
        return columns if self.tells_errors else {}

    @property
    def one_estimate(self) -> bool:
        """Whether points are ranked by the estimate of one objective."""
        return self.noise and not self.several

    @property
    def front_estimated(self) -> bool:
        """Whether several objectives are judged by estimates, which stand for the values of the front."""
        return self.noise and self.several

    @property
    def signs(self) -> tuple[float, ...]:
        """1 for each objective that is maximised, -1 for the others."""
        return tuple(sign_of(sense) for _, sense in self.objectives)

    def told(self, given: Any, label: str, *, error: Any = None, **rest: Any) -> Finished:
        """What was measured: a number where there is one output, or a mapping of outputs.

        `error` is the standard error of the only objective, or a mapping of outputs to theirs. It may stand
        among the outputs too, where none of them has that name.

        Raises:
            TypeError, ValueError: an output is missing, or is no finite number; `label` begins the sentence.
        """
        if isinstance(given, Mapping):
            if self.tells_errors and ERROR in given:
                error, given = given[ERROR], {name: each for name, each in given.items() if name != ERROR}
            outputs = self._outputs(given, label)
        elif len(self.outputs) > 1:
            wanted = ", ".join(f"{name!r}: ..." for name in self.outputs)
            raise TypeError(f"{label} must be a mapping {{{wanted}}}, not {given!r}")
        else:
            outputs = {self.outputs[0]: measured(given, label)}
        errors = {} if error is None else _errors(error, label, self, outputs)
        plain = list(outputs) == [VALUE] and not self.limits
        return Finished(
            math.nan if self.several else outputs[self.name],
            outputs=() if plain else tuple(outputs.items()),
            error=None if self.several else errors.pop(self.name, None),
            errors=tuple((name, errors[name]) for name in outputs if name in errors),
            **rest,
        )

    def _outputs(self, given: Mapping[Any, Any], label: str) -> dict[str, float]:
        for name in self.outputs:
            if name not in given:
                close = nearest(name, [str(key) for key in given])
                raise ValueError(f"{label} has no output {name!r}{close}")
        return {str(name): measured(value, f"{label}, output {name!r},") for name, value in given.items()}

    def errors_of(self, outcome: Outcome) -> dict[str, float]:
        """The known standard errors of an outcome by output, that of the value among them."""
        if not isinstance(outcome, Finished):
            return {}
        own = {} if outcome.error is None else {self.name: outcome.error}
        return own | dict(outcome.errors)

    def keeps(self, trial: Trial) -> bool:
        """Whether a finished trial lies in the domain and keeps every limit."""
        values = trial.values
        return trial.outside is None and all(
            limit.output in values and limit.slack(values[limit.output]) >= 0 for limit in self.limits
        )

    def to_json(self) -> dict[str, Any]:
        """The goal for a journal."""
        return {
            "objectives": dict(self.objectives),
            "limits": [[limit.output, limit.direction, limit.level] for limit in self.limits],
            "noise": self.noise,
            "learn_failures": self.learn_failures,
            **({"units": dict(self.units)} if self.units else {}),
        }

    @classmethod
    def from_json(cls, entry: Mapping[str, Any]) -> "Goal":
        """The goal that a journal keeps."""
        return goal_of(
            objectives=entry["objectives"],
            limits=[(str(name), (way, level)) for name, way, level in entry["limits"]],
            noise=bool(entry["noise"]),
            learn_failures=bool(entry["learn_failures"]),
            units=entry.get("units"),
        )

    def __str__(self) -> str:
        parts = [
            sense if name == VALUE and not self.several else f"{sense} {name}"
            for name, sense in self.objectives
        ]
        words = " and ".join(parts)
        if self.limits:
            words += f" with {' and '.join(map(str, self.limits))}"
        words += ", measured with noise" if self.noise else ""
        return words + ("" if self.learn_failures else ", learning nothing from failures")


def goal_of(
    *,
    minimize: bool = False,
    objectives: Mapping[str, str] | None = None,
    limits: "Mapping[str, Any] | list[tuple[str, Any]] | None" = None,
    noise: bool = False,
    learn_failures: bool = True,
    units: Mapping[str, str] | None = None,
) -> Goal:
    """The goal that a user describes, or an error that says what is wrong with it."""
    if objectives is None:
        named: tuple[tuple[str, Sense], ...] = ((VALUE, "minimize" if minimize else "maximize"),)
    else:
        if minimize:
            raise ValueError("with objectives=, each says whether it is minimised; leave out minimize=True")
        if not isinstance(objectives, Mapping) or not objectives:
            raise TypeError(
                f'objectives must be a mapping such as {{"yield": "maximize", "cost": "minimize"}}, '
                f"not {objectives!r}"
            )
        named = tuple((_name(name), _sense(name, sense)) for name, sense in objectives.items())
    pairs = _pairs(limits)
    goal = Goal(named, tuple(_limit(name, said) for name, said in pairs), bool(noise), bool(learn_failures))
    return replace(goal, units=_units(units or {}, goal))


def _pairs(limits: Any) -> list[tuple[Any, Any]]:
    """Limits by name; in a list an output may have two."""
    pairs = list(limits.items()) if isinstance(limits, Mapping) else limits or ()
    if not (
        isinstance(pairs, list | tuple) and all(isinstance(p, list | tuple) and len(p) == 2 for p in pairs)
    ):
        raise TypeError(f'limits must be a mapping such as {{"tox": ("<=", 0.05)}}, not {limits!r}')
    return [(name, said) for name, said in pairs]


def _units(units: Any, goal: Goal) -> tuple[tuple[str, str], ...]:
    """Units by name, or an exception that says what is wrong with them."""
    if not isinstance(units, Mapping):
        raise TypeError(f'units must be a mapping such as {{"yield": "%"}}, not {units!r}')
    for name, unit in units.items():
        if name not in goal.outputs:
            raise ValueError(f"there is no output {name!r} that has a unit{nearest(str(name), goal.outputs)}")
        if not isinstance(unit, str) or not unit.strip() or not unit.isprintable():
            raise TypeError(f"the unit of {name!r} must be a text such as '%', not {unit!r}")
    return tuple((name, unit.strip()) for name, unit in units.items())


def _errors(error: Any, label: str, goal: Goal, outputs: Mapping[str, float]) -> dict[str, float]:
    """Standard errors by output, or an exception that says why they are none."""
    if isinstance(error, Mapping):
        labelled = {name: f"{label}, output {name!r}," for name in error}
    elif goal.several:
        wanted = ", ".join(f"{name!r}: ..." for name, _ in goal.objectives)
        raise TypeError(
            f"the standard error of {label} is {error!r}; with several objectives it must be a mapping "
            f"{{{wanted}}}, in which outputs may be left out"
        )
    else:
        error, labelled = {goal.name: error}, {goal.name: label}
    for name in error:
        if name not in outputs:
            close = nearest(str(name), outputs)
            raise ValueError(f"{label} has a standard error of {name!r}, which is no output{close}")
    found = {name: measured(each, f"the standard error of {labelled[name]}") for name, each in error.items()}
    for name, each in found.items():
        if not goal.noise:
            raise ValueError(
                f"{labelled[name]} has a standard error, but the study was made without noise=True"
            )
        if not each > 0:
            raise ValueError(f"the standard error of {labelled[name]} is {each:g}; it must be more than 0")
    return found


def _name(name: Any) -> str:
    if not isinstance(name, str) or not name.strip():
        raise TypeError(f"the name of an output must be a text, not {name!r}")
    return name


def _sense(name: Any, sense: Any) -> Sense:
    if sense not in get_args(Sense):
        raise ValueError(f"the sense of {name!r} is 'maximize' or 'minimize', not {sense!r}")
    found: Sense = sense
    return found


def _limit(name: Any, said: Any) -> Limit:
    if not (isinstance(said, tuple | list) and len(said) == 2 and said[0] in get_args(Direction)):
        raise ValueError(f'the limit of {name!r} must be a pair such as ("<=", 0.05), not {said!r}')
    return Limit(_name(name), said[0], measured(said[1], f"the limit of {name!r}"))


ONE = Goal()
"""One objective that is maximised."""
