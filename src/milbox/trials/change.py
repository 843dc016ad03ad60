"""Changes of a study's domain: what older trials are in the new one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from milbox.arrays import Point
from milbox.domain import Array, Categorical, Domain, Variable
from milbox.trials.frames import scalars
from milbox.trials.outside import Former, code_of, placed
from milbox.trials.trial import Cancelled, Trial


@dataclass(frozen=True, slots=True)
class Change:
    """A change of the domain, as a journal keeps it."""

    number: int
    """How many trials had been asked before; they may lie outside the domain."""
    changed_at: float
    """Seconds since 1970."""
    before: Mapping[str, Any]
    """The domain until then, as JSON."""
    former: Former
    """Choices that trials have and the new domain has not."""


def moved(
    trials: Sequence[Trial], old: Domain, new: Domain, values: Mapping[str, Any]
) -> tuple[tuple[Trial, ...], dict[str, list[Any]]]:
    """The trials of one domain as trials of another, and the choices that these have and it has not.

    Args:
        trials: with their assignments in the old domain.
        old: the domain that they were asked in.
        new: the domain to go on with.
        values: of variables that are new, in all of the trials.

    Raises:
        ValueError: a variable is gone or of another kind, a new one has no value, or a value of a trial is
            none of the new domain's steps.
    """
    given = given_values(new, values)
    for variable in old.variables:
        place = new.index.get(variable.name)
        if place is None:
            raise ValueError(
                f"the variable {variable.name!r} is gone; keep it, and narrow it to one value or add a rule "
                f"that fixes it"
            )
        if new.variables[place].kind != variable.kind:
            raise ValueError(
                f"{variable} cannot become {new.variables[place]}; add a variable under another name"
            )
    missing = [v.name for v in new.variables if v.name not in old.index and v.name not in given]
    if trials and missing:
        first = new.variables[new.index[missing[0]]]
        raise ValueError(
            f"the variable {first.name!r} is new; say which value it had in the trials so far, as in "
            f"values={{{first.name!r}: {first.value(first.codes[0])!r}}}"
        )
    former: dict[str, list[Any]] = {}
    points: dict[tuple[Point, int], int] = {}
    found = []
    for trial in trials:
        had = dict(scalars(trial.assignment))
        codes = []
        for place, variable in enumerate(new.variables):
            value = had.get(variable.name) if variable.name in old.index else given[variable.name]
            if value is None and place not in new.conditions:
                value = given.get(variable.name)
            codes.append(code_in(new, place, value, former, trial.number))
        for place, condition in new.conditions.items():
            variable = new.variables[place]
            if had.get(variable.name) is None and variable.name in old.index:
                exists = not condition.condition.holds(new.columns(np.array([codes])))[0]
                if exists and variable.name not in given:
                    raise no_value(variable, trial.number)
                if exists:
                    codes[place] = code_in(new, place, given[variable.name], former, trial.number)
        point = tuple(codes)
        if not isinstance(trial.outcome, Cancelled):
            key = point, trial.proposal.repeat
            if key in points:
                raise ValueError(f"trials {points[key]} and {trial.number} would become the same point")
            points[key] = trial.number
        found.append(replace(trial, proposal=replace(trial.proposal, point=point)))
    return placed(found, new, former), former


def code_in(domain: Domain, place: int, value: Any, former: dict[str, list[Any]], number: int) -> int:
    """The code of a trial's value in the new domain, where it may be none of those that it proposes."""
    variable = domain.variables[place]
    if value is None and not (isinstance(variable, Categorical) and None in variable.choices):
        if place in domain.conditions:
            return variable.codes[0]
        raise no_value(variable, number)
    if isinstance(variable, Categorical) and value not in variable.choices:
        gone = former.setdefault(variable.name, [])
        if value not in gone:
            gone.append(value)
        return len(variable.codes) + gone.index(value)
    try:
        return code_of(variable, value)
    except ValueError as error:
        raise ValueError(f"trial {number} has {variable.name} = {value!r}: {error}") from None


def no_value(variable: Variable, number: int) -> ValueError:
    """The error where a variable did not exist in a trial and exists now."""
    return ValueError(
        f"{variable.name!r} did not exist in trial {number}, and exists there now; say which value it had, "
        f"as in values={{{variable.name!r}: {variable.value(variable.codes[0])!r}}}"
    )


def given_values(domain: Domain, values: Mapping[str, Any]) -> dict[str, Any]:
    """Values by the names of scalar variables; those of an array may be given together."""
    arrays = {str(thing.name): thing for thing in domain.declared if isinstance(thing, Array)}
    found: dict[str, Any] = {}
    for name, value in values.items():
        if name in arrays:
            items = np.broadcast_to(np.array(value, dtype=object), arrays[name].shape)
            found |= {v.name: item for v, item in zip(arrays[name].flat, items.ravel().tolist(), strict=True)}
        elif name in domain.index:
            found[name] = value
        else:
            raise ValueError(f"values names {name!r}, which is no variable of the new domain")
    for name, value in found.items():
        variable = domain.variables[domain.index[name]]
        if isinstance(variable, Categorical) and value is not None:
            variable.code(value)  # which refuses what is no choice; former choices are those of trials alone
    return found
