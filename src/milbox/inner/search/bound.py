"""The Lagrangian bound: a line above every unit turns the network into a longest path.

With a slope and a constant per row such that, wherever the node allows h_r to be,

    weight_r relu(h_r) <= slope_r h_r + constant_r,

f is at most sum_r (constant_r + slope_r bias_r) plus the longest path for the cost slope .
table[letter]. Which lines are allowed, when low < h_r < high over the node (see `draw_line`):

    - weight > 0: the chord from (low, 0) to (high, weight * high);
    - weight < 0, and ties h_r <= 0: any slope in [weight, 0]; ties h_r = 0: any in [weight, -weight];
    - branched on and active (h_r >= 0): any slope from the weight upwards; inactive: any from 0 downwards.

What is free to choose is a multiplier, the price. The bound is convex in the prices (of either layer
while those of the other stay); subgradient steps improve it, and it is valid whatever the prices are.
With two layers lines are put above the upper units first; what a row is worth then is what it says to
them, times their slopes.

Rounding: a bound is a sum of at most `longest + rows` terms of total size sum_r |slope_r| size_r, so
that `noise` times that size covers it; every bound and every max-marginal is compared with this
allowance.
"""

from milbox.arrays import FloatArray
from milbox.compiled.jit import inlined, kernel, larger, smaller
from milbox.inner.search.incumbents import offer_path
from milbox.inner.search.passes import add_inputs, longest, set_costs, trace, worth
from milbox.inner.search.state import (
    ACTIVE,
    AHEAD,
    BASE,
    BEST_COST,
    BEST_H,
    BEST_PRICE,
    BEST_SLOPE,
    BIAS,
    COST,
    GAIN,
    HIGH,
    INACTIVE,
    LEAST,
    LEVEL,
    LOW,
    MOST,
    NOTHING,
    OPEN,
    OUTPUT,
    PATH,
    PHASE,
    PRICE,
    SIZE,
    SLOPE,
    STEP,
    SURELY_ACTIVE,
    UNIT,
    USED,
    WEIGHT,
    Desk,
    H,
    Lines,
    Pool,
    Problem,
    Tried,
)

STEEPEST = 64.0
"""A price that is not limited otherwise may not grow beyond all bounds: rounding grows with it."""

PATIENCE, DAMPING = 6, 0.7
"""After so many steps without a better bound the steps get shorter by so much."""


@inlined
def floor_of(pool: Pool) -> float:
    """What a point must beat: the last point in hand, or any point at all, since |f| < 1/2."""
    return float(larger(pool.value[len(pool.value) - 1], -1.0))


@kernel
def draw_line(lines: Lines, i: int, shared: float) -> float:
    """Draw the line of one row or upper unit and limit its price; its constant.

    Where the weight changes with other prices (`shared` is 1, else 0; for a literal truth numba would compile
    once more), the price is a share of it.
    """
    weight, phase = lines[WEIGHT, i], lines[PHASE, i]
    base, gain, least, most, constant = 0.0, 0.0, 0.0, 0.0, 0.0
    if phase == OPEN and weight > 0.0:
        base = weight * lines[HIGH, i] / (lines[HIGH, i] - lines[LOW, i])
        constant = -base * lines[LOW, i]
        most = 1.0
    elif phase == OPEN and shared > 0.0:
        gain = weight
        most = 1.0
    elif phase == OPEN:
        gain = -1.0
        most = -weight
    elif phase == ACTIVE:
        base, gain, most = weight, 1.0, STEEPEST
    elif phase == INACTIVE:
        gain, most = -1.0, STEEPEST
    elif phase == LEVEL:
        gain = -1.0
        most = -weight
        least = weight
    elif phase == SURELY_ACTIVE:
        base = weight
    lines[BASE, i] = base
    lines[GAIN, i] = gain
    lines[LEAST, i] = least
    lines[MOST, i] = most
    lines[PRICE, i] = smaller(larger(lines[PRICE, i], least), most)
    return constant


@kernel
def set_slopes(lines: Lines, bias: FloatArray, size: FloatArray, count: int) -> tuple[float, float]:
    """Set slopes by prices; what biases add to the bound, and the size of the sums behind it."""
    total = 0.0
    reach = 0.0
    for i in range(count):
        slope = lines[BASE, i] + lines[GAIN, i] * lines[PRICE, i]
        lines[SLOPE, i] = slope
        total += slope * bias[i]
        reach += abs(slope) * size[i]
    return total, reach


@kernel
def subgradient(lines: Lines, h: FloatArray, count: int) -> float:
    """Set the derivatives of the bound by the prices, where those can follow; the sum of their squares."""
    total = 0.0
    for i in range(count):
        step = lines[GAIN, i] * h[i]
        if (step > 0.0 and lines[PRICE, i] <= lines[LEAST, i]) or (
            step < 0.0 and lines[PRICE, i] >= lines[MOST, i]
        ):
            step = 0.0
        lines[STEP, i] = step
        total += step * step
    return total


@kernel
def move(lines: Lines, stride: float, count: int) -> None:
    """Change prices against the derivatives."""
    for i in range(count):
        price = lines[PRICE, i] - stride * lines[STEP, i]
        lines[PRICE, i] = smaller(larger(price, lines[LEAST, i]), lines[MOST, i])


@kernel
def draw_all(net: Problem, lines: Lines, uppers: Lines) -> tuple[float, float]:
    """Draw lines above upper units and then above rows; their constants, and the size of the upper sums."""
    rows, layer = net.above.shape
    constant = 0.0
    reach = 0.0
    if layer > 0:
        for k in range(layer):
            constant += draw_line(uppers, k, 0.0)
        added, reach = set_slopes(uppers, net.uppers[BIAS], net.uppers[SIZE], layer)
        constant += added
    for r in range(rows):
        weight = net.rows[OUTPUT, r]
        for k in range(layer):
            weight += uppers[SLOPE, k] * net.above[r, k]
        lines[WEIGHT, r] = weight
        constant += draw_line(lines, r, 1.0 if layer > 0 and net.tie[r] == UNIT else 0.0)
    return constant, reach


@kernel
def relaxed_inputs(net: Problem, lines: Lines, z: FloatArray) -> None:
    """Set z to the inputs of upper units if each row's output were on its line, not its ReLU."""
    rows, layer = net.above.shape
    for k in range(layer):
        z[k] = net.uppers[BIAS, k]
    for r in range(rows):
        phase = lines[PHASE, r]
        output = lines[H, r]
        if phase == OPEN and lines[WEIGHT, r] > 0.0:
            output = (output - lines[LOW, r]) * lines[HIGH, r] / (lines[HIGH, r] - lines[LOW, r])
        elif phase == OPEN:
            output *= lines[PRICE, r]
        elif phase < 0:
            output = 0.0
        for k in range(layer):
            z[k] += output * net.above[r, k]


@kernel
def copy(source: FloatArray, target: FloatArray, count: int) -> None:
    """Set target[:count] = source[:count]."""
    for i in range(count):
        target[i] = source[i]


@kernel
def descend(
    net: Problem,
    tried: Tried,
    pool: Pool,
    lines: Lines,
    uppers: Lines,
    desk: Desk,
    steps: int,
    patient: bool,
    stuck: bool,
) -> tuple[float, float]:
    """Subgradient steps by Polyak's rule towards the floor; prices are left where the bound is lowest.

    Every longest path met is offered to the pool.

    Returns:
        The lowest bound, and the rounding allowed for in it.
    """
    nodes, letters = desk.size[0], desk.size[2]
    rows, layer = net.above.shape
    lowest, best_error = 1e300, 0.0
    boldness = 0.5
    since = 0
    constant, upper_reach = 0.0, 0.0
    if stuck:
        for i in range(letters):
            desk.costs[USED, i] = 0.0
    step = 0
    while True:
        if step == 0 or layer > 0:
            constant, upper_reach = draw_all(net, lines, uppers)
        added, reach = set_slopes(lines, desk.bias, net.rows[SIZE], rows)
        error = net.noise * (1.0 + reach + upper_reach)
        set_costs(desk.table, letters, lines[SLOPE], desk.costs[COST])
        total = constant + added + error
        total += longest(nodes, desk.first, desk.source, desk.letter, desk.costs[COST], desk.lengths[AHEAD])
        length = trace(
            nodes,
            desk.first,
            desk.source,
            desk.letter,
            desk.costs[COST],
            desk.lengths[AHEAD],
            desk.steps[PATH],
        )
        add_inputs(desk.table, desk.bias, desk.letter, desk.steps[PATH], length, lines[H])
        value = worth(net.rows, net.above, net.uppers, lines[H], uppers[H])
        if stuck and 3 * step >= steps:
            for i in range(length):
                desk.costs[USED, desk.letter[desk.steps[PATH, i]]] += 1.0
        if value > floor_of(pool) + net.slack:
            offer_path(net, tried, pool, desk, desk.steps[PATH], length, lines[H], value)
        since += 1
        if total < lowest:
            since = 0
            lowest = total
            best_error = error
            copy(lines[PRICE], lines[BEST_PRICE], rows)
            copy(lines[SLOPE], lines[BEST_SLOPE], rows)
            copy(lines[H], lines[BEST_H], rows)
            copy(uppers[PRICE], uppers[BEST_PRICE], layer)
            copy(desk.costs[COST], desk.costs[BEST_COST], letters)
        step += 1
        floor = floor_of(pool)
        if lowest <= floor + net.slack or step >= steps:
            break
        if not net.tied and pool.value[len(pool.value) - 1] == NOTHING:
            break  # any untried point will do, and there is no floor to aim at
        steepness = subgradient(lines, lines[H], rows)
        if layer > 0:
            relaxed_inputs(net, lines, uppers[H])
            steepness += subgradient(uppers, uppers[H], layer)
        if steepness < net.noise * net.noise:
            break
        if since == PATIENCE:
            since = 0
            boldness *= DAMPING
        aim = total - boldness * (total - floor) if patient or layer > 0 else 0.5 * (lowest + floor)
        stride = (total - aim) / steepness
        move(lines, stride, rows)
        if layer > 0:
            move(uppers, stride, layer)
    copy(lines[BEST_PRICE], lines[PRICE], rows)
    copy(uppers[BEST_PRICE], uppers[PRICE], layer)
    if layer > 0:
        draw_all(net, lines, uppers)
    set_slopes(lines, desk.bias, net.rows[SIZE], rows)
    return lowest, best_error
