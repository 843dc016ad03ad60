"""Meaning of the operators and functions of a rule; the same as in Python."""

import math
import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np

from milbox.domain import symmetries
from milbox.domain.constraints import build, graphs, orders, selections, sequences
from milbox.domain.constraints.automata import automaton
from milbox.domain.constraints.conditions import OnlyIf, only_if
from milbox.domain.constraints.kinds import AllOf, AnyOf
from milbox.domain.model.array import Array, as_objects
from milbox.domain.model.constraint import Constraint
from milbox.domain.model.expressions import Arithmetic, LinExpr, combine, linear
from milbox.domain.model.numbers import Number
from milbox.domain.model.variables import Binary, Categorical, Variable

Term: TypeAlias = Any
"""The meaning of a part of a rule: a number, text, list, variable, array, expression or constraint."""

# A product of sums is spelled out over pairs of values; beyond this many it is surely a mistake.
MOST_PAIRS = 100_000
# A constraint repeats each side of a nested <->; beyond this many parts it takes seconds to check a point.
MOST_LEAVES = 10_000

COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
}


def broadcast(function: Callable[..., Term], *terms: Term) -> Term:
    """The function of single terms, or an array of it for each item of arrays and lists, as NumPy does."""
    if not any(isinstance(term, Array | list) for term in terms):
        return function(*terms)
    sides = [term.items if isinstance(term, Array) else as_objects(term) for term in terms]
    try:
        shape = np.broadcast_shapes(*(side.shape for side in sides))
    except ValueError:
        shapes = " and ".join(str(side.shape) for side in sides)
        raise ValueError(f"arrays of shapes {shapes} do not fit together") from None
    items = np.empty(shape, dtype=object)
    for place, row in enumerate(zip(*(np.broadcast_to(side, shape).flat for side in sides), strict=True)):
        items.flat[place] = function(*row)
    return Array(items)


def stated(term: Term) -> tuple[Constraint, ...]:
    """The constraints behind a whole rule: one, or one for each item of an array."""
    if isinstance(term, OnlyIf):
        return (term,)
    if isinstance(term, Array | list):
        return tuple(each for item in term for each in stated(item))
    return (condition(term),)


def condition(term: Term) -> Constraint:
    """A constraint; a binary is the claim that it is one."""
    if isinstance(term, Constraint | Binary):
        return build.constraint(term)
    raise TypeError(f"{described(term)} is not a condition; compare it with something, as in k <= 3")


def joined(kind: type[AllOf] | type[AnyOf], parts: Sequence[Term]) -> Term:
    """`a and b and c`, or the same with `or`, as one constraint."""
    return broadcast(lambda *each: kind(tuple(condition(part) for part in each)), *parts)


def negated(term: Term) -> Constraint:
    """`not a`."""
    return build.negate(condition(term))


def if_then(left: Term, right: Term) -> Constraint:
    """`a -> b`."""
    return build.implies(condition(left), condition(right))


def both_or_neither(*sides: Term) -> Constraint:
    """`a <-> b`, or a chain: `a <-> b <-> c` is `(a <-> b) <-> c`: an even number of its sides fail.

    Spelled out, each further arrow would double the constraint.
    """
    parts = tuple(condition(side) for side in sides)
    if len(parts) * sum(leaf_count(part, {}) for part in parts) > MOST_LEAVES:
        raise ValueError(
            "this <-> repeats its sides too often: give one of them a binary variable of its own, as in "
            "b <-> (...), and write b in its place"
        )
    if len(parts) == 2:
        left, right = parts
        return AllOf((build.implies(left, right), build.implies(right, left)))
    held = range(len(parts) % 2, len(parts) + 1, 2)
    return AnyOf(tuple(build.exactly(count, parts) for count in held))


def leaf_count(part: Constraint, known: dict[int, int]) -> int:
    """The number of leaves of a constraint, counted as often as they occur."""
    if id(part) not in known:
        inside = (getattr(part, name, ()) for name in ("parts", "part", "condition", "consequence"))
        found = [each for some in inside for each in (some if isinstance(some, tuple) else (some,))]
        known[id(part)] = sum(leaf_count(each, known) for each in found) if found else 1
    return known[id(part)]


def chained(marks: Sequence[str], sides: Sequence[Term]) -> Term:
    """`a <= b`, or a chain such as `a <= b < c`."""
    if list(marks) == ["<=", "<="] and is_number(sides[0]) and is_number(sides[2]):
        return broadcast(lambda middle: build.between(sides[0], amount(middle), sides[2]), sides[1])
    pairs = [
        broadcast(lambda left, right, mark=mark: compared(mark, left, right), sides[i], sides[i + 1])
        for i, mark in enumerate(marks)
    ]
    return pairs[0] if len(pairs) == 1 else joined(AllOf, pairs)


def compared(mark: str, left: Term, right: Term) -> Constraint:
    """One comparison of two single terms."""
    choice = next((side for side in (left, right) if isinstance(side, Categorical)), None)
    if choice is None:
        left, right = amount(left), amount(right)
        if is_number(left) and is_number(right):
            raise ValueError(f"{left} {mark} {right} compares two numbers; one side needs a variable")
    elif mark not in ("==", "!="):
        raise TypeError(f"{choice.name!r} is a choice and has no order; compare it with == or !=")
    elif not all(isinstance(side, Variable | str | int | float | None) for side in (left, right)):
        raise TypeError(f"{choice.name!r} can only be compared with a value or another choice")
    result: Constraint = COMPARISONS[mark](left, right)
    return result


def amount(term: Term) -> Arithmetic | Number:
    """A number or an expression."""
    if isinstance(term, Arithmetic):
        return term
    if isinstance(term, int | float):
        return term
    advice = "; count conditions with at_most, at_least or exactly" if isinstance(term, Constraint) else ""
    if isinstance(term, Categorical):
        advice = f"; {term.name} == {term.choices[0]!r} is one, 0 or 1"
    raise TypeError(f"{described(term)} is not a number{advice}")


def added(left: Term, right: Term) -> Term:
    """`a + b`."""
    return amount(left) + amount(right)


def subtracted(left: Term, right: Term) -> Term:
    """`a - b`."""
    return amount(left) - amount(right)


def multiplied(left: Term, right: Term) -> Term:
    """`a * b`."""
    one, other = amount(left), amount(right)
    if is_number(one) or is_number(other):
        return one * other
    if math.prod(sum(spread(m) for m in linear(side).terms) for side in (one, other)) > MOST_PAIRS:
        raise ValueError(
            f"this product has more than {MOST_PAIRS:,} terms; write it with fewer or smaller factors"
        )
    return one * other


def spread(monomial: tuple[Any, ...]) -> int:
    """The number of indicators that a monomial becomes when it is multiplied by another."""
    return math.prod(1 if factor.code is not None else len(factor.variable.codes) for factor in monomial)


def divided(left: Term, right: Term) -> Term:
    """`a / number`."""
    if not is_number(right):
        raise TypeError(f"only numbers can divide, not {described(right)}")
    if right == 0:
        raise ValueError("division by zero")
    return amount(left) / right


OPERATORS: dict[str, Callable[[Term, Term], Term]] = {
    "->": if_then,
    "+": added,
    "-": subtracted,
    "*": multiplied,
    "/": divided,
}


def summed(*terms: Term) -> LinExpr:
    """The sum of everything in the arguments."""
    return combine((1, amount(item)) for term in terms for item in leaves(term))


def counted(count: Callable[[int, Any], Constraint]) -> Callable[..., Constraint]:
    """A counting constraint over everything in the arguments after the first."""

    def counting(number: Term, *parts: Term) -> Constraint:
        return count(number, conditions(parts))

    return counting


def conditions(parts: Iterable[Term]) -> list[Constraint]:
    """Everything in the arguments, as conditions."""
    return [condition(item) for part in parts for item in leaves(part)]


def picked(array: Array[Any, Any], index: tuple[int | slice, ...]) -> Term:
    """`array[index]`, with an error in the user's words."""
    if len(index) > len(array.shape):
        raise IndexError(f"{described(array)} takes {len(array.shape)} indices, not {len(index)}")
    for part, size in zip(index, array.shape, strict=False):
        if isinstance(part, int) and not -size <= part < size:
            raise IndexError(f"index {part} is outside {described(array)}: it goes from 0 to {size - 1}")
        if isinstance(part, slice) and not len(range(size)[part]):
            raise IndexError(f"this slice of {described(array)} is empty: it goes from 0 to {size - 1}")
    return array[index]


FUNCTIONS: dict[str, Callable[..., Term]] = {
    "sum": summed,
    "at_most": counted(build.at_most),
    "at_least": counted(build.at_least),
    "exactly": counted(build.exactly),
    "any_of": lambda *parts: AnyOf(tuple(conditions(parts))),
    "all_of": lambda *parts: AllOf(tuple(conditions(parts))),
    "negate": negated,
    "implies": if_then,
    "between": lambda low, middle, high: build.between(amount(low), amount(middle), amount(high)),
    "all_different": build.all_different,
    "only_if": only_if,
    "table": build.table,
    "forbid": build.forbid,
    "permutation": orders.permutation,
    "assignment": orders.assignment,
    "subset_of_size": selections.subset_of_size,
    "balanced": selections.balanced,
    "budget": selections.budget,
    "precedes": orders.precedes,
    "before": orders.before,
    "ordered": orders.ordered,
    "no_runs": sequences.no_runs,
    "share": sequences.share,
    "without": sequences.without,
    "containing": sequences.containing,
    "automaton": automaton,
    "connected_vertices": graphs.connected_vertices,
    "connected_edges": graphs.connected_edges,
    "spanning": graphs.spanning,
    "spanning_tree": graphs.spanning_tree,
    "tour": graphs.tour,
    "path": graphs.path,
    "dag": graphs.dag,
    "reverse_complement": symmetries.reverse_complement,
    "interchangeable": symmetries.interchangeable,
}


def leaves(term: Term) -> Iterable[Term]:
    """The single terms in nested lists and arrays."""
    if isinstance(term, Array | list):
        for item in term:
            yield from leaves(item)
    else:
        yield term


def is_number(term: Term) -> bool:
    """Whether a term is a plain number."""
    return isinstance(term, int | float) and not isinstance(term, bool)


def described(term: Term) -> str:
    """A term as it appears in messages."""
    match term:
        case str():
            return f"the text {term!r}"
        case bool() | None:
            return str(term).lower()
        case int() | float():
            return f"the number {term:g}"
        case list():
            return "a list"
        case Array():
            return str(term)
        case Binary() | Categorical():
            return repr(term.name)
        case _:
            shown = getattr(term, "name", None) or str(term)
            return repr(shown if len(shown) <= 60 else shown[:57] + "...")
