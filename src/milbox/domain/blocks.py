"""Connected components of the constraints, and the feasible joint states of each small one.

Variables that share a constraint, directly or through others, form a component; components are independent,
so the domain is the product of their feasible joint states. Small components can be listed; large ones fall
apart into small ones once the sums that tie them together are set aside.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from milbox.arrays import BoolArray, FloatArray, IntArray
from milbox.domain.constraints.kinds import AllDifferent, Count, conjuncts
from milbox.domain.domain import Domain
from milbox.domain.kept import kept
from milbox.domain.model.constraint import Constraint
from milbox.domain.model.expressions import Linear, Literal, combine, compare
from milbox.domain.model.variables import Variable

STATES = 4096
"""Blocks with more joint states than this are not small."""

# A count over variables of more codes than this is not spelled out over them.
MOST_CODES = 4096

# While states are listed one variable at a time, dead ends may outnumber the states by this factor.
DEAD_ENDS = 4


@dataclass(frozen=True, slots=True)
class Block:
    """Variables (by index) tied together, and their feasible joint codes, one state a row."""

    variables: tuple[int, ...]
    states: IntArray


def components(domain: Domain) -> list[tuple[tuple[int, ...], tuple[Constraint, ...]]]:
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


@dataclass(frozen=True, slots=True)
class Tied:
    """A product of blocks, of which those points belong to the domain that satisfy the ties as well."""

    blocks: tuple[Block, ...]
    ties: tuple[Linear, ...]
    """Sums over variables of several blocks, with whole coefficients and no products."""


def tied_blocks(domain: Domain, limit: int = STATES) -> Tied | None:
    """The domain as small blocks, and ties where its components are large; None when that is not enough."""
    # A variable of millions of codes fits into no small block, and tables over its codes would be too long.
    if any(len(v.codes) > limit * DEAD_ENDS for v in domain.variables):
        return None
    return _tied_blocks(domain, limit)


@kept
def _tied_blocks(domain: Domain, limit: int) -> Tied | None:
    found: list[Block] = []
    ties: list[Linear] = []
    for members, constraints in components(domain):
        block = listed(domain, members, constraints, limit)
        if block is not None:
            found.append(block)
            continue
        kept, loose = loosened(constraints)
        ties += loose
        inside = {domain.variables[i].name for i in members}
        part = Domain([v for v in domain.variables if v.name in inside], kept)
        for places, owned in components(part):
            block = listed(domain, [members[i] for i in places], owned, limit)
            if block is None:
                return None
            found.append(block)
    return Tied(tuple(found), tuple(ties))


def listed(
    domain: Domain, members: Sequence[int], constraints: Sequence[Constraint], limit: int
) -> Block | None:
    """The variables (by index) as a block; None when they have more than `limit` joint states."""
    states = joint_states([domain.variables[i] for i in members], constraints, limit * DEAD_ENDS)
    return None if states is None or len(states) > limit else Block(tuple(members), states)


def loosened(constraints: Sequence[Constraint]) -> tuple[list[Constraint], list[Linear]]:
    """The constraints that make blocks, and those that tie blocks together.

    What is no sum has to stay within a block. A sum does if it is about variables that no other is about and
    leaves no more states than these have codes, as "exactly one" does.
    """
    sums = [as_sums(constraint) for constraint in constraints]
    kept = [constraint for constraint, parts in zip(constraints, sums, strict=True) if not parts]
    taken = {v.name for constraint in kept for v in constraint.variables}
    ties: list[Linear] = []
    for constraint, parts in zip(constraints, sums, strict=True):
        variables = constraint.variables
        codes = sum(len(v.codes) for v in variables)
        if parts and taken.isdisjoint(v.name for v in variables):
            states = joint_states(variables, parts, codes)
            if states is not None and len(states) <= codes:
                kept += parts
                taken |= {v.name for v in variables}
                continue
        ties += parts
    return kept, ties


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


def blocks(domain: Domain, limit: int = STATES) -> tuple[Block, ...] | None:
    """The domain as a product of small blocks; None when sums tie blocks together, or one is not small."""
    tied = tied_blocks(domain, limit)
    return None if tied is None or tied.ties else tied.blocks


def joint_states(
    variables: Sequence[Variable], constraints: Sequence[Constraint], limit: int | None
) -> IntArray | None:
    """Every feasible joint code of the variables in lexicographic order; None when too many arise.

    States grow by one variable at a time. A state is a code and the place of the state it extends, so that
    growing costs the same at every length; whole states are put together only where they are needed.
    """
    place = {v.name: i for i, v in enumerate(variables)}
    due: dict[int, list[Constraint]] = {}
    sums: dict[int, list[PartialSum]] = {}
    for constraint in constraints:
        members = sorted(place[v.name] for v in constraint.variables)
        if isinstance(constraint, Linear) and members and simple(constraint):
            partial = PartialSum.of(constraint, variables, members)
            for i in members:
                sums.setdefault(i, []).append(partial)
        if not (isinstance(constraint, Linear) and members and simple(constraint) and constraint.narrow):
            due.setdefault(members[-1] if members else 0, []).append(constraint)

    parents: list[IntArray] = []
    codes: list[IntArray] = []
    values: dict[int, FloatArray] = {}
    count = 1
    for i, variable in enumerate(variables):
        width = len(variable.codes)
        if limit is not None and count * width > 4 * limit:
            return None
        parent, code = np.divmod(np.arange(count * width), width)
        values = {key: value[parent] for key, value in values.items()}
        keep = np.ones(len(parent), dtype=bool)
        for partial in sums.get(i, ()):
            value = values.get(id(partial), 0.0) + partial.tables[i][code]
            keep &= partial.possible(value, i)
            values[id(partial)] = value
            if i == partial.last:
                values.pop(id(partial))
        values = {key: value[keep] for key, value in values.items()}
        parents.append(parent[keep])
        codes.append(code[keep] + variable.codes[0])
        for constraint in due.get(i, ()):
            holds = constraint.holds(
                traced(parents, codes, variables, {v.name for v in constraint.variables})
            )
            holds = np.broadcast_to(holds, len(codes[i]))
            parents[i], codes[i] = parents[i][holds], codes[i][holds]
            values = {key: value[holds] for key, value in values.items()}
        count = len(codes[i])
        if limit is not None and count > limit:
            return None
    columns = traced(parents, codes, variables, set(place))
    return np.stack([columns[v.name] for v in variables], axis=1)


def traced(
    parents: Sequence[IntArray], codes: Sequence[IntArray], variables: Sequence[Variable], names: set[str]
) -> dict[str, IntArray]:
    """The codes of the named variables in the latest states, found by going back from each."""
    found: dict[str, IntArray] = {}
    place = np.arange(len(codes[-1]))
    for i in range(len(codes) - 1, -1, -1):
        if variables[i].name in names or not names:
            found[variables[i].name] = codes[i][place]
        place = parents[i][place]
    return found


def simple(constraint: Linear) -> bool:
    """Whether no term multiplies variables."""
    return all(len(monomial) == 1 for monomial, _ in constraint.terms)


@dataclass(frozen=True, slots=True, eq=False)
class PartialSum:
    """A linear constraint seen while its variables are fixed one after another."""

    tables: dict[int, FloatArray]
    """The contribution of each code of a variable (by place)."""
    least: dict[int, float]
    """The least that the variables after a place can still add."""
    most: dict[int, float]
    lower: float
    upper: float
    last: int

    @classmethod
    def of(cls, constraint: Linear, variables: Sequence[Variable], members: Sequence[int]) -> "PartialSum":
        """The constraint's tables over the places of its variables."""
        tables = {i: np.zeros(len(variables[i].codes)) for i in members}
        place = {variables[i].name: i for i in members}
        for (factor,), coefficient in constraint.terms:
            i = place[factor.name]
            codes = np.array(variables[i].codes)
            tables[i] += float(coefficient) * (codes if factor.code is None else codes == factor.code)
        least, most = {}, {}
        low = high = 0.0
        for i in reversed(members):
            least[i], most[i] = low, high
            low, high = low + tables[i].min(), high + tables[i].max()
        # Sums that floating point cannot hold are only sorted out here; `holds` decides.
        lower, upper = constraint.limits
        slack = 2 * constraint.rounding
        return cls(tables, least, most, lower - slack, upper + slack, members[-1])

    def possible(self, value: FloatArray, place: int) -> BoolArray:
        """Whether each sum up to a place can still meet the limits."""
        possible: BoolArray = (value + self.least[place] <= self.upper) & (
            value + self.most[place] >= self.lower
        )
        return possible
