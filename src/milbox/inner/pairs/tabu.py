"""Tabu search over sets of moves, where groups do not depend on one another: a start for the exact search.

A step gives one group the move, or none, that is worth most, better or not. What was changed stays so for a
while, unless changing it leads to more than was ever met; so the search leaves local optima.
"""

from typing import NamedTuple

import numpy as np

from milbox.arrays import FloatArray, IntArray
from milbox.compiled.jit import entry, kernel, larger
from milbox.compiled.random import STEP, bounded, mixed
from milbox.inner.pairs.kernel import Task

TENURE = 5
"""A changed group stays for so many steps, and for up to a fifth of the groups more, by chance."""


class Bench(NamedTuple):
    """Room to work in."""

    field: FloatArray
    """(moves,): what each move adds to the moves that other groups have made."""
    chosen: IntArray
    """(groups,): the move of each group; -1 for none."""
    until: IntArray
    """(groups,): the step from which the group may change again."""
    best: IntArray
    """(groups,): the moves of the best set."""


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
    moves, groups = len(task.gain), len(bench.chosen)
    value, cost, best, counter = 0.0, 0, -np.inf, seed
    record = 0.0  # of all sets, wanted or not: where moves start is mostly a good point that was tried
    for m in range(moves):
        bench.field[m] = task.gain[m]
    for g in range(groups):
        bench.chosen[g], bench.until[g] = -1, 0
    for step in range(steps):
        gain, group, to = -np.inf, -1, -1
        for m in range(moves + groups):
            # The last ones take a group's move back.
            g = task.group[m] if m < moves else m - moves
            now = bench.chosen[g]
            move = m if m < moves else -1
            if move == now:
                continue
            adds = 0.0 if move < 0 else bench.field[move]
            spends = 0 if move < 0 else task.cost[move]
            if now >= 0:
                adds -= bench.field[now]
                spends -= task.cost[now]
            if adds <= gain or cost + spends > radius:
                continue
            if bench.until[g] > step and value + adds <= record:
                continue
            gain, group, to = adds, g, move
        if group < 0:
            continue
        now = bench.chosen[group]
        for m in range(moves):
            if task.group[m] != group:
                if to >= 0:
                    bench.field[m] += task.cross[m, to]
                if now >= 0:
                    bench.field[m] -= task.cross[m, now]
        cost += (0 if to < 0 else task.cost[to]) - (0 if now < 0 else task.cost[now])
        value += gain
        record = larger(record, value)
        bench.chosen[group] = to
        counter += STEP
        bench.until[group] = step + 1 + TENURE + bounded(1 + groups // 5, mixed(counter))
        if value > best and not is_unwanted(task, bench.chosen):
            best = value
            for g in range(groups):
                bench.best[g] = bench.chosen[g]
    return best
