"""The changes that lead from a point to its neighbours, and what they have to keep.

A move gives one group of variables another state. A group is a small part of the domain, whose states are
listed, or a single variable. Larger parts stay decision diagrams, and sums that tie parts together stay sums.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from milbox.arrays import FloatArray, IntArray, SparseMatrix
from milbox.domain import Domain
from milbox.domain.diagrams.diagram import Diagram
from milbox.domain.diagrams.machines import added
from milbox.domain.diagrams.product import Product, for_search
from milbox.domain.kept import kept

STATES = 64
"""Parts with at most so many states are groups."""

EDGES = 500
"""Sums that would make larger diagrams are sums, so that what is left falls apart into small groups."""

MOVES = 3_000
"""The most moves: their interactions are kept in a square table."""


# Not slotted: keys are sorted when they are asked for.
@dataclass(frozen=True, eq=False)
class Groups:
    """A domain as groups of variables with their states, whatever the point.

    An option is a variable with a code. Variables are listed group after group, and so are states, each as
    its options.

    Attributes:
        variables: the variables (by index) of all groups, group after group.
        first: the first of them for each group.
        group: the group of each state.
        begin: the first entry of each state among `options`.
        options: the options of all states, state after state.
        start: the first option of each variable, and how many there are.
        owner: the variable of each option.
        code: the code of each option.
        keys: a random number for each option; the sum over its options is different for each state.
        diagrams: the parts that are not groups.
        slot: for each variable its layer among those of all diagrams, one after the other; -1 if in none.
        ties: (options, sums): what each option adds to each sum.
        lower: the least value of each sum.
        upper: the largest value of each sum.
    """

    variables: IntArray
    first: IntArray
    group: IntArray
    begin: IntArray
    options: IntArray
    start: IntArray
    owner: IntArray
    code: IntArray
    keys: IntArray
    diagrams: tuple[Diagram, ...]
    slot: IntArray
    ties: FloatArray
    lower: FloatArray
    upper: FloatArray

    @property
    def count(self) -> int:
        """How many groups there are."""
        return len(self.first)

    @property
    def moves(self) -> int:
        """How many moves every point has."""
        return len(self.group) - self.count

    @property
    def free(self) -> bool:
        """Whether every group may have any of its states, whatever the others have."""
        return not self.diagrams and not len(self.lower)

    @cached_property
    def state_keys(self) -> tuple[IntArray, IntArray]:
        """The keys of all states in ascending order, and the states."""
        keys = np.add.reduceat(self.keys[self.options], self.begin)
        order = np.argsort(keys)
        return keys[order], order

    def within(self, radius: int, centre: IntArray) -> "Groups":
        """The same with one sum more: at most so many variables differ from a point."""
        differs = (self.code != centre[self.owner]).astype(np.float64)
        return replace(
            self,
            ties=np.column_stack([self.ties, differs]),
            lower=np.append(self.lower, -np.inf),
            upper=np.append(self.upper, float(radius)),
        )

    def options_of(self, points: IntArray) -> IntArray:
        """(points, variables): the options of points, one a row."""
        return points - self.code[self.start[:-1]] + self.start[:-1]


@kept
def groups_of(domain: Domain) -> Groups | str:
    """The groups of a domain, or why it has none."""
    product = for_search(domain, EDGES)
    if product.rest:
        product = domain.product
    if product.rest:
        return f"no decision diagram holds {product.rest[0]}"
    for limit in (STATES, 0):
        found = _grouped(domain, product, limit)
        if found.moves <= MOVES:
            return found
    return f"a point has {found.moves} neighbours, more than {MOVES}"


def _grouped(domain: Domain, product: Product, limit: int) -> Groups:
    listed = [part for part in product.parts if part.count <= limit]
    diagrams = [part for part in product.parts if part.count > limit]
    layers = [int(i) for part in diagrams for i in part.variables]
    blocks = [(part.variables, part.listed() if part.edges else np.zeros((0, 1))) for part in listed]
    blocks += [
        (np.array([i]), np.array(domain.variables[i].codes)[:, None])
        for i in sorted([*layers, *product.free.tolist()])
    ]
    start = np.concatenate([[0], np.cumsum([len(v.codes) for v in domain.variables])]).astype(np.int64)
    owner = np.repeat(np.arange(len(domain.variables)), np.diff(start))
    low = domain.coding.low
    sizes = [len(variables) for variables, _ in blocks]
    counts = [len(states) for _, states in blocks]
    widths = np.repeat(sizes, counts)
    slot = np.full(len(domain.variables), -1)
    slot[layers] = np.arange(len(layers))
    ties = np.zeros((int(start[-1]), len(product.ties)))
    for column, tie in enumerate(product.ties):
        for i, adds in added(tie, domain.variables, domain.index).items():
            ties[start[i] : start[i + 1], column] = adds
    return Groups(
        variables=np.concatenate([variables for variables, _ in blocks]),
        first=np.cumsum([0, *sizes[:-1]]),
        group=np.repeat(np.arange(len(blocks)), counts),
        begin=np.cumsum([0, *widths[:-1]]),
        options=np.concatenate(
            [(states - low[variables] + start[variables]).ravel() for variables, states in blocks]
        ).astype(np.int64),
        start=start,
        owner=owner,
        code=np.arange(start[-1]) - start[owner] + low[owner],
        keys=np.random.default_rng(0).integers(0, 2**53, int(start[-1])),
        diagrams=tuple(diagrams),
        slot=slot,
        ties=ties,
        lower=np.array([float(tie.lower) for tie in product.ties]),
        upper=np.array([float(tie.upper) for tie in product.ties]),
    )


@dataclass(frozen=True, slots=True, eq=False)
class Moves:
    """The moves from one point, those of a group one after the other.

    Attributes:
        state: the state that each move leads to.
        move: the move to each state; -1 for the states of the point itself.
        cost: in how many variables it differs.
        adds: (moves, features): what it adds to the encoded point.
        ties: (moves, sums): what it adds to each sum.
        activity: the sums at the point itself.
    """

    state: IntArray
    move: IntArray
    cost: IntArray
    adds: SparseMatrix
    ties: FloatArray
    activity: FloatArray


def moves_from(domain: Domain, groups: Groups, centre: IntArray) -> Moves:
    """Every move from a point."""
    own = groups.options_of(centre)
    variable = groups.owner[groups.options]
    differs = groups.options != own[variable]
    cost = np.add.reduceat(differs.astype(np.int64), groups.begin)
    state = np.flatnonzero(cost)
    move = np.full(len(cost), -1)
    move[state] = np.arange(len(state))
    row = np.repeat(move, np.diff([*groups.begin, len(groups.options)]))[differs]
    new, old = groups.options[differs], own[variable[differs]]
    count, changed = len(state), variable[differs]
    adds = domain.coding.added_by(row, changed, groups.code[new], count)
    adds = adds - domain.coding.added_by(row, changed, groups.code[old], count)
    ties = np.zeros((count, groups.ties.shape[1]))
    if ties.size:
        np.add.at(ties, row, groups.ties[new] - groups.ties[old])
    return Moves(state, move, cost[state], adds, ties, groups.ties[own].sum(axis=0))


def as_moves(points: IntArray, groups: Groups, moves: Moves) -> IntArray:
    """(points, groups): the move that each feasible point makes of each group; -1 for none."""
    options = groups.options_of(points)[:, groups.variables]
    keys = np.add.reduceat(groups.keys[options], groups.first, axis=1)
    known, order = groups.state_keys
    made: IntArray = moves.move[order[np.searchsorted(known, keys)]]
    return made


def moved(centre: IntArray, chosen: IntArray, groups: Groups, moves: Moves) -> IntArray:
    """The point after some moves."""
    point, end = centre.copy(), np.append(groups.begin[1:], len(groups.options))
    for state in moves.state[chosen].tolist():
        options = groups.options[groups.begin[state] : end[state]]
        point[groups.owner[options]] = groups.code[options]
    return point


@dataclass(frozen=True, slots=True, eq=False)
class Layers:
    """Diagrams one behind the other, for the search; nodes, edges and layers are numbered through.

    Attributes:
        first_layer: (diagrams + 1,): the first layer of each.
        nodes: (layers + diagrams + 1,): the first node of each layer and of each terminal, and their number.
        first: (nodes + 1,): the first edge into each node.
        source: the node that each edge comes from.
        letter: the code less the first one that each edge stands for.
    """

    first_layer: IntArray
    nodes: IntArray
    first: IntArray
    source: IntArray
    letter: IntArray


def layers_of(diagrams: Sequence[Diagram]) -> Layers:
    """The diagrams in one set of arrays."""
    first_layer, nodes, first = [0], [], [np.zeros(0, np.int64)]
    source, letter = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    node = edge = 0
    for part in diagrams:
        first_layer.append(first_layer[-1] + len(part.variables))
        nodes += (part.nodes[:-1] + node).tolist()
        first.append(part.first[:-1] + edge)
        source.append(part.source + node)
        letter.append(part.letter)
        node += len(part.first) - 1
        edge += part.edges
    whole = (np.array(first_layer), np.array([*nodes, node]), np.concatenate([*first, [edge]]))
    return Layers(*(a.astype(np.int64) for a in (*whole, np.concatenate(source), np.concatenate(letter))))
