"""How good can the points of a node be at best?

With a slope k_j and a constant per unit such that, wherever the node allows h_j to be,

    sign_j max(0, h_j) <= k_j h_j + constant_j,

f is at most constant + sum_j k_j bias_j + sum_p max_a sum_j k_j T[p, a, j]: a bound that falls apart into
blocks. Which slopes are allowed, when low < h_j < high over the node:

    - sign +1: the chord from (low, 0) to (high, high), one slope and a constant;
    - sign -1: anything in [-1, 0];
    - asserted active (h_j >= 0): anything from the sign upwards; inactive: anything from 0 downwards;
    - a tie adds nothing to f: anything from 0 downwards where h_j <= 0, anything at all where h_j = 0.

The bound is convex in the free slopes; subgradient steps improve it.
"""

from milbox.arrays import FloatArray, IntArray
from milbox.inner.branch_node import Blocks, Columns, Rows
from milbox.kernels import kernel, larger, vectorised

PATIENCE, DAMPING = 6, 0.7
"""With ties, after so many steps without a better bound the steps get shorter by so much."""


@vectorised
def add_costs(table: FloatArray, slope: FloatArray, rows: int, columns: int, cost: FloatArray) -> None:
    """Set cost = table[N] + sum_r slope_r table[r]."""
    out, t0 = cost[:columns], table[table.shape[0] - 1, :columns]
    for i in range(columns):
        out[i] = t0[i]
    r = 0
    while r + 4 <= rows:
        k0, k1, k2, k3 = slope[r], slope[r + 1], slope[r + 2], slope[r + 3]
        t0, t1 = table[r, :columns], table[r + 1, :columns]
        t2, t3 = table[r + 2, :columns], table[r + 3, :columns]
        for i in range(columns):
            out[i] += k0 * t0[i] + k1 * t1[i] + k2 * t2[i] + k3 * t3[i]
        r += 4
    while r < rows:
        k0, t0 = slope[r], table[r, :columns]
        for i in range(columns):
            out[i] += k0 * t0[i]
        r += 1


@vectorised
def find_tops(cost: FloatArray, first: IntArray, free: int, top: FloatArray, at: IntArray) -> float:
    """The best cost of each block, where it is, and their sum."""
    total = 0.0
    for p in range(free):
        costs = cost[first[p] : first[p + 1]]
        best = 0
        value = costs[0]
        if costs.shape[0] > 16:
            for i in range(costs.shape[0]):
                value = larger(value, costs[i])
            while costs[best] != value:
                best += 1
        else:
            for i in range(1, costs.shape[0]):
                if costs[i] > value:
                    value = costs[i]
                    best = i
        top[p] = value
        at[p] = first[p] + best
        total += value
    return total


@kernel
def look(
    table: FloatArray, sign: FloatArray, bias: FloatArray, at: IntArray, count: int, free: int, h: FloatArray
) -> float:
    """The value at a point given by its columns; leaves the inputs of the rows and of the output in h."""
    last = table.shape[0] - 1
    total = bias[last]
    for p in range(free):
        total += table[last, at[p]]
    h[last] = total
    value: float = total
    for r in range(count):
        total = bias[r]
        for p in range(free):
            total += table[r, at[p]]
        h[r] = total
        value += sign[r] * max(total, 0.0)
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
    count: int,
    free: int,
    constant: float,
    steps: int,
    floor: float,
    noise: float,
    tied: bool,
) -> float:
    """The best bound of some subgradient steps on the slopes, which are left where it is reached.

    Polyak's steps, aimed halfway between the best bound so far and the floor. Prices of ties take many more
    steps to find, and those must get shorter: they go half the way to the floor, and less once that fails.
    """
    width = blocks.first[free]
    best = 4.0
    boldness = 0.5
    since = 0
    for step in range(steps):
        add_costs(columns.table, rows.slope, count, width, columns.cost)
        bound = constant + find_tops(columns.cost, blocks.first, free, blocks.top, blocks.at)
        steepest = 1.0
        for r in range(count):
            slope = rows.slope[r]
            bound += slope * rows.bias[r]
            steepest = max(steepest, abs(slope))
        bound += noise * steepest
        since += 1
        if step == 0 or bound < best:
            since = 0
            best = bound
            copy(count, rows.slope, rows.best_slope)
            copy(width, columns.cost, columns.best_cost)
            copy(free, blocks.top, blocks.best_top)
            for p in range(free):
                blocks.best_at[p] = blocks.at[p]
        if best <= floor or step == steps - 1:
            break
        look(columns.table, rows.sign, rows.bias, blocks.at, count, free, rows.h)
        steepness = 0.0
        for r in range(count):
            # A slope at the end of its interval cannot follow its gradient outwards.
            h, slope = rows.h[r], rows.slope[r]
            if (h > 0.0 and slope <= rows.least[r]) or (h < 0.0 and slope >= rows.most[r]):
                h = 0.0
            rows.h[r] = h
            steepness += h * h
        if steepness < noise * noise:
            break
        if since == PATIENCE:
            since = 0
            boldness *= DAMPING
        aim = bound - boldness * (bound - floor) if tied else 0.5 * (best + floor)
        stride = (bound - aim) / steepness
        for r in range(count):
            rows.slope[r] = min(max(rows.slope[r] - stride * rows.h[r], rows.least[r]), rows.most[r])
    copy(count, rows.best_slope, rows.slope)
    return best
