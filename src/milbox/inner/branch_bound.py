"""How good can the points of a node be at best?

With a slope k_j and a constant per unit such that, wherever the node allows h_j to be,

    sign_j max(0, h_j) <= k_j h_j + constant_j,

f is at most constant + sum_j k_j bias_j + sum_p max_a sum_j k_j T[p, a, j]: a bound that falls apart into
blocks. Which slopes are allowed, when low < h_j < high over the node:

    - sign +1: the chord from (low, 0) to (high, high), one slope and a constant;
    - sign -1: anything in [-1, 0];
    - asserted active (h_j >= 0): anything from the sign upwards; inactive: anything from 0 downwards.

The bound is convex in the free slopes; subgradient steps improve it.
"""

from milbox.arrays import FloatArray, IntArray
from milbox.inner.branch_node import Blocks, Columns, Desk, Rows
from milbox.inner.branch_points import kernel, vectorised

STRETCH = 1024
"""Columns worked on at a time, so that their costs stay in the fastest cache."""


@vectorised
def add_costs(table: FloatArray, slope: FloatArray, rows: int, columns: int, cost: FloatArray) -> None:
    """Set cost = table[N] + sum_r slope_r table[r]."""
    last = table.shape[0] - 1
    for start in range(0, columns, STRETCH):
        stop = min(start + STRETCH, columns)
        for i in range(start, stop):
            cost[i] = table[last, i]
        r = 0
        while r + 4 <= rows:
            k0, k1, k2, k3 = slope[r], slope[r + 1], slope[r + 2], slope[r + 3]
            for i in range(start, stop):
                cost[i] += (
                    k0 * table[r, i] + k1 * table[r + 1, i] + k2 * table[r + 2, i] + k3 * table[r + 3, i]
                )
            r += 4
        while r < rows:
            k0 = slope[r]
            for i in range(start, stop):
                cost[i] += k0 * table[r, i]
            r += 1


@vectorised
def find_tops(cost: FloatArray, first: IntArray, free: int, top: FloatArray, at: IntArray) -> float:
    """The best cost of each block, where it is, and their sum."""
    total = 0.0
    for p in range(free):
        best = first[p]
        value = cost[best]
        if first[p + 1] - best > 16:
            for i in range(best + 1, first[p + 1]):
                value = max(value, cost[i])
            while cost[best] != value:
                best += 1
        else:
            for i in range(best + 1, first[p + 1]):
                if cost[i] > value:
                    value = cost[i]
                    best = i
        top[p] = value
        at[p] = best
        total += value
    return total


@kernel
def look(
    table: FloatArray,
    sign: FloatArray,
    bias: FloatArray,
    at: IntArray,
    count: int,
    free: int,
    skipped: int,
    h: FloatArray,
) -> float:
    """The value at a point given by its columns, perhaps without one block; leaves the inputs in h."""
    last = table.shape[0] - 1
    value = 0.0
    for row in range(count + 1):
        r = row if row < count else last
        total = bias[r]
        for p in range(free):
            if p != skipped:
                total += table[r, at[p]]
        h[r] = total
        value += sign[r] * max(total, 0.0) if row < count else total
    return value


@kernel
def copy(count: int, source: FloatArray, target: FloatArray) -> None:
    """Set target[:count] = source[:count]."""
    for i in range(count):
        target[i] = source[i]


@kernel
def descend(
    rows: Rows,
    columns: Columns,
    blocks: Blocks,
    desk: Desk,
    count: int,
    free: int,
    constant: float,
    steps: int,
    floor: float,
    noise: float,
) -> float:
    """The best bound of some subgradient steps on the slopes, from where they are.

    Polyak's step aims at the floor, or at a level a little below the best bound so far, which is halved when
    progress stalls.
    """
    width = blocks.first[free]
    best = 4.0
    ambition = 0.0
    stalled = 0
    for step in range(steps):
        add_costs(columns.table, rows.slope, count, width, columns.cost)
        bound = constant + find_tops(columns.cost, blocks.first, free, blocks.top, blocks.at)
        rounding = 1.0
        for r in range(count):
            bound += rows.slope[r] * rows.bias[r]
            rounding += abs(rows.slope[r]) * desk.size[rows.unit[r]]
        bound += noise * rounding
        look(columns.table, rows.sign, rows.bias, blocks.at, count, free, -1, rows.h)
        if step == 0:
            ambition = 0.5 * (bound - floor)
        stalled += 1
        if bound < best:
            if step == 0 or bound < best - 0.3 * ambition:
                stalled = 0
            best = bound
            copy(count, rows.slope, rows.best_slope)
            copy(width, columns.cost, columns.best_cost)
            copy(free, blocks.top, blocks.best_top)
            for p in range(free):
                blocks.best_at[p] = blocks.at[p]
        if best <= floor:
            break
        if stalled >= 4:
            stalled = 0
            ambition *= 0.5
            if ambition < 0.03 * (best - floor):
                break
            for r in range(count):
                rows.slope[r] = 0.5 * (rows.slope[r] + rows.best_slope[r])
        steepness = 0.0
        for r in range(count):
            # Towards the end the steps circle the best slopes: the mean of h there tells a phase from a tie.
            rows.mean[r] += (0.15 if step > 0 else 1.0) * (rows.h[r] - rows.mean[r])
            # A slope at the end of its interval cannot follow its gradient outwards.
            if (rows.h[r] > 0.0 and rows.slope[r] <= rows.least[r]) or (
                rows.h[r] < 0.0 and rows.slope[r] >= rows.most[r]
            ):
                rows.h[r] = 0.0
            steepness += rows.h[r] * rows.h[r]
        if steepness < noise * noise:
            break
        stride = (bound - max(floor, best - ambition)) / steepness
        for r in range(count):
            rows.slope[r] = min(max(rows.slope[r] - stride * rows.h[r], rows.least[r]), rows.most[r])
    copy(count, rows.best_slope, rows.slope)
    return best
