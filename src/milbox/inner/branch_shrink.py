"""What can be ruled out of a node?

Given a bound that falls apart into blocks (see `branch_bound`), the regret of a letter is how far its cost
lies below the best of its block, and a point's value is at most the bound minus its regrets. So a point
better than the floor has regrets of less than bound - floor in all. That does two things: a letter whose
regret alone is larger is struck; and the range of each unit's input over better points shrinks, which makes
its chord steeper and its phase often certain.
"""

from milbox.arrays import FloatArray, IntArray
from milbox.inner.branch_node import Blocks, Columns, Desk, Rows, pack
from milbox.inner.branch_points import ACTIVE, BELOW, INACTIVE, LEVEL, OPEN, SURELY_ACTIVE, SURELY_INACTIVE
from milbox.kernels import kernel, larger, smaller, vectorised

STEEPEST = 64.0
"""A slope may not grow beyond all bounds: rounding grows with it."""

STEEPEST_TIE = 4096.0
"""The same for the price of a tie, whose inputs are scaled down by the number of ties."""


@vectorised
def span(values: FloatArray, first: IntArray, free: int) -> tuple[float, float]:
    """The least and the largest sum of one value per block."""
    least = 0.0
    most = 0.0
    for p in range(free):
        part = values[first[p] : first[p + 1]]
        low = part[0]
        high = low
        for i in range(part.shape[0]):
            low = smaller(low, part[i])
            high = larger(high, part[i])
        least += low
        most += high
    return least, most


@kernel
def settle(
    rows: Rows, columns: Columns, blocks: Blocks, desk: Desk, count: int, free: int, noise: float
) -> tuple[int, float]:
    """Find the rows' ranges, move units whose phase is certain into the output or out, and allow slopes.

    Returns:
        The rows that remain, or -1 if the node is empty, and the constant of their bound.
    """
    last = columns.table.shape[0] - 1
    left = 0
    constant = 0.0
    for r in range(count):
        least, most = span(columns.table[r], blocks.first, free)
        # What `tighten` proved for better points stays true: the floor only rises.
        low = max(rows.low[r], rows.bias[r] + least)
        high = min(rows.high[r], rows.bias[r] + most)
        unit, sign, phase = rows.unit[r], rows.sign[r], desk.phase[rows.unit[r]]
        if (phase == ACTIVE and high < -noise) or (phase == INACTIVE and low > noise):
            return -1, 0.0
        if (phase >= BELOW and low > 0.0) or (phase == LEVEL and high < 0.0):
            return -1, 0.0
        if phase >= BELOW and high <= 0.0 and (low >= 0.0 or phase == BELOW):
            desk.phase[unit] = SURELY_INACTIVE
        elif phase < BELOW and low >= 0.0:
            desk.phase[unit] = SURELY_ACTIVE
            rows.bias[last] += sign * rows.bias[r]
            for i in range(blocks.first[free]):
                columns.table[last, i] += sign * columns.table[r, i]
        elif phase < BELOW and high <= 0.0:
            desk.phase[unit] = SURELY_INACTIVE
        else:
            least_slope = -1.0
            most_slope = 0.0
            if phase >= BELOW:
                least_slope = -STEEPEST_TIE
                most_slope = STEEPEST_TIE if phase == LEVEL else 0.0
            elif phase == ACTIVE:
                least_slope, most_slope = sign, STEEPEST
            elif phase == INACTIVE:
                least_slope = -STEEPEST
            elif sign > 0.0:
                least_slope = most_slope = high / (high - low)
                constant -= least_slope * low
            rows.unit[left] = unit
            rows.sign[left] = sign
            rows.bias[left] = rows.bias[r]
            rows.low[left] = low
            rows.high[left] = high
            rows.least[left] = least_slope
            rows.most[left] = most_slope
            rows.slope[left] = min(max(rows.slope[r], least_slope), most_slope)
            if left != r:
                for i in range(blocks.first[free]):
                    columns.table[left, i] = columns.table[r, i]
            left += 1
    return left, constant + rows.bias[last]


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
    pack(columns, count, left)
    return True


@vectorised
def reach(
    values: FloatArray, regret: FloatArray, first: IntArray, free: int, way: float, price: float
) -> float:
    """The largest sum of one (way * value - price * regret) per block."""
    total = 0.0
    for p in range(free):
        part = values[first[p] : first[p + 1]]
        lost = regret[first[p] : first[p + 1]]
        top = way * part[0] - price * lost[0]
        for i in range(part.shape[0]):
            top = larger(top, way * part[i] - price * lost[i])
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
    price = 1.0 / max(slope, 0.001)
    step = 1.0
    best = 4.0 * price
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
    rows: Rows, columns: Columns, blocks: Blocks, desk: Desk, count: int, free: int, gap: float, noise: float
) -> bool:
    """Shrink the ranges of units on a chord to what better points can reach; whether any shrank by much."""
    shrank = False
    for r in range(count):
        if rows.sign[r] > 0.0 and desk.phase[rows.unit[r]] == OPEN:
            width = rows.high[r] - rows.low[r]
            values, slope = columns.table[r], rows.slope[r]
            up = farthest(values, columns.regret, blocks.first, free, 1.0, 1.0 - slope, gap)
            down = farthest(values, columns.regret, blocks.first, free, -1.0, slope, gap)
            rows.high[r] = min(rows.high[r], rows.bias[r] + (up + noise))
            rows.low[r] = max(rows.low[r], rows.bias[r] - (down + noise))
            if rows.high[r] <= 0.0 or rows.low[r] >= 0.0 or rows.high[r] - rows.low[r] < 0.9 * width:
                shrank = True
    return shrank
