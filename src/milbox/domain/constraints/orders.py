"""Constraints on orders: permutations, assignments, precedence."""

import itertools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from milbox.domain.constraints.automata import letters_of
from milbox.domain.constraints.build import all_different, scalars, whole_number
from milbox.domain.constraints.kinds import AllOf
from milbox.domain.constraints.selections import count_of
from milbox.domain.model.array import Array
from milbox.domain.model.constraint import Constraint
from milbox.domain.model.expressions import LinExpr, Literal, combine

if TYPE_CHECKING:
    from milbox.domain.model.variables import Variable


def permutation(variables: Any) -> Constraint:
    """The n variables take n values, each exactly once."""
    given = scalars([variables])
    values = {v.value(code) for v in given for code in v.codes}
    if len(values) != len(given):
        raise ValueError(
            f"{len(given)} variables take {len(values)} different values; a permutation needs as many values "
            f"as variables, as in integer('p', 0, {len(given) - 1}, {len(given)})"
        )
    return all_different(given)


def assignment(tasks: Any, capacity: int | Mapping[Any, int] | Sequence[int] = 1) -> Constraint:
    """Every task has one taker, and no taker more tasks than it has capacity for.

    Args:
        tasks: integer or categorical variables, whose values are the takers; or a matrix of binaries, where
            tasks[i, j] says that task i goes to taker j.
        capacity: for every taker, or a mapping from takers (or a sequence over the matrix's columns).
    """
    if isinstance(tasks, Array) and len(tasks.shape) == 2:
        one_each = [count_of(tasks[i]) == 1 for i in range(tasks.shape[0])]
        return AllOf((*one_each, *loads({j: count_of(tasks[:, j]) for j in range(tasks.shape[1])}, capacity)))
    variables = scalars([tasks])
    takers = dict.fromkeys(v.value(code) for v in variables for code in v.codes)
    return AllOf(loads({taker: taken(variables, taker) for taker in takers}, capacity))


def taken(variables: Sequence["Variable"], value: Any) -> LinExpr:
    """The number of variables that take a value."""
    return combine((1, Literal(v, code)) for v in variables for code in v.codes if v.value(code) == value)


def loads(counts: Mapping[Any, LinExpr], capacity: Any) -> tuple[Constraint, ...]:
    """Each count within its capacity; a taker that a mapping leaves out takes nothing."""
    if isinstance(capacity, Mapping):
        strange = [taker for taker in capacity if taker not in counts]
        if strange:
            raise ValueError(f"there is no taker {strange[0]!r}; there are {list(counts)}")
        limits = {taker: capacity.get(taker, 0) for taker in counts}
    elif isinstance(capacity, Sequence):
        if len(capacity) != len(counts):
            raise ValueError(f"{len(counts)} takers have {len(capacity)} capacities; give one each")
        limits = dict(zip(counts, capacity, strict=True))
    else:
        limits = dict.fromkeys(counts, capacity)
    return tuple(count <= whole_number(limits[taker]) for taker, count in counts.items())


def precedes(earlier: Any, later: Any, gap: int = 1) -> Constraint:
    """One time, position or expression is at least `gap` before another."""
    return combine([(1, later), (-1, earlier)]) >= gap


def before(slots: Any, earlier: Any, later: Any) -> Constraint:
    """In a sequence of slots, no `later` stands before an `earlier`."""
    variables = letters_of(slots)
    if earlier == later:
        raise ValueError(f"{earlier!r} cannot stand before itself")
    return AllOf(
        tuple(
            combine([(1, Literal(a, a.code(later))), (1, Literal(b, b.code(earlier)))]) <= 1
            for a, b in itertools.combinations(variables, 2)
        )
    )


def ordered(variables: Any, gap: int = 0) -> Constraint:
    """Each number is at least `gap` more than the one before it."""
    given = scalars([variables])
    return AllOf(tuple(precedes(a, b, gap) for a, b in itertools.pairwise(given)))
