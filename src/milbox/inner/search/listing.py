"""Enumeration of the paths that several Lagrangian bounds leave."""

import numpy as np

from milbox.arrays import FloatArray, IntArray
from milbox.compiled.jit import inlined, inlined_sum, kernel, larger, owner, smaller
from milbox.inner.search.bound import copy, draw_all, floor_of, set_slopes
from milbox.inner.search.incumbents import offer_path
from milbox.inner.search.passes import longest, set_costs, worth
from milbox.inner.search.state import (
    AHEAD,
    BELOW,
    BEST_PRICE,
    BIAS,
    COST,
    GAIN,
    LEAST,
    MOST,
    OUTPUT,
    PATH,
    PRICE,
    SIZE,
    SLOPE,
    Desk,
    H,
    Int,
    Lines,
    Pool,
    Problem,
    Tried,
)

KINDS = 8
"""Sets of multipliers that prune an enumeration."""


@kernel
def count_paths(desk: Desk) -> float:
    """The number of paths."""
    ways = desk.lengths[AHEAD]
    ways[0] = 1.0
    for v in range(1, desk.size[0]):
        total = 0.0
        for e in range(desk.first[v], desk.first[v + 1]):
            total += ways[desk.source[e]]
        ways[v] = total
    return float(ways[desk.size[0] - 1])


@owner
def list_paths(
    net: Problem,
    tried: Tried,
    pool: Pool,
    lines: Lines,
    uppers: Lines,
    desk: Desk,
    lowest: float,
    kinds: Int,
    checks: float,
) -> bool:
    """Look at all paths depth first from the terminal; give up a part when one of several bounds says so.

    The sets of multipliers are the best one, and that moved along single prices both ways, by about as much
    as costs half of the gap: what is right for the whole node need not be for a part of it.

    Returns:
        Whether all paths were looked at within so many checks.
    """
    nodes, letters = desk.size[0], desk.size[2]
    rows = len(net.rows[BIAS])
    gap = lowest - floor_of(pool)
    ahead, cost = np.empty((nodes, kinds)), np.empty((letters, kinds))
    rest = np.empty(kinds)  # what is added to a path's costs, so that the sum is a bound
    copy(lines[PRICE], lines[BEST_PRICE], rows)
    count = 0
    pick = -1
    while count < kinds and pick < 2 * rows:
        copy(lines[BEST_PRICE], lines[PRICE], rows)
        r, up = pick // 2, pick % 2 == 0
        use = True
        if pick >= 0:
            price, least, most = lines[BEST_PRICE, r], lines[LEAST, r], lines[MOST, r]
            use = lines[GAIN, r] != 0.0 and least < price < most
        pick += 1
        if not use:
            continue
        size = 0.2
        total = 0.0
        for again in range(2 if pick > 0 else 1):
            if pick > 0:
                moved = lines[BEST_PRICE, r] + (size if up else -size)
                lines[PRICE, r] = smaller(larger(moved, lines[LEAST, r]), lines[MOST, r])
            # With upper units their prices stay, and so do all lines but for the slopes of rows.
            constant, upper_reach = draw_all(net, lines, uppers)
            added, reach = set_slopes(lines, desk.bias, net.rows[SIZE], rows)
            set_costs(desk.table, letters, lines[SLOPE], desk.costs[COST])
            total = constant + added + 2.0 * net.noise * (1.0 + reach + upper_reach)
            rise = (
                total
                + longest(nodes, desk.first, desk.source, desk.letter, desk.costs[COST], desk.lengths[AHEAD])
                - lowest
            )
            if again == 1 or rise <= 0.7 * gap:
                break
            size *= 0.5 * gap / rise
        for v in range(nodes):
            ahead[v, count] = desk.lengths[AHEAD, v]
        for i in range(letters):
            cost[i, count] = desk.costs[COST, i]
        rest[count] = total
        count += 1
    copy(lines[BEST_PRICE], lines[PRICE], rows)
    depth = net.longest + 2
    h, so_far = np.empty((depth, rows)), np.empty((depth, kinds))
    at, next_edge = np.empty(depth, np.int64), np.empty(depth, np.int64)
    at[0], next_edge[0] = nodes - 1, desk.first[nodes - 1]
    for r in range(rows):
        h[0, r] = desk.bias[r]
    for k in range(count):
        so_far[0, k] = rest[k]
    return look_at_paths(
        net, tried, pool, uppers[H], desk, ahead, cost, count, h, so_far, at, next_edge, checks
    )


@kernel
def look_at_paths(
    net: Problem,
    tried: Tried,
    pool: Pool,
    z: FloatArray,
    desk: Desk,
    ahead: FloatArray,
    cost: FloatArray,
    count: int,
    h: FloatArray,
    so_far: FloatArray,
    at: IntArray,
    next_edge: IntArray,
    checks: float,
) -> bool:
    """The walk of `list_paths`: on each level the node, its next edge, and the inputs and costs so far."""
    first, source, letter, table = desk.first, desk.source, desk.letter, desk.table
    weight, below = net.rows[OUTPUT], net.rows[BELOW]
    deep = net.above.shape[1] > 0
    floor = floor_of(pool) + net.slack
    done = 0.0
    d = 0
    while d >= 0:
        v, e = at[d], next_edge[d]
        if e == first[v + 1]:
            d -= 1
            continue
        next_edge[d] = e + 1
        done += 1.0
        if done > checks:
            return False
        u, i = source[e], letter[e]
        possible = True
        for k in range(count):
            if ahead[u, k] + cost[i, k] + so_far[d, k] <= floor:
                possible = False
                break
        if not possible:
            continue
        if u == 0 and not deep:
            value = ended(h[d], table[i], weight, below)
            if value <= floor:
                continue
        add(h[d], table[i], h[d + 1])
        if u == 0:
            value = worth(net.rows, net.above, net.uppers, h[d + 1], z)
            if value > floor:
                for j in range(d + 1):
                    desk.steps[PATH, j] = next_edge[j] - 1
                offer_path(net, tried, pool, desk, desk.steps[PATH], d + 1, h[d + 1], value)
                floor = floor_of(pool) + net.slack
            continue
        for k in range(count):
            so_far[d + 1, k] = so_far[d, k] + cost[i, k]
        d += 1
        at[d], next_edge[d] = u, first[u]
    return True


@inlined_sum
def ended(h: FloatArray, adds: FloatArray, weight: FloatArray, below: FloatArray) -> float:
    """The value of inputs h and what a last letter adds, without upper units."""
    total = 0.0
    for r in range(len(weight)):
        sum_ = h[r] + adds[r]
        total += weight[r] * larger(sum_, 0.0) + below[r] * smaller(sum_, 0.0)
    return total


@inlined
def add(h: FloatArray, adds: FloatArray, total: FloatArray) -> None:
    """Set total = h + adds."""
    for r in range(len(adds)):
        total[r] = h[r] + adds[r]
