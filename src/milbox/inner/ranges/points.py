"""Points met on the way: rounded, repaired, checked in whole numbers, and compared with the best."""

from milbox.arrays import IntArray
from milbox.compiled.jit import kernel, larger
from milbox.inner.ranges.state import STRAIGHT, UNIT, VALUE, Best, Node, Problem, Program


@kernel
def near(net: Problem, point: IntArray) -> int:
    """The first tried point that is near, or -1."""
    for t in range(len(net.tried)):
        close = True
        for i in range(len(point)):
            if abs(net.tried[t, i] - point[i]) >= net.apart[i]:
                close = False
                break
        if close:
            return t
    return -1


@kernel
def sum_of(net: Problem, s: int, point: IntArray) -> int:
    """The value of a sum."""
    total = 0
    for i in range(len(point)):
        total += net.sums[s, i] * point[i]
    return total


@kernel
def sums_hold(net: Problem, point: IntArray) -> bool:
    """Whether all sums are within their limits."""
    for s in range(len(net.least)):
        total = sum_of(net, s, point)
        if total < net.least[s] or total > net.most[s]:
            return False
    return True


@kernel
def set_inputs(net: Problem, node: Node) -> None:
    """Set h at the point at work."""
    columns, rows = net.table.shape
    for r in range(rows):
        node.h[r] = net.bias[r]
    for i in range(columns):
        if node.point[i] != 0:
            share = node.point[i] / net.steps[i]
            for r in range(rows):
                node.h[r] += net.table[i, r] * share


@kernel
def worth(net: Problem, node: Node) -> float:
    """The value of f at inputs h."""
    total = 0.0
    for r in range(len(node.h)):
        if net.kind[r] == UNIT:
            total += net.weight[r] * larger(node.h[r], 0.0)
        elif net.kind[r] == STRAIGHT:
            total += node.h[r]
    return total


@kernel
def offer(net: Problem, node: Node, best: Best) -> bool:
    """Keep the point at work if it is better than the best, allowed, and not near a tried one."""
    set_inputs(net, node)
    value = worth(net, node)
    if value <= best.value[0] or not sums_hold(net, node.point) or near(net, node.point) >= 0:
        return False
    best.value[0] = value
    for i in range(len(node.point)):
        best.point[i] = node.point[i]
    return True


@kernel
def round_solution(net: Problem, node: Node, program: Program) -> None:
    """Set the point at work to the solution of the linear program, rounded within the node."""
    columns = len(net.steps)
    i = 0
    while i < columns:
        g = net.group[i]
        if g < 0:
            code = int(program.numbers[VALUE, i] * net.steps[i] + 0.5)
            node.point[i] = min(max(code, node.first[i]), node.last[i])
            i += 1
            continue
        chosen, most = -1, -1e300
        while i < columns and net.group[i] == g:
            node.point[i] = 0
            if node.last[i] == 1 and program.numbers[VALUE, i] > most:
                chosen, most = i, program.numbers[VALUE, i]
            i += 1
        node.point[chosen] = 1


@kernel
def repair(net: Problem, node: Node) -> None:
    """Move single columns of the point at work so that sums hold that rounding broke."""
    columns = len(net.steps)
    for _ in range(2):
        for s in range(len(net.least)):
            total = sum_of(net, s, node.point)
            needed = 0
            if total > net.most[s]:
                needed = net.most[s] - total
            elif total < net.least[s]:
                needed = net.least[s] - total
            while needed != 0:
                # The column with most steps brings the sum nearer; rounded away from zero, unless that passes
                # beyond the other limit.
                chosen, change = -1, 0
                for i in range(columns):
                    c = net.sums[s, i]
                    if c == 0 or net.group[i] >= 0:
                        continue
                    step = -(-needed // c) if (needed > 0) == (c > 0) else needed // c
                    reached = total + c * step
                    if reached > net.most[s] or reached < net.least[s]:
                        step = int(needed / c)
                    step = min(max(step, node.first[i] - node.point[i]), node.last[i] - node.point[i])
                    if step != 0 and (chosen < 0 or net.steps[i] > net.steps[chosen]):
                        chosen, change = i, step
                if chosen < 0:
                    break
                node.point[chosen] += change
                before = needed
                total = sum_of(net, s, node.point)
                needed = 0
                if total > net.most[s]:
                    needed = net.most[s] - total
                elif total < net.least[s]:
                    needed = net.least[s] - total
                if abs(needed) >= abs(before):
                    break


@kernel
def escape(net: Problem, node: Node, best: Best, t: int) -> None:
    """Offer the points at which single columns leave what is near a tried point."""
    for i in range(len(net.steps)):
        if net.group[i] >= 0:
            continue
        here = node.point[i]
        for way in range(2):
            there = net.tried[t, i] + (net.apart[i] if way == 0 else -net.apart[i])
            if net.first[i] <= there <= net.last[i]:
                node.point[i] = there
                offer(net, node, best)
        node.point[i] = here
