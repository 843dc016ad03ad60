"""The changes that lead from a point to its neighbours, and what they have to keep.

A move gives one group of variables another state. A group is a small part of the domain, whose states are
listed, or a single variable. Larger parts stay decision diagrams, and sums that tie parts together stay sums.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from milbox.arrays import FloatArray, IntArray
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


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """A domain as groups of variables with their states, whatever the point.

    Attributes:
        variables: the variables (by index) of each group.
        states: the joint codes of each group, one a row.
        diagrams: the parts that are not groups.
        slot: for each variable its layer among those of all diagrams, one after the other; -1 if in none.
        ties: (options, sums): what each code of each variable adds to each sum.
        lower: the least value of each sum.
        upper: the largest value of each sum.
    """

    variables: tuple[IntArray, ...]
    states: tuple[IntArray, ...]
    diagrams: tuple[Diagram, ...]
    slot: IntArray
    ties: FloatArray
    lower: FloatArray
    upper: FloatArray

    @property
    def moves(self) -> int:
        """How many moves every point has."""
        return sum(len(states) - 1 for states in self.states)


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
    groups: list[tuple[IntArray, IntArray]] = [(part.variables, part.listed()) for part in listed]
    single = [int(i) for part in diagrams for i in part.variables] + product.free.tolist()
    groups += [(np.array([i]), np.array(domain.variables[i].codes)[:, None]) for i in sorted(single)]
    slot = np.full(len(domain.variables), -1)
    layers = [int(i) for part in diagrams for i in part.variables]
    slot[layers] = np.arange(len(layers))
    start = option_start(domain)
    table = np.zeros((int(start[-1]), len(product.ties)))
    for column, tie in enumerate(product.ties):
        for i, adds in added(tie, domain.variables, domain.index).items():
            table[start[i] : start[i + 1], column] = adds
    return Groups(
        tuple(variables for variables, _ in groups),
        tuple(states for _, states in groups),
        tuple(diagrams),
        slot,
        table,
        np.array([float(tie.lower) for tie in product.ties]),
        np.array([float(tie.upper) for tie in product.ties]),
    )


def option_start(domain: Domain) -> IntArray:
    """The first option of each variable, an option being a variable with a code, and how many there are."""
    return np.concatenate([[0], np.cumsum([len(v.codes) for v in domain.variables])]).astype(np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Moves:
    """The moves from one point, those of a group one after the other.

    Attributes:
        group: the group of each move.
        codes: (moves, variables): the point after the move.
        cost: in how many variables it differs.
        adds: (moves, features): what it adds to the encoded point.
        ties: (moves, sums): what it adds to each sum.
        activity: the sums at the point itself.
    """

    group: IntArray
    codes: IntArray
    cost: IntArray
    adds: csr_array
    ties: FloatArray
    activity: FloatArray


def moves_from(domain: Domain, groups: Groups, centre: IntArray) -> Moves:
    """Every move from a point."""
    codes, group = [], []
    for number, (variables, states) in enumerate(zip(groups.variables, groups.states, strict=True)):
        others = states[(states != centre[variables]).any(axis=1)]
        after = np.repeat(centre[None, :], len(others), axis=0)
        after[:, variables] = others
        codes.append(after)
        group.append(np.full(len(others), number))
    points = np.concatenate(codes)
    row, variable = np.nonzero(points != centre)
    new, old = points[row, variable], centre[variable]
    count = len(points)
    adds = domain.coding.added_by(row, variable, new, count) - domain.coding.added_by(
        row, variable, old, count
    )
    start, low = option_start(domain), domain.coding.low
    ties = np.zeros((count, groups.ties.shape[1]))
    for sign, code in ((1.0, new), (-1.0, old)):
        np.add.at(ties, row, sign * groups.ties[start[variable] + code - low[variable]])
    activity = groups.ties[start[:-1] + centre - low].sum(axis=0)
    cost = np.bincount(row, minlength=count)
    return Moves(np.concatenate(group), points, cost, csr_array(adds), ties, activity)


def as_moves(points: IntArray, centre: IntArray, groups: Groups, moves: Moves) -> IntArray:
    """(points, groups): the move that each point makes of each group; -1 for none, -2 for none there is."""
    made = np.full((len(points), len(groups.variables)), -1)
    for number, variables in enumerate(groups.variables):
        own = np.flatnonzero(moves.group == number)
        wanted, there = points[:, variables], moves.codes[np.ix_(own, variables)]
        changed = (wanted != centre[variables]).any(axis=1)
        same = (wanted[:, None, :] == there[None, :, :]).all(axis=2)
        found = same.any(axis=1)
        made[changed & found, number] = own[same.argmax(axis=1)[changed & found]] if len(own) else -2
        made[changed & ~found, number] = -2
    return made


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
