"""The search tree, depth first, a slice at a time, so that Python can look at the clock."""

import numpy as np

from milbox.compiled.jit import entry, kernel, owner, smaller
from milbox.inner.search.bound import descend, floor_of
from milbox.inner.search.incumbents import offer_path, suffixes, sweep_backward, sweep_forward
from milbox.inner.search.listing import KINDS, count_paths, list_paths
from milbox.inner.search.passes import longest, ties_hold, worth
from milbox.inner.search.shrink import (
    compact,
    find_ranges,
    fold,
    satisfy,
    settle,
    settle_upper,
    strike,
    tighten,
)
from milbox.inner.search.split import (
    branch_on_path,
    branch_on_phase,
    branch_on_sides,
    highest_chord,
    oscillating,
    set_sides,
)
from milbox.inner.search.stack import lay, leave_settled, load, new_rows
from milbox.inner.search.state import (
    AHEAD,
    BEST_COST,
    BEST_H,
    HIGH,
    LOW,
    NOTHING,
    OUTPUT,
    PATH,
    PHASE,
    PRICE,
    STACKED_HIGH,
    STACKED_LOW,
    STACKED_PHASE,
    STACKED_PRICE,
    WEIGHT,
    Beginning,
    Desk,
    H,
    Int,
    Pool,
    Problem,
    Room,
    Settings,
    Small,
    Stack,
    Tried,
)

# How a slice of the search ends.
DONE, SLICE_OVER, OUT_OF_MEMORY = 0, 1, 2


@owner
def new_desk(net: Problem) -> Desk:
    """Room for any node."""
    nodes, edges, letters = net.nodes, net.edges, len(net.key)
    return Desk(
        np.zeros(5, np.int64),
        np.empty(nodes + 1, np.int32),
        np.empty(edges, np.int32),
        np.empty(edges, np.int32),
        np.empty((2, letters), np.int32),
        np.empty((0, 0)),  # the table of the rows that a node has left, and their biases
        np.empty(0),
        np.zeros((3, letters)),
        np.empty((2, nodes)),
        np.empty((2, net.longest + 1), np.int32),
        np.empty(edges, np.bool_),
        np.empty((2, nodes), np.int32),
        np.zeros(net.variables, np.int64),
    )


@owner
def new_room(nodes: Int, letters: Int, rows: int) -> Room:
    """Tables for so many nodes; touching fresh memory costs more than passes, so they are no larger."""
    return Room(
        np.empty((3, nodes, rows)),
        np.empty((nodes, 8)),
        np.empty((2, nodes), np.int64),
        np.empty((2, nodes), np.int32),
        np.empty(max(nodes, 32)),
        np.empty((letters, 8)),
    )


@kernel
def needs_room(room: Room, desk: Desk) -> bool:
    """Whether the tables are too small for the node at work."""
    return bool(desk.size[0] > len(room.lanes) or desk.size[2] > len(room.lane_cost))


@entry
def advance(
    problem: Problem, tried: Tried, pool: Pool, stack: Stack, settings: Settings, nodes: int, cells: int
) -> tuple[int, Stack]:
    """Search up to so many nodes, with an arena of up to so many cells.

    Returns:
        How the slice ended, and the stack.
    """
    rows, layer = problem.above.shape
    slack = problem.slack
    last = len(pool.value) - 1
    tied = problem.tied
    uppers, whole, bare = np.empty((15, layer)), new_rows(problem), new_desk(problem)
    net, lines, desk = problem, np.empty((15, rows)), bare
    # The unit just branched on: then the next node is on the desk already but for the phase of that.
    on_desk = -1
    for k in range(layer):
        uppers[WEIGHT, k] = problem.uppers[OUTPUT, k]  # and stays so
    room = new_room(np.int64(1), np.int64(1), rows)
    side = np.empty(len(problem.key), np.int32)
    mean, weight = np.empty((problem.variables, rows)), np.empty(problem.variables)
    limit = stack.counts[1] + nodes
    while stack.counts[0] > 0:
        node = stack.counts[0] - 1
        ceiling = stack.bound[node]
        if ceiling <= floor_of(pool) + slack:
            stack.counts[0] = node
            on_desk = -1
            continue
        if stack.counts[1] >= limit:
            return SLICE_OVER, stack
        if len(stack.arena) > cells:
            return OUT_OF_MEMORY, stack
        stack.counts[0] = node
        on_root = stack.counts[1] == 0
        stack.counts[1] += 1
        if on_desk < 0:
            found, net, lines, desk = load(problem, stack, node, whole, uppers, bare)
            if not found:
                continue
        elif on_desk < lines.shape[1]:
            r = whole.behind[on_desk]
            lines[PHASE, on_desk] = stack.lines[node, STACKED_PHASE, r]
            lines[PRICE, on_desk] = stack.lines[node, STACKED_PRICE, r]
            lines[LOW, on_desk] = stack.lines[node, STACKED_LOW, r]
            lines[HIGH, on_desk] = stack.lines[node, STACKED_HIGH, r]
        else:
            k = on_desk - lines.shape[1]
            uppers[PHASE, k] = stack.lines[node, STACKED_PHASE, rows + k]
            uppers[PRICE, k] = stack.lines[node, STACKED_PRICE, rows + k]
            uppers[LOW, k] = stack.lines[node, STACKED_LOW, rows + k]
            uppers[HIGH, k] = stack.lines[node, STACKED_HIGH, rows + k]
        on_desk = -1
        # A node is bounded, shrunk, and bounded again as long as that gets on.
        fresh = not on_root or net.joined
        settled = 1 << 60  # the number of edges when ranges were last found
        rounds, stuck, reached = 0, False, False
        lowest, error, bound = 0.0, 0.0, NOTHING
        while True:
            bound = NOTHING
            if desk.size[0] == 1:  # one path is left
                value = worth(net.rows, net.above, net.uppers, desk.bias, uppers[H])
                if value > floor_of(pool) + slack:
                    offer_path(net, tried, pool, desk, desk.steps[PATH], np.int64(0), desk.bias, value)
                break
            find = (fresh or rounds > 0) and desk.size[1] < 0.8 * settled
            if find:
                settled = desk.size[1]
                if needs_room(room, desk):
                    room = new_room(
                        max(desk.size[0], len(room.lanes)), max(desk.size[2], len(room.lane_cost)), rows
                    )
                find_ranges(lines, desk, room)
            if not settle(net, lines):
                break
            if tied and find:
                if not satisfy(net, lines, desk, room):
                    break
                if desk.size[0] == 1:
                    continue
            if leave_settled(net, whole, lines):
                net, lines, desk = lay(problem, whole, desk)
            if layer > 0 and not settle_upper(net, lines, uppers, desk):
                break
            steps = settings.root_steps if on_root else settings.steps
            if stuck:
                steps = max(steps, settings.stuck_steps)
            lowest, error = descend(net, tried, pool, lines, uppers, desk, steps, stuck or on_root, stuck)
            stack.counts[2] += 1
            bound = smaller(lowest, ceiling)
            floor = floor_of(pool)
            if bound <= floor + slack:
                break
            value = worth(net.rows, net.above, net.uppers, lines[BEST_H], uppers[H])
            nothing = pool.value[last] == NOTHING
            # Where the bound is reached, or nothing is in hand, only the path itself stands in the way.
            reached = ties_hold(net, lines[BEST_H]) and (nothing or value >= bound - slack - error)
            if on_root and rounds == 0 and nothing:
                # All that was met had been tried: look at its neighbours.
                if needs_room(room, desk):
                    room = new_room(desk.size[0], desk.size[2], rows)
                suffixes(net, desk, room, desk.costs[BEST_COST])
                sweep_forward(net, tried, pool, desk, room, lines[H], uppers[H], slack)
                floor = floor_of(pool)
                reached = ties_hold(net, lines[BEST_H]) and (
                    pool.value[last] == NOTHING or value >= bound - slack - error
                )
            before = desk.size[1]
            if strike(desk, lowest - floor - slack + 2.0 * error) > 0:
                if not compact(desk):
                    bound = NOTHING
                    break
                fold(net, desk)
                if desk.size[0] == 1:
                    rounds += 1
                    continue
            if reached:
                break
            if needs_room(room, desk):
                room = new_room(
                    max(desk.size[0], len(room.lanes)), max(desk.size[2], len(room.lane_cost)), rows
                )
            sweeps = settings.sweeps if on_root and rounds <= 1 else 1 if stuck else 0
            for i in range(sweeps):
                if i == 0:
                    suffixes(net, desk, room, desk.costs[BEST_COST])
                else:
                    sweep_backward(net, tried, pool, desk, room, lines[H], uppers[H], slack)
                sweep_forward(net, tried, pool, desk, room, lines[H], uppers[H], slack)
            floor = floor_of(pool)
            if bound <= floor + slack:
                break
            top = longest(
                desk.size[0], desk.first, desk.source, desk.letter, desk.costs[BEST_COST], desk.lengths[AHEAD]
            )
            shrank = tighten(net, lines, desk, room, top, lowest - floor, error)
            rounds += 1
            if stuck:
                break
            again = settings.root_rounds if on_root else settings.rounds
            if rounds < again and (shrank or desk.size[1] < 0.9 * before):
                continue
            if highest_chord(net, lines, uppers) >= 0:
                break
            stuck = True
        floor = floor_of(pool)
        if bound <= floor + slack:
            continue
        # Ranges may have shrunk since, and a line is valid only for the phase that its range leaves.
        if not settle(net, lines):
            continue
        on = -1 if reached else highest_chord(net, lines, uppers)
        # Few paths are all looked at, whatever chords there are.
        if desk.size[1] < 4 * settings.few and count_paths(desk) <= settings.few:
            stack.counts[6] += 1
            list_paths(net, tried, pool, lines, uppers, desk, lowest, np.int64(1), 1e18)
            continue
        if on >= 0:
            stack = branch_on_phase(net, stack, whole, lines, uppers, desk, on, bound)
            on_desk = on
            continue
        if not reached:
            if settings.checks > 0:
                stack.counts[6] += 1
                if list_paths(
                    net, tried, pool, lines, uppers, desk, lowest, np.int64(KINDS), settings.checks
                ):
                    continue
            floor = floor_of(pool)
            at = oscillating(net, lines, desk, mean, weight)
            if at >= 0 and set_sides(net, lines, desk, at, mean, weight, side):
                stack = branch_on_sides(
                    net, stack, whole, lines, uppers, desk, side, lowest, error, ceiling, floor
                )
                continue
        stack = branch_on_path(net, tried, pool, stack, whole, lines, uppers, desk, lowest, error, ceiling)
    return DONE, stack


@entry
def shuffled_root(whole: Beginning, arena: Small, letters: int, seed: int) -> None:
    """Write the whole diagram into an arena, edges into a node shuffled, so that the seed breaks ties."""
    nodes, edges = len(whole.first) - 1, len(whole.source)
    for v in range(nodes + 1):
        arena[v] = whole.first[v]
    at = nodes + 1
    state = np.uint64(seed)
    for v in range(nodes):
        begin, end = whole.first[v], whole.first[v + 1]
        for e in range(begin, end):
            arena[at + e] = whole.source[e]
            arena[at + edges + e] = whole.letter[e]
        for e in range(end - 1, begin, -1):
            # xorshift64
            state ^= state << np.uint64(13)
            state ^= state >> np.uint64(7)
            state ^= state << np.uint64(17)
            other = begin + np.int64((state >> np.uint64(11)) % np.uint64(e - begin + 1))
            a, b = at + e, at + other
            arena[a], arena[b] = arena[b], arena[a]
            arena[a + edges], arena[b + edges] = arena[b + edges], arena[a + edges]
    at += 2 * edges
    for i in range(letters):
        arena[at + i] = i
