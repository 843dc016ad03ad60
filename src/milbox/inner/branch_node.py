"""What is a node of the search tree, and how does it get on and off the stack?

A node is a set of letters still open for each block, and a phase for some units: its points use open
letters only, have the units in their phases and satisfy the ties. The one being worked on is spread out on a
desk of arrays, where units whose phase is certain and blocks with one open letter are out of the way.
"""

from typing import NamedTuple

import numpy as np

from milbox.arrays import BoolArray, FloatArray, IntArray
from milbox.compiled.jit import kernel
from milbox.inner.branch_points import SURELY_ACTIVE, SURELY_INACTIVE, Network


class Stack(NamedTuple):
    """The nodes still to be searched; the last is next."""

    counts: IntArray
    """[nodes on the stack, nodes searched; the node on the desk or -1, its free blocks, its rows, and the row
    that was branched on to get it]"""
    bound: FloatArray
    phase: IntArray
    """(nodes, N + K), as those below: units and ties, then upper units."""
    price: FloatArray
    low: FloatArray
    high: FloatArray
    first: IntArray
    """(nodes, blocks + 1): where each block's letters begin, within the node's."""
    start: IntArray
    """(nodes + 1,): where each node's letters begin."""
    letter: IntArray


class Rows(NamedTuple):
    """The undecided units and ties of a node; with upper units, those that are surely active as well."""

    unit: IntArray
    sign: FloatArray
    above: FloatArray
    """(N, K): what it adds to each upper unit."""
    bias: FloatArray
    """With the fixed blocks added; in place N, that of the output."""
    h: FloatArray
    """Inputs at some point; in place N, that of the output, and behind it those of the upper units."""


class Lines(NamedTuple):
    """What is known of the inputs of rows, or of upper units, and the lines above their outputs."""

    low: FloatArray
    high: FloatArray
    weight: FloatArray
    """What an output is worth: its sign and, at the slopes of the upper units, what it says to those."""
    base: FloatArray
    gain: FloatArray
    price: FloatArray
    """A slope is base + gain * price, and the price is what can be chosen."""
    best_price: FloatArray
    least: FloatArray
    most: FloatArray
    slope: FloatArray
    way: FloatArray
    """How the bound changes with the price."""


class Columns(NamedTuple):
    """The open letters of a node's free blocks, block after block."""

    table: FloatArray
    """(N + 1, letters): what each adds to each row and, in row N, straight to the output."""
    letter: IntArray
    cost: FloatArray
    best_cost: FloatArray
    regret: FloatArray
    kept: IntArray
    keep: BoolArray


class Blocks(NamedTuple):
    """The free blocks of a node: those with more than one open letter, or else the last."""

    number: IntArray
    first: IntArray
    """The first column of each, and the number of columns."""
    top: FloatArray
    """The best cost of each."""
    best_top: FloatArray
    at: IntArray
    """The column that has it."""
    best_at: IntArray


class Desk(NamedTuple):
    """What else is known of the node being worked on."""

    phase: IntArray
    """Of every unit, tie and upper unit."""
    point: IntArray
    """The letters of all blocks: fixed ones, and the free ones of the point looked at last."""
    spare_point: IntArray
    climbing_h: FloatArray
    spare_h: FloatArray


@kernel
def pack(columns: Columns, count: int, left: int) -> None:
    """Move the columns listed in `kept` together, in every row and in the output's."""
    last = len(columns.table) - 1
    kept = columns.kept
    for row in range(count + 1):
        values = columns.table[row if row < count else last]
        for i in range(left):
            values[i] = values[np.uint64(kept[i])]


@kernel
def load(
    net: Network,
    stack: Stack,
    rows: Rows,
    lines: Lines,
    uppers: Lines,
    columns: Columns,
    blocks: Blocks,
    desk: Desk,
    node: int,
) -> tuple[int, int]:
    """Lay the node on the desk: fixed blocks go into the biases, surely active units into the output.

    Below another layer such units stay rows: what they are worth there depends on its slopes.
    """
    units = len(net.sign)
    start = stack.start[node]
    for j in range(units + 1):
        rows.bias[j] = net.bias[j]
    free = 0
    width = 0
    for p in range(len(desk.point)):
        begin, end = start + stack.first[node, p], start + stack.first[node, p + 1]
        # At least one block stays free, however many letters it has.
        if end - begin == 1 and (free > 0 or p + 1 < len(desk.point)):
            letter = stack.letter[begin]
            desk.point[p] = letter
            for j in range(units + 1):
                rows.bias[j] += net.by_letter[letter, j]
        else:
            blocks.number[free] = p
            blocks.first[free] = width
            free += 1
            for i in range(begin, end):
                columns.letter[width] = stack.letter[i]
                width += 1
    blocks.first[free] = width

    for i in range(width):
        columns.table[units, i] = net.by_unit[units, columns.letter[i]]
    count = 0
    for j in range(units):
        phase = stack.phase[node, j]
        desk.phase[j] = phase
        if phase == SURELY_ACTIVE and len(uppers.low) == 0:
            rows.bias[units] += net.sign[j] * rows.bias[j]
            for i in range(width):
                columns.table[units, i] += net.sign[j] * net.by_unit[j, columns.letter[i]]
        elif phase != SURELY_INACTIVE:
            for i in range(width):
                columns.table[count, i] = net.by_unit[j, columns.letter[i]]
            rows.unit[count] = j
            rows.sign[count] = net.sign[j]
            rows.bias[count] = rows.bias[j]
            lines.price[count] = stack.price[node, j]
            lines.low[count] = stack.low[node, j]
            lines.high[count] = stack.high[node, j]
            for k in range(len(uppers.low)):
                rows.above[count, k] = net.above[j, k]
            count += 1
    for k in range(len(uppers.low)):
        desk.phase[units + k] = stack.phase[node, units + k]
        uppers.price[k] = stack.price[node, units + k]
        uppers.low[k] = stack.low[node, units + k]
        uppers.high[k] = stack.high[node, units + k]
    return free, count


@kernel
def push(
    stack: Stack,
    rows: Rows,
    lines: Lines,
    uppers: Lines,
    columns: Columns,
    blocks: Blocks,
    desk: Desk,
    count: int,
    free: int,
    bound: float,
) -> int:
    """Put the node on the desk, reduced to the columns kept, on the stack."""
    node: int = stack.counts[0]
    stack.counts[0] += 1
    stack.bound[node] = bound
    for j in range(len(desk.phase)):
        stack.phase[node, j] = desk.phase[j]
    for r in range(count):
        stack.price[node, rows.unit[r]] = lines.price[r]
        stack.low[node, rows.unit[r]] = lines.low[r]
        stack.high[node, rows.unit[r]] = lines.high[r]
    units = len(desk.phase) - len(uppers.low)
    for k in range(len(uppers.low)):
        stack.price[node, units + k] = uppers.price[k]
        stack.low[node, units + k] = uppers.low[k]
        stack.high[node, units + k] = uppers.high[k]
    at = stack.start[node]
    taken = 0
    for p in range(len(desk.point)):
        stack.first[node, p] = at - stack.start[node]
        if taken < free and blocks.number[taken] == p:
            for i in range(blocks.first[taken], blocks.first[taken + 1]):
                if columns.keep[i]:
                    stack.letter[at] = columns.letter[i]
                    at += 1
            taken += 1
        else:
            stack.letter[at] = desk.point[p]
            at += 1
    stack.first[node, len(desk.point)] = at - stack.start[node]
    stack.start[node + 1] = at
    return node
