"""What must hold of a point? Every constraint can say so itself, without rows and without a solver.

`holds(codes)` answers for many points at once; its rows live in `milbox.embed.domain`, and a test proves
that both faces agree on every point of small domains.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from milbox.arrays import BoolArray
from milbox.domain.expressions import Arithmetic, Codes, Linear, Literal, Logical, compare, distinct, linear

if TYPE_CHECKING:
    from milbox.domain.variables import Variable


@dataclass(frozen=True, eq=False, slots=True)
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

    def __str__(self) -> str:
        return f"all_of({', '.join(str(part) for part in self.parts)})"


@dataclass(frozen=True, eq=False, slots=True)
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

    def __str__(self) -> str:
        return f"any_of({', '.join(str(part) for part in self.parts)})"


@dataclass(frozen=True, eq=False, slots=True)
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

    def __str__(self) -> str:
        return f"negate({self.part})"


@dataclass(frozen=True, eq=False, slots=True)
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

    def __str__(self) -> str:
        return f"implies({self.condition}, {self.consequence})"


@dataclass(frozen=True, eq=False, slots=True)
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

    def __str__(self) -> str:
        shown = f"[{', '.join(str(part) for part in self.parts)}]"
        if self.lower == self.upper:
            return f"exactly({self.lower}, {shown})"
        if self.lower <= 0:
            return f"at_most({self.upper}, {shown})"
        if self.upper >= len(self.parts):
            return f"at_least({self.lower}, {shown})"
        return f"between({self.lower}, {shown}, {self.upper})"


@dataclass(frozen=True, eq=False, slots=True)
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

    def __str__(self) -> str:
        return f"all_different({', '.join(v.name for v in self.variables)})"


@dataclass(frozen=True, eq=False, slots=True)
class Table(Logical):
    """The variables together take one of the rows (of codes), or none of them when `allowed` is False."""

    variables: tuple["Variable", ...]
    rows: tuple[tuple[int, ...], ...]
    allowed: bool = True

    def holds(self, codes: Codes) -> BoolArray:
        """Whether the joint codes are a row (or none), at each of many points."""
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

    def __str__(self) -> str:
        names = ", ".join(v.name for v in self.variables)
        return f"{'table' if self.allowed else 'forbid'}([{names}], {len(self.rows)} rows)"


Constraint: TypeAlias = Literal | Linear | AllOf | AnyOf | Not | Implies | Count | AllDifferent | Table


def everywhere(codes: Codes) -> BoolArray:
    """True at each of many points."""
    return np.ones(len(next(iter(codes.values()))), dtype=bool)


def constraint(thing: Any) -> Constraint:
    """A constraint as it is; a binary variable as the claim that it is one."""
    if isinstance(thing, Constraint):
        return thing
    if isinstance(thing, Logical) and isinstance(thing, Arithmetic):
        return Literal(thing, 1)  # type: ignore[arg-type]  # the only such kind left is Binary
    raise TypeError(f"{thing!r} is not a constraint; write one with <=, >=, ==, implies, any_of, ...")


def constraints(things: Any) -> tuple[Constraint, ...]:
    """One constraint or any nesting of lists and arrays of them, flat."""
    if not isinstance(things, Logical | str) and isinstance(things, Iterable):
        return tuple(c for thing in things for c in constraints(thing))
    return (constraint(things),)


def all_of(*parts: Any) -> Constraint:
    """Every part holds; parts are constraints, or lists of them."""
    return AllOf(constraints(parts))


def any_of(*parts: Any) -> Constraint:
    """At least one part holds; parts are constraints, or lists of them."""
    return AnyOf(constraints(parts))


def negate(part: Any) -> Constraint:
    """The constraint does not hold."""
    inner = constraint(part)
    if isinstance(inner, Literal):
        return Literal(inner.variable, inner.code, not inner.positive)
    if isinstance(inner, Linear) and inner.slack == 0 and math.isinf(inner.lower) != math.isinf(inner.upper):
        # Whole numbers leave no room between "at most 3" and "at least 4".
        at_most_this = math.isinf(inner.lower)
        return Linear(
            inner.terms,
            inner.upper + 1 if at_most_this else -math.inf,
            math.inf if at_most_this else inner.lower - 1,
        )
    return Not(inner)


def implies(condition: Any, consequence: Any) -> Constraint:
    """Wherever the condition holds, the consequence (or each of a list of them) holds too."""
    return Implies(whole(condition), whole(consequence))


def whole(things: Any) -> Constraint:
    """One constraint, or several taken together."""
    parts = constraints(things)
    return parts[0] if len(parts) == 1 else AllOf(parts)


def exactly(count: int, parts: Any) -> Constraint:
    """Exactly `count` of the parts hold."""
    return Count(constraints(parts), whole_number(count), whole_number(count))


def at_most(count: int, parts: Any) -> Constraint:
    """At most `count` of the parts hold."""
    return Count(constraints(parts), 0, whole_number(count))


def at_least(count: int, parts: Any) -> Constraint:
    """At least `count` of the parts hold."""
    given = constraints(parts)
    return Count(given, whole_number(count), max(len(given), whole_number(count)))


def between(lower: Any, expression: Any, upper: Any) -> Constraint:
    """Lower <= expression <= upper, for numbers and expressions."""
    middle, low, high = linear(expression), linear(lower), linear(upper)
    if low.terms or high.terms:
        return AllOf((compare(middle - low, 0, math.inf), compare(high - middle, 0, math.inf)))
    return compare(middle, low.constant, high.constant)


def all_different(*variables: Any) -> Constraint:
    """No two of the variables take the same value."""
    given = scalars(variables)
    if len(given) < 2:
        raise ValueError("all_different needs at least two variables")
    return AllDifferent(given)


def table(variables: Any, rows: Iterable[Sequence[Any]]) -> Constraint:
    """The variables together take one of the rows, given as values."""
    return tabled(scalars([variables]), rows, allowed=True)


def forbid(first: Any, *rest: Any) -> Constraint:
    """`forbid(variables, rows)`: none of the rows; `forbid(a, b, ...)`: the constraints do not all hold."""
    if len(rest) == 1 and not isinstance(rest[0], Logical) and isinstance(rest[0], Iterable):
        given = list(rest[0])
        if all(not isinstance(row, Logical) for row in given):
            return tabled(scalars([first]), given, allowed=False)
    return negate(whole((first, *rest)))


def tabled(variables: tuple["Variable", ...], rows: Iterable[Sequence[Any]], allowed: bool) -> Table:
    """A table from rows of values; each row is checked against its variables."""
    coded = []
    for number, row in enumerate(rows):
        values = [row] if len(variables) == 1 and not is_row(row) else list(row)
        if len(values) != len(variables):
            names = ", ".join(v.name for v in variables)
            raise ValueError(f"row {number} of the table over ({names}) has {len(values)} values: {row!r}")
        coded.append(tuple(v.code(value) for v, value in zip(variables, values, strict=True)))
    return Table(variables, tuple(dict.fromkeys(coded)), allowed)


def is_row(thing: Any) -> bool:
    """Whether a table's row is a sequence of values rather than one value."""
    return isinstance(thing, Iterable) and not isinstance(thing, str)


def scalars(things: Any) -> tuple["Variable", ...]:
    """Variables out of any nesting of lists and arrays of them, flat, each at most once."""
    flat = list(flattened(things, lambda thing: hasattr(thing, "codes")))
    if len({v.name for v in flat}) < len(flat):
        raise ValueError(f"a variable appears twice in ({', '.join(v.name for v in flat)})")
    return tuple(flat)


def flattened(things: Any, leaf: Callable[[Any], bool]) -> Iterable[Any]:
    """The leaves of nested lists and arrays, in order."""
    for thing in things:
        if leaf(thing):
            yield thing
        elif isinstance(thing, Iterable) and not isinstance(thing, str):
            yield from flattened(thing, leaf)
        else:
            raise TypeError(f"{thing!r} is not a variable")


def whole_number(count: Any) -> int:
    """A count as an int, or an error."""
    if isinstance(count, int | np.integer) and not isinstance(count, bool):
        return int(count)
    raise TypeError(f"a count must be a whole number, not {count!r}")
