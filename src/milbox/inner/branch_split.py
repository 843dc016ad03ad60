"""What is a node branched on, and which children cover it?"""

import math

from milbox.compiled.jit import inlined, kernel, smaller
from milbox.inner.branch_node import Blocks, Columns, Desk, Lines, Rows, Stack, push
from milbox.inner.branch_points import ACTIVE, BELOW, INACTIVE, LEVEL, OPEN

# What to branch on when it is not a unit.
APART, AGAIN = -1, -2


@inlined
def chord(lines: Lines, i: int) -> float:
    """How high the chord of an open unit rises above it; 0 if it has none, since its line is no chord."""
    low, high = lines.low[i], lines.high[i]
    if lines.weight[i] <= 0.0 or low >= 0.0 or high <= 0.0:
        return 0.0
    return float(lines.weight[i] * -high * low / (high - low))


@kernel
def highest_chord(rows: Rows, lines: Lines, uppers: Lines, desk: Desk, count: int) -> int:
    """What to branch on: the row, or N + k for an upper unit, whose chord rises highest above it.

    `APART` if none has a chord.
    """
    best = 0.0
    on = APART
    units = len(rows.unit)
    for r in range(count):
        if desk.phase[rows.unit[r]] == OPEN and chord(lines, r) > best:
            best = chord(lines, r)
            on = r
    for k in range(len(uppers.weight)):
        if desk.phase[units + k] == OPEN and chord(uppers, k) > best:
            best = chord(uppers, k)
            on = units + k
    return on


@kernel
def broken_tie(rows: Rows, columns: Columns, blocks: Blocks, desk: Desk, count: int, free: int) -> int:
    """The row of a tie that the point of the best costs breaks and the fewest blocks mend; -1 if none."""
    best = -1
    fewest = free + 1
    for r in range(count):
        phase, h = desk.phase[rows.unit[r]], rows.h[r]
        if (phase >= BELOW and h > 0.0) or (phase == LEVEL and h < 0.0):
            able = 0
            for p in range(free):
                for i in range(blocks.first[p], blocks.first[p + 1]):
                    if leaves(rows, columns, blocks, p, i, r):
                        able += 1
                        break
            if able < fewest:
                fewest = able
                best = r
    return best


@inlined
def leaves(rows: Rows, columns: Columns, blocks: Blocks, p: int, i: int, tie: int) -> bool:
    """Whether a column leads away from the point of the best costs or, given a tie, to mending that."""
    at = blocks.best_at[p]
    if tie < 0:
        return bool(i != at)
    change = columns.table[tie, i] - columns.table[tie, at]
    return bool(change < 0.0 if rows.h[tie] > 0.0 else change > 0.0)


@kernel
def sort_blocks(rows: Rows, columns: Columns, blocks: Blocks, free: int, tie: int) -> int:
    """List in `kept` the blocks that can leave, by descending regret of doing so, put in `top`; how many."""
    listed = 0
    for p in range(free):
        least = math.inf
        for i in range(blocks.first[p], blocks.first[p + 1]):
            if leaves(rows, columns, blocks, p, i, tie):
                least = smaller(least, blocks.best_top[p] - columns.best_cost[i])
        blocks.top[p] = least
        if least < math.inf:
            k = listed
            while k > 0 and blocks.top[columns.kept[k - 1]] < least:
                columns.kept[k] = columns.kept[k - 1]
                k -= 1
            columns.kept[k] = p
            listed += 1
    return listed


@kernel
def branch(
    stack: Stack,
    rows: Rows,
    lines: Lines,
    uppers: Lines,
    columns: Columns,
    blocks: Blocks,
    desk: Desk,
    count: int,
    free: int,
    on: int,
    tie: int,
    bound: float,
    ceiling: float,
) -> None:
    """Cover the node on the desk, or all of it but the point of the best costs, with children.

    On a unit: one child per phase of it, that of the best costs last, to be searched first.

    APART: all points but that of the best costs, in disjoint parts (Lawler 1972). Part i agrees with the
    point on the blocks before the i-th and differs from it there. If it breaks a tie, only those blocks count
    that can mend it, and a part is where the i-th does a share of that and those before it do not. Blocks
    that lose much by leaving come first: the large parts then have the low bounds.

    AGAIN: the node itself, to be taken up when there is more room.
    """
    for i in range(blocks.first[free]):
        columns.keep[i] = True
    children = 1 if on == AGAIN else 2
    if on == APART:
        children = sort_blocks(rows, columns, blocks, free, tie)
    for child in range(children):
        block = columns.kept[child] if on == APART else 0
        regret = 0.0
        if on == APART:
            for i in range(blocks.first[block], blocks.first[block + 1]):
                columns.keep[i] = leaves(rows, columns, blocks, block, i, tie)
            regret = blocks.top[block]
        node = push(
            stack, rows, lines, uppers, columns, blocks, desk, count, free, smaller(bound - regret, ceiling)
        )
        if on == APART:
            for i in range(blocks.first[block], blocks.first[block + 1]):
                columns.keep[i] = not columns.keep[i]
        elif on >= 0:
            units = len(rows.unit)
            unit = rows.unit[on] if on < units else on
            h = rows.h[on] if on < units else rows.h[on + 1]
            stack.phase[node, unit] = ACTIVE if (h > 0.0) == (child == 1) else INACTIVE
            stack.price[node, unit] = 0.0
