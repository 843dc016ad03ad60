"""What can be ruled out of a node?

Given a bound that falls apart into blocks (see `branch_bound`), the regret of a letter is how far its cost
lies below the best of its block, and a point's value is at most the bound minus its regrets. So a point
better than the floor has regrets of less than bound - floor in all. That does two things: a letter whose
regret alone is larger is struck; and the range of each unit's input over better points shrinks, which makes
its chord steeper and its phase often certain.
"""

import math

import numpy as np

from milbox.arrays import FloatArray, IntArray
from milbox.compiled.jit import inlined, kernel, larger, smaller, vectorised
from milbox.inner.branch_bound import add_costs, draw, find_tops, limit
from milbox.inner.branch_node import Blocks, Columns, Desk, Lines, Rows, pack
from milbox.inner.branch_points import (
    ACTIVE,
    BELOW,
    INACTIVE,
    LEVEL,
    OPEN,
    SURELY_ACTIVE,
    SURELY_INACTIVE,
    Network,
)

EMPTY = 9
"""In place of a phase: there is no such point."""


@vectorised
def span(values: FloatArray, first: IntArray, free: int) -> tuple[float, float]:
    """The least and the largest sum of one value per block."""
    least = 0.0
    most = 0.0
    for p in range(free):
        begin, end = np.uint64(first[p]), np.uint64(first[p + 1])
        low = values[begin]
        high = low
        for i in range(begin, end):
            low = smaller(low, values[i])
            high = larger(high, values[i])
        least += low
        most += high
    return least, most


@kernel
def settle(
    rows: Rows,
    lines: Lines,
    columns: Columns,
    blocks: Blocks,
    desk: Desk,
    count: int,
    free: int,
    noise: float,
) -> int:
    """Find the rows' ranges, and move units whose phase is certain into the output or out, as `load` does.

    Returns:
        The rows that remain, or -1 if the node is empty.
    """
    last = len(columns.table) - 1
    layer = rows.above.shape[1]
    left = 0
    for r in range(count):
        least, most = span(columns.table[r], blocks.first, free)
        # What `tighten` proved for better points stays true: the floor only rises.
        low = larger(lines.low[r], rows.bias[r] + least)
        high = smaller(lines.high[r], rows.bias[r] + most)
        unit, sign = rows.unit[r], rows.sign[r]
        phase = settled(desk.phase[unit], low, high, noise)
        if phase == EMPTY:
            return -1
        desk.phase[unit] = phase
        if phase == SURELY_ACTIVE and layer == 0:
            rows.bias[last] += sign * rows.bias[r]
            for i in range(blocks.first[free]):
                columns.table[last, i] += sign * columns.table[r, i]
        elif phase != SURELY_INACTIVE:
            lines.low[left] = low
            lines.high[left] = high
            lines.price[left] = lines.price[r]
            if left != r:
                rows.unit[left] = unit
                rows.sign[left] = sign
                rows.bias[left] = rows.bias[r]
                for k in range(layer):
                    rows.above[left, k] = rows.above[r, k]
                for i in range(blocks.first[free]):
                    columns.table[left, i] = columns.table[r, i]
            left += 1
    for r in range(left):
        limit(lines, r, desk.phase[rows.unit[r]])
    return left


@inlined
def settled(phase: int, low: float, high: float, noise: float) -> int:
    """What is known of a unit whose input is between two numbers; `EMPTY` if nothing can be."""
    if phase >= BELOW:
        if low > 0.0 or (phase == LEVEL and high < 0.0):
            return EMPTY
        return SURELY_INACTIVE if high <= 0.0 and (low >= 0.0 or phase == BELOW) else phase
    if (phase == ACTIVE and high < -noise) or (phase == INACTIVE and low > noise):
        return EMPTY
    return SURELY_ACTIVE if low >= 0.0 else SURELY_INACTIVE if high <= 0.0 else phase


@kernel
def settle_upper(
    net: Network,
    rows: Rows,
    lines: Lines,
    uppers: Lines,
    columns: Columns,
    blocks: Blocks,
    desk: Desk,
    count: int,
    free: int,
    noise: float,
) -> bool:
    """Find the ranges of upper units, and what is certain of them; whether points remain.

    A range is what lines above (or below) the outputs of the rows leave of it: chords, or the better of the
    two that a ReLU is made of. Nothing is said straight to the output here: costs are about z alone.
    """
    units, layer = net.above.shape
    for k in range(layer):
        phase = desk.phase[units + k]
        if abs(phase) == SURELY_ACTIVE:
            continue
        for way in (1.0, -1.0):
            most = way * net.upper_bias[k] + noise
            for r in range(count):
                below = desk.phase[rows.unit[r]]
                lines.weight[r] = way * rows.above[r, k]
                most += draw(lines, r, below)
                price = 1.0 if below == OPEN and lines.high[r] > -lines.low[r] else 0.0
                lines.slope[r] = lines.base[r] + lines.gain[r] * price
                most += lines.slope[r] * rows.bias[r]
            add_costs(columns.table, lines.slope, count, blocks.first[free], columns.cost)
            most += find_tops(columns.cost, blocks.first, free, blocks.top, blocks.at)
            if way > 0.0:
                uppers.high[k] = smaller(uppers.high[k], most)
            else:
                uppers.low[k] = larger(uppers.low[k], -most)
        phase = settled(phase, uppers.low[k], uppers.high[k], noise)
        if phase == EMPTY:
            return False
        desk.phase[units + k] = phase
        limit(uppers, k, phase)
    return True


@kernel
def strike(columns: Columns, blocks: Blocks, count: int, free: int, gap: float) -> bool:
    """Work out the regrets, and close the columns whose regret is not below the gap; whether any was."""
    left = 0
    for p in range(free):
        begin, end = blocks.first[p], blocks.first[p + 1]
        blocks.first[p] = left
        best_at = blocks.best_at[p]
        for i in range(begin, end):
            regret = blocks.best_top[p] - columns.best_cost[i]
            if regret < gap:
                if i == best_at:
                    blocks.best_at[p] = left
                columns.regret[left] = regret
                columns.best_cost[left] = columns.best_cost[i]
                columns.letter[left] = columns.letter[i]
                columns.kept[left] = i
                left += 1
    if left == blocks.first[free]:
        return False
    blocks.first[free] = left
    pack(columns, count, blocks.first[free])
    return True


@vectorised
def reach(
    values: FloatArray, regret: FloatArray, first: IntArray, free: int, way: float, price: float
) -> float:
    """The largest sum of one (way * value - price * regret) per block."""
    total = 0.0
    for p in range(free):
        begin, end = np.uint64(first[p]), np.uint64(first[p + 1])
        top = way * values[begin] - price * regret[begin]
        for i in range(begin, end):
            top = larger(top, way * values[i] - price * regret[i])
        total += top
    return total


@kernel
def farthest(
    values: FloatArray, regret: FloatArray, first: IntArray, free: int, way: float, slope: float, gap: float
) -> float:
    """A bound on way * (the sum of one value per block) when the regrets add up to at most the gap.

    It is the least of reach(price) + price * gap, a convex function of the price: three looks at it. The
    first price is the one at which the unit's slope becomes that of its other phase.
    """
    price = 1.0 / larger(slope, 0.001)
    step = 1.0
    best = math.inf
    for _ in range(3):
        far = reach(values, regret, first, free, way, price * step) + price * step * gap
        if far < best:
            best = far
            price *= step
            step = 3.0 if step == 1.0 else step
        else:
            step = 1.0 / step
    return best


@kernel
def tighten(
    rows: Rows,
    lines: Lines,
    columns: Columns,
    blocks: Blocks,
    desk: Desk,
    count: int,
    free: int,
    gap: float,
    noise: float,
) -> bool:
    """Shrink the ranges of open units to what better points can reach; whether any shrank by much.

    Where there is one layer, those of positive sign suffice: the others have no chord.
    """
    shrank = False
    for r in range(count):
        weight, slope = lines.weight[r], lines.slope[r]
        if desk.phase[rows.unit[r]] == OPEN and (weight > 0.0 or rows.above.shape[1] > 0):
            width = lines.high[r] - lines.low[r]
            values = columns.table[r]
            up = farthest(values, columns.regret, blocks.first, free, 1.0, abs(weight - slope), gap)
            down = farthest(values, columns.regret, blocks.first, free, -1.0, abs(slope), gap)
            lines.high[r] = smaller(lines.high[r], rows.bias[r] + (up + noise))
            lines.low[r] = larger(lines.low[r], rows.bias[r] - (down + noise))
            if lines.high[r] <= 0.0 or lines.low[r] >= 0.0 or lines.high[r] - lines.low[r] < 0.9 * width:
                shrank = True
    return shrank
