"""Decision diagrams of constraints, built top-down and reduced bottom-up.

A state is one state of every machine that has begun and not ended. Equal states of a layer are one node;
after the last layer, nodes without a way to the end go, and nodes with the same ways are merged.
"""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from milbox.arrays import IntArray
from milbox.domain.diagrams.diagram import Diagram
from milbox.domain.diagrams.machines import Machine, TooLarge, unique_rows

States: TypeAlias = npt.NDArray[np.int32]
"""Of one machine, which has far fewer than two billion."""

DEAD_ENDS = 4
"""Before reduction, a diagram may have this many times its limit of edges."""


def product(
    members: Sequence[int], lows: Sequence[int], sizes: Sequence[int], machines: Sequence[Machine], limit: int
) -> Diagram:
    """The joint codes that all machines accept, the variables (by index in the domain) in the order given.

    Raises:
        TooLarge: there are more than `limit` edges.
    """
    for each in machines:
        if not each.places and not each.accepts[0]:
            return reduced(members, lows, sizes, [np.full((1, n), -1, dtype=np.int64) for n in sizes], limit)
    given = [each for each in machines if each.places]
    by_place: dict[int, list[int]] = {}
    for j, each in enumerate(given):
        for i in each.places:
            by_place.setdefault(i, []).append(j)
    taken = [0] * len(given)
    states: dict[int, States] = {}  # of the machines that are open, in each node of the layer
    nodes = 1
    tables: list[IntArray] = []
    edges = 0
    for i, size in enumerate(sizes):
        touched = by_place.get(i, [])
        states |= {j: np.zeros(nodes, dtype=np.int32) for j in touched if taken[j] == 0}
        alive = np.ones((nodes, size), dtype=bool)
        moved: dict[int, States] = {}
        for j in touched:
            each, k = given[j], taken[j]
            after = each.steps[k].astype(np.int32)[states[j]]
            alive &= after != each.dead[k + 1]
            moved[j] = after
            taken[j] = k + 1
        row, letter = np.nonzero(alive)
        edges += len(row)
        if edges > DEAD_ENDS * limit:
            raise TooLarge
        open_ = [j for j in states if taken[j] < len(given[j].places)]
        columns = [moved[j][row, letter] if j in moved else states[j][row] for j in open_]
        widths = [given[j].steps[taken[j]].shape[0] for j in open_]
        first, number = distinct(columns, widths, len(row))
        following = 0 if i + 1 == len(sizes) else sizes[i + 1]
        if len(first) * following > DEAD_ENDS * limit + following:
            raise TooLarge
        table = np.full((nodes, size), -1, dtype=np.int64)
        table[row, letter] = number
        tables.append(table)
        states = {j: column[first] for j, column in zip(open_, columns, strict=True)}
        nodes = len(first)
    return reduced(members, lows, sizes, tables, limit)


def distinct(columns: Sequence[States], widths: Sequence[int], count: int) -> tuple[IntArray, IntArray]:
    """The first of each kind of row, kinds in ascending order, and the kind of each row."""
    if not count:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    label, first, kinds = np.zeros(count, dtype=np.int64), np.zeros(1, dtype=np.int64), 1
    word, size = np.zeros(count, dtype=np.int64), 1
    for column, width in [*zip(columns, widths, strict=True), (None, 1)]:
        # Columns are packed into words of 62 bits, and words into labels, so that nothing overflows.
        if column is None or kinds * size * width >= 1 << 62:
            _, first, label = np.unique(label * size + word, return_index=True, return_inverse=True)
            label, kinds = label.ravel(), len(first)
            word, size = np.zeros(count, dtype=np.int64), 1
        if column is not None:
            word = word * width + column
            size *= width
    return first, label


def reduced(
    members: Sequence[int],
    lows: Sequence[int],
    sizes: Sequence[int],
    tables: Sequence[IntArray],
    limit: int,
) -> Diagram:
    """The diagram of next nodes by node and letter (-1 for none), without dead ends and equal nodes."""
    kept = np.zeros(1, dtype=np.int64)
    layers: list[IntArray] = []
    edges = 0
    for i in range(len(sizes) - 1, -1, -1):
        table = np.where(tables[i] >= 0, kept[np.maximum(tables[i], 0)] if len(kept) else -1, -1)
        if len(table):
            first, group = unique_rows(table)
            table = table[first]
            good = (table >= 0).any(axis=1)
            number = np.where(good, np.cumsum(good) - 1, -1)
            kept, table = number[group], table[good]
        else:
            kept = np.zeros(0, dtype=np.int64)
        edges += int((table >= 0).sum())
        if edges > limit:
            raise TooLarge
        layers.append(table)
    layers.reverse()
    if not len(layers[0]):  # nothing is feasible: a root and a terminal
        layers = [np.full((1, n), -1, dtype=np.int64) for n in sizes]
    nodes = np.concatenate([[0], np.cumsum([*(len(table) for table in layers), 1])])
    source, target, letter = [], [], []
    for i, table in enumerate(layers):
        node, code = np.nonzero(table >= 0)
        source.append(nodes[i] + node)
        target.append(nodes[i + 1] + table[node, code])
        letter.append(code)
    into = np.concatenate(target)
    order = np.argsort(into, kind="stable")
    first_edge = np.concatenate([[0], np.cumsum(np.bincount(into, minlength=int(nodes[-1])))])
    return Diagram(
        variables=np.array(members, dtype=np.int64),
        lows=np.array(lows, dtype=np.int64),
        nodes=nodes.astype(np.int64),
        first=first_edge.astype(np.int64),
        source=np.concatenate(source)[order],
        letter=np.concatenate(letter)[order],
    )


def of_states(members: Sequence[int], lows: Sequence[int], sizes: Sequence[int], states: IntArray) -> Diagram:
    """The diagram of joint codes given one a row: their trie, reduced."""
    tables: list[IntArray] = []
    at, count = np.zeros(len(states), dtype=np.int64), 1
    for i, size in enumerate(sizes):
        pair = at * size + states[:, i] - lows[i]
        found, inverse = np.unique(pair, return_inverse=True)
        table = np.full((count, size), -1, dtype=np.int64)
        last = i == len(sizes) - 1
        table[found // size, found % size] = 0 if last else np.arange(len(found))
        tables.append(table)
        at, count = inverse.ravel(), len(found)
    return reduced(members, lows, sizes, tables, 1 << 62)
