"""How is the tree of nodes searched? Depth first, a slice at a time, so that Python can look at the clock."""

from milbox.arrays import IntArray
from milbox.compiled.jit import entry, kernel, smaller
from milbox.inner.branch_bound import descend, look
from milbox.inner.branch_node import Blocks, Columns, Desk, Lines, Rows, Stack, load
from milbox.inner.branch_points import (
    BELOW,
    LEVEL,
    NOTHING,
    Network,
    Pool,
    Starts,
    Tried,
    add_upper,
    climb,
    key_of,
    offer,
    values_with,
    worth,
)
from milbox.inner.branch_shrink import settle, settle_upper, strike, tighten
from milbox.inner.branch_split import AGAIN, APART, branch, broken_tie, highest_chord
from milbox.inner.branch_ties import propagate

# How a slice of the search ends.
DONE, SLICE_OVER, STACK_FULL = 0, 1, 2

ROUNDS = 2
"""How often a node is bounded again after something was ruled out."""

STEPS_A_BLOCK = 2
"""Steps for a node that would have up to a child per block, since no chord is left to branch on: only prices
stand between it and its bound, and better ones mostly spare the children. Without that the tree of two
layers over thousands of letters can be a hundred times as large."""


@kernel
def is_small(first: IntArray, free: int, few: float) -> bool:
    """Whether a node has so few points that looking at all of them is cheaper than bounding them."""
    points = 1.0
    for p in range(free):
        points *= first[p + 1] - first[p]
    return points <= few


@kernel
def all_open(first: IntArray, free: int) -> bool:
    """Whether every block has more than one column."""
    for p in range(free):  # noqa: SIM110 - compiled
        if first[p + 1] - first[p] == 1:
            return False
    return True


@kernel
def enumerate_all(
    net: Network,
    tried: Tried,
    pool: Pool,
    rows: Rows,
    columns: Columns,
    blocks: Blocks,
    desk: Desk,
    count: int,
    free: int,
    slack: float,
) -> None:
    """Offer every point of the node that beats the pool, a whole block at a time."""
    last = len(pool.value) - 1
    widest = 0
    for p in range(free):
        blocks.at[p] = blocks.first[p]
        if blocks.first[p + 1] - blocks.first[p] > blocks.first[widest + 1] - blocks.first[widest]:
            widest = p
    begin, end = blocks.first[widest], blocks.first[widest + 1]
    while True:
        blocks.at[widest] = begin
        look(columns.table, rows.bias, blocks.at, count, free, rows.h)
        for r in range(len(columns.table)):
            rows.h[r] -= columns.table[r, begin]
        values_with(columns.table, rows.sign, rows.h, count, begin, end, columns.cost)
        if rows.above.shape[1] > 0:
            add_upper(net, columns.table, rows.above, rows.h, count, begin, end, columns.cost)
        for i in range(begin, end):
            if columns.cost[i] > pool.value[last] + slack:
                blocks.at[widest] = i
                for p in range(free):
                    desk.point[blocks.number[p]] = columns.letter[blocks.at[p]]
                offer(net, tried, pool, desk.point, key_of(net, desk.point), desk.spare_h)
        # The next combination of columns of the other blocks, like an odometer.
        p = 0
        while p < free:
            if p != widest:
                blocks.at[p] += 1
                if blocks.at[p] < blocks.first[p + 1]:
                    break
                blocks.at[p] = blocks.first[p]
            p += 1
        if p == free:
            break


@kernel
def ties_hold(rows: Rows, desk: Desk, count: int) -> bool:
    """Whether the point looked at last satisfies the ties that are not certain to hold."""
    for r in range(count):
        phase = desk.phase[rows.unit[r]]
        if (phase >= BELOW and rows.h[r] > 0.0) or (phase == LEVEL and rows.h[r] < 0.0):
            return False
    return True


@entry
def advance(
    net: Network,
    tried: Tried,
    pool: Pool,
    stack: Stack,
    rows: Rows,
    lines: Lines,
    uppers: Lines,
    columns: Columns,
    blocks: Blocks,
    desk: Desk,
    starts: Starts,
    nodes: int,
    first_steps: int,
    steps: int,
    few: float,
    slack: float,
    noise: float,
) -> int:
    """Climb from the starts, or with ties just take them, then search up to so many nodes.

    Changing one block leaves the points that satisfy ties, as a rule, so that climbs would find nothing.

    Returns:
        Whether the search is done, the slice over, or the stack too small.
    """
    units, layer = net.above.shape
    tied = units > 0 and net.phase[units - 1] >= BELOW
    for i in range(len(starts.point)):
        if tied:
            offer(net, tried, pool, starts.point[i], key_of(net, starts.point[i]), desk.spare_h)
        else:
            climb(net, tried, pool, starts.point[i], slack, desk.climbing_h, desk.spare_h, columns.cost)
    last = len(pool.value) - 1
    limit = stack.counts[1] + nodes
    # A slice begins where the last one ended, so that it makes no difference where that was.
    on_desk, free, count, on = stack.counts[2], stack.counts[3], stack.counts[4], stack.counts[5]
    while stack.counts[0] > 0:
        node = stack.counts[0] - 1
        ceiling = stack.bound[node]
        if ceiling > pool.value[last] + slack and stack.counts[1] >= limit:
            stack.counts[2], stack.counts[3], stack.counts[4], stack.counts[5] = on_desk, free, count, on
            return SLICE_OVER
        stack.counts[0] = node
        if ceiling <= pool.value[last] + slack:
            continue
        stack.counts[1] += 1
        if node == on_desk:
            # It is there already but for the phase that was branched on.
            if on < units:
                desk.phase[rows.unit[on]] = stack.phase[node, rows.unit[on]]
                lines.price[on] = stack.price[node, rows.unit[on]]
            else:
                desk.phase[on] = stack.phase[node, on]
                uppers.price[on - units] = stack.price[node, on]
        else:
            free, count = load(net, stack, rows, lines, uppers, columns, blocks, desk, node)
        bound = ceiling
        value = NOTHING
        satisfied = True
        reached = False
        rounds, stuck = 0, False
        while True:
            if is_small(blocks.first, free, few):
                enumerate_all(net, tried, pool, rows, columns, blocks, desk, count, free, slack)
                bound = NOTHING
                break
            if tied and not propagate(rows, columns, blocks, desk, count, free):
                bound = NOTHING
                break
            count = settle(rows, lines, columns, blocks, desk, count, free, noise)
            if count < 0 or (
                layer > 0
                and not settle_upper(net, rows, lines, uppers, columns, blocks, desk, count, free, noise)
            ):
                bound = NOTHING
                break
            floor = pool.value[last] + slack
            # Before anything is found, any untried point will do, and there is no floor to prune by.
            tries = 1 if pool.value[last] == NOTHING else first_steps if stack.counts[1] == 1 else steps
            if stuck and STEPS_A_BLOCK * free > steps:
                tries = STEPS_A_BLOCK * free
            patient = tied or layer > 0
            bound = descend(
                net, rows, lines, uppers, columns, blocks, desk, count, free, tries, floor, noise, patient
            )
            if bound > floor:
                look(columns.table, rows.bias, blocks.best_at, count, free, rows.h)
                value = worth(net, rows.sign, rows.above, rows.h, count)
                if tied:
                    satisfied = ties_hold(rows, desk, count)
                if value > floor and satisfied:
                    for p in range(free):
                        desk.point[blocks.number[p]] = columns.letter[blocks.best_at[p]]
                    if tied:
                        offer(net, tried, pool, desk.point, key_of(net, desk.point), desk.spare_h)
                    else:
                        for p in range(len(desk.point)):
                            desk.spare_point[p] = desk.point[p]
                        climb(
                            net,
                            tried,
                            pool,
                            desk.spare_point,
                            slack,
                            desk.climbing_h,
                            desk.spare_h,
                            columns.cost,
                        )
            gap = bound - pool.value[last]
            if gap <= slack:
                break
            # Where the bound is reached, or nothing is in hand, only the point itself stands in the way.
            reached = pool.value[last] == NOTHING or (satisfied and value >= smaller(bound, ceiling) - slack)
            struck = strike(columns, blocks, count, free, gap - slack)
            shrank = tighten(rows, lines, columns, blocks, desk, count, free, gap, noise)
            rounds += 1
            if stuck:
                break
            if rounds < ROUNDS and (struck or shrank):
                continue
            stuck = not tied and not reached and highest_chord(rows, lines, uppers, desk, count) == APART
            if not stuck:
                break
        if smaller(bound, ceiling) <= pool.value[last] + slack:
            continue
        children = free + 2
        letters = blocks.first[free] + len(desk.point)
        full = node + children > len(stack.bound) or (
            stack.start[node] + children * letters > len(stack.letter)
        )
        on = AGAIN if full else APART if reached else highest_chord(rows, lines, uppers, desk, count)
        mend = on == APART and not satisfied
        tie = broken_tie(rows, columns, blocks, desk, count, free) if mend else -1
        branch(stack, rows, lines, uppers, columns, blocks, desk, count, free, on, tie, bound, ceiling)
        if full:
            stack.counts[2] = -1
            return STACK_FULL
        on_desk = stack.counts[0] - 1 if on >= 0 and all_open(blocks.first, free) else -1
    return DONE
