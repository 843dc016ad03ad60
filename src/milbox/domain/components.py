"""Components of the constraints, and constraints as sums.

Variables that share a constraint, directly or through others, form a component; components are independent.
A large component falls apart into smaller ones once sums are set aside.
"""

import math
from typing import TYPE_CHECKING

import numpy as np

from milbox.domain.constraints.kinds import AllDifferent, Count, conjuncts
from milbox.domain.model.constraint import Constraint
from milbox.domain.model.expressions import Linear, Literal, combine, compare
from milbox.domain.model.variables import Variable
from milbox.domain.states import simple

if TYPE_CHECKING:
    from milbox.domain.domain import Domain

# A count over variables of more codes than this is not spelled out over them.
MOST_CODES = 4096


def components(domain: "Domain") -> list[tuple[tuple[int, ...], tuple[Constraint, ...]]]:
    """The independent groups of variables, each with the constraints on it, in the domain's order."""
    # The parts of a conjunction need not be about the same variables.
    constraints = tuple(conjuncts(domain.constraints))
    parent = list(range(len(domain.variables)))

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    for constraint in constraints:
        members = [domain.index[v.name] for v in constraint.variables]
        for other in members[1:]:
            parent[root(other)] = root(members[0])
    groups: dict[int, list[int]] = {}
    for i in range(len(parent)):
        groups.setdefault(root(i), []).append(i)
    owned: dict[int, list[Constraint]] = {}
    for constraint in constraints:
        names = constraint.variables
        # A constraint about nothing is true or false everywhere; the first group answers for it.
        owner = root(domain.index[names[0].name]) if names else root(0)
        owned.setdefault(owner, []).append(constraint)
    return [(tuple(group), tuple(owned.get(key, ()))) for key, group in groups.items()]


def as_sums(constraint: Constraint) -> tuple[Linear, ...]:
    """The constraint as sums with whole coefficients and without products; none where it is none."""
    if isinstance(constraint, AllDifferent):
        values = constraint.values
        # As many values as variables: each is taken.
        least = 1 if len(values) == len(constraint.variables) else -math.inf
        return tuple(
            compare(
                combine((1, Literal(v, v.code(x))) for v in constraint.variables if takes(v, x)), least, 1
            )
            for x in values
        )
    if isinstance(constraint, Count) and all(
        len(part.variables) == 1 and len(part.variables[0].codes) <= MOST_CODES for part in constraint.parts
    ):
        held = (
            (1, Literal(v, v.codes[0] + int(place)))
            for part in constraint.parts
            for v in part.variables
            for place in np.flatnonzero(part.holds({v.name: np.array(v.codes)}))
        )
        counted = compare(combine(held), constraint.lower, constraint.upper)
        return (counted,) if counted.terms else ()
    if isinstance(constraint, Linear) and constraint.terms and constraint.narrow and simple(constraint):
        return (constraint,)
    return ()


def takes(variable: Variable, value: object) -> bool:
    """Whether the value is one of the variable's."""
    return any(variable.value(code) == value for code in variable.codes)
