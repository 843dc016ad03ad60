"""The search tree over ranges, depth first, a slice at a time, so that Python can look at the clock."""

import numpy as np

from milbox.compiled.jit import entry, kernel, larger, owner, smaller
from milbox.inner.ranges.bound import (
    fix,
    lagrangian,
    propagate,
    set_program,
    settle,
    take_multipliers,
    violation,
)
from milbox.inner.ranges.points import escape, near, offer, repair, round_solution
from milbox.inner.ranges.simplex import INFEASIBLE, begin, optimise
from milbox.inner.ranges.state import (
    ACTIVE,
    INACTIVE,
    REDUCED,
    VALUE,
    Best,
    Node,
    Open,
    Problem,
    Program,
)

ROUNDS = 4
"""How often a node is bounded again after much was ruled out."""

FRACTION, VIOLATION = 1e-6, 1e-9
"""Columns this close to whole numbers, and units this close to their chords, are not branched on."""


@owner
def new_program(net: Problem) -> Program:
    """A program at its first basis."""
    columns, rows = net.table.shape
    count = columns + 2 * rows
    program = Program(
        np.zeros((rows, count + 1)),
        np.zeros(rows, np.int64),
        np.zeros(count, np.int64),
        np.zeros(count, np.bool_),
        np.zeros((5, count)),
        np.zeros(2, np.int64),
    )
    begin(net, program)
    return program


@owner
def new_node(net: Problem) -> Node:
    """Room for a node."""
    columns, rows = net.table.shape
    return Node(
        np.zeros(columns, np.int64),
        np.zeros(columns, np.int64),
        np.zeros(rows, np.int8),
        np.zeros(rows),
        np.zeros(rows),
        np.zeros(rows),
        np.zeros(columns),
        np.zeros(columns, np.int64),
        np.zeros(rows),
        np.zeros(columns, np.int64),
    )


@kernel
def load(nodes: Open, at: int, node: Node) -> None:
    """Lay an open node on the desk."""
    for i in range(len(node.first)):
        node.first[i] = nodes.first[at, i]
        node.last[i] = nodes.last[at, i]
    for r in range(len(node.phase)):
        node.phase[r] = nodes.phase[at, r]


@owner
def push(nodes: Open, node: Node, bound: float) -> Open:
    """The open nodes with the node at work."""
    at, room = nodes.counts[0], len(nodes.bound)
    if at == room:
        wide = Open(
            nodes.counts,
            np.empty(2 * room),
            np.empty((2 * room, len(node.first)), np.int64),
            np.empty((2 * room, len(node.first)), np.int64),
            np.empty((2 * room, len(node.phase)), np.int8),
        )
        for k in range(room):
            wide.bound[k] = nodes.bound[k]
            for i in range(len(node.first)):
                wide.first[k, i] = nodes.first[k, i]
                wide.last[k, i] = nodes.last[k, i]
            for r in range(len(node.phase)):
                wide.phase[k, r] = nodes.phase[k, r]
        nodes = wide
    nodes.bound[at] = bound
    for i in range(len(node.first)):
        nodes.first[at, i] = node.first[i]
        nodes.last[at, i] = node.last[i]
    for r in range(len(node.phase)):
        nodes.phase[at, r] = node.phase[r]
    nodes.counts[0] = at + 1
    return nodes


@owner
def branch_on_phase(nodes: Open, node: Node, r: int, h: float, bound: float) -> Open:
    """One child for each phase of a unit; that of the solution is searched first."""
    for child in range(2):
        active = (h > 0.0) == (child == 1)
        node.phase[r] = ACTIVE if active else INACTIVE
        nodes = push(nodes, node, bound)
    return nodes


@owner
def branch_on_column(nodes: Open, node: Node, i: int, value: float, bound: float) -> Open:
    """One child for each side of a value; the nearer one is searched first."""
    first, last = node.first[i], node.last[i]
    split = min(max(int(value), first), last - 1)
    above = value - split > 0.5
    for child in range(2):
        if above == (child == 1):
            node.first[i], node.last[i] = split + 1, last
        else:
            node.first[i], node.last[i] = first, split
        nodes = push(nodes, node, bound)
    node.first[i], node.last[i] = first, last
    return nodes


@owner
def branch_off(net: Problem, nodes: Open, node: Node, t: int, bound: float, floor: float) -> Open:
    """All of the node but what is near a tried point: by the first column that differs enough.

    Columns come in the order of what it costs them to leave, dear ones first, so that what is left over in
    the end is the dearest.
    """
    columns = len(net.steps)
    order = node.order
    for i in range(columns):
        order[i] = i
        k = i
        while k > 0 and leaving_cost(net, node, order[k - 1], t) < leaving_cost(net, node, i, t):
            order[k] = order[k - 1]
            k -= 1
        order[k] = i
    for k in range(columns):
        i = order[k]
        first, last = node.first[i], node.last[i]
        below, above = net.tried[t, i] - net.apart[i], net.tried[t, i] + net.apart[i]
        slope = node.slope[i] / net.steps[i]
        if first <= below:
            lost = larger(slope, 0.0) * (last - below) if last > below else 0.0
            if net.group[i] >= 0:
                lost = 0.0
            if bound - lost > floor:
                node.last[i] = min(last, below)
                nodes = push(nodes, node, bound - lost)
                node.last[i] = last
        if last >= above:
            lost = larger(-slope, 0.0) * (above - first) if first < above else 0.0
            if net.group[i] >= 0:
                lost = 0.0
            if bound - lost > floor:
                node.first[i] = max(first, above)
                nodes = push(nodes, node, bound - lost)
                node.first[i] = first
        node.first[i], node.last[i] = max(first, below + 1), min(last, above - 1)
        if node.first[i] > node.last[i]:
            break
    return nodes


@kernel
def leaving_cost(net: Problem, node: Node, i: int, t: int) -> float:
    """What a column loses at least when it leaves what is near a tried point; without end if it cannot."""
    below, above = net.tried[t, i] - net.apart[i], net.tried[t, i] + net.apart[i]
    slope = node.slope[i] / net.steps[i]
    least = 1e300
    if node.first[i] <= below:
        least = smaller(least, larger(slope, 0.0) * max(node.last[i] - below, 0))
    if node.last[i] >= above:
        least = smaller(least, larger(-slope, 0.0) * max(above - node.first[i], 0))
    return float(least)


@entry
def explore(
    net: Problem, best: Best, nodes: Open, aside: Open, resolution: float, limit: int
) -> tuple[Open, Open]:
    """Search up to so many nodes; what comes within the resolution of the best value is set aside."""
    columns, rows = net.table.shape
    program, node = new_program(net), new_node(net)
    pivots = 50 + 4 * rows + columns
    searched = 0
    while nodes.counts[0] > 0 and searched < limit:
        at = nodes.counts[0] - 1
        nodes.counts[0] = at
        ceiling = nodes.bound[at]
        if ceiling <= larger(best.value[0], -1.0) + net.slack:
            continue
        load(nodes, at, node)
        searched += 1
        nodes.counts[1] += 1
        bound, error = ceiling, 0.0
        alive = True
        for _ in range(ROUNDS):
            alive = propagate(net, node) and settle(net, node)
            if not alive:
                break
            set_program(net, node, program)
            if optimise(net, program, pivots) == INFEASIBLE and shown_empty(net, node, program):
                alive = False
                break
            take_multipliers(net, node, program, REDUCED)
            total, error = lagrangian(net, node, 1.0)
            bound = smaller(bound, total)
            if bound <= larger(best.value[0], -1.0) + net.slack:
                alive = False
                break
            round_solution(net, node, program)
            repair(net, node)
            offer(net, node, best)
            floor = larger(best.value[0], -1.0) + net.slack
            if bound <= floor:
                alive = False
                break
            if not fix(net, node, total - floor + 2.0 * error):
                break
        if not alive:
            continue
        floor = larger(best.value[0], -1.0) + net.slack
        if bound <= floor + resolution:
            aside = push(aside, node, bound)
            continue
        nodes = branch(net, best, nodes, node, program, bound)
    return nodes, aside


@kernel
def shown_empty(net: Problem, node: Node, program: Program) -> bool:
    """Whether the row of the tableau that cannot be met proves that the node has no point."""
    columns, rows = net.table.shape
    for way in range(2):
        for r in range(rows):
            node.multiplier[r] = (1.0 - 2.0 * way) * program.numbers[REDUCED, columns + rows + r]
        if lagrangian(net, node, 0.0)[0] < 0.0:
            return True
    return False


@owner
def branch(net: Problem, best: Best, nodes: Open, node: Node, program: Program, bound: float) -> Open:
    """The open nodes with the children of the node at work."""
    columns, rows = net.table.shape
    value = program.numbers[VALUE]
    on, most = -1, VIOLATION
    for r in range(rows):
        far = violation(net, node, r, value[columns + r] - value[columns + rows + r])
        if far > most:
            on, most = r, far
    if on >= 0:
        return branch_on_phase(nodes, node, on, value[columns + on] - value[columns + rows + on], bound)
    # A column of few steps that is no whole number, then one of many.
    on, most = -1, FRACTION
    for i in range(columns):
        at = value[i] * net.steps[i]
        away = abs(at - np.floor(at + 0.5))
        if net.steps[i] < net.fine and away > most and node.first[i] < node.last[i]:
            on, most = i, away
    if on >= 0:
        return branch_on_column(nodes, node, on, value[on] * net.steps[on], bound)
    round_solution(net, node, program)
    repair(net, node)
    t = near(net, node.point)
    if t >= 0:
        escape(net, node, best, t)
        return branch_off(net, nodes, node, t, bound, larger(best.value[0], -1.0) + net.slack)
    most = 0.0
    for i in range(columns):
        at = value[i] * net.steps[i]
        away = abs(at - np.floor(at + 0.5))
        if away > most and node.first[i] < node.last[i]:
            on, most = i, away
    if on < 0:
        # Whole numbers to the last digit, and yet the bound is not reached: halve the widest column.
        for i in range(columns):
            wide = node.last[i] - node.first[i]
            if wide > most:
                on, most = i, float(wide)
        if on < 0:
            return nodes  # a single point, which was offered
        return branch_on_column(nodes, node, on, 0.5 * (node.first[on] + node.last[on]), bound)
    return branch_on_column(nodes, node, on, value[on] * net.steps[on], bound)
