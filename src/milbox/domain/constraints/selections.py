"""Constraints on selections: subsets of a given size, balanced groups, budgets."""

import itertools
from collections.abc import Iterable, Sequence
from typing import Any

from milbox.domain.constraints.build import between, constraints, whole_number
from milbox.domain.constraints.kinds import AllOf
from milbox.domain.model.array import Array
from milbox.domain.model.constraint import Constraint
from milbox.domain.model.expressions import LinExpr, Literal, combine
from milbox.domain.model.operators import shown


def literals(things: Any) -> tuple[Literal, ...]:
    """Binary variables and literals out of any nesting of lists and arrays, as literals."""
    found = []
    for each in constraints(things):
        if not isinstance(each, Literal):
            raise TypeError(f"{shown(each)} is neither a binary variable nor a literal such as op == 'pool'")
        found.append(each)
    return tuple(found)


def count_of(things: Any) -> LinExpr:
    """The number of binaries and literals that are one."""
    return combine((1, literal) for literal in literals(things))


def subset_of_size(members: Any, size: int | tuple[int, int]) -> Constraint:
    """Exactly `size` of the binaries or literals are one; a pair is a range, both ends included."""
    low, high = size if isinstance(size, Sequence) else (size, size)
    return between(whole_number(low), count_of(members), whole_number(high))


def balanced(groups: Iterable[Any], within: int = 0) -> Constraint:
    """As many are chosen from every group as from every other, give or take `within`."""
    counts = [count_of(group) for group in groups]
    if len(counts) < 2:
        raise ValueError(
            f"balanced compares groups, and got {len(counts)}: give at least two lists or arrays"
        )
    return AllOf(
        tuple(between(-within, a - b, whole_number(within)) for a, b in itertools.combinations(counts, 2))
    )


def budget(members: Any, costs: Sequence[Any], limit: float) -> Constraint:
    """The chosen members cost at most `limit`; an integer variable costs its value times its cost."""
    items = list(members.flat) if isinstance(members, Array) else list(members)
    if len(items) != len(costs):
        raise ValueError(f"{len(items)} things have {len(costs)} costs; give one cost each")
    return combine(zip(costs, items, strict=True)) <= limit
