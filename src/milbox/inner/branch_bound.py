"""How good can the points of a node be at best?

With a slope k_j and a constant per unit such that, wherever the node allows h_j to be,

    weight_j max(0, h_j) <= k_j h_j + constant_j,

f is at most constant + sum_j k_j bias_j + sum_p max_a sum_j k_j T[p, a, j]: a bound that falls apart into
blocks. Which lines are allowed, when low < h_j < high over the node (see `draw`):

    - weight > 0: the chord from (low, 0) to (high, weight * high), one slope and a constant;
    - weight < 0: anything in [weight, 0];
    - asserted active (h_j >= 0): anything from the weight upwards; inactive: anything from 0 downwards;
    - a tie adds nothing to f: anything from 0 downwards where h_j <= 0, anything at all where h_j = 0.

With one hidden layer the weight is the unit's sign. With two, lines are put above the upper units first; what
a unit below is worth then is what it says to them, times their slopes. What is free to choose about a line is
one number, its price. The bound is convex in the prices of either layer while those of the other stay;
subgradient steps improve it, and whatever the prices are, it is valid.
"""

import math

import numpy as np

from milbox.arrays import FloatArray, IntArray
from milbox.compiled.jit import ONE, inlined, kernel, larger, smaller, vectorised
from milbox.inner.branch_node import Blocks, Columns, Desk, Lines, Rows
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

PATIENCE, DAMPING = 6, 0.7
"""With ties or two layers, after so many steps without a better bound the steps get shorter by so much."""

LONG = np.uint64(16)
"""From so many columns on the best cost of a block is found first, and where it is afterwards."""

STEEPEST = 64.0
"""A price may not grow beyond all bounds: rounding grows with it."""

STEEPEST_TIE = 4096.0
"""The same for the price of a tie, whose inputs are scaled down by the number of ties."""


@vectorised
def add_costs(table: FloatArray, slope: FloatArray, rows: int, columns: int, cost: FloatArray) -> None:
    """Set cost = table[N] + sum_r slope_r table[r]."""
    last = len(table) - 1
    for i in range(columns):
        cost[i] = table[last, i]
    r = 0
    while r + 4 <= rows:
        k0, k1, k2, k3 = slope[r], slope[r + 1], slope[r + 2], slope[r + 3]
        for i in range(columns):
            cost[i] += k0 * table[r, i] + k1 * table[r + 1, i] + k2 * table[r + 2, i] + k3 * table[r + 3, i]
        r += 4
    while r < rows:
        k0 = slope[r]
        for i in range(columns):
            cost[i] += k0 * table[r, i]
        r += 1


@vectorised
def find_tops(cost: FloatArray, first: IntArray, free: int, top: FloatArray, at: IntArray) -> float:
    """The best cost of each block, where it is, and their sum."""
    total = 0.0
    for p in range(free):
        begin, end = np.uint64(first[p]), np.uint64(first[p + 1])
        best = begin
        value = cost[begin]
        if end - begin > LONG:
            for i in range(begin, end):
                value = larger(value, cost[i])
            while cost[best] != value:
                best += ONE
        else:
            for i in range(begin + ONE, end):
                if cost[i] > value:
                    value = cost[i]
                    best = np.uint64(i)
        top[p] = value
        at[p] = np.int64(best)
        total += value
    return total


@kernel
def look(table: FloatArray, bias: FloatArray, at: IntArray, count: int, free: int, h: FloatArray) -> None:
    """Leave in h the inputs of the rows and of the output at a point given by its columns."""
    last = len(table) - 1
    for row in range(count + 1):
        r = np.uint64(row if row < count else last)
        total = bias[r]
        for p in range(free):
            total += table[r, np.uint64(at[p])]
        h[r] = total


@inlined
def draw(lines: Lines, i: int, phase: int) -> float:
    """Draw one line above weight * max(0, h), by what is known of h; its constant.

    Where the phase is open, low < 0 < high.
    """
    weight, base, gain, constant = lines.weight[i], 0.0, 0.0, 0.0
    if phase == OPEN and weight > 0.0:
        base = weight * lines.high[i] / (lines.high[i] - lines.low[i])
        constant = -base * lines.low[i]
    elif phase == OPEN:
        gain = weight
    elif phase == ACTIVE:
        base, gain = weight, 1.0
    elif phase == SURELY_ACTIVE:
        base = weight
    elif phase == LEVEL:
        gain = 1.0
    elif phase != SURELY_INACTIVE:
        gain = -1.0
    lines.base[i] = base
    lines.gain[i] = gain
    return constant


@inlined
def limit(lines: Lines, i: int, phase: int) -> None:
    """Say between what a line's price may be, and move it there."""
    most = 1.0 if phase == OPEN else STEEPEST if phase < BELOW else STEEPEST_TIE
    lines.most[i] = most
    lines.least[i] = -most if phase == LEVEL else 0.0
    lines.price[i] = smaller(larger(lines.price[i], lines.least[i]), most)


@inlined
def tilt(lines: Lines, bias: FloatArray, count: int) -> tuple[float, float]:
    """Give lines the slopes that prices say; what biases then add, and the steepest slope, if over 1."""
    total = 0.0
    steepest = 1.0
    for i in range(count):
        slope = lines.base[i] + lines.gain[i] * lines.price[i]
        lines.slope[i] = slope
        total += slope * bias[i]
        steepest = larger(steepest, abs(slope))
    return total, steepest


@inlined
def pull(lines: Lines, h: FloatArray, count: int) -> float:
    """Find the bound's derivatives by the prices, where those can follow; the sum of their squares."""
    total = 0.0
    for i in range(count):
        way = lines.gain[i] * h[i]
        if (way > 0.0 and lines.price[i] <= lines.least[i]) or (
            way < 0.0 and lines.price[i] >= lines.most[i]
        ):
            way = 0.0
        lines.way[i] = way
        total += way * way
    return total


@inlined
def move(lines: Lines, stride: float, count: int) -> None:
    """Change prices against the derivatives."""
    for i in range(count):
        price = lines.price[i] - stride * lines.way[i]
        lines.price[i] = smaller(larger(price, lines.least[i]), lines.most[i])


@kernel
def draw_all(
    net: Network, rows: Rows, lines: Lines, uppers: Lines, desk: Desk, count: int, noise: float
) -> float:
    """Draw lines above upper units, tilt them, and draw those of the rows, which are worth what that says.

    Returns:
        What all that adds to the bound, with room for rounding.
    """
    units, layer = net.above.shape
    constant = float(rows.bias[units])
    for k in range(layer):
        constant += draw(uppers, k, desk.phase[units + k])
    added, steepest = tilt(uppers, net.upper_bias, layer)
    for r in range(count):
        weight = rows.sign[r]
        for k in range(layer):
            weight += uppers.slope[k] * rows.above[r, k]
        lines.weight[r] = weight
        constant += draw(lines, r, desk.phase[rows.unit[r]])
    return constant + added + noise * steepest


@kernel
def relax(net: Network, rows: Rows, lines: Lines, desk: Desk, count: int) -> None:
    """Leave in h the inputs of upper units if each row's output were on its line, not its ReLU."""
    units, layer = net.above.shape
    z = rows.h[units + 1 :]
    for k in range(layer):
        z[k] = net.upper_bias[k]
    for r in range(count):
        phase = desk.phase[rows.unit[r]]
        output = rows.h[r]
        if phase == OPEN and lines.weight[r] > 0.0:
            output = (output - lines.low[r]) * lines.high[r] / (lines.high[r] - lines.low[r])
        elif phase == OPEN:
            output *= lines.price[r]
        elif phase == INACTIVE:
            output = 0.0
        for k in range(layer):
            z[k] += output * rows.above[r, k]


@inlined
def copy(count: int, source: FloatArray, target: FloatArray) -> None:
    """Set target[:count] = source[:count]."""
    for i in range(count):
        target[i] = source[i]


@kernel
def descend(
    net: Network,
    rows: Rows,
    lines: Lines,
    uppers: Lines,
    columns: Columns,
    blocks: Blocks,
    desk: Desk,
    count: int,
    free: int,
    steps: int,
    floor: float,
    noise: float,
    patient: bool,
) -> float:
    """The best bound of some subgradient steps on the prices, which are left where it is reached.

    Polyak's steps, aimed halfway between the best bound so far and the floor. Prices of ties, and those of
    two layers, take many more steps to find, and those must get shorter: they go half the way to the floor,
    and less once that fails.
    """
    width = blocks.first[free]
    units, layer = net.above.shape
    z = rows.h[units + 1 :]
    best = math.inf
    boldness = 0.5
    since = 0
    constant = 0.0
    for step in range(steps):
        # Without upper units the lines stay as they are, but for their slopes.
        if step == 0 or layer > 0:
            constant = draw_all(net, rows, lines, uppers, desk, count, noise)
        added, steepest = tilt(lines, rows.bias, count)
        add_costs(columns.table, lines.slope, count, width, columns.cost)
        bound = constant + find_tops(columns.cost, blocks.first, free, blocks.top, blocks.at)
        bound += added + noise * steepest
        since += 1
        if bound < best:
            since = 0
            best = bound
            copy(count, lines.price, lines.best_price)
            copy(layer, uppers.price, uppers.best_price)
            copy(width, columns.cost, columns.best_cost)
            copy(free, blocks.top, blocks.best_top)
            for p in range(free):
                blocks.best_at[p] = blocks.at[p]
        if best <= floor or step == steps - 1:
            break
        look(columns.table, rows.bias, blocks.at, count, free, rows.h)
        steepness = pull(lines, rows.h, count)
        if layer > 0:
            relax(net, rows, lines, desk, count)
            steepness += pull(uppers, z, layer)
        if steepness < noise * noise:
            break
        if since == PATIENCE:
            since = 0
            boldness *= DAMPING
        aim = bound - boldness * (bound - floor) if patient else 0.5 * (best + floor)
        stride = (bound - aim) / steepness
        move(lines, stride, count)
        move(uppers, stride, layer)
    copy(count, lines.best_price, lines.price)
    copy(layer, uppers.best_price, uppers.price)
    if layer > 0:
        draw_all(net, rows, lines, uppers, desk, count, noise)
    tilt(lines, rows.bias, count)
    return best
