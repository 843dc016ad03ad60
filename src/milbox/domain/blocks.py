"""Which variables do the constraints tie together, and which joint states remain of each such group?

Variables that share a constraint, directly or through others, form a component; components are independent,
so the domain is the product of their feasible joint states. Small components can be listed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from milbox.arrays import IntArray
from milbox.domain.constraints import Constraint
from milbox.domain.domain import Domain
from milbox.domain.expressions import Linear
from milbox.domain.variables import Variable

# While states are listed one variable at a time, dead ends may outnumber the states by this factor.
DEAD_ENDS = 16


@dataclass(frozen=True, slots=True)
class Block:
    """Variables (by index) tied together, and their feasible joint codes, one state a row."""

    variables: tuple[int, ...]
    states: IntArray


def components(domain: Domain) -> list[tuple[tuple[int, ...], tuple[Constraint, ...]]]:
    """The independent groups of variables, each with the constraints on it, in the domain's order."""
    parent = list(range(len(domain.variables)))

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    for constraint in domain.constraints:
        members = [domain.index[v.name] for v in constraint.variables]
        for other in members[1:]:
            parent[root(other)] = root(members[0])
    groups: dict[int, list[int]] = {}
    for i in range(len(parent)):
        groups.setdefault(root(i), []).append(i)
    owned: dict[int, list[Constraint]] = {}
    for constraint in domain.constraints:
        names = constraint.variables
        # A constraint about nothing is true or false everywhere; the first group answers for it.
        owner = root(domain.index[names[0].name]) if names else root(0)
        owned.setdefault(owner, []).append(constraint)
    return [(tuple(group), tuple(owned.get(key, ()))) for key, group in groups.items()]


@lru_cache(maxsize=64)
def blocks(domain: Domain, limit: int = 4096) -> tuple[Block, ...] | None:
    """The domain as a product of small blocks; None when some component has more than `limit` states."""
    found = []
    for members, constraints in components(domain):
        variables = [domain.variables[i] for i in members]
        states = joint_states(variables, constraints, limit * DEAD_ENDS)
        if states is None or len(states) > limit:
            return None
        found.append(Block(members, states))
    return tuple(found)


def joint_states(
    variables: Sequence[Variable], constraints: Sequence[Constraint], limit: int | None
) -> IntArray | None:
    """Every feasible joint code of the variables in lexicographic order; None when too many arise."""
    place = {v.name: i for i, v in enumerate(variables)}
    due: dict[int, list[Constraint]] = {}
    for constraint in constraints:
        last = max((place[v.name] for v in constraint.variables), default=0)
        due.setdefault(last, []).append(constraint)
    sums = [PartialSum.of(c, variables) for c in constraints if isinstance(c, Linear) and simple(c)]

    states = np.zeros((1, 0), dtype=np.int64)
    for i, variable in enumerate(variables):
        codes = np.array(variable.codes, dtype=np.int64)
        if limit is not None and len(states) * len(codes) > 4 * limit:
            return None
        states = np.column_stack([np.repeat(states, len(codes), axis=0), np.tile(codes, len(states))])
        for partial in sums:
            states = states[partial.possible(states)]
        if due.get(i):
            columns = {v.name: states[:, k] for k, v in enumerate(variables[: i + 1])}
            for constraint in due[i]:
                keep = np.broadcast_to(constraint.holds(columns), len(states))
                states = states[keep]
                columns = {name: column[keep] for name, column in columns.items()}
        if limit is not None and len(states) > limit:
            return None
    return states


def simple(constraint: Linear) -> bool:
    """Whether no term multiplies variables."""
    return all(len(monomial) == 1 for monomial, _ in constraint.terms)


@dataclass(frozen=True, slots=True)
class PartialSum:
    """A linear constraint seen while its variables are fixed one after another."""

    tables: tuple[IntArray, ...]
    lows: IntArray
    least: IntArray
    most: IntArray
    lower: float
    upper: float

    @classmethod
    def of(cls, constraint: Linear, variables: Sequence[Variable]) -> "PartialSum":
        """What each code of each variable adds, and what the variables after it can still add."""
        tables = [np.zeros(len(v.codes)) for v in variables]
        place = {v.name: i for i, v in enumerate(variables)}
        for (factor,), coefficient in constraint.terms:
            i = place[factor.name]
            codes = np.array(variables[i].codes)
            tables[i] += coefficient * (codes if factor.code is None else codes == factor.code)
        least = np.concatenate([np.cumsum([t.min() for t in tables][::-1])[::-1], [0]])
        most = np.concatenate([np.cumsum([t.max() for t in tables][::-1])[::-1], [0]])
        lows = np.array([v.codes[0] for v in variables])
        slack = constraint.slack
        return cls(tuple(tables), lows, least, most, constraint.lower - slack, constraint.upper + slack)

    def possible(self, states: IntArray) -> IntArray:
        """Which partial states can still meet the limits."""
        fixed = states.shape[1]
        value = sum(
            (self.tables[i][states[:, i] - self.lows[i]] for i in range(fixed)), np.zeros(len(states))
        )
        margin = 1e-9 * (1.0 + abs(self.least[0]) + abs(self.most[0]))
        possible: IntArray = (value + self.least[fixed] <= self.upper + margin) & (
            value + self.most[fixed] >= self.lower - margin
        )
        return possible
