"""A claim: a constraint said twice, as milbox builds it and as plain Python on plain values.

`build` makes the constraint through the public surface, from whatever variables bear the names, so that the
same claim can be made with another encoding or another order of the choices; `truth` judges an assignment
without milbox, with exact fractions.
"""

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

from milbox.domain import Constraint, Variable

Names: TypeAlias = Mapping[str, Any]
"""Variables by name."""
Values: TypeAlias = Mapping[str, Any]
"""What the objective sees of each scalar variable, by name."""


@dataclass(frozen=True)
class Claim:
    """A constraint and what it means."""

    build: Callable[[Names], Constraint]
    truth: Callable[[Values], bool]
    text: str

    def __repr__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Quantity:
    """An expression and what it amounts to."""

    build: Callable[[Names], Any]
    value: Callable[[Values], Fraction]
    text: str


COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
    "==": operator.eq,
    "!=": operator.ne,
}


def exactly_as_meant(weight: float) -> Fraction:
    """0.1 is one tenth and 1/3 is one third: the fraction a person means by a float."""
    return Fraction(weight).limit_denominator(1000)


def values_of(variable: Variable) -> list[Any]:
    """Every value a variable may take."""
    return [variable.value(code) for code in variable.codes]
