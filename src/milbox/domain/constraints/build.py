"""Functions that build constraints: `implies`, `any_of`, `at_most`, `table` and others."""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from milbox.domain.constraints.kinds import AllDifferent, AllOf, AnyOf, Count, Implies, Not, Table
from milbox.domain.model.constraint import Constraint
from milbox.domain.model.expressions import Arithmetic, Linear, Literal, compare, linear
from milbox.domain.model.operators import Elementwise, Logical, shown

if TYPE_CHECKING:
    from milbox.domain.model.variables import Variable


def constraint(thing: Any) -> Constraint:
    """A constraint as it is; a binary variable as the claim that it is one."""
    if isinstance(thing, Constraint):
        if thing.stands_alone:
            raise TypeError(f"{thing} is no part of another constraint; give it to the domain by itself")
        return thing
    if isinstance(thing, Logical) and isinstance(thing, Arithmetic):
        return Literal(thing, 1)  # type: ignore[arg-type]  # the only such kind left is Binary
    if isinstance(thing, Elementwise):
        raise TypeError(f"{thing} is many constraints; combine them with all_of, any_of, at_most, ...")
    raise TypeError(f"{shown(thing)} is not a constraint; write one with <=, >=, ==, implies, any_of, ...")


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
    if isinstance(inner, Linear) and math.isinf(inner.lower) != math.isinf(inner.upper):
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
        if given and all(isinstance(row, Logical) for row in given):
            return negate(whole((first, *given)))
        return tabled(scalars([first]), given, allowed=False)
    return negate(whole((first, *rest)))


def tabled(variables: tuple["Variable", ...], rows: Iterable[Sequence[Any]], allowed: bool) -> Table:
    """A table from rows of values; each row is checked against its variables."""
    if not variables:
        raise ValueError("a table needs at least one variable")
    coded = []
    for number, row in enumerate(rows):
        values = list(row) if is_row(row) else [row]
        if len(values) != len(variables):
            names = ", ".join(v.name for v in variables)
            raise ValueError(
                f"row {number} of the table over ({names}) should have {len(variables)} values, and is "
                f"{row!r}"
            )
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
            raise TypeError(f"{shown(thing)} is not a variable")


def whole_number(count: Any) -> int:
    """A count as an int, or an error."""
    if isinstance(count, int | np.integer) and not isinstance(count, bool):
        return int(count)
    raise TypeError(f"a count must be a whole number, not {count!r}")
