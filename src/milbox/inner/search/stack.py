"""The stack of open nodes: their diagrams in an arena, put there, taken out and laid on the desk."""

import numpy as np

from milbox.arrays import FloatArray
from milbox.compiled.jit import inlined, kernel, owner
from milbox.inner.search.shrink import compact, fold
from milbox.inner.search.state import (
    BELOW,
    BIAS,
    DROPPED,
    FIXED,
    HIGH,
    JUMP,
    LANES,
    LETTER_MAP,
    LOW,
    MERGED,
    NAME,
    NODE_MAP,
    OUTPUT,
    PHASE,
    PRICE,
    SIZE,
    STACKED_HIGH,
    STACKED_LOW,
    STACKED_PHASE,
    STACKED_PRICE,
    STEP,
    SURELY_ACTIVE,
    SURELY_INACTIVE,
    UNIT,
    UNREACHED,
    Desk,
    Int,
    Lines,
    Problem,
    Rows,
    Stack,
    Unsigned,
)


@owner
def with_room(stack: Stack, children: Int, cells: Int) -> Stack:
    """The same stack with room for more nodes, and more cells in its arena."""
    depth, _, width = stack.lines.shape
    if stack.counts[0] + children > depth:
        more = 2 * depth + children
        wide = Stack(
            stack.counts,
            np.empty(more),
            np.empty((more, 4, width)),
            np.empty((more, 8), np.int64),
            stack.arena,
        )
        for node in range(depth):
            wide.bound[node] = stack.bound[node]
            for r in range(width):
                wide.lines[node, STACKED_PHASE, r] = stack.lines[node, STACKED_PHASE, r]
                wide.lines[node, STACKED_PRICE, r] = stack.lines[node, STACKED_PRICE, r]
                wide.lines[node, STACKED_LOW, r] = stack.lines[node, STACKED_LOW, r]
                wide.lines[node, STACKED_HIGH, r] = stack.lines[node, STACKED_HIGH, r]
            for k in range(8):
                wide.place[node, k] = stack.place[node, k]
        stack = wide
    used = arena_end(stack)
    if used + cells > len(stack.arena):
        arena = np.empty(2 * len(stack.arena) + cells, np.int32)
        for i in range(used):
            arena[i] = stack.arena[i]
        stack = Stack(stack.counts, stack.bound, stack.lines, stack.place, arena)
    return stack


@kernel
def arena_end(stack: Stack) -> int:
    """Where the arena is free from."""
    count = stack.counts[0]
    return int(stack.place[count - 1, 4]) if count > 0 else 0


@kernel
def cells_of(desk: Desk) -> int:
    """What the diagram of the node at work takes in the arena."""
    return int(desk.size[0] + 1 + 2 * desk.size[1] + desk.size[2] + desk.size[3])


@kernel
def write_diagram(stack: Stack, desk: Desk, begin: Int) -> int:
    """Copy the diagram of the node at work into the arena; where it ends."""
    nodes, edges, letters, fixed = desk.size[0], desk.size[1], desk.size[2], desk.size[3]
    at = begin
    for v in range(nodes + 1):
        stack.arena[at + v] = desk.first[v]
    at += nodes + 1
    for e in range(edges):
        stack.arena[at + e] = desk.source[e]
        stack.arena[at + edges + e] = desk.letter[e]
    at += 2 * edges
    for i in range(letters):
        stack.arena[at + i] = desk.names[NAME, i]
    at += letters
    for i in range(fixed):
        stack.arena[at + i] = desk.steps[FIXED, i]
    return int(at + fixed)


@kernel
def write_kept(stack: Stack, desk: Desk, nodes: Int, edges: Int, begin: Int) -> int:
    """Copy the diagram of kept edges into the arena; its letters. Every kept edge is on a kept path."""
    source, letter, name = begin + nodes + 1, begin + nodes + 1 + edges, begin + nodes + 1 + 2 * edges
    for i in range(desk.size[2]):
        desk.names[LETTER_MAP, i] = -1
    desk.marks[NODE_MAP, 0] = 0
    stack.arena[begin] = 0
    n, k, m = 1, 0, 0
    for v in range(1, desk.size[0]):
        at = k
        for e in range(desk.first[v], desk.first[v + 1]):
            if desk.keep[e]:
                stack.arena[source + k] = desk.marks[NODE_MAP, desk.source[e]]
                i = desk.letter[e]
                if desk.names[LETTER_MAP, i] < 0:
                    desk.names[LETTER_MAP, i] = m
                    stack.arena[name + m] = desk.names[NAME, i]
                    m += 1
                stack.arena[letter + k] = desk.names[LETTER_MAP, i]
                k += 1
        if k > at:
            desk.marks[NODE_MAP, v] = n
            stack.arena[begin + n] = at
            n += 1
    stack.arena[begin + n] = k
    for i in range(desk.size[3]):
        stack.arena[name + m + i] = desk.steps[FIXED, i]
    return m


@kernel
def push(
    stack: Stack,
    whole: Rows,
    uppers: Lines,
    bound: float,
    nodes: Int,
    edges: Int,
    letters: Int,
    begin: Int,
    end: Int,
    fixed: Int,
    deviation: Int,
    length: Int,
) -> int:
    """Put a node on the stack that has the lines noted; its place."""
    node = stack.counts[0]
    stack.counts[0] += 1
    rows, layer = whole.known.shape[1], uppers.shape[1]
    stack.bound[node] = bound
    for k in range(4):
        for r in range(rows):
            stack.lines[node, k, r] = whole.known[k, r]
    for k in range(layer):
        stack.lines[node, STACKED_PHASE, rows + k] = uppers[PHASE, k]
        stack.lines[node, STACKED_PRICE, rows + k] = uppers[PRICE, k]
        stack.lines[node, STACKED_LOW, rows + k] = uppers[LOW, k]
        stack.lines[node, STACKED_HIGH, rows + k] = uppers[HIGH, k]
    place = stack.place[node]
    place[0], place[1], place[2], place[3] = nodes, edges, letters, begin
    place[4], place[5], place[6], place[7] = end, fixed, deviation, length
    return int(node)


@kernel
def note(whole: Rows, lines: Lines) -> None:
    """Note what is known of the rows left, before nodes are pushed."""
    for i in range(whole.listed[0]):
        r = whole.behind[i]
        whole.known[STACKED_PHASE, r] = lines[PHASE, i]
        whole.known[STACKED_PRICE, r] = lines[PRICE, i]
        whole.known[STACKED_LOW, r] = lines[LOW, i]
        whole.known[STACKED_HIGH, r] = lines[HIGH, i]


@owner
def new_rows(net: Problem) -> Rows:
    """Room for any node."""
    rows, layer = net.above.shape
    return Rows(
        np.empty((4, rows)),
        np.zeros(rows, np.uint32),
        np.zeros(rows, np.uint32),
        np.zeros(2, np.int64),
        np.empty(rows, np.int32),
        np.empty((rows, layer)),
        np.empty(15 * rows),
        np.empty(4 * rows),
        np.empty(rows),
        np.empty(len(net.key) * rows),
    )


@kernel
def list_rows(whole: Rows) -> int:
    """List the rows that the node at work has left, and those merged; the lanes that they take."""
    left, merged = 0, 0
    for r in range(whole.known.shape[1]):
        phase = whole.known[STACKED_PHASE, r]
        if phase == MERGED:
            whole.merged[merged] = r
            merged += 1
        elif phase != DROPPED:
            whole.behind[left] = r
            left += 1
    whole.listed[0], whole.listed[1] = left, merged
    count = left + (1 if merged > 0 else 0)
    return max(LANES, LANES * ((count + LANES - 1) // LANES))


@kernel
def leave_settled(net: Problem, whole: Rows, lines: Lines) -> bool:
    """Merge and drop the rows that have settled if the others take fewer lanes; whether they did."""
    width, layer = net.above.shape
    gone, merged = 0, whole.listed[1]
    for i in range(whole.listed[0]):
        phase = lines[PHASE, i]
        if phase == SURELY_ACTIVE and layer == 0 and net.tie[i] == UNIT:
            gone += 1
            merged += 1
        elif phase == SURELY_INACTIVE:
            gone += 1
    if whole.listed[0] - gone + (1 if merged > 0 else 0) > width - LANES or width == LANES:
        return False
    note(whole, lines)
    for i in range(whole.listed[0]):
        phase, r = lines[PHASE, i], whole.behind[i]
        if phase == SURELY_ACTIVE and layer == 0 and net.tie[i] == UNIT:
            whole.known[STACKED_PHASE, r] = MERGED
        elif phase == SURELY_INACTIVE:
            whole.known[STACKED_PHASE, r] = DROPPED
    return True


@owner
def narrowed(net: Problem, whole: Rows, width: int) -> tuple[Problem, Lines]:
    """The problem with the rows that the node at work has left, and their lines."""
    layer = net.above.shape[1]
    left, merged = whole.listed[0], whole.listed[1]
    weights = whole.weights[: 4 * width].reshape((4, width))
    lines = whole.lines[: 15 * width].reshape((15, width))
    kind, above = whole.kind[:width], whole.above[:width]
    for i in range(width):
        if i < left:
            r = whole.behind[i]
            for k in range(4):
                weights[k, i] = net.rows[k, r]
            kind[i] = net.tie[r]
            for k in range(layer):
                above[i, k] = net.above[r, k]
            lines[PHASE, i] = whole.known[STACKED_PHASE, r]
            lines[PRICE, i] = whole.known[STACKED_PRICE, r]
            lines[LOW, i] = whole.known[STACKED_LOW, r]
            lines[HIGH, i] = whole.known[STACKED_HIGH, r]
        else:
            for k in range(4):
                weights[k, i] = 0.0
            kind[i] = UNIT
            for k in range(layer):
                above[i, k] = 0.0
            lines[PHASE, i] = SURELY_INACTIVE
            lines[PRICE, i] = 0.0
            lines[LOW, i] = UNREACHED
            lines[HIGH, i] = -UNREACHED
    linear = -1
    if merged > 0:
        linear = int(left)
        lines[PHASE, left] = SURELY_ACTIVE
        weights[OUTPUT, left], weights[BELOW, left] = 1.0, 1.0
        for i in range(merged):
            r = whole.merged[i]
            weights[BIAS, left] += net.rows[OUTPUT, r] * net.rows[BIAS, r]
            weights[SIZE, left] += net.rows[SIZE, r]
    narrow = Problem(
        net.nodes,
        net.edges,
        net.table,
        weights,
        kind,
        net.tied,
        linear,
        above,
        net.uppers,
        net.key,
        net.pair,
        net.joined,
        net.option,
        net.variable,
        net.code,
        net.variables,
        net.longest,
        net.noise,
        net.slack,
    )
    return narrow, lines


@inlined
def of_letter(
    adds: FloatArray, sign: FloatArray, behind: Unsigned, merged: Unsigned, row: FloatArray
) -> None:
    """Set what a letter adds to the rows left, given what it adds to all rows."""
    left = len(behind)
    for i in range(left):
        row[i] = adds[behind[i]]
    total = 0.0
    for i in range(len(merged)):
        r = merged[i]
        total += sign[r] * adds[r]
    for i in range(left, len(row)):
        row[i] = 0.0
    if len(merged) > 0:
        row[left] = total


@owner
def lay(net: Problem, whole: Rows, desk: Desk) -> tuple[Problem, Lines, Desk]:
    """The problem with the rows that the node at work has left, their lines, and the desk for them."""
    width = list_rows(whole)
    narrow, lines = narrowed(net, whole, width)
    letters = len(net.key)
    table, bias = whole.table[: letters * width].reshape((letters, width)), whole.bias[:width]
    behind, merged = whole.behind[: whole.listed[0]], whole.merged[: whole.listed[1]]
    sign = net.rows[OUTPUT]
    for i in range(desk.size[2]):
        of_letter(net.table[desk.names[NAME, i]], sign, behind, merged, table[i])
    for i in range(width):
        bias[i] = narrow.rows[BIAS, i]
    fixed = lines[STEP]
    for k in range(desk.size[3]):
        of_letter(net.table[desk.steps[FIXED, k]], sign, behind, merged, fixed)
        for i in range(width):
            bias[i] += fixed[i]
    laid = Desk(
        desk.size,
        desk.first,
        desk.source,
        desk.letter,
        desk.names,
        table,
        bias,
        desk.costs,
        desk.lengths,
        desk.steps,
        desk.keep,
        desk.marks,
        desk.codes,
    )
    return narrow, lines, laid


@owner
def load(
    net: Problem, stack: Stack, node: int, whole: Rows, uppers: Lines, bare: Desk
) -> tuple[bool, Problem, Lines, Desk]:
    """Lay a node on the desk, forced edges folded.

    Returns:
        Whether it has any path, and what `lay` returns.
    """
    place = stack.place[node]
    nodes, edges, letters, at, fixed = place[0], place[1], place[2], place[3], place[5]
    rows, layer = net.above.shape
    for k in range(4):
        for r in range(rows):
            whole.known[k, r] = stack.lines[node, k, r]
    for k in range(layer):
        uppers[PHASE, k] = stack.lines[node, STACKED_PHASE, rows + k]
        uppers[PRICE, k] = stack.lines[node, STACKED_PRICE, rows + k]
        uppers[LOW, k] = stack.lines[node, STACKED_LOW, rows + k]
        uppers[HIGH, k] = stack.lines[node, STACKED_HIGH, rows + k]
    for v in range(nodes + 1):
        bare.first[v] = stack.arena[at + v]
    at += nodes + 1
    for e in range(edges):
        bare.source[e] = stack.arena[at + e]
        bare.letter[e] = stack.arena[at + edges + e]
    at += 2 * edges
    for i in range(letters):
        bare.names[NAME, i] = stack.arena[at + i]
    at += letters
    bare.size[0], bare.size[1], bare.size[2], bare.size[3], bare.size[4] = nodes, edges, letters, fixed, 0
    for i in range(fixed):
        name = stack.arena[at + i]
        bare.steps[FIXED, i] = name
        bare.size[4] ^= net.key[name]
    at += fixed
    found = True
    if place[6] >= 0:
        deviate(stack, bare, at, place[6])
        found = compact(bare)
    narrow, lines, laid = lay(net, whole, bare)
    if found:
        fold(net, laid)
    return found, narrow, lines, laid


@kernel
def deviate(stack: Stack, desk: Desk, path: int, deviation: Int) -> None:
    """Keep the paths that have the edges in the arena before the deviation, and lack the one there.

    Of the edges from nodes up to v to nodes behind v each path has exactly one. So a path has an edge from v
    if it has none of the others that pass by v or leave it.
    """
    nodes = desk.size[0]
    closed = desk.marks[JUMP]  # how many nodes before each one are left by an edge that paths must have
    for v in range(nodes):
        closed[v] = 0
    for e in range(desk.size[1]):
        desk.keep[e] = False
    for i in range(deviation):
        e = stack.arena[path + i]
        desk.keep[e] = True
        closed[desk.source[e]] = 1
    before = 0
    for v in range(nodes):
        here = closed[v]
        closed[v] = before
        before += here
    for v in range(1, nodes):
        for e in range(desk.first[v], desk.first[v + 1]):
            if closed[v] == closed[desk.source[e]]:
                desk.keep[e] = True
    desk.keep[stack.arena[path + deviation]] = False
