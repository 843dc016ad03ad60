"""Branching: phases of units, halves of a variable's codes, and deviations from a path.

Children cover all points of the node that are better than the floor, but for the path a node deviates
from.
"""

import numpy as np

from milbox.arrays import FloatArray, IntArray
from milbox.compiled.jit import inlined, kernel, larger, owner, smaller
from milbox.inner.search.bound import floor_of
from milbox.inner.search.incumbents import offer_path
from milbox.inner.search.passes import add_inputs, longest, longest_back, trace, worth
from milbox.inner.search.shrink import trim
from milbox.inner.search.stack import arena_end, cells_of, note, push, with_room, write_diagram, write_kept
from milbox.inner.search.state import (
    ACTIVE,
    AHEAD,
    BEHIND,
    BEST_COST,
    BEST_H,
    GAIN,
    HIGH,
    INACTIVE,
    JUMP,
    LOW,
    NAME,
    OPEN,
    PATH,
    PHASE,
    STACKED_HIGH,
    STACKED_LOW,
    STACKED_PHASE,
    STACKED_PRICE,
    UNREACHED,
    USED,
    WEIGHT,
    Desk,
    H,
    Lines,
    Pool,
    Problem,
    Rows,
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


@owner
def branch_on_phase(
    net: Problem, stack: Stack, whole: Rows, lines: Lines, uppers: Lines, desk: Desk, on: int, bound: float
) -> Stack:
    """One child per phase of a unit, the phase it has at the best path last, to be searched first."""
    rows = lines.shape[1]
    stack = with_room(stack, np.int64(2), cells_of(desk))
    begin = arena_end(stack)
    end = write_diagram(stack, desk, begin)
    h = lines[BEST_H, on] if on < rows else uppers[H, on - rows]
    at = whole.behind[on] if on < rows else whole.known.shape[1] + on - rows
    note(whole, lines)
    size = desk.size
    for child in range(2):
        node = push(
            stack,
            whole,
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
        stack.lines[node, STACKED_PHASE, at] = ACTIVE if active else INACTIVE
        # Rounding is allowed for on both sides.
        if active:
            stack.lines[node, STACKED_LOW, at] = larger(stack.lines[node, STACKED_LOW, at], -net.noise)
        else:
            stack.lines[node, STACKED_HIGH, at] = smaller(stack.lines[node, STACKED_HIGH, at], net.noise)
        stack.lines[node, STACKED_PRICE, at] = 0.0
    stack.counts[3] += 1
    return stack


@owner
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


@owner
def branch_on_path(
    net: Problem,
    tried: Tried,
    pool: Pool,
    stack: Stack,
    whole: Rows,
    lines: Lines,
    uppers: Lines,
    desk: Desk,
    lowest: float,
    error: float,
    ceiling: float,
) -> Stack:
    """All paths but the longest, by the first edge of it that they lack (Lawler 1972), the best part last.

    Edges that paths lose most by lacking come first, so that the large parts have the low bounds: of what is
    left then, most edges are fixed. The longest path is offered first: it need not be the one met before, if
    there are several.
    """
    nodes = desk.size[0]
    top = longest(nodes, desk.first, desk.source, desk.letter, desk.costs[BEST_COST], desk.lengths[AHEAD])
    longest_back(nodes, desk.first, desk.source, desk.letter, desk.costs[BEST_COST], desk.lengths[BEHIND])
    path = desk.steps[PATH]
    length = trace(
        nodes, desk.first, desk.source, desk.letter, desk.costs[BEST_COST], desk.lengths[AHEAD], path
    )
    add_inputs(desk.table, desk.bias, desk.letter, path, length, lines[H])
    value = worth(net.rows, net.above, net.uppers, lines[H], uppers[H])
    if value > floor_of(pool) + net.slack:
        offer_path(net, tried, pool, desk, path, length, lines[H], value)
    floor = floor_of(pool)
    # The path's edges are listed last first; `next_one` is the last of them in that order that begins at a
    # node or behind it.
    next_one = desk.marks[JUMP]
    i = 0
    for v in range(nodes - 1, -1, -1):
        if i < length and desk.source[path[i]] == v:
            i += 1
        next_one[v] = i - 1
    best = np.full(length, UNREACHED)
    for v in range(1, nodes):
        for e in range(desk.first[v], desk.first[v + 1]):
            # A path has exactly one edge that passes by a node or leaves it.
            i = next_one[desk.source[e]]
            while i >= 0 and desk.source[path[i]] < v:
                if path[i] != e:
                    through = (
                        desk.lengths[AHEAD, desk.source[e]]
                        + desk.costs[BEST_COST, desk.letter[e]]
                        + desk.lengths[BEHIND, v]
                    )
                    best[i] = larger(best[i], through)
                i -= 1
    stack = with_room(stack, length, cells_of(desk) + length)
    begin = arena_end(stack)
    end = write_diagram(stack, desk, begin)
    size = desk.size
    note(whole, lines)
    order = ascending(best)
    for k in range(length):
        i = order[k]
        stack.arena[end + k] = path[i]
        bound = smaller(lowest - (top - best[i]) + error, ceiling)
        if best[i] > UNREACHED and bound > floor + net.slack:
            push(
                stack,
                whole,
                uppers,
                bound,
                size[0],
                size[1],
                size[2],
                begin,
                end + length,
                size[3],
                k,
                length,
            )
    stack.counts[4] += 1
    return stack


@owner
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
        if desk.costs[USED, i] > 0.0:
            name = desk.names[NAME, i]
            for k in range(net.pair[name], net.pair[name + 1]):
                p = net.variable[net.option[k]]
                weight[p] += desk.costs[USED, i]
                for r in range(rows):
                    mean[p, r] += desk.costs[USED, i] * desk.table[i, r]
    spread = np.zeros(net.variables)
    for i in range(desk.size[2]):
        if desk.costs[USED, i] > 0.0:
            name = desk.names[NAME, i]
            for k in range(net.pair[name], net.pair[name + 1]):
                p = net.variable[net.option[k]]
                far = 0.0
                for r in range(rows):
                    if lines[GAIN, r] != 0.0:
                        away = desk.table[i, r] - mean[p, r] / weight[p]
                        far += away * away
                spread[p] += desk.costs[USED, i] * far
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


@owner
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
        option = code_in(pair, listed, variable, desk.names[NAME, i], p)
        side[i] = -1
        if option >= 0:
            use[option] += desk.costs[USED, i]
            if at[option] < 0 or desk.costs[USED, i] > desk.costs[USED, at[option]]:
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
        option = code_in(pair, listed, variable, desk.names[NAME, i], p)
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


@owner
def branch_on_sides(
    net: Problem,
    stack: Stack,
    whole: Rows,
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
    top = longest(nodes, desk.first, desk.source, desk.letter, desk.costs[BEST_COST], desk.lengths[AHEAD])
    longest_back(nodes, desk.first, desk.source, desk.letter, desk.costs[BEST_COST], desk.lengths[BEHIND])
    threshold = top - (lowest - floor - net.slack) - 2.0 * error
    note(whole, lines)
    for child in range(2):
        best = UNREACHED
        for v in range(1, nodes):
            for e in range(desk.first[v], desk.first[v + 1]):
                through = (
                    desk.lengths[AHEAD, desk.source[e]]
                    + desk.costs[BEST_COST, desk.letter[e]]
                    + desk.lengths[BEHIND, v]
                )
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
            whole,
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
