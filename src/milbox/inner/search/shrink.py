"""What can be ruled out of a node.

With the best costs of `bound.descend`, the max-marginal of an edge is the longest path through it. No
point through an edge is worth more than the bound less what that path falls short of the longest: an
edge is struck when that does not beat the floor (reduced-cost fixing). In the same way the range of a
unit's input over better points is a longest path with a multiplier for the regret. Edges that all paths
take are folded into the biases.

After that, phases and ranges are certain only at points better than the floor. That is enough: let x be
such a point of the node. No edge of x was struck, its inputs lie within the ranges, and so all later
bounds are valid at x; the floor only rises, so that x is either met or not better any more.
"""

from milbox.arrays import FloatArray
from milbox.compiled.jit import kernel, larger, smaller, vectorised
from milbox.inner.search.bound import copy, draw_line
from milbox.inner.search.passes import extremes, longest, longest_back, longest_lanes, set_costs
from milbox.inner.search.state import (
    ACTIVE,
    AHEAD,
    BASE,
    BEHIND,
    BEST_COST,
    BEST_PRICE,
    BIAS,
    COST,
    EQUAL,
    FIXED,
    GAIN,
    HIGH,
    INACTIVE,
    JUMP,
    LEAST_SUM,
    LETTER_MAP,
    LEVEL,
    LOW,
    NAME,
    NODE_MAP,
    OPEN,
    PHASE,
    PRICE,
    REACH,
    SIZE,
    SLOPE,
    STEP,
    SUFFIX,
    SURELY_ACTIVE,
    SURELY_INACTIVE,
    UNIT,
    UNREACHED,
    USED,
    WEIGHT,
    Desk,
    Lines,
    Problem,
    Room,
)

LOOKS = 3
"""Multipliers tried for the range of a unit."""


@kernel
def find_ranges(lines: Lines, desk: Desk, room: Room) -> None:
    """Find the ranges of the rows' inputs over the node."""
    last, rows = desk.size[0] - 1, lines.shape[1]
    extremes(desk, room.ends[REACH], 1.0)
    for r in range(rows):
        lines[HIGH, r] = smaller(lines[HIGH, r], desk.bias[r] + room.ends[REACH, last, r])
    extremes(desk, room.ends[LEAST_SUM], -1.0)
    for r in range(rows):
        lines[LOW, r] = larger(lines[LOW, r], desk.bias[r] - room.ends[LEAST_SUM, last, r])


@kernel
def settle(net: Problem, lines: Lines) -> bool:
    """Note the phases that ranges make certain; whether points remain."""
    for r in range(lines.shape[1]):
        if r != net.linear:
            if net.tie[r] != UNIT and lines[LOW, r] > 0.0:
                return False
            if not settle_one(lines, r, net.noise):
                return False
    return True


@kernel
def settle_one(lines: Lines, i: int, noise: float) -> bool:
    """Note a phase that the range makes certain; False if the range contradicts an asserted one."""
    phase, low, high = lines[PHASE, i], lines[LOW, i], lines[HIGH, i]
    if phase == LEVEL:
        if low >= 0.0 and high <= 0.0:
            lines[PHASE, i] = SURELY_INACTIVE
        return bool(low <= 0.0 and high >= 0.0)
    if (phase == ACTIVE and high < -noise) or (phase == INACTIVE and low > noise):
        return False
    if low >= 0.0:
        lines[PHASE, i] = SURELY_ACTIVE
    elif high <= 0.0:
        lines[PHASE, i] = SURELY_INACTIVE
    return True


@kernel
def settle_upper(net: Problem, lines: Lines, uppers: Lines, desk: Desk) -> bool:
    """Find ranges of upper inputs by lines above (or below) the outputs of rows; whether points remain."""
    rows, layer = net.above.shape
    nodes, letters = desk.size[0], desk.size[2]
    copy(lines[PRICE], lines[BEST_PRICE], rows)
    for k in range(layer):
        if abs(uppers[PHASE, k]) == SURELY_ACTIVE:
            continue
        for side in range(2):
            way = 1.0 - 2.0 * side
            most = way * net.uppers[BIAS, k]
            reach = 1.0 + net.uppers[SIZE, k]
            for r in range(rows):
                lines[WEIGHT, r] = way * net.above[r, k]
                most += draw_line(lines, r, 1.0)
                open_ = lines[PHASE, r] == OPEN
                price = 1.0 if open_ and lines[HIGH, r] > -lines[LOW, r] else 0.0
                lines[SLOPE, r] = lines[BASE, r] + lines[GAIN, r] * price
                most += lines[SLOPE, r] * desk.bias[r]
                reach += abs(lines[SLOPE, r]) * net.rows[SIZE, r]
            set_costs(desk.table, letters, lines[SLOPE], desk.costs[COST])
            most += longest(
                nodes, desk.first, desk.source, desk.letter, desk.costs[COST], desk.lengths[AHEAD]
            )
            most += net.noise * reach
            if side == 0:
                uppers[HIGH, k] = smaller(uppers[HIGH, k], most)
            else:
                uppers[LOW, k] = larger(uppers[LOW, k], -most)
        if not settle_one(uppers, k, net.noise):
            return False
    copy(lines[BEST_PRICE], lines[PRICE], rows)
    return True


@kernel
def strike(desk: Desk, allowed: float) -> int:
    """Mark in `keep` the edges whose max-marginal falls short of the longest path by less than allowed.

    Returns:
        The number of edges struck.
    """
    nodes = desk.size[0]
    top = longest(nodes, desk.first, desk.source, desk.letter, desk.costs[BEST_COST], desk.lengths[AHEAD])
    longest_back(nodes, desk.first, desk.source, desk.letter, desk.costs[BEST_COST], desk.lengths[BEHIND])
    threshold = top - allowed
    struck = 0
    for v in range(1, nodes):
        for e in range(desk.first[v], desk.first[v + 1]):
            kept = (
                desk.lengths[AHEAD, desk.source[e]]
                + desk.costs[BEST_COST, desk.letter[e]]
                + desk.lengths[BEHIND, v]
                > threshold
            )
            desk.keep[e] = kept
            if not kept:
                struck += 1
    return struck


@kernel
def propagate(net: Problem, lines: Lines, desk: Desk, room: Room) -> int:
    """Mark in `keep` the edges with which every tie can still hold; how many cannot.

    The extreme sums of `find_ranges` must be those of the diagram. Sums of ties are exact, and so are these
    comparisons.
    """
    for e in range(desk.size[1]):
        desk.keep[e] = True
    begin = 0
    while net.tie[begin] == UNIT:
        begin += 1
    end, equal = begin, False
    while end < len(net.tie) and net.tie[end] != UNIT:
        lines[STEP, end] = desk.bias[end]  # no path may make it larger
        equal = equal or net.tie[end] == EQUAL
        end += 1
    struck = strike_untied(desk, room.ends[LEAST_SUM], room.ends[SUFFIX], lines[STEP], -1.0, begin, end)
    if equal:
        for r in range(begin, end):
            lines[STEP, r] = -desk.bias[r] if net.tie[r] == EQUAL else UNREACHED
        struck += strike_untied(desk, room.ends[REACH], room.ends[SUFFIX], lines[STEP], 1.0, begin, end)
    return struck


@vectorised
def strike_untied(
    desk: Desk,
    ahead: FloatArray,
    behind: FloatArray,
    least: FloatArray,
    way: float,
    begin: int,
    end: int,
) -> int:
    """Give up the edges through which the largest sum of way * table is below the least allowed one."""
    nodes = desk.size[0]
    for v in range(nodes - 1):
        for r in range(begin, end):
            behind[v, r] = UNREACHED
    for r in range(begin, end):
        behind[nodes - 1, r] = 0.0
    struck = 0
    for v in range(nodes - 1, 0, -1):
        for e in range(desk.first[v], desk.first[v + 1]):
            u, at = desk.source[e], desk.letter[e]
            short = UNREACHED
            for r in range(begin, end):
                on = behind[v, r] + way * desk.table[at, r]
                behind[u, r] = larger(behind[u, r], on)
                short = larger(short, least[r] - (ahead[u, r] + on))
            if short > 0.0 and desk.keep[e]:
                desk.keep[e] = False
                struck += 1
    return struck


@kernel
def satisfy(net: Problem, lines: Lines, desk: Desk, room: Room) -> bool:
    """Leave out edges with which some tie cannot hold, as long as there are any; whether points remain."""
    while propagate(net, lines, desk, room) > 0:
        if not compact(desk):
            return False
        fold(net, desk)
        if desk.size[0] == 1:
            break
        find_ranges(lines, desk, room)
        if not settle(net, lines):
            return False
    return True


@kernel
def trim(desk: Desk) -> bool:
    """Give up kept edges that lie on no path of kept edges; whether there is such a path."""
    nodes = desk.size[0]
    for v in range(nodes):
        desk.marks[NODE_MAP, v] = 0
    desk.marks[NODE_MAP, 0] = 1
    for v in range(1, nodes):
        for e in range(desk.first[v], desk.first[v + 1]):
            if desk.keep[e]:
                if desk.marks[NODE_MAP, desk.source[e]] == 1:
                    desk.marks[NODE_MAP, v] = 1
                else:
                    desk.keep[e] = False
    if desk.marks[NODE_MAP, nodes - 1] == 0:
        return False
    for v in range(nodes - 1):
        desk.marks[NODE_MAP, v] = 0
    for v in range(nodes - 1, 0, -1):
        for e in range(desk.first[v], desk.first[v + 1]):
            if desk.keep[e]:
                if desk.marks[NODE_MAP, v] == 1:
                    desk.marks[NODE_MAP, desk.source[e]] = 1
                else:
                    desk.keep[e] = False
    return bool(desk.marks[NODE_MAP, 0] == 1)


@kernel
def compact(desk: Desk) -> bool:
    """Leave out edges not kept or on no path, and nodes and letters without any; whether a path is left.

    Max-marginals keep whole paths but for rounding, so that dead ends are rare.
    """
    while True:
        nodes, letters = desk.size[0], desk.size[2]
        for i in range(letters):
            desk.names[LETTER_MAP, i] = -1
        desk.marks[NODE_MAP, 0] = 0
        desk.marks[JUMP, 0] = 0
        left, edges = 1, 0
        for v in range(1, nodes):
            begin = edges
            for e in range(desk.first[v], desk.first[v + 1]):
                if desk.keep[e]:
                    u = desk.marks[NODE_MAP, desk.source[e]]
                    if u >= 0:
                        desk.source[edges] = u
                        desk.letter[edges] = desk.letter[e]
                        desk.names[LETTER_MAP, desk.letter[e]] = 0
                        desk.marks[JUMP, u] = 1  # it has a way on
                        edges += 1
            if edges > begin:
                desk.marks[NODE_MAP, v] = left
                desk.first[left] = begin
                desk.marks[JUMP, left] = 0
                left += 1
            else:
                desk.marks[NODE_MAP, v] = -1
        if desk.marks[NODE_MAP, nodes - 1] < 0:
            return False
        desk.first[left] = edges
        desk.size[0], desk.size[1] = left, edges
        pack_letters(desk)
        dead_ends = False
        for v in range(left - 1):
            if desk.marks[JUMP, v] == 0:
                dead_ends = True
        if not dead_ends:
            return True
        for e in range(edges):
            desk.keep[e] = True
        trim(desk)


@kernel
def pack_letters(desk: Desk) -> None:
    """Renumber the letters that are marked in `letter_map`."""
    rows = desk.table.shape[1]
    left = 0
    for i in range(desk.size[2]):
        if desk.names[LETTER_MAP, i] == 0:
            desk.names[LETTER_MAP, i] = left
            if left != i:
                desk.names[NAME, left] = desk.names[NAME, i]
                desk.costs[BEST_COST, left] = desk.costs[BEST_COST, i]
                desk.costs[USED, left] = desk.costs[USED, i]
                for r in range(rows):
                    desk.table[left, r] = desk.table[i, r]
            left += 1
    for e in range(desk.size[1]):
        desk.letter[e] = desk.names[LETTER_MAP, desk.letter[e]]
    desk.size[2] = left


@kernel
def fold(net: Problem, desk: Desk) -> bool:
    """Fold edges that every path takes into the biases; whether there were any.

    A node is on every path if no edge jumps over it; if one edge alone leads there, that edge is too.
    """
    nodes, rows = desk.size[0], desk.table.shape[1]
    least = nodes
    for v in range(nodes - 1, 0, -1):
        desk.marks[JUMP, v] = least  # the least source of an edge to a node behind v
        for e in range(desk.first[v], desk.first[v + 1]):
            least = min(least, desk.source[e])
    forced = 0
    for v in range(1, nodes):
        if desk.first[v + 1] - desk.first[v] == 1 and desk.marks[JUMP, v] >= v:
            forced += 1
    if forced == 0:
        return False
    for i in range(desk.size[2]):
        desk.names[LETTER_MAP, i] = -1
    desk.marks[NODE_MAP, 0] = 0
    left, edges = 1, 0
    for v in range(1, nodes):
        begin, end = desk.first[v], desk.first[v + 1]
        if end - begin == 1 and desk.marks[JUMP, v] >= v:
            at = desk.letter[begin]
            desk.marks[NODE_MAP, v] = desk.marks[NODE_MAP, desk.source[begin]]
            for r in range(rows):
                desk.bias[r] += desk.table[at, r]
            desk.steps[FIXED, desk.size[3]] = desk.names[NAME, at]
            desk.size[3] += 1
            desk.size[4] ^= net.key[desk.names[NAME, at]]
            continue
        here = edges
        for e in range(begin, end):
            desk.source[edges] = desk.marks[NODE_MAP, desk.source[e]]
            desk.letter[edges] = desk.letter[e]
            desk.names[LETTER_MAP, desk.letter[e]] = 0
            edges += 1
        desk.marks[NODE_MAP, v] = left
        desk.first[left] = here
        left += 1
    desk.first[left] = edges
    desk.size[0], desk.size[1] = left, edges
    pack_letters(desk)
    return True


@kernel
def tighten(net: Problem, lines: Lines, desk: Desk, room: Room, top: float, gap: float, error: float) -> bool:
    """Shrink the ranges of open rows to what better points can reach; whether any shrank by much.

    A better point falls short of the longest path by less than the gap. For any multiplier p >= 0, way * h is
    at most the longest path for way * table + p * cost, less p * (top - gap). With one layer only chords
    matter.
    """
    rows, layer = net.above.shape
    letters, last = desk.size[2], desk.size[0] - 1
    shrank = False
    begin = 0
    while begin < 2 * rows:
        # Eight lanes at a time, each a row and a side: 2 * row + side.
        count = 0
        while begin < 2 * rows and count < 8:
            r = begin // 2
            if lines[PHASE, r] == OPEN and net.tie[r] == UNIT and (lines[WEIGHT, r] > 0.0 or layer > 0):
                room.top[count] = begin
                count += 1
            begin += 1
        if count == 0:
            break
        for k in range(count):
            r, side = int(room.top[k]) // 2, int(room.top[k]) % 2
            slope = abs(lines[WEIGHT, r] - lines[SLOPE, r]) if side == 0 else abs(lines[SLOPE, r])
            room.top[8 + k] = 1.0 / larger(slope, 0.001)  # the multiplier
            room.top[16 + k] = 1.0  # its next factor
            room.top[24 + k] = 1e300  # the least bound
        for _ in range(LOOKS):
            for i in range(letters):
                for k in range(8):
                    room.lane_cost[i, k] = 0.0
            for k in range(count):
                r, way = int(room.top[k]) // 2, 1.0 - 2.0 * (int(room.top[k]) % 2)
                price = room.top[8 + k] * room.top[16 + k]
                for i in range(letters):
                    room.lane_cost[i, k] = way * desk.table[i, r] + price * desk.costs[BEST_COST, i]
            longest_lanes(desk, room.lane_cost, room.lanes)
            for k in range(count):
                price = room.top[8 + k] * room.top[16 + k]
                far = room.lanes[last, k] - price * (top - gap) + 2.0 * (price * error + net.noise)
                if far < room.top[24 + k]:
                    room.top[24 + k] = far
                    room.top[8 + k] = price
                    if room.top[16 + k] == 1.0:
                        room.top[16 + k] = 3.0
                else:
                    room.top[16 + k] = 1.0 / room.top[16 + k]
        for k in range(count):
            r, far = int(room.top[k]) // 2, room.top[24 + k]
            width = lines[HIGH, r] - lines[LOW, r]
            if int(room.top[k]) % 2 == 0:
                lines[HIGH, r] = smaller(lines[HIGH, r], desk.bias[r] + far)
            else:
                lines[LOW, r] = larger(lines[LOW, r], desk.bias[r] - far)
            if lines[HIGH, r] <= 0.0 or lines[LOW, r] >= 0.0 or lines[HIGH, r] - lines[LOW, r] < 0.9 * width:
                shrank = True
    return shrank
