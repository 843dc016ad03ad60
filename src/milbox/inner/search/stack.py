"""The stack of open nodes: their diagrams in an arena, put there, taken out and laid on the desk."""

import numpy as np

from milbox.arrays import FloatArray
from milbox.compiled.jit import kernel
from milbox.inner.search.shrink import compact, fold
from milbox.inner.search.state import (
    BELOW,
    BIAS,
    FIXED,
    HIGH,
    JUMP,
    LANES,
    LETTER_MAP,
    LOW,
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
)


@kernel
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
    for i in range(whole.behind[len(whole.behind) - 1]):
        r = whole.behind[i]
        whole.known[STACKED_PHASE, r] = lines[PHASE, i]
        whole.known[STACKED_PRICE, r] = lines[PRICE, i]
        whole.known[STACKED_LOW, r] = lines[LOW, i]
        whole.known[STACKED_HIGH, r] = lines[HIGH, i]


@kernel
def new_rows(net: Problem) -> Rows:
    """Room for any node."""
    rows, layer = net.above.shape
    return Rows(
        np.empty((4, rows)),
        np.zeros(rows + 1, np.int64),
        np.zeros(rows + 1, np.int64),
        np.empty(rows, np.int32),
        np.empty((rows, layer)),
        np.empty(15 * rows),
        np.empty(4 * rows),
        np.empty(rows),
        np.empty(len(net.key) * rows),
    )


@kernel
def rows_left(net: Problem, whole: Rows) -> int:
    """Choose the rows that a node has left by their phases; their number with padding."""
    rows, layer = net.above.shape
    left, folded = 0, 0
    for r in range(rows):
        phase = whole.known[STACKED_PHASE, r]
        if r == net.linear or (phase == SURELY_ACTIVE and layer == 0 and net.tie[r] == UNIT):
            whole.folded[folded] = r
            folded += 1
        elif phase != SURELY_INACTIVE:
            whole.behind[left] = r
            left += 1
    whole.behind[rows], whole.folded[rows] = left, folded
    count = left + (1 if folded > 0 else 0)
    return max(LANES, LANES * ((count + LANES - 1) // LANES))


@kernel
def narrowed(net: Problem, whole: Rows, width: int) -> tuple[Problem, Lines]:
    """The problem with the rows that a node has left, and their lines."""
    rows, layer = net.above.shape
    left, folded = whole.behind[rows], whole.folded[rows]
    weights = whole.weights[: 4 * width].reshape((4, width))
    lines = whole.lines[: 15 * width].reshape((15, width))
    kind, above = whole.kind[:width], whole.above[:width]
    for i in range(left):
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
    for i in range(left, width):
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
    if folded > 0:
        linear = int(left)
        lines[PHASE, left] = SURELY_ACTIVE
        weights[OUTPUT, left], weights[BELOW, left] = 1.0, 1.0
        for i in range(folded):
            r = whole.folded[i]
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


@kernel
def add_letter(net: Problem, whole: Rows, name: Int, sums: FloatArray) -> None:
    """Add what a letter adds to the rows left."""
    rows = net.table.shape[1]
    left, folded = whole.behind[rows], whole.folded[rows]
    for i in range(left):
        sums[i] += net.table[name, whole.behind[i]]
    if folded > 0:
        total = 0.0
        for i in range(folded):
            r = whole.folded[i]
            total += net.rows[OUTPUT, r] * net.table[name, r]
        sums[left] += total


@kernel
def lay(net: Problem, whole: Rows, desk: Desk) -> tuple[Problem, Lines, Desk]:
    """The problem with the rows that the node at work has left, their lines, and the desk for them."""
    width = rows_left(net, whole)
    narrow, lines = narrowed(net, whole, width)
    letters = len(net.key)
    table, bias = whole.table[: letters * width].reshape((letters, width)), whole.bias[:width]
    for i in range(width):
        bias[i] = narrow.rows[BIAS, i]
    for i in range(desk.size[2]):
        row = table[i]
        for r in range(width):
            row[r] = 0.0
        add_letter(net, whole, desk.names[NAME, i], row)
    for i in range(desk.size[3]):
        add_letter(net, whole, desk.steps[FIXED, i], bias)
    narrow_desk = Desk(
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
    return narrow, lines, narrow_desk


@kernel
def has_settled(net: Problem, lines: Lines) -> bool:
    """Whether so many of the rows left have settled that fewer lanes would do."""
    width, layer = net.above.shape
    left, folded = 0, False
    for i in range(width):
        phase = lines[PHASE, i]
        if i == net.linear or (phase == SURELY_ACTIVE and layer == 0 and net.tie[i] == UNIT):
            folded = folded or net.rows[SIZE, i] > 0.0
        elif phase != SURELY_INACTIVE and net.rows[SIZE, i] > 0.0:
            left += 1
    return bool(left + (1 if folded else 0) <= width - LANES and width > LANES)


@kernel
def load(
    net: Problem, stack: Stack, node: int, whole: Rows, uppers: Lines, desk: Desk
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
        desk.first[v] = stack.arena[at + v]
    at += nodes + 1
    for e in range(edges):
        desk.source[e] = stack.arena[at + e]
        desk.letter[e] = stack.arena[at + edges + e]
    at += 2 * edges
    for i in range(letters):
        desk.names[NAME, i] = stack.arena[at + i]
    at += letters
    desk.size[0], desk.size[1], desk.size[2], desk.size[3], desk.size[4] = nodes, edges, letters, fixed, 0
    for i in range(fixed):
        name = stack.arena[at + i]
        desk.steps[FIXED, i] = name
        desk.size[4] ^= net.key[name]
    at += fixed
    narrow, lines, laid = lay(net, whole, desk)
    if place[6] >= 0:
        deviate(stack, laid, at, place[7], place[6])
        if not compact(laid):
            return False, narrow, lines, laid
    fold(net, laid)
    return True, narrow, lines, laid


@kernel
def deviate(stack: Stack, desk: Desk, path: int, length: Int, deviation: Int) -> None:
    """Keep the paths that follow a path (its edges are in the arena, first one first) and leave it there."""
    nodes = desk.size[0]
    for v in range(nodes):
        desk.marks[JUMP, v] = -1
    for i in range(length):
        desk.marks[JUMP, desk.source[stack.arena[path + i]]] = i
    for v in range(1, nodes):
        for e in range(desk.first[v], desk.first[v + 1]):
            i = desk.marks[JUMP, desk.source[e]]
            kept = True
            if i >= 0 and i < deviation:
                kept = stack.arena[path + i] == e
            elif i == deviation:
                kept = stack.arena[path + i] != e
            desk.keep[e] = kept
