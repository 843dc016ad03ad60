"""Bounds of a node and what they rule out.

For any multipliers m, with h_r = bias_r + table_r x kept apart from its own formula,

    f(x) <= sum_r max over [low_r, high_r] of (phi_r(h) - m_r h) + m . bias + max over the box of m . table x,

where phi_r is weight_r relu, zero for a limit, and h for what goes straight to the output. Each maximum is
at an end or at the kink. The best multipliers are the dual values of the node's linear program, but the bound
is valid whatever they are; rounding is allowed for in proportion to them.

A column whose slope is s loses s for each unit by which it leaves its better end, so that values which lose
more than the gap are ruled out (reduced-cost fixing). As in the search over diagrams this holds for points
better than the best one in hand, which is enough: no such point is ever ruled out.
"""

from milbox.compiled.jit import kernel, larger, smaller, vectorised
from milbox.inner.ranges.state import (
    ACTIVE,
    INACTIVE,
    LIMIT,
    LOWER,
    OPEN,
    PRICE,
    STRAIGHT,
    UNIT,
    UPPER,
    Node,
    Problem,
    Program,
)


@vectorised
def set_ranges(net: Problem, node: Node) -> None:
    """Set the ranges of h over the box, groups apart."""
    columns, rows = net.table.shape
    for r in range(rows):
        node.low[r] = net.bias[r]
        node.high[r] = net.bias[r]
    for i in range(columns):
        if net.group[i] < 0:
            one, two = node.first[i] / net.steps[i], node.last[i] / net.steps[i]
            for r in range(rows):
                a, b = net.table[i, r] * one, net.table[i, r] * two
                node.low[r] += smaller(a, b)
                node.high[r] += larger(a, b)


@kernel
def add_groups(net: Problem, node: Node) -> None:
    """Add the ranges of groups; the columns of a group stand together."""
    columns, rows = net.table.shape
    i = 0
    while i < columns:
        g = net.group[i]
        begin = i
        i += 1
        if g < 0:
            continue
        while i < columns and net.group[i] == g:
            i += 1
        for r in range(rows):
            least, most = 1e300, -1e300
            for k in range(begin, i):
                if node.last[k] == 1:
                    least = smaller(least, net.table[k, r])
                    most = larger(most, net.table[k, r])
            node.low[r] += least
            node.high[r] += most


@kernel
def settle(net: Problem, node: Node) -> bool:
    """Find the ranges of rows and the phases that they make certain; whether points remain."""
    set_ranges(net, node)
    if net.groups > 0:
        add_groups(net, node)
    for r in range(len(net.bias)):
        around = net.noise * (1.0 + net.size[r])
        low, high = node.low[r] - around, node.high[r] + around
        if net.kind[r] == LIMIT:
            if low > net.high[r] + around or high < net.low[r] - around:
                return False
            low, high = larger(low, net.low[r]), smaller(high, net.high[r])
        elif net.kind[r] == UNIT:
            if node.phase[r] == ACTIVE:
                if high < 0.0:
                    return False
                low = larger(low, 0.0)
            elif node.phase[r] == INACTIVE:
                if low > 0.0:
                    return False
                high = smaller(high, 0.0)
        node.low[r], node.high[r] = low, larger(low, high)
    return True


@kernel
def propagate(net: Problem, node: Node) -> bool:
    """Shrink columns to what every sum allows, in whole numbers; whether points remain."""
    columns = len(net.steps)
    for s in range(len(net.least)):
        coefficients = net.sums[s]
        for way in range(2):
            # way * sum <= limit
            sign = 1 - 2 * way
            limit = net.most[s] if way == 0 else -net.least[s]
            total = 0
            i = 0
            while i < columns:
                g = net.group[i]
                if g < 0:
                    c = sign * coefficients[i]
                    total += c * (node.first[i] if c > 0 else node.last[i])
                    i += 1
                    continue
                least = 1 << 60
                while i < columns and net.group[i] == g:
                    if node.last[i] == 1:
                        least = min(least, sign * coefficients[i])
                    i += 1
                total += least
            room = limit - total
            if room < 0:
                return False
            i = 0
            while i < columns:
                g, c = net.group[i], sign * coefficients[i]
                if g < 0:
                    if c > 0 and node.first[i] + room // c < node.last[i]:
                        node.last[i] = node.first[i] + room // c
                    elif c < 0 and node.last[i] - room // -c > node.first[i]:
                        node.first[i] = node.last[i] - room // -c
                    i += 1
                    continue
                begin, least = i, 1 << 60
                while i < columns and net.group[i] == g:
                    if node.last[i] == 1:
                        least = min(least, sign * coefficients[i])
                    i += 1
                for k in range(begin, i):
                    if node.last[k] == 1 and sign * coefficients[k] - least > room:
                        node.last[k] = 0
    return net.groups == 0 or settle_groups(net, node)


@kernel
def settle_groups(net: Problem, node: Node) -> bool:
    """Take the last choice of a group, and strike what a taken one excludes; whether each has one."""
    columns = len(net.steps)
    i = 0
    while i < columns:
        g = net.group[i]
        begin, left, taken = i, 0, -1
        i += 1
        if g < 0:
            continue
        while i < columns and net.group[i] == g:
            i += 1
        for k in range(begin, i):
            left += node.last[k]
            if node.first[k] == 1 and node.last[k] == 1:
                taken = k
        if left == 0:
            return False
        for k in range(begin, i):
            if taken >= 0 and k != taken:
                node.last[k] = 0
                if node.first[k] == 1:
                    return False
            if left == 1 and node.last[k] == 1:
                node.first[k] = 1
    return True


@kernel
def set_program(net: Problem, node: Node, program: Program) -> None:
    """Write the node into the linear program."""
    columns, rows = net.table.shape
    lower, upper, price = program.numbers[LOWER], program.numbers[UPPER], program.numbers[PRICE]
    for i in range(columns):
        lower[i], upper[i] = node.first[i] / net.steps[i], node.last[i] / net.steps[i]
        price[i] = 0.0
    for r in range(rows):
        p, q = columns + r, columns + rows + r
        low, high = node.low[r], node.high[r]
        lower[p], upper[p] = larger(low, 0.0), larger(high, 0.0)
        lower[q], upper[q] = larger(-high, 0.0), larger(-low, 0.0)
        above, below = 0.0, 0.0  # slopes on either side of zero
        if net.kind[r] == STRAIGHT:
            above, below = 1.0, 1.0
        elif net.kind[r] == UNIT:
            above = net.weight[r]
            if above > 0.0 and low < 0.0 < high:
                above = below = above * high / (high - low)
        price[p], price[q] = above, -below


@kernel
def take_multipliers(net: Problem, node: Node, program: Program, reduced: int) -> None:
    """Take the dual values of the linear program."""
    columns, rows = net.table.shape
    for r in range(rows):
        node.multiplier[r] = program.numbers[PRICE, columns + r] - program.numbers[reduced, columns + r]


@vectorised
def set_slopes(net: Problem, node: Node) -> None:
    """Set slope = table @ multiplier."""
    columns, rows = net.table.shape
    for i in range(columns):
        total = 0.0
        for r in range(rows):
            total += node.multiplier[r] * net.table[i, r]
        node.slope[i] = total


@kernel
def lagrangian(net: Problem, node: Node, share: float) -> tuple[float, float]:
    """The bound of `share` times f by the node's multipliers, and the rounding allowed for in it.

    With a share of zero it is a bound of zero: where it is negative, no point is left.
    """
    set_slopes(net, node)
    columns, rows = net.table.shape
    total, reach = 0.0, 1.0
    for r in range(rows):
        m, low, high = node.multiplier[r], node.low[r], node.high[r]
        at_low, at_high = -m * low, -m * high
        if net.kind[r] == STRAIGHT:
            at_low += share * low
            at_high += share * high
        elif net.kind[r] == UNIT:
            at_low += share * net.weight[r] * larger(low, 0.0)
            at_high += share * net.weight[r] * larger(high, 0.0)
        most = larger(at_low, at_high)
        if low < 0.0 < high:
            most = larger(most, 0.0)
        total += most + m * net.bias[r]
        reach += abs(m) * net.size[r]
    i = 0
    while i < columns:
        g, slope = net.group[i], node.slope[i]
        if g < 0:
            total += slope * (node.last[i] if slope > 0.0 else node.first[i]) / net.steps[i]
            i += 1
            continue
        most = -1e300
        while i < columns and net.group[i] == g:
            if node.last[i] == 1:
                most = larger(most, node.slope[i])
            i += 1
        total += most
    error = net.noise * reach
    return total + error, error


@kernel
def fix(net: Problem, node: Node, gap: float) -> bool:
    """Rule out values of columns that lose more than the gap; whether many were."""
    columns = len(net.steps)
    much = False
    i = 0
    while i < columns:
        g, slope = net.group[i], node.slope[i]
        if g < 0:
            span = node.last[i] - node.first[i]
            if span > 0 and abs(slope) * span > gap * net.steps[i]:
                room = int(gap * net.steps[i] / abs(slope) * (1.0 + 1e-9))
                if room < span:
                    if slope > 0.0:
                        node.first[i] = node.last[i] - room
                    else:
                        node.last[i] = node.first[i] + room
                    much = much or 4 * room < 3 * span
            i += 1
            continue
        begin, most = i, -1e300
        while i < columns and net.group[i] == g:
            if node.last[i] == 1:
                most = larger(most, node.slope[i])
            i += 1
        for k in range(begin, i):
            if node.last[k] == 1 and most - node.slope[k] > gap:
                node.last[k] = 0
                much = True
    return much


@kernel
def violation(net: Problem, node: Node, r: int, h: float) -> float:
    """By how much the chord of an open unit exceeds it at h; 0 where it has none."""
    low, high = node.low[r], node.high[r]
    if net.kind[r] != UNIT or net.weight[r] <= 0.0 or node.phase[r] != OPEN or low >= 0.0 or high <= 0.0:
        return 0.0
    return float(net.weight[r] * (high * (h - low) / (high - low) - larger(h, 0.0)))
