"""A domain as a product of decision diagrams and free variables, and the sums that tie them together.

Variables that share a constraint, directly or through others, form a component. A component is one diagram
where that has few enough edges. Otherwise sums are set aside until what remains falls apart into small
diagrams; those sums are ties, which a search takes as penalties. Drawing and counting need all constraints
in the diagrams and allow larger ones.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.random import Generator

from milbox.arrays import BoolArray, IntArray
from milbox.domain.components import as_sums, components
from milbox.domain.constraints.automata import Automaton
from milbox.domain.diagrams.build import of_states, product
from milbox.domain.diagrams.diagram import Diagram
from milbox.domain.diagrams.machines import TooLarge, machine
from milbox.domain.diagrams.orders import candidates
from milbox.domain.model.constraint import Constraint
from milbox.domain.model.expressions import Linear
from milbox.domain.states import joint_states

if TYPE_CHECKING:
    from milbox.domain.domain import Domain

EDGES = 50_000
"""The largest diagram for searching: a pass over more edges takes longer than the search with ties."""

EDGES_A_LETTER = 200
"""The same, for each code of its variables; where sums could be set aside, larger ones are."""

DRAWING = 500_000
"""The largest diagram for drawing and counting."""

UNITS = 16
"""The hidden units that are expected when ways to take a domain apart are compared."""

STATES = 1 << 15
"""Components whose constraints are no machines are listed, up to this many joint states."""

SUMS = 20
"""A sum may have so many times the edges of a diagram before its equal states are merged."""

CODES = 1 << 14
"""Variables with more codes than this are not listed in a layer."""

SHARE_CODES = 128
"""The same for two reals or wide integers together: sums of them have nearly as many states as codes."""


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Variables (by index) in ascending order, and their feasible joint codes in lexicographic order."""

    variables: IntArray
    states: IntArray
    """One joint code a row, a column for each variable."""


@dataclass(frozen=True, eq=False)
class Product:
    """The domain is the product of the parts and of the free variables, where ties and rest hold."""

    domain: "Domain" = field(repr=False)
    parts: tuple[Diagram, ...]
    free: IntArray
    """Variables (by index) without a constraint."""
    ties: tuple[Linear, ...] = ()
    """Sums with whole coefficients and no products that are in no diagram."""
    rest: tuple[Constraint, ...] = ()
    """Constraints that are neither in a diagram nor ties."""

    @property
    def edges(self) -> int:
        """The edges of all parts, and one for each code of a free variable."""
        return sum(part.edges for part in self.parts) + sum(
            len(self.domain.variables[i].codes) for i in self.free
        )

    @property
    def effort(self) -> int:
        """What a bound costs: a look at every edge, and one at every letter for each unit and tie."""
        letters = sum(len(v.codes) for v in self.domain.variables)
        return self.edges + letters * (UNITS + len(self.ties)) // 4

    @property
    def exact(self) -> bool:
        """Whether parts and free variables are the whole domain."""
        return not self.ties and not self.rest

    @property
    def count(self) -> int:
        """The number of points if ties and rest are left out."""
        total = 1
        for part in self.parts:
            total *= part.count
        for i in self.free:
            total *= len(self.domain.variables[i].codes)
        return total

    def blocks(self, limit: int | None = None) -> tuple[Block, ...] | None:
        """The parts and the free variables with their states listed, in the order of their first variables.

        None where a part has more states than the limit, or a free variable too many codes to be listed.
        """
        if limit is not None and (
            any(part.count > limit for part in self.parts)
            or any(len(self.domain.variables[i].codes) > CODES for i in self.free)
        ):
            return None
        listed = [Block(np.array([i]), np.array(self.domain.variables[i].codes)[:, None]) for i in self.free]
        for part in self.parts:
            order = np.argsort(part.variables)
            states = part.listed()[:, order] if part.edges else np.zeros((0, len(order)), dtype=np.int64)
            listed.append(Block(part.variables[order], states[np.lexsort(states.T[::-1])]))
        return tuple(sorted(listed, key=lambda block: int(block.variables[0])))

    def draw(self, count: int, rng: Generator) -> IntArray:
        """Points drawn uniformly, one a row, if ties and rest are left out; none where there are none."""
        if any(not part.edges for part in self.parts):
            return np.zeros((0, len(self.domain.variables)), dtype=np.int64)
        points = np.empty((count, len(self.domain.variables)), dtype=np.int64)
        for part in self.parts:
            points[:, part.variables] = part.draw(count, rng)
        if len(self.free):
            codes = [self.domain.variables[i].codes for i in self.free]
            low, high = np.array([c[0] for c in codes]), np.array([c[-1] for c in codes])
            points[:, self.free] = rng.integers(low, high + 1, size=(count, len(codes)))
        return points

    def contains(self, points: IntArray) -> BoolArray:
        """Which points, one a row, lie in the parts and the free variables' ranges, with ties and rest."""
        coding, free = self.domain.coding, points[:, self.free]
        low, high = coding.low[self.free], coding.high[self.free]
        inside: BoolArray = np.asarray(((free >= low) & (free <= high)).all(axis=1))
        for part in self.parts:
            inside &= part.contains(points[:, part.variables])
        place = np.flatnonzero(inside)
        if len(place) and not self.exact:
            columns = self.domain.columns(points[place])
            for constraint in (*self.ties, *self.rest):
                inside[place] &= np.broadcast_to(constraint.holds(columns), len(place))
        return inside


def for_search(domain: "Domain", edges: int = EDGES) -> Product:
    """The domain taken apart for a search: small diagrams, and ties where there would be large ones."""
    parts: list[Diagram] = []
    free: list[int] = []
    ties: list[Linear] = []
    rest: list[Constraint] = []
    for members, constraints in components(domain):
        if not constraints:
            free += members
            continue
        found = Component(domain, tuple(members), constraints).apart(edges)
        parts += found.parts
        free += found.free.tolist()
        ties += found.ties
        rest += found.rest
    return Product(domain, tuple(parts), np.array(sorted(free), dtype=np.int64), tuple(ties), tuple(rest))


def for_drawing(domain: "Domain", search: Product, edges: int = DRAWING) -> Product | None:
    """The domain as diagrams that hold every constraint; None where one would be too large."""
    if search.exact:
        return search
    parts: list[Diagram] = []
    free: list[int] = []
    for members, constraints in components(domain):
        if not constraints:
            free += members
            continue
        try:
            parts.append(Component(domain, tuple(members), constraints).diagram(edges))
        except TooLarge:
            return None
    return Product(domain, tuple(parts), np.array(free, dtype=np.int64))


@dataclass(frozen=True, eq=False)
class Component:
    """Variables (by index) and the constraints on them."""

    domain: "Domain"
    members: tuple[int, ...]
    constraints: Sequence[Constraint]

    @cached_property
    def letters(self) -> int:
        """The codes of all variables together."""
        return sum(len(self.domain.variables[i].codes) for i in self.members)

    def diagram(self, limit: int) -> Diagram:
        """All constraints in one diagram.

        Raises:
            TooLarge: no order tried has few enough edges.
        """
        variables = [self.domain.variables[i] for i in self.members]
        shares = [v for v in variables if v.coding == "share" and len(v.codes) > SHARE_CODES]
        if len(shares) > 1 or any(len(v.codes) > CODES for v in variables):
            raise TooLarge
        own = {v.name: k for k, v in enumerate(variables)}
        scopes = [[own[v.name] for v in c.variables] for c in self.constraints]
        sequences = [s for s, c in zip(scopes, self.constraints, strict=True) if isinstance(c, Automaton)]
        for order in candidates(len(variables), scopes, sequences):
            ordered = [variables[k] for k in order]
            place = {v.name: i for i, v in enumerate(ordered)}
            try:
                machines = [machine(c, ordered, place, total=SUMS * limit) for c in self.constraints]
                return product(
                    [self.members[k] for k in order],
                    [v.codes[0] for v in ordered],
                    [len(v.codes) for v in ordered],
                    machines,
                    limit,
                )
            except TooLarge:
                continue
        states = joint_states(variables, self.constraints, 4 * min(limit, STATES))
        if states is None or len(states) > min(limit, STATES):
            raise TooLarge
        lows, sizes = [v.codes[0] for v in variables], [len(v.codes) for v in variables]
        return of_states(self.members, lows, sizes, states)

    def within(self, constraints: Sequence[Constraint]) -> list["Component"]:
        """The components of the same variables under other constraints."""
        from milbox.domain.domain import Domain

        part = Domain([self.domain.variables[i] for i in self.members], list(constraints))
        return [
            Component(self.domain, tuple(self.members[i] for i in places), owned)
            for places, owned in components(part)
        ]

    def without(self, ties: Sequence[Linear], kept: Sequence[Constraint], limit: int) -> Product:
        """The product of the components that kept constraints leave."""
        parts: list[Diagram] = []
        free: list[int] = []
        for each in self.within(kept):
            if each.constraints:
                parts.append(each.diagram(min(limit, EDGES_A_LETTER * each.letters)))
            else:
                free += each.members
        return Product(self.domain, tuple(parts), np.array(free, dtype=np.int64), tuple(ties))

    def apart(self, limit: int) -> Product:
        """The component as diagrams of at most `limit` edges each, and ties."""
        sums = [as_sums(constraint) for constraint in self.constraints]
        hard = [c for c, parts in zip(self.constraints, sums, strict=True) if not parts]
        soft = [(c, parts) for c, parts in zip(self.constraints, sums, strict=True) if parts]
        soft.sort(key=lambda pair: len(pair[0].variables))

        def dropped(count: int) -> Product | None:
            """Without the `count` longest sums."""
            kept = [*hard, *(c for c, _ in soft[: len(soft) - count])]
            ties = [tie for _, parts in soft[len(soft) - count :] for tie in parts]
            try:
                return self.without(ties, kept, limit)
            except TooLarge:
                return None

        tight = min(limit, EDGES_A_LETTER * self.letters) if soft else limit
        try:
            return Product(self.domain, (self.diagram(tight),), np.zeros(0, dtype=np.int64))
        except TooLarge:
            pass
        found = [self.disjoint(hard, soft, limit)]
        count = 1
        while count < len(soft):
            found.append(dropped(count))
            if found[-1] is not None:
                break
            count *= 2
        possible = [each for each in found if each is not None]
        if possible:
            return min(possible, key=lambda each: each.effort)
        return Product(self.domain, (), np.array(self.members, dtype=np.int64), rest=tuple(self.constraints))

    def disjoint(
        self, hard: Sequence[Constraint], soft: Sequence[tuple[Constraint, Sequence[Linear]]], limit: int
    ) -> Product | None:
        """The hard constraints in diagrams, with sums that share no variable with others; None if too large.

        A sum stays only where its diagram has hardly more edges than its variables have codes.
        """
        kept = list(hard)
        taken = {v.name for c in hard for v in c.variables}
        ties: list[Linear] = []
        for constraint, parts in soft:
            names = {v.name for v in constraint.variables}
            if taken.isdisjoint(names):
                members = tuple(sorted(self.domain.index[name] for name in names))
                own = Component(self.domain, members, parts)
                try:
                    own.diagram(min(limit, 8 * own.letters))
                    kept += parts
                    taken |= names
                    continue
                except TooLarge:
                    pass
            ties += parts
        try:
            return self.without(ties, kept, limit)
        except TooLarge:
            return None
