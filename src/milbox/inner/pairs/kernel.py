"""The compiled search over sets of moves: depth first, with a bound from pairs.

A set of moves, at most one of each group, is worth the sum of their gains and of the interactions of its
pairs. Let k moves be left. A move m adds at most its gain plus half of its k - 1 largest positive
interactions, one for each other group, since each pair is shared by two moves. The k largest of these
numbers, one for each group, bound what all further moves add: the bound of roof duality for a fixed split.

At a point that breaks a diagram or a sum, some further move must change a variable of it, so the search
branches on these moves alone. How many variables of a diagram still have to change follows from two passes
over its edges, one from each end, and after one move more from the edges of the layer that it changes. A move
that was branched on is not made in the branches of its later siblings, so that no set is met twice.
"""

from typing import NamedTuple

import numpy as np

from milbox.arrays import BoolArray, FloatArray, IntArray
from milbox.compiled.jit import entry, inlined, kernel, larger, owner

FEW = 16
"""Half-interactions are computed afresh where so many moves are left at most, and near the root."""

FAR = 1 << 30
WITHIN = 1e-9
"""By how much a sum may miss its limits, since it is a sum of whole numbers."""


class Task(NamedTuple):
    """Moves, what they are worth, and what they have to keep."""

    gain: FloatArray
    """(moves,)"""
    cross: FloatArray
    """(moves, moves)"""
    group: IntArray
    """(moves,), in ascending order"""
    cost: IntArray
    """(moves,): the variables that change"""
    slot: IntArray
    """(moves,): the layer of the diagrams that a move changes; -1 where it is in none."""
    letter: IntArray
    """(moves,): the letter it gives that layer."""
    start: IntArray
    """(layers,): the letters of the point that moves start from."""
    ties: FloatArray
    """(moves, sums)"""
    steps: FloatArray
    """(2, sums): the most that a changed variable adds to a sum, and takes from it."""
    lower: FloatArray
    upper: FloatArray
    first_layer: IntArray
    nodes: IntArray
    first: IntArray
    source: IntArray
    edge_letter: IntArray
    tried: IntArray
    """(points, groups): the move that each point not wanted makes of each group; -1 for none."""


class Desk(NamedTuple):
    """Room to work in. Rows are depths: at each, the moves that are left, in the order of their groups."""

    alive: IntArray
    """(depths, moves)"""
    counts: IntArray
    """(depths,)"""
    gain: FloatArray
    half: FloatArray
    """(depths, moves): half of the largest interactions of each move."""
    removed: BoolArray
    """(depths, moves): whether the move in that place was branched on."""
    order: IntArray
    """(depths, moves): places of the moves to branch on, best first."""
    upper: FloatArray
    """(depths, moves): no set with the move in that place is worth more."""
    branches: IntArray
    """(depths,)"""
    at: IntArray
    """(depths,): the next branch."""
    value: FloatArray
    left: IntArray
    """(depths,): variables that may still change."""
    needed: IntArray
    """(depths, diagrams): how many variables have to change at least."""
    activity: FloatArray
    """(depths, sums)"""
    chosen: IntArray
    """(depths,): the move that led to the node."""
    now: IntArray
    """(layers,): the letters of the point at hand."""
    fixed: BoolArray
    """(layers,): whether the layer was changed."""
    measured: BoolArray
    """(depths, diagrams): whether the next two are known."""
    ahead: IntArray
    """(depths, nodes): how many layers have to change from the root to the node."""
    behind: IntArray
    """(depths, nodes): the same from the node to the terminal."""
    top: FloatArray
    """(depths,)"""
    best: IntArray
    """(depths,): the moves of the best set, -1 behind the last."""


class Ended(NamedTuple):
    """How a search ended: the value of the best set, a bound on all, nodes, and whether all is done."""

    value: float
    bound: float
    nodes: int
    complete: bool
    met: bool
    """Whether a set was met that is worth more than what was known."""


@kernel
def keep_largest(top: FloatArray, count: int, value: float) -> None:
    """Put a value into its place among the `count` largest, which are in descending order."""
    if value <= top[count - 1]:
        return
    k = count - 1
    while k > 0 and top[k - 1] < value:
        top[k] = top[k - 1]
        k -= 1
    top[k] = value


@kernel
def measure(task: Task, desk: Desk, depth: int, part: int) -> int:
    """How many layers have to change from a diagram's root to each node, and from each node to the terminal.

    Layers that were changed stay as they are. Returns how many edges were looked at.
    """
    ahead, behind, begin = desk.ahead[depth], desk.behind[depth], task.first_layer[part]
    base, layers = begin + part, task.first_layer[part + 1] - begin
    root, terminal = task.nodes[base], task.nodes[base + layers]
    for node in range(root, terminal):
        behind[node] = FAR
    ahead[root], behind[terminal] = 0, 0
    for at in range(layers):
        now, change = desk.now[begin + at], FAR if desk.fixed[begin + at] else 1
        for node in range(task.nodes[base + at + 1], end_of(task, base, at + 1, layers)):
            least = FAR
            for edge in range(task.first[node], task.first[node + 1]):
                away = ahead[task.source[edge]] + (0 if task.edge_letter[edge] == now else change)
                least = min(least, away)
            ahead[node] = least
    for at in range(layers - 1, -1, -1):
        now, change = desk.now[begin + at], FAR if desk.fixed[begin + at] else 1
        for node in range(task.nodes[base + at + 1], end_of(task, base, at + 1, layers)):
            for edge in range(task.first[node], task.first[node + 1]):
                away = behind[node] + (0 if task.edge_letter[edge] == now else change)
                behind[task.source[edge]] = min(behind[task.source[edge]], away)
    return int(2 * (task.first[terminal + 1] - task.first[root]))


@inlined
def end_of(task: Task, base: int, at: int, layers: int) -> int:
    """The node behind the last one of a layer; the terminal is a layer of one node."""
    return int(task.nodes[base + at + 1] if at < layers else task.nodes[base + at] + 1)


@kernel
def still_needed(task: Task, desk: Desk, depth: int, move: int, part: int) -> tuple[int, int]:
    """The least number of layers of a diagram that have to change after a move, beside those changed so far.

    Also how many edges were looked at.
    """
    ahead, behind = desk.ahead[depth], desk.behind[depth]
    begin = task.first_layer[part]
    base, layers, at = begin + part, task.first_layer[part + 1] - begin, task.slot[move] - begin
    needed, after = FAR, end_of(task, base, at + 1, layers)
    for node in range(task.nodes[base + at + 1], after):
        for edge in range(task.first[node], task.first[node + 1]):
            if task.edge_letter[edge] == task.letter[move]:
                needed = min(needed, ahead[task.source[edge]] + behind[node])
    return int(needed), int(task.first[after] - task.first[task.nodes[base + at + 1]])


@kernel
def is_tried(task: Task, desk: Desk, depth: int) -> bool:
    """Whether the point at hand is one of those that are not wanted."""
    groups = task.tried.shape[1]
    for row in range(len(task.tried)):
        same = True
        for d in range(1, depth + 1):
            move = desk.chosen[d]
            if task.tried[row, task.group[move]] != move:
                same = False
                break
        if not same:
            continue
        changed = 0
        for g in range(groups):
            if task.tried[row, g] != -1:
                changed += 1
        if changed == depth:
            return True
    return False


@kernel
def halves(task: Task, desk: Desk, depth: int, count: int, most: int) -> None:
    """Half of the `most` largest positive interactions of each move left, one for each other group."""
    alive, top = desk.alive[depth], desk.top
    for a in range(count):
        move = alive[a]
        own = task.group[move]
        row = task.cross[move]
        for k in range(most):
            top[k] = 0.0
        b = 0
        while b < count:
            other = task.group[alive[b]]
            largest = 0.0
            while b < count and task.group[alive[b]] == other:
                largest = larger(largest, row[alive[b]])
                b += 1
            if other != own and largest > 0.0:
                keep_largest(top, most, largest)
        total = 0.0
        for k in range(most):
            total += top[k]
        desk.half[depth, a] = 0.5 * total


@inlined
def misses(activity: float, lower: float, upper: float) -> int:
    """-1 where a sum is too small, 1 where it is too large, else 0."""
    if activity < lower - WITHIN:
        return -1
    return 1 if activity > upper + WITHIN else 0


@kernel
def above(task: Task, desk: Desk, depth: int, count: int, most: int, best: float) -> int:
    """Keep the moves that may lead above `best` with up to `most` moves in all; returns how many are left."""
    alive, gain, half, top = desk.alive[depth], desk.gain[depth], desk.half[depth], desk.top
    value = desk.value[depth]
    # The `most` largest, one for each group.
    for k in range(most):
        top[k] = 0.0
    a = 0
    while a < count:
        own = task.group[alive[a]]
        largest = 0.0
        while a < count and task.group[alive[a]] == own:
            largest = larger(largest, gain[a] + half[a])
            a += 1
        keep_largest(top, most, largest)
    all_but_one = 0.0
    for k in range(most - 1):
        all_but_one += top[k]
    last = top[most - 1]
    kept = 0
    a = 0
    while a < count:
        own = task.group[alive[a]]
        begin, largest = a, 0.0
        while a < count and task.group[alive[a]] == own:
            largest = larger(largest, gain[a] + half[a])
            a += 1
        # What the best other groups add: the largest, without this group where it is among them.
        others = all_but_one if largest <= last else all_but_one - largest + last
        for b in range(begin, a):
            upper = value + gain[b] + half[b] + others
            if upper > best:
                alive[kept], gain[kept], half[kept] = alive[b], gain[b], half[b]
                desk.upper[depth, kept] = upper
                kept += 1
    return kept


@owner
def opened(task: Task, desk: Desk, depth: int, cheapest: int, best: float) -> int:
    """Prepare the branches of a node; returns what that cost.

    Moves that cannot lead above `best` are left out.
    """
    left = desk.left[depth]
    desk.at[depth] = 0
    desk.branches[depth] = 0
    work = 1 + len(task.lower)
    needed, broken = 0, -1
    for part in range(desk.needed.shape[1]):
        needed += desk.needed[depth, part]
        if desk.needed[depth, part] > 0:
            broken = part
    if needed > left:
        return work
    tie, way = -1, 0
    for t in range(len(task.lower)):
        side = misses(desk.activity[depth, t], task.lower[t], task.upper[t])
        if side < 0 and desk.activity[depth, t] + left * task.steps[0, t] < task.lower[t] - WITHIN:
            return work
        if side > 0 and desk.activity[depth, t] - left * task.steps[1, t] > task.upper[t] + WITHIN:
            return work
        if side != 0:
            tie, way = t, side
    most = min(left // cheapest, len(desk.top) - 2)  # of each group one at most
    if most == 0:
        return work
    # The moves that there is room for.
    alive, gain, half, removed = desk.alive[depth], desk.gain[depth], desk.half[depth], desk.removed[depth]
    count = 0
    for a in range(desk.counts[depth]):
        if task.cost[alive[a]] <= left:
            alive[count], gain[count], half[count], removed[count] = alive[a], gain[a], half[a], False
            count += 1
    desk.counts[depth] = count
    if count == 0:
        return work
    work += 4 * count
    if most == 1:
        for a in range(count):
            half[a] = 0.0
    if depth > 0 or most == 1:
        # What is known from the node above rules many out, before interactions are looked at.
        count = above(task, desk, depth, count, most, best)
    fewer = most > 1 and (depth <= 1 or count <= FEW)
    while fewer:
        halves(task, desk, depth, count, most - 1)
        work += count * count + 4 * count
        kept = above(task, desk, depth, count, most, best)
        fewer = 0 < kept < count - count // 4
        count = kept
    desk.counts[depth] = kept = count
    # The moves that mend what is broken, or all.
    branches = 0
    order = desk.order[depth]
    for a in range(kept):
        move = alive[a]
        if broken >= 0:
            layer = task.slot[move]
            wanted = layer >= task.first_layer[broken] and layer < task.first_layer[broken + 1]
        elif tie >= 0:
            wanted = task.ties[move, tie] * way < 0.0
        else:
            wanted = True
        if wanted:
            order[branches] = a
            branches += 1
    ranked = np.argsort(-desk.upper[depth][order[:branches]])
    work += 8 * branches
    places = order[:branches].copy()
    for b in range(branches):
        order[b] = places[ranked[b]]
    desk.branches[depth] = branches
    return work


@entry
def search(task: Task, desk: Desk, radius: int, cheapest: int, best: float, limit: int) -> Ended:
    """The best set of moves that changes at most `radius` variables and is worth more than `best`.

    The search ends when all sets are looked at or ruled out, or when it did as much work as the limit.
    """
    moves = len(task.gain)
    for a in range(moves):
        desk.alive[0, a], desk.gain[0, a], desk.half[0, a] = a, task.gain[a], 0.0
    desk.counts[0] = moves
    desk.value[0], desk.left[0] = 0.0, radius
    nodes, work, depth = 0, 0, 0
    entering, stopped, met = True, False, False
    while True:
        if entering:
            entering = False
            nodes += 1
            desk.measured[depth] = False  # of every diagram
            if desk.value[depth] > best:
                holds = True
                for part in range(desk.needed.shape[1]):
                    if desk.needed[depth, part] > 0:
                        holds = False
                for t in range(len(task.lower)):
                    if misses(desk.activity[depth, t], task.lower[t], task.upper[t]) != 0:
                        holds = False
                if holds:
                    work += len(task.tried)
                    if not is_tried(task, desk, depth):
                        best, met = desk.value[depth], True
                        for d in range(len(desk.best)):
                            desk.best[d] = desk.chosen[d + 1] if d < depth else -1
            work += opened(task, desk, depth, cheapest, best)
        if work > limit:
            stopped = True
            break
        # The next branch that may lead above the best.
        found = -1
        while desk.at[depth] < desk.branches[depth]:
            place = desk.order[depth, desk.at[depth]]
            desk.at[depth] += 1
            if desk.upper[depth, place] > best:
                found = place
                break
            desk.at[depth] = desk.branches[depth]  # the others are worth less
        if found < 0:
            if depth == 0:
                break
            layer = task.slot[desk.chosen[depth]]
            if layer >= 0:
                desk.fixed[layer] = False
                desk.now[layer] = task.start[layer]
            depth -= 1
            continue
        move = desk.alive[depth, found]
        desk.removed[depth, found] = True
        row, own, count = task.cross[move], task.group[move], 0
        for a in range(desk.counts[depth]):
            other = desk.alive[depth, a]
            if task.group[other] != own and not desk.removed[depth, a]:
                desk.alive[depth + 1, count] = other
                desk.gain[depth + 1, count] = desk.gain[depth, a] + row[other]
                desk.half[depth + 1, count] = desk.half[depth, a]
                count += 1
        work += desk.counts[depth]
        desk.counts[depth + 1] = count
        desk.value[depth + 1] = desk.value[depth] + desk.gain[depth, found]
        desk.left[depth + 1] = desk.left[depth] - task.cost[move]
        desk.chosen[depth + 1] = move
        for t in range(len(task.lower)):
            desk.activity[depth + 1, t] = desk.activity[depth, t] + task.ties[move, t]
        for part in range(desk.needed.shape[1]):
            desk.needed[depth + 1, part] = desk.needed[depth, part]
        layer = task.slot[move]
        if layer >= 0:
            part = np.searchsorted(task.first_layer, layer, side="right") - 1
            if not desk.measured[depth, part]:
                work += measure(task, desk, depth, part)
                desk.measured[depth, part] = True
            desk.needed[depth + 1, part], edges = still_needed(task, desk, depth, move, part)
            work += edges
            desk.fixed[layer] = True
            desk.now[layer] = task.letter[move]
        depth += 1
        entering = True
    bound = best
    if stopped:
        for d in range(depth + 1):
            if desk.at[d] < desk.branches[d]:
                bound = max(bound, desk.upper[d, desk.order[d, desk.at[d]]])
    return Ended(best, bound, nodes, not stopped, met)
