"""Tabu search over sets of moves: a start for the exact search of a large ball.

A step gives one group the move, or none, that is worth most, better or not. What was changed stays so for a
while, unless changing it leads to more than was ever met; so the search leaves local optima.

Where sums tie groups together, a change that breaks one begins an ejection chain (Glover 1996): changes of
other groups follow until all sums hold again, and the whole chain is one step. Diagrams are not kept.
"""

from typing import NamedTuple

import numpy as np

from milbox.arrays import FloatArray, IntArray
from milbox.compiled.jit import entry, inlined, kernel, larger
from milbox.compiled.random import STEP, bounded, mixed
from milbox.inner.pairs.kernel import WITHIN, Task

TENURE = 5
"""A changed group stays for so many steps, and for up to a fifth of the number of groups more, by chance.
With sums it is at most a sixth of the number of groups, since a chain changes several."""

LEADERS = 8
"""So many of the changes that break sums begin a chain, those that are worth most."""

LINKS = 3
"""The most changes of a chain."""


class Bench(NamedTuple):
    """Room to work in. A change is a move, or, behind the moves, a group that takes its move back."""

    field: FloatArray
    """(moves,): what each move adds to the moves that other groups have made."""
    chosen: IntArray
    """(groups,): the move of each group; -1 for none."""
    until: IntArray
    """(groups,): the step from which the group may change again."""
    best: IntArray
    """(groups,): the moves of the best set."""
    activity: FloatArray
    """(sums,): what the moves add to each sum."""
    leader: IntArray
    """(LEADERS,): the changes that may begin a chain, best first."""
    led: FloatArray
    """(LEADERS,): what they add."""
    undo: IntArray
    """(LINKS,): the changes that take those of the chain at hand back."""
    links: IntArray
    """(LINKS,): the changes of the chain at hand; -1 behind the last."""
    chain: IntArray
    """(LINKS,): the changes of the best chain of a step; -1 behind the last."""


class Now(NamedTuple):
    """Where the search is."""

    step: int
    radius: int
    """How many variables may differ from the start."""
    record: float
    """The largest value of all sets that were met, wanted or not."""


@inlined
def group_of(task: Task, change: int) -> int:
    """The group that a change is about."""
    moves = len(task.gain)
    return task.group[change] if change < moves else change - moves


@inlined
def taken_back(task: Task, bench: Bench, group: int) -> int:
    """The change that gives a group what it has now."""
    current = bench.chosen[group]
    return current if current >= 0 else len(task.gain) + group


@inlined
def adds_of(task: Task, bench: Bench, change: int) -> float:
    """What a change adds to the value."""
    current = bench.chosen[group_of(task, change)]
    adds = bench.field[change] if change < len(task.gain) else 0.0
    return adds - bench.field[current] if current >= 0 else adds


@inlined
def spends_of(task: Task, bench: Bench, change: int) -> int:
    """In how many variables more the point differs from the start after a change."""
    current = bench.chosen[group_of(task, change)]
    spends = task.cost[change] if change < len(task.gain) else 0
    return spends - task.cost[current] if current >= 0 else spends


@inlined
def missed_by(activity: float, lower: float, upper: float) -> float:
    """By how much a sum misses its limits; 0 where it holds."""
    by = larger(lower - activity, activity - upper)
    return by if by > WITHIN else 0.0


@kernel
def excess(task: Task, bench: Bench, change: int) -> float:
    """By how much the sums miss their limits after a change, in total; 0 where all hold."""
    current, missed = bench.chosen[group_of(task, change)], 0.0
    for k in range(len(task.lower)):
        activity = bench.activity[k]
        if change < len(task.gain):
            activity += task.ties[change, k]
        if current >= 0:
            activity -= task.ties[current, k]
        missed += missed_by(activity, task.lower[k], task.upper[k])
    return missed


@kernel
def make(task: Task, bench: Bench, change: int) -> None:
    """Change a group."""
    moves, group = len(task.gain), group_of(task, change)
    to, current = change if change < moves else -1, bench.chosen[group]
    for m in range(moves):
        if task.group[m] != group:
            if to >= 0:
                bench.field[m] += task.cross[m, to]
            if current >= 0:
                bench.field[m] -= task.cross[m, current]
    for k in range(len(task.lower)):
        if to >= 0:
            bench.activity[k] += task.ties[to, k]
        if current >= 0:
            bench.activity[k] -= task.ties[current, k]
    bench.chosen[group] = to


@inlined
def is_barred(task: Task, bench: Bench, change: int, spent: int, value: float, now: Now) -> bool:
    """Whether a change leads out of the ball, or is tabu and leads to no record."""
    if spent + spends_of(task, bench, change) > now.radius:
        return True
    group = group_of(task, change)
    return bench.until[group] > now.step and value + adds_of(task, bench, change) <= now.record


@kernel
def keep_leader(bench: Bench, change: int, adds: float) -> None:
    """Put a change into its place among those that may begin a chain."""
    k = LEADERS - 1
    while k > 0 and bench.led[k - 1] < adds:
        bench.led[k], bench.leader[k] = bench.led[k - 1], bench.leader[k - 1]
        k -= 1
    bench.led[k], bench.leader[k] = adds, change


@kernel
def next_link(task: Task, bench: Bench, spent: int, value: float, now: Now) -> int:
    """The change that follows in a chain: the best that mends all sums, else the best that mends some.

    -1 where there is none.
    """
    before = 0.0
    for k in range(len(task.lower)):
        before += missed_by(bench.activity[k], task.lower[k], task.upper[k])
    closing, closed, mending, mended = -1, -np.inf, -1, -np.inf
    for change in range(len(task.gain) + len(bench.chosen)):
        group = group_of(task, change)
        if change == taken_back(task, bench, group):
            continue
        adds = adds_of(task, bench, change)
        if adds <= closed:
            continue
        if is_barred(task, bench, change, spent, value, now):
            continue
        linked = False
        for k in range(LINKS):
            if bench.links[k] >= 0 and group_of(task, bench.links[k]) == group:
                linked = True
        if linked:
            continue
        missed = excess(task, bench, change)
        if missed == 0.0:
            closing, closed = change, adds
        elif missed < before - WITHIN and adds > mended:
            mending, mended = change, adds
    return closing if closing >= 0 else mending


@kernel
def follow(task: Task, bench: Bench, leader: int, spent: int, value: float, now: Now) -> float:
    """What the chain that a change begins adds to the value, once all sums hold; -inf where they never do.

    The chain is in `links`, and nothing is changed in the end.
    """
    made, total, change = 0, 0.0, leader
    bench.links[:] = -1
    while True:
        total += adds_of(task, bench, change)
        spent += spends_of(task, bench, change)
        holds = excess(task, bench, change) == 0.0
        bench.links[made] = change
        if holds or made == LINKS - 1:
            break
        bench.undo[made] = taken_back(task, bench, group_of(task, change))
        make(task, bench, change)
        made += 1
        change = next_link(task, bench, spent, value + total, now)
        if change < 0:
            break
    for k in range(made - 1, -1, -1):
        make(task, bench, bench.undo[k])
    return total if holds else -np.inf


@kernel
def is_unwanted(task: Task, chosen: IntArray) -> bool:
    """Whether the point at hand is one of those that are not wanted."""
    for row in range(len(task.tried)):
        same = True
        for g in range(len(chosen)):
            if task.tried[row, g] != chosen[g]:
                same = False
                break
        if same:
            return True
    return False


@entry
def wander(task: Task, bench: Bench, radius: int, steps: int, seed: np.uint64) -> float:
    """The value of the best wanted set of moves that was met; -inf where there was none."""
    moves, groups, sums = len(task.gain), len(bench.chosen), len(task.lower)
    value, cost, best, counter = 0.0, 0, -np.inf, seed
    tenure = min(TENURE, max(1, groups // 6)) if sums else TENURE
    record = 0.0  # of all sets, wanted or not: where moves start is mostly a good point that was tried
    bench.field[:] = task.gain
    bench.chosen[:], bench.until[:], bench.activity[:] = -1, 0, 0.0
    for step in range(steps):
        now, gain = Now(step, radius, record), -np.inf
        bench.chain[:] = -1
        bench.leader[:], bench.led[:] = -1, -np.inf if sums else np.inf  # without sums no change leads
        for change in range(moves + groups):
            if change == taken_back(task, bench, group_of(task, change)):
                continue
            adds = adds_of(task, bench, change)
            if adds <= gain and adds <= bench.led[LEADERS - 1]:
                continue
            if is_barred(task, bench, change, cost, value, now):
                continue
            if sums and excess(task, bench, change) > 0.0:
                if adds > bench.led[LEADERS - 1]:
                    keep_leader(bench, change, adds)
            elif adds > gain:
                gain, bench.chain[0] = adds, change
        for k in range(LEADERS):
            if bench.leader[k] < 0:
                break
            total = follow(task, bench, bench.leader[k], cost, value, now)
            if total > gain:
                gain, bench.chain[:] = total, bench.links
        if bench.chain[0] < 0:
            continue
        for change in bench.chain:
            if change < 0:
                break
            group = group_of(task, change)
            cost += spends_of(task, bench, change)
            make(task, bench, change)
            counter += STEP
            bench.until[group] = step + 1 + tenure + bounded(1 + groups // 5, mixed(counter))
        value += gain
        record = larger(record, value)
        if value > best and not is_unwanted(task, bench.chosen):
            best = value
            bench.best[:] = bench.chosen
    return best
