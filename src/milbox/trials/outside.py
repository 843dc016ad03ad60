"""Points that are not in a domain: what the user measured before, or under a domain that has changed since.

They train surrogates and are never proposed. Each keeps a code for every variable: an integer its value and a
real its steps from `low`, also beyond the ends; a choice that is gone stands behind those that there are, in
the order of `Former`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

from milbox.arrays import Point
from milbox.domain import Array, Categorical, Domain, Integer, Real, Variable
from milbox.domain.assignments import array_conditions, point_of
from milbox.domain.model.numbers import number
from milbox.trials.points import AT_ONCE
from milbox.trials.trial import Trial

Former: TypeAlias = Mapping[str, Sequence[Any]]
"""Choices that some trials had and the domain no longer has, by the name of the variable."""


def placed(trials: Sequence[Trial], domain: Domain, former: Former) -> tuple[Trial, ...]:
    """The trials with their assignments, and with what puts them outside the domain.

    Raises:
        ValueError: a code stands for no value.
    """
    starts = range(0, len(trials), AT_ONCE)
    return tuple(trial for k in starts for trial in _placed(trials[k : k + AT_ONCE], domain, former))


def _placed(trials: Sequence[Trial], domain: Domain, former: Former) -> list[Trial]:
    """A few trials at once."""
    for trial in trials:
        if len(trial.point) != len(domain.variables):
            raise ValueError(
                f"a point of this domain has {len(domain.variables)} codes, not {len(trial.point)}"
            )
    codes = domain.codes([trial.point for trial in trials])
    legal = np.all((codes >= domain.coding.low) & (codes <= domain.coding.high), axis=1)
    inside = legal.copy()
    inside[legal] = domain.feasible(codes[legal])
    found = []
    for trial, kept in zip(trials, inside.tolist(), strict=True):
        why = None if kept else broken_by(domain, trial.point, former)
        values = domain.assignment(trial.point) if kept else assignment_at(domain, trial.point, former)
        found.append(replace(trial, assignment=values, outside=why))
    return found


def broken_by(domain: Domain, point: Point, former: Former) -> str:
    """The first thing that a point outside the domain breaks: the range of a variable, or a constraint."""
    for variable, code in zip(domain.variables, point, strict=True):
        if code not in variable.codes:
            value = value_at(variable, code, former)
            ends = f"{variable.value(variable.codes[0])} to {variable.value(variable.codes[-1])}"
            takes = str(list(variable.choices)) if isinstance(variable, Categorical) else ends
            return f"{variable.name} takes {takes}, not {value!r}"
    return domain.rules_of(domain.violations(point))[0].in_short()


def assignment_at(domain: Domain, point: Point, former: Former) -> dict[str, Any]:
    """The values of a point, inside the domain or not.

    A variable that does not exist in the domain of today may have had a value before.
    """
    if domain.contains(point):
        return domain.assignment(point)
    missing = domain.absent(domain.codes([point]))[0] & (np.array(point) == domain.coding.low)
    values: dict[str, Any] = {}
    start = 0
    for thing in domain.declared:
        own = [thing] if not isinstance(thing, Array) else list(thing.flat)
        items = [
            None if missing[start + k] else value_at(v, point[start + k], former) for k, v in enumerate(own)
        ]
        start += len(own)
        if not isinstance(thing, Array):
            values[thing.name] = items[0]
        elif array_conditions(domain).get(str(thing.name)) and None in items:
            values[str(thing.name)] = None
        else:
            plain = len(set(map(type, items))) == 1 and str(thing.name) not in array_conditions(domain)
            values[str(thing.name)] = np.array(items, dtype=None if plain else object).reshape(thing.shape)
    return values


def value_at(variable: Variable, code: int, former: Former) -> Any:
    """The value of a code, also of one that the variable no longer has."""
    if code in variable.codes or isinstance(variable, Integer | Real):
        return variable.value(code)
    gone = former.get(variable.name, ())
    place = code - len(variable.codes)
    if not 0 <= place < len(gone):
        raise ValueError(f"{variable} has no code {code!r}")
    return gone[place]


def code_of(variable: Variable, value: Any) -> int:
    """The code of a value, also of a number beyond the variable's ends; an error for what is no value."""
    try:
        return variable.code(value)
    except ValueError:
        plain = value.item() if isinstance(value, np.generic) else value
        whole = isinstance(plain, int | float) and not isinstance(plain, bool) and float(plain).is_integer()
        if isinstance(variable, Integer) and whole:
            return int(plain)
        if isinstance(variable, Real) and isinstance(plain, int | float) and np.isfinite(plain):
            steps = (Fraction(number(plain)) - variable.low) / variable.step
            if abs(steps - round(steps)) * 1000 <= 1:
                return round(steps)
        raise


def anywhere(domain: Domain, assignment: Mapping[str, Any]) -> Point:
    """The point behind an assignment, inside the domain or not; an error for what is no assignment."""
    return point_of(domain, assignment, code_of)
