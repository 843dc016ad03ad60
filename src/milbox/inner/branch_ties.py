"""What do ties rule out of a node, whatever a point is worth?

A tie is a row over several blocks that every point must satisfy. `branch_bound` gives it a price; here a
letter goes that leaves no way to satisfy it, such as a place in an assignment that is taken.
"""

from milbox.compiled.jit import kernel, larger, smaller
from milbox.inner.branch_node import Blocks, Columns, Desk, Rows, pack
from milbox.inner.branch_points import BELOW, LEVEL


@kernel
def propagate(rows: Rows, columns: Columns, blocks: Blocks, desk: Desk, count: int, free: int) -> bool:
    """Close the columns with which some tie cannot hold, as long as there are any; whether points remain."""
    for i in range(blocks.first[free]):
        columns.keep[i] = True
    closed = 0
    before = -1
    while closed > before:
        before = closed
        for r in range(count):
            if desk.phase[rows.unit[r]] >= BELOW:
                found = close(rows, columns, blocks, r, free, desk.phase[rows.unit[r]] == LEVEL)
                if found < 0:
                    return False
                closed += found
    if closed > 0:
        drop(columns, blocks, count, free)
    return True


@kernel
def close(rows: Rows, columns: Columns, blocks: Blocks, row: int, free: int, level: bool) -> int:
    """Close the columns with which one tie cannot hold; how many, or -1 if it cannot hold at all."""
    least = rows.bias[row]
    most = rows.bias[row]
    for p in range(free):
        low = 8.0
        high = -8.0
        for i in range(blocks.first[p], blocks.first[p + 1]):
            if columns.keep[i]:
                low = smaller(low, columns.table[row, i])
                high = larger(high, columns.table[row, i])
        if low > high:
            return -1
        blocks.top[p] = low
        blocks.best_top[p] = high
        least += low
        most += high
    if least > 0.0 or (level and most < 0.0):
        return -1
    closed = 0
    for p in range(free):
        for i in range(blocks.first[p], blocks.first[p + 1]):
            if columns.keep[i]:
                value = columns.table[row, i]
                too_much = least - blocks.top[p] + value > 0.0
                if too_much or (level and most - blocks.best_top[p] + value < 0.0):
                    columns.keep[i] = False
                    closed += 1
    return closed


@kernel
def drop(columns: Columns, blocks: Blocks, count: int, free: int) -> None:
    """Leave out the columns that are closed; each block has one that is not."""
    left = 0
    for p in range(free):
        begin, end = blocks.first[p], blocks.first[p + 1]
        blocks.first[p] = left
        for i in range(begin, end):
            if columns.keep[i]:
                columns.letter[left] = columns.letter[i]
                columns.kept[left] = i
                left += 1
    blocks.first[free] = left
    pack(columns, count, blocks.first[free])
