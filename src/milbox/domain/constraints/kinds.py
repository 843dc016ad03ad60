"""Constraints as data; each evaluates itself at many points, without rows and without a solver.

`holds(codes)` answers for many points at once; its rows live in `milbox.embed.kinds`, and a test proves
that both faces agree on every point of small domains.
"""

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from milbox.arrays import BoolArray
from milbox.domain.model.constraint import Constraint, constraint_from_json
from milbox.domain.model.expressions import Literal
from milbox.domain.model.monomials import Codes, distinct
from milbox.domain.model.text import Writer, names_text, value_text

if TYPE_CHECKING:
    from milbox.domain.model.variables import Variable


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class AllOf(Constraint):
    """Every part holds."""

    kind = "all_of"

    parts: tuple[Constraint, ...]

    def holds(self, codes: Codes) -> BoolArray:
        """Whether all parts hold, at each of many points."""
        return np.asarray(
            np.logical_and.reduce([part.holds(codes) for part in self.parts] or [everywhere(codes)])
        )

    @property
    def variables(self) -> tuple["Variable", ...]:
        """The variables the constraint is about, each once."""
        return distinct(v for part in self.parts for v in part.variables)

    def negation(self) -> "AnyOf":
        """Some part fails."""
        return AnyOf(tuple(part.negation() for part in self.parts))

    def rule(self, write: Writer) -> str:
        """`a and b`."""
        return write.joined(self.parts, "and", "all_of")

    def to_json(self) -> dict[str, Any]:
        """Its parts, as plain JSON."""
        return {"kind": self.kind, "parts": [part.to_json() for part in self.parts]}

    @classmethod
    def from_json(cls, form: Mapping[str, Any], variables: Mapping[str, "Variable"]) -> "AllOf":
        """The constraint behind its plain form."""
        return cls(tuple(constraint_from_json(part, variables) for part in form["parts"]))


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class AnyOf(Constraint):
    """At least one part holds."""

    kind = "any_of"

    parts: tuple[Constraint, ...]

    def holds(self, codes: Codes) -> BoolArray:
        """Whether some part holds, at each of many points."""
        return np.asarray(
            np.logical_or.reduce([part.holds(codes) for part in self.parts] or [~everywhere(codes)])
        )

    @property
    def variables(self) -> tuple["Variable", ...]:
        """The variables the constraint is about, each once."""
        return distinct(v for part in self.parts for v in part.variables)

    def negation(self) -> "AllOf":
        """Every part fails."""
        return AllOf(tuple(part.negation() for part in self.parts))

    def rule(self, write: Writer) -> str:
        """`a or b`."""
        return write.joined(self.parts, "or", "any_of")

    def to_json(self) -> dict[str, Any]:
        """Its parts, as plain JSON."""
        return {"kind": self.kind, "parts": [part.to_json() for part in self.parts]}

    @classmethod
    def from_json(cls, form: Mapping[str, Any], variables: Mapping[str, "Variable"]) -> "AnyOf":
        """The constraint behind its plain form."""
        return cls(tuple(constraint_from_json(part, variables) for part in form["parts"]))


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Not(Constraint):
    """The part does not hold."""

    kind = "not"

    part: Constraint

    def holds(self, codes: Codes) -> BoolArray:
        """Whether the part fails, at each of many points."""
        return np.logical_not(self.part.holds(codes))

    @property
    def variables(self) -> tuple["Variable", ...]:
        """The variables the constraint is about."""
        return self.part.variables

    def negation(self) -> Constraint:
        """The part itself."""
        return self.part

    def rule(self, write: Writer) -> str:
        """`not (a)`."""
        return f"not ({write.text(self.part)})"

    def to_json(self) -> dict[str, Any]:
        """Its parts, as plain JSON."""
        return {"kind": self.kind, "part": self.part.to_json()}

    @classmethod
    def from_json(cls, form: Mapping[str, Any], variables: Mapping[str, "Variable"]) -> "Not":
        """The constraint behind its plain form."""
        return cls(constraint_from_json(form["part"], variables))


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Implies(Constraint):
    """The consequence holds wherever the condition does."""

    kind = "implies"

    condition: Constraint
    consequence: Constraint

    def holds(self, codes: Codes) -> BoolArray:
        """Whether the condition fails or the consequence holds, at each of many points."""
        return ~self.condition.holds(codes) | self.consequence.holds(codes)

    @property
    def variables(self) -> tuple["Variable", ...]:
        """The variables the constraint is about, each once."""
        return distinct((*self.condition.variables, *self.consequence.variables))

    def negation(self) -> AllOf:
        """The condition holds and the consequence does not."""
        return AllOf((self.condition, self.consequence.negation()))

    def rule(self, write: Writer) -> str:
        """`a -> b`."""
        return f"{write.enclosed(self.condition)} -> {write.enclosed(self.consequence)}"

    def to_json(self) -> dict[str, Any]:
        """Its parts, as plain JSON."""
        return {"kind": self.kind, "if": self.condition.to_json(), "then": self.consequence.to_json()}

    @classmethod
    def from_json(cls, form: Mapping[str, Any], variables: Mapping[str, "Variable"]) -> "Implies":
        """The constraint behind its plain form."""
        return cls(constraint_from_json(form["if"], variables), constraint_from_json(form["then"], variables))


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Count(Constraint):
    """At least `lower` and at most `upper` of the parts hold."""

    kind = "count"

    parts: tuple[Constraint, ...]
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

    def negation(self) -> Constraint:
        """Fewer parts hold, or more."""
        fewer = [Count(self.parts, 0, self.lower - 1)] if self.lower > 0 else []
        more = [Count(self.parts, self.upper + 1, len(self.parts))] if self.upper < len(self.parts) else []
        return either((*fewer, *more))

    def rule(self, write: Writer) -> str:
        """`at_most(2, a, b, c)`."""
        parts = write.listed(self.parts)
        if self.lower == self.upper:
            return f"exactly({self.lower}, {parts})"
        if self.lower <= 0:
            return f"at_most({self.upper}, {parts})"
        if self.upper >= len(self.parts):
            return f"at_least({self.lower}, {parts})"
        return f"at_least({self.lower}, {parts}) and at_most({self.upper}, {parts})"

    def to_json(self) -> dict[str, Any]:
        """Its parts, as plain JSON."""
        return {
            "kind": self.kind,
            "parts": [part.to_json() for part in self.parts],
            "lower": self.lower,
            "upper": self.upper,
        }

    @classmethod
    def from_json(cls, form: Mapping[str, Any], variables: Mapping[str, "Variable"]) -> "Count":
        """The constraint behind its plain form."""
        parts = tuple(constraint_from_json(part, variables) for part in form["parts"])
        return cls(parts, form["lower"], form["upper"])


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class AllDifferent(Constraint):
    """No two of the variables take the same value."""

    kind = "all_different"
    binds_tightly = True

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

    def negation(self) -> AnyOf:
        """Some two take the same value."""
        return AnyOf(
            tuple(
                AllOf((Literal(a, a.code(value)), Literal(b, b.code(value))))
                for a, b in itertools.combinations(self.variables, 2)
                for value in (a.value(code) for code in a.codes)
                if value in {b.value(code) for code in b.codes}
            )
        )

    def rule(self, write: Writer) -> str:
        """`all_different(a, b, c)`."""
        del write
        return f"all_different({names_text(self.variables)})"

    def to_json(self) -> dict[str, Any]:
        """Its parts, as plain JSON."""
        return {"kind": self.kind, "variables": [v.name for v in self.variables]}

    @classmethod
    def from_json(cls, form: Mapping[str, Any], variables: Mapping[str, "Variable"]) -> "AllDifferent":
        """The constraint behind its plain form."""
        return cls(tuple(variables[name] for name in form["variables"]))


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Table(Constraint):
    """The variables together take one of the rows (of codes), or none of them when `allowed` is False."""

    kind = "table"
    binds_tightly = True

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

    def negation(self) -> "Table":
        """The same rows, forbidden or allowed."""
        return Table(self.variables, self.rows, not self.allowed)

    def rule(self, write: Writer) -> str:
        """`table([a, b], [[0, 1], [1, 0]])`; shortened, the number of rows."""
        rows = f"{len(self.rows)} rows"
        if write.whole:
            texts = (
                ", ".join(value_text(v.value(code)) for v, code in zip(self.variables, row, strict=True))
                for row in self.rows
            )
            rows = f"[{', '.join(f'[{text}]' for text in texts)}]"
        return f"{'table' if self.allowed else 'forbid'}([{names_text(self.variables)}], {rows})"

    def to_json(self) -> dict[str, Any]:
        """Its parts, as plain JSON."""
        return {
            "kind": self.kind,
            "variables": [v.name for v in self.variables],
            "rows": [list(row) for row in self.rows],
            "allowed": self.allowed,
        }

    @classmethod
    def from_json(cls, form: Mapping[str, Any], variables: Mapping[str, "Variable"]) -> "Table":
        """The constraint behind its plain form."""
        rows = tuple(tuple(row) for row in form["rows"])
        return cls(tuple(variables[name] for name in form["variables"]), rows, form["allowed"])


def either(parts: tuple[Constraint, ...]) -> Constraint:
    """At least one part; a single part as it is, since an alternative would cost a column."""
    return parts[0] if len(parts) == 1 else AnyOf(parts)


def conjuncts(constraints: Iterable[Constraint]) -> Iterator[Constraint]:
    """The constraints with every conjunction taken apart."""
    for constraint in constraints:
        if isinstance(constraint, AllOf):
            yield from conjuncts(constraint.parts)
        else:
            yield constraint


def everywhere(codes: Codes) -> BoolArray:
    """True at each of many points."""
    return np.ones(len(next(iter(codes.values()))), dtype=bool)
