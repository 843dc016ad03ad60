"""The stack of open nodes: their diagrams in an arena, put there, taken out and laid on the desk."""

import numpy as np

from milbox.compiled.jit import kernel
from milbox.inner.search.shrink import compact, fold
from milbox.inner.search.state import (
    BIAS,
    FIXED,
    HIGH,
    JUMP,
    LETTER_MAP,
    LOW,
    NAME,
    NODE_MAP,
    PHASE,
    PRICE,
    STACKED_HIGH,
    STACKED_LOW,
    STACKED_PHASE,
    STACKED_PRICE,
    Desk,
    Int,
    Lines,
    Problem,
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
    lines: Lines,
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
    """Put a node on the stack that has the lines at hand; its place."""
    node = stack.counts[0]
    stack.counts[0] += 1
    rows, layer = lines.shape[1], uppers.shape[1]
    stack.bound[node] = bound
    for r in range(rows):
        stack.lines[node, STACKED_PHASE, r] = lines[PHASE, r]
        stack.lines[node, STACKED_PRICE, r] = lines[PRICE, r]
        stack.lines[node, STACKED_LOW, r] = lines[LOW, r]
        stack.lines[node, STACKED_HIGH, r] = lines[HIGH, r]
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
def load(net: Problem, stack: Stack, node: int, lines: Lines, uppers: Lines, desk: Desk) -> bool:
    """Lay a node on the desk, forced edges folded; whether it has any path."""
    place = stack.place[node]
    nodes, edges, letters, at, fixed = place[0], place[1], place[2], place[3], place[5]
    rows, layer = net.above.shape
    for r in range(rows):
        lines[PHASE, r] = stack.lines[node, STACKED_PHASE, r]
        lines[PRICE, r] = stack.lines[node, STACKED_PRICE, r]
        lines[LOW, r] = stack.lines[node, STACKED_LOW, r]
        lines[HIGH, r] = stack.lines[node, STACKED_HIGH, r]
        desk.bias[r] = net.rows[BIAS, r]
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
        name = stack.arena[at + i]
        desk.names[NAME, i] = name
        for r in range(rows):
            desk.table[i, r] = net.table[name, r]
    at += letters
    desk.size[0], desk.size[1], desk.size[2], desk.size[3], desk.size[4] = nodes, edges, letters, fixed, 0
    for i in range(fixed):
        name = stack.arena[at + i]
        desk.steps[FIXED, i] = name
        desk.size[4] ^= net.key[name]
        for r in range(rows):
            desk.bias[r] += net.table[name, r]
    at += fixed
    if place[6] >= 0:
        deviate(stack, desk, at, place[7], place[6])
        if not compact(desk):
            return False
    fold(net, desk)
    return True


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
