"""Constraints as data; each evaluates itself at many points, without rows and without a solver.

`holds(codes)` answers for many points at once; its rows live in `milbox.embed.domain`, and a test proves
that both faces agree on every point of small domains.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from milbox.arrays import BoolArray
from milbox.domain.constraints.automata import Automaton
from milbox.domain.constraints.connected import Connected
from milbox.domain.model.expressions import Linear, Literal
from milbox.domain.model.monomials import Codes, distinct
from milbox.domain.model.operators import Logical

if TYPE_CHECKING:
    from milbox.domain.model.variables import Variable


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class AllOf(Logical):
    """Every part holds."""

    parts: tuple["Constraint", ...]

    def holds(self, codes: Codes) -> BoolArray:
        """Whether all parts hold, at each of many points."""
        return np.asarray(
            np.logical_and.reduce([part.holds(codes) for part in self.parts] or [everywhere(codes)])
        )

    @property
    def variables(self) -> tuple["Variable", ...]:
        """The variables the constraint is about, each once."""
        return distinct(v for part in self.parts for v in part.variables)


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class AnyOf(Logical):
    """At least one part holds."""

    parts: tuple["Constraint", ...]

    def holds(self, codes: Codes) -> BoolArray:
        """Whether some part holds, at each of many points."""
        return np.asarray(
            np.logical_or.reduce([part.holds(codes) for part in self.parts] or [~everywhere(codes)])
        )

    @property
    def variables(self) -> tuple["Variable", ...]:
        """The variables the constraint is about, each once."""
        return distinct(v for part in self.parts for v in part.variables)


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Not(Logical):
    """The part does not hold."""

    part: "Constraint"

    def holds(self, codes: Codes) -> BoolArray:
        """Whether the part fails, at each of many points."""
        return np.logical_not(self.part.holds(codes))

    @property
    def variables(self) -> tuple["Variable", ...]:
        """The variables the constraint is about."""
        return self.part.variables


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Implies(Logical):
    """Where the condition holds, the consequence does."""

    condition: "Constraint"
    consequence: "Constraint"

    def holds(self, codes: Codes) -> BoolArray:
        """Whether the condition fails or the consequence holds, at each of many points."""
        return ~self.condition.holds(codes) | self.consequence.holds(codes)

    @property
    def variables(self) -> tuple["Variable", ...]:
        """The variables the constraint is about, each once."""
        return distinct((*self.condition.variables, *self.consequence.variables))


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Count(Logical):
    """At least `lower` and at most `upper` of the parts hold."""

    parts: tuple["Constraint", ...]
    lower: int
    upper: int

    def holds(self, codes: Codes) -> BoolArray:
        """Whether the number of parts that hold is within its limits, at each of many points."""
        held = sum((part.holds(codes).astype(np.int64) for part in self.parts), 0 * everywhere(codes))
        return np.asarray((self.lower <= held) & (held <= self.upper))

    @property
    def variables(self) -> tuple["Variable", ...]:
        """The variables the constraint is about, each once."""
        return distinct(v for part in self.parts for v in part.variables)


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class AllDifferent(Logical):
    """No two of the variables take the same value."""

    variables: tuple["Variable", ...]

    def holds(self, codes: Codes) -> BoolArray:
        """Whether all values differ, at each of many points."""
        labels = {value: i for i, value in enumerate(self.values)}
        columns = [
            np.array([labels[v.value(code)] for code in v.codes])[codes[v.name] - v.codes[0]]
            for v in self.variables
        ]
        ordered = np.sort(np.stack(columns), axis=0)
        return np.asarray((ordered[1:] != ordered[:-1]).all(axis=0))

    @property
    def values(self) -> tuple[Any, ...]:
        """Every value that some of the variables may take."""
        return tuple(dict.fromkeys(v.value(code) for v in self.variables for code in v.codes))


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Table(Logical):
    """The variables together take one of the rows (of codes), or none of them when `allowed` is False."""

    variables: tuple["Variable", ...]
    rows: tuple[tuple[int, ...], ...]
    allowed: bool = True
    row_set: frozenset[tuple[int, ...]] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "row_set", frozenset(self.rows))

    def holds(self, codes: Codes) -> BoolArray:
        """Whether the joint codes are a row (or none), at each of many points."""
        points = [codes[variable.name] for variable in self.variables]
        if len(points[0]) < len(self.rows):
            there = [point in self.row_set for point in zip(*(c.tolist() for c in points), strict=True)]
            return np.asarray(np.array(there, dtype=bool) == self.allowed)
        rows = np.array(self.rows, dtype=np.int64).reshape(len(self.rows), len(self.variables))
        # Joint codes become single labels, one variable at a time, so that no product of ranges overflows.
        seen, given = np.zeros(len(rows), np.int64), np.zeros(len(codes[self.variables[0].name]), np.int64)
        for column, variable in enumerate(self.variables):
            width = len(variable.codes)
            both = np.concatenate([seen, given]) * width + np.concatenate(
                [rows[:, column], codes[variable.name]]
            )
            labels = np.unique(both, return_inverse=True)[1]
            seen, given = labels[: len(rows)], labels[len(rows) :]
        return np.asarray(np.isin(given, seen) == self.allowed)


Constraint: TypeAlias = (
    Literal | Linear | AllOf | AnyOf | Not | Implies | Count | AllDifferent | Table | Automaton | Connected
)


def conjuncts(constraints: Iterable["Constraint"]) -> Iterator["Constraint"]:
    """The constraints with every conjunction taken apart."""
    for constraint in constraints:
        if isinstance(constraint, AllOf):
            yield from conjuncts(constraint.parts)
        else:
            yield constraint


def everywhere(codes: Codes) -> BoolArray:
    """True at each of many points."""
    return np.ones(len(next(iter(codes.values()))), dtype=bool)
