"""Branching: phases of units, halves of a variable's codes, and deviations from a path.

Children cover all points of the node that are better than the floor, but for the path a node deviates
from.
"""

import numpy as np

from milbox.arrays import FloatArray, IntArray
from milbox.compiled.jit import inlined, kernel, larger, smaller
from milbox.inner.search.bound import floor_of
from milbox.inner.search.incumbents import offer_path
from milbox.inner.search.passes import add_inputs, longest, longest_back, trace, worth
from milbox.inner.search.shrink import compact, fold, trim
from milbox.inner.search.state import (
    ACTIVE,
    BEST_H,
    GAIN,
    HIGH,
    INACTIVE,
    LOW,
    OPEN,
    PHASE,
    PRICE,
    UNREACHED,
    WEIGHT,
    Desk,
    H,
    Int,
    Lines,
    Pool,
    Problem,
    Small,
    Stack,
    Tried,
)


@kernel
def chord(lines: Lines, i: int) -> float:
    """How high the chord of an open unit rises above it; 0 if it has none."""
    weight, low, high = lines[WEIGHT, i], lines[LOW, i], lines[HIGH, i]
    if lines[PHASE, i] != OPEN or weight <= 0.0 or low >= 0.0 or high <= 0.0:
        return 0.0
    return float(weight * -high * low / (high - low))


@kernel
def highest_chord(net: Problem, lines: Lines, uppers: Lines) -> int:
    """The row, or rows + k for an upper unit, whose chord rises highest; -1 if there is none."""
    rows, layer = net.above.shape
    best = 0.0
    on = -1
    for r in range(rows):
        rise = chord(lines, r)
        if rise > best:
            best = rise
            on = r
    for k in range(layer):
        rise = chord(uppers, k)
        if rise > best:
            best = rise
            on = rows + k
    return on


@kernel
def with_room(stack: Stack, children: Int, cells: Int) -> Stack:
    """The same stack with room for more nodes, and more cells in its arena."""
    depth, width = stack.phase.shape
    if stack.counts[0] + children > depth:
        more = 2 * depth + children
        wide = Stack(
            stack.counts,
            np.empty(more),
            np.empty((more, width), np.int8),
            np.empty((more, width)),
            np.empty((more, width)),
            np.empty((more, width)),
            np.empty((more, 8), np.int64),
            stack.arena,
        )
        for node in range(depth):
            wide.bound[node] = stack.bound[node]
            for r in range(width):
                wide.phase[node, r] = stack.phase[node, r]
                wide.price[node, r] = stack.price[node, r]
                wide.low[node, r] = stack.low[node, r]
                wide.high[node, r] = stack.high[node, r]
            for k in range(8):
                wide.place[node, k] = stack.place[node, k]
        stack = wide
    used = arena_end(stack)
    if used + cells > len(stack.arena):
        arena = np.empty(2 * len(stack.arena) + cells, np.int32)
        for i in range(used):
            arena[i] = stack.arena[i]
        stack = Stack(
            stack.counts, stack.bound, stack.phase, stack.price, stack.low, stack.high, stack.place, arena
        )
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
        stack.arena[at + i] = desk.name[i]
    at += letters
    for i in range(fixed):
        stack.arena[at + i] = desk.fixed[i]
    return int(at + fixed)


@kernel
def write_kept(stack: Stack, desk: Desk, nodes: Int, edges: Int, begin: Int) -> int:
    """Copy the diagram of kept edges into the arena; its letters. Every kept edge is on a kept path."""
    source, letter, name = begin + nodes + 1, begin + nodes + 1 + edges, begin + nodes + 1 + 2 * edges
    for i in range(desk.size[2]):
        desk.letter_map[i] = -1
    desk.node_map[0] = 0
    stack.arena[begin] = 0
    n, k, m = 1, 0, 0
    for v in range(1, desk.size[0]):
        at = k
        for e in range(desk.first[v], desk.first[v + 1]):
            if desk.keep[e]:
                stack.arena[source + k] = desk.node_map[desk.source[e]]
                i = desk.letter[e]
                if desk.letter_map[i] < 0:
                    desk.letter_map[i] = m
                    stack.arena[name + m] = desk.name[i]
                    m += 1
                stack.arena[letter + k] = desk.letter_map[i]
                k += 1
        if k > at:
            desk.node_map[v] = n
            stack.arena[begin + n] = at
            n += 1
    stack.arena[begin + n] = k
    for i in range(desk.size[3]):
        stack.arena[name + m + i] = desk.fixed[i]
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
        stack.phase[node, r] = lines[PHASE, r]
        stack.price[node, r] = lines[PRICE, r]
        stack.low[node, r] = lines[LOW, r]
        stack.high[node, r] = lines[HIGH, r]
    for k in range(layer):
        stack.phase[node, rows + k] = uppers[PHASE, k]
        stack.price[node, rows + k] = uppers[PRICE, k]
        stack.low[node, rows + k] = uppers[LOW, k]
        stack.high[node, rows + k] = uppers[HIGH, k]
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
        lines[PHASE, r] = stack.phase[node, r]
        lines[PRICE, r] = stack.price[node, r]
        lines[LOW, r] = stack.low[node, r]
        lines[HIGH, r] = stack.high[node, r]
        desk.bias[r] = net.bias[r]
    for k in range(layer):
        uppers[PHASE, k] = stack.phase[node, rows + k]
        uppers[PRICE, k] = stack.price[node, rows + k]
        uppers[LOW, k] = stack.low[node, rows + k]
        uppers[HIGH, k] = stack.high[node, rows + k]
    for v in range(nodes + 1):
        desk.first[v] = stack.arena[at + v]
    at += nodes + 1
    for e in range(edges):
        desk.source[e] = stack.arena[at + e]
        desk.letter[e] = stack.arena[at + edges + e]
    at += 2 * edges
    for i in range(letters):
        name = stack.arena[at + i]
        desk.name[i] = name
        for r in range(rows):
            desk.table[i, r] = net.table[name, r]
    at += letters
    desk.size[0], desk.size[1], desk.size[2], desk.size[3], desk.size[4] = nodes, edges, letters, fixed, 0
    for i in range(fixed):
        name = stack.arena[at + i]
        desk.fixed[i] = name
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
        desk.jump[v] = -1
    for i in range(length):
        desk.jump[desk.source[stack.arena[path + i]]] = i
    for v in range(1, nodes):
        for e in range(desk.first[v], desk.first[v + 1]):
            i = desk.jump[desk.source[e]]
            kept = True
            if i >= 0 and i < deviation:
                kept = stack.arena[path + i] == e
            elif i == deviation:
                kept = stack.arena[path + i] != e
            desk.keep[e] = kept


@kernel
def branch_on_phase(
    net: Problem, stack: Stack, lines: Lines, uppers: Lines, desk: Desk, on: int, bound: float
) -> Stack:
    """One child per phase of a unit, the phase it has at the best path last, to be searched first."""
    rows = lines.shape[1]
    stack = with_room(stack, np.int64(2), cells_of(desk))
    begin = arena_end(stack)
    end = write_diagram(stack, desk, begin)
    h = lines[BEST_H, on] if on < rows else uppers[H, on - rows]
    size = desk.size
    for child in range(2):
        node = push(
            stack,
            lines,
            uppers,
            bound,
            size[0],
            size[1],
            size[2],
            begin,
            end,
            size[3],
            np.int64(-1),
            np.int64(0),
        )
        active = (h > 0.0) == (child == 1)
        stack.phase[node, on] = ACTIVE if active else INACTIVE
        # Rounding is allowed for on both sides.
        if active:
            stack.low[node, on] = larger(stack.low[node, on], -net.noise)
        else:
            stack.high[node, on] = smaller(stack.high[node, on], net.noise)
        stack.price[node, on] = 0.0
    stack.counts[3] += 1
    return stack


@kernel
def ascending(values: FloatArray) -> IntArray:
    """The places of values in ascending order (Shell sort: NumPy's own takes the compiler seconds)."""
    order = np.empty(len(values), np.int64)
    for i in range(len(values)):
        order[i] = i
    gap = len(values) // 2
    while gap > 0:
        for i in range(gap, len(values)):
            moved = order[i]
            k = i
            while k >= gap and values[order[k - gap]] > values[moved]:
                order[k] = order[k - gap]
                k -= gap
            order[k] = moved
        gap //= 2
    return order


@kernel
def branch_on_path(
    net: Problem,
    tried: Tried,
    pool: Pool,
    stack: Stack,
    lines: Lines,
    uppers: Lines,
    desk: Desk,
    lowest: float,
    error: float,
    ceiling: float,
) -> Stack:
    """All paths but the longest, by the edge at which they leave it (Lawler 1972), the best part last.

    The longest path is offered first: it need not be the one met before, if there are several.
    """
    nodes = desk.size[0]
    top = longest(nodes, desk.first, desk.source, desk.letter, desk.best_cost, desk.ahead)
    longest_back(nodes, desk.first, desk.source, desk.letter, desk.best_cost, desk.behind)
    length = trace(nodes, desk.first, desk.source, desk.letter, desk.best_cost, desk.ahead, desk.path)
    add_inputs(desk, desk.path, length, lines[H])
    value = worth(net, lines[H], uppers[H])
    if value > floor_of(pool) + net.slack:
        offer_path(net, tried, pool, desk, desk.path, length, lines[H], value)
    floor = floor_of(pool)
    for v in range(nodes):
        desk.jump[v] = -1
    best = np.full(length, UNREACHED)
    for i in range(length):
        desk.jump[desk.source[desk.path[length - 1 - i]]] = i
    for v in range(1, nodes):
        for e in range(desk.first[v], desk.first[v + 1]):
            i = desk.jump[desk.source[e]]
            if i >= 0 and desk.path[length - 1 - i] != e:
                through = desk.ahead[desk.source[e]] + desk.best_cost[desk.letter[e]] + desk.behind[v]
                best[i] = larger(best[i], through)
    stack = with_room(stack, length, cells_of(desk) + length)
    begin = arena_end(stack)
    end = write_diagram(stack, desk, begin)
    for i in range(length):
        stack.arena[end + i] = desk.path[length - 1 - i]
    size = desk.size
    order = ascending(best)
    for k in range(length):
        i = order[k]
        bound = smaller(lowest - (top - best[i]) + error, ceiling)
        if best[i] > UNREACHED and bound > floor + net.slack:
            push(
                stack,
                lines,
                uppers,
                bound,
                size[0],
                size[1],
                size[2],
                begin,
                end + length,
                size[3],
                i,
                length,
            )
    stack.counts[4] += 1
    return stack


@kernel
def oscillating(net: Problem, lines: Lines, desk: Desk, mean: FloatArray, weight: FloatArray) -> int:
    """The variable between whose codes the subgradient steps went to and fro most; -1 if none.

    Sets the mean of what its used letters add, by use, and the use of each variable.
    """
    rows = lines.shape[1]
    for p in range(net.variables):
        weight[p] = 0.0
        for r in range(rows):
            mean[p, r] = 0.0
    for i in range(desk.size[2]):
        if desk.used[i] > 0.0:
            name = desk.name[i]
            for k in range(net.pair[name], net.pair[name + 1]):
                p = net.variable[net.option[k]]
                weight[p] += desk.used[i]
                for r in range(rows):
                    mean[p, r] += desk.used[i] * desk.table[i, r]
    spread = np.zeros(net.variables)
    for i in range(desk.size[2]):
        if desk.used[i] > 0.0:
            name = desk.name[i]
            for k in range(net.pair[name], net.pair[name + 1]):
                p = net.variable[net.option[k]]
                far = 0.0
                for r in range(rows):
                    if lines[GAIN, r] != 0.0:
                        away = desk.table[i, r] - mean[p, r] / weight[p]
                        far += away * away
                spread[p] += desk.used[i] * far
    best = 0.0
    at = -1
    for p in range(net.variables):
        if spread[p] > best:
            best = spread[p]
            at = p
    if best <= net.noise * net.noise:
        return -1
    return at


@inlined
def code_in(pair: Small, options: Small, variable: Small, name: int, p: int) -> int:
    """The option of a variable that a letter stands for, or -1."""
    for k in range(pair[name], pair[name + 1]):
        if variable[options[k]] == p:
            return int(options[k])
    return -1


@kernel
def set_sides(
    net: Problem, lines: Lines, desk: Desk, p: int, mean: FloatArray, weight: FloatArray, side: Small
) -> bool:
    """Part the codes of a variable across the line between its two most used ones; whether both have some."""
    letters, rows = desk.size[2], lines.shape[1]
    pair, listed, variable = net.pair, net.option, net.variable
    options = len(net.variable)
    use = np.zeros(options)
    at = np.full(options, -1)
    for i in range(letters):
        option = code_in(pair, listed, variable, desk.name[i], p)
        side[i] = -1
        if option >= 0:
            use[option] += desk.used[i]
            if at[option] < 0 or desk.used[i] > desk.used[at[option]]:
                at[option] = i
    one, two = -1, -1
    for option in range(options):
        if at[option] >= 0 and (one < 0 or use[option] > use[one]):
            one = option
    for option in range(options):
        if at[option] >= 0 and option != one and (two < 0 or use[option] > use[two]):
            two = option
    if two < 0:
        return False
    middle = 0.0
    for r in range(rows):
        if lines[GAIN, r] != 0.0:
            middle += (desk.table[at[one], r] - desk.table[at[two], r]) * mean[p, r] / weight[p]
    for i in range(letters):
        option = code_in(pair, listed, variable, desk.name[i], p)
        if option >= 0:
            along = 0.0
            j = at[option]  # all letters of one code are on one side
            for r in range(rows):
                if lines[GAIN, r] != 0.0:
                    along += (desk.table[at[one], r] - desk.table[at[two], r]) * desk.table[j, r]
            side[i] = 1 if along > middle else 0
            if option == one:
                side[i] = 1
            elif option == two:
                side[i] = 0
    return True


@kernel
def branch_on_sides(
    net: Problem,
    stack: Stack,
    lines: Lines,
    uppers: Lines,
    desk: Desk,
    side: Small,
    lowest: float,
    error: float,
    ceiling: float,
    floor: float,
) -> Stack:
    """One child per side of a variable's codes, without the edges that max-marginals strike."""
    nodes = desk.size[0]
    top = longest(nodes, desk.first, desk.source, desk.letter, desk.best_cost, desk.ahead)
    longest_back(nodes, desk.first, desk.source, desk.letter, desk.best_cost, desk.behind)
    threshold = top - (lowest - floor - net.slack) - 2.0 * error
    for child in range(2):
        best = UNREACHED
        for v in range(1, nodes):
            for e in range(desk.first[v], desk.first[v + 1]):
                through = desk.ahead[desk.source[e]] + desk.best_cost[desk.letter[e]] + desk.behind[v]
                where = side[desk.letter[e]]
                desk.keep[e] = through > threshold and where != 1 - child
                if where == child:
                    best = larger(best, through)
        bound = smaller(lowest - (top - best) + error, ceiling)
        if best == UNREACHED or bound <= floor + net.slack or not trim(desk):
            continue
        left, edges = np.int64(1), np.int64(0)
        for v in range(1, nodes):
            before = edges
            for e in range(desk.first[v], desk.first[v + 1]):
                if desk.keep[e]:
                    edges += 1
            if edges > before:
                left += 1
        stack = with_room(stack, np.int64(1), left + 1 + 2 * edges + desk.size[2] + desk.size[3])
        begin = arena_end(stack)
        letters = write_kept(stack, desk, left, edges, begin)
        end = begin + left + 1 + 2 * edges + letters + desk.size[3]
        push(
            stack,
            lines,
            uppers,
            bound,
            left,
            edges,
            letters,
            begin,
            end,
            desk.size[3],
            np.int64(-1),
            np.int64(0),
        )
    stack.counts[5] += 1
    return stack
