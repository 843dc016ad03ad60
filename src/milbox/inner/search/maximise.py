"""The best untried points of a network over the paths of a domain: limits, slices, and what is proved."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from milbox.arrays import FloatArray, IntArray, Point
from milbox.inner.search.network import Task
from milbox.inner.search.state import (
    DROPPED,
    EQUAL,
    LEVEL,
    MERGED,
    NOTHING,
    OPEN,
    SIZE,
    UNIT,
    Pool,
    Problem,
    Settings,
    Stack,
    Tried,
)
from milbox.inner.search.tree import DONE, OUT_OF_MEMORY, advance, shuffled_root

SLICE = 0.02
"""Seconds of search between looks at the clock."""

FIRST = 64
"""Nodes of the first slice."""

CELLS = 1 << 26
"""The largest arena of open nodes: 256 MB."""

EFFORT = Settings(
    root_steps=12,
    steps=4,
    stuck_steps=40,
    root_rounds=4,
    rounds=2,
    sweeps=2,
    few=10_000.0,
    checks=2000.0,
)
TIED = EFFORT._replace(root_steps=40, steps=8)
"""Prices of ties take longer to find, and are inherited."""
DEEP = EFFORT._replace(root_steps=20, steps=10, root_rounds=2, rounds=1)
"""With two hidden layers they take longer, and bounding again costs more than branching."""
DEEP_TIED = DEEP._replace(root_steps=300, steps=20, checks=0.0)

FEW, MANY = 512.0, 4e6
"""All points are looked at, unless they are many, once nodes times few exceed them. With upper units, whose
inputs have to be added up for each point, fewer are many."""


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """The best untried points, best first, and what is proved about the others."""

    points: IntArray
    """(found, variables)"""
    values: FloatArray
    rest: float
    """No untried point beyond `points` is worth more; -inf when there is none."""
    complete: bool
    """Whether the search came to its end."""
    slack: float
    """How far rounding can carry values and bounds."""
    scale: float
    """No value can be larger than this."""
    nodes: int


def maximise(
    task: Task,
    tried: IntArray,
    count: int,
    rng: Generator,
    *,
    seconds: float = math.inf,
    nodes: int | None = None,
    gap: float = 0.0,
    start: Callable[[], tuple[Point, float] | None] | None = None,
    settings: Settings | None = None,
    cells: int = CELLS,
) -> Found:
    """The `count` best points that are not among the tried ones; fewer when fewer are left.

    Limits do not count before there are `count` points in hand or none is left; with ties, where that may
    take long, they always do.

    Args:
        task: what is maximised.
        tried: (tried, variables), points of the domain.
        count: how many points to return, at least one.
        rng: breaks ties.
        seconds: the search stops after so long.
        nodes: the search stops after so many nodes of its tree.
        gap: the search stops at this relative distance between the bound and the last point's value.
        start: finds an untried point and its value, or None. With ties the first nodes may meet no point, and
            without one in hand nothing can be ruled out; then it is called, once.
        settings: the effort at each node.
        cells: the search stops when its open nodes need a larger arena.
    """
    began = time.perf_counter()
    problem = task.problem
    uppers = problem.uppers.shape[1]
    chosen = settings or effort(problem)
    seen = by_key(task, tried)
    pool = Pool(
        np.full(count, NOTHING), np.zeros(count, np.int64), np.zeros((count, problem.variables), np.int64)
    )
    seed = int(rng.integers(1, 2**62))
    stack = root(task, seed)
    limit = math.inf if nodes is None else nodes
    tied = problem.tied
    # Without a gap to look for, a first slice takes most searches to their end.
    portion, checkpoint = (FIRST, FIRST) if gap == 0.0 else (1, 1)
    portion = int(min(portion, limit))
    while True:
        before = time.perf_counter()
        state, stack = advance(problem, seen, pool, stack, chosen, portion, cells)
        now = time.perf_counter()
        searched = int(stack.counts[1])
        full = pool.value[-1] > NOTHING
        limited = full or tied
        if state in (DONE, OUT_OF_MEMORY) or (limited and (now - began > seconds or searched >= limit)):
            break
        if start is not None and tied and pool.value[0] == NOTHING:
            hand_in(start(), task, pool)
            start = None
        # What depends on the search but not on the clock is looked at after 1, 2, 4, 8, ... nodes.
        if searched >= checkpoint:
            checkpoint = 2 * searched
            if full and gap > 0.0 and is_near(pool.value[-1], highest(stack), gap):
                break
            if chosen.few < task.points < min(searched * FEW, MANY / (1 + uppers)):
                # Looking at all points would have been cheaper by now.
                chosen, stack = chosen._replace(few=task.points), root(task, seed)
                stack.counts[1] = searched
        pace = SLICE / max(now - before, 1e-6)
        portion = max(1, min(int(portion * pace), 4 * portion, checkpoint - searched))
        # Where the search stops must not depend on the clock, also beyond a limit that does not count yet.
        portion = int(min(portion, limit - searched)) if searched < limit else FIRST
    found = int((pool.value > NOTHING).sum())
    rest = pool.value[-1] + 2.0 * problem.slack if found == count else -math.inf
    rest = max(rest, highest(stack))
    return Found(
        points=pool.codes[:found],
        values=np.ldexp(pool.value[:found], task.exponent) + task.constant,
        rest=float(np.ldexp(rest, task.exponent)) + task.constant,
        complete=state == DONE,
        slack=math.ldexp(2.0 * problem.slack, task.exponent) + 1e-15 * abs(task.constant),
        scale=math.ldexp(1.0, task.exponent) + abs(task.constant),
        nodes=int(stack.counts[1]),
    )


def effort(problem: Problem) -> Settings:
    """The effort at each node of such a problem."""
    if problem.uppers.shape[1]:
        return DEEP_TIED if problem.tied else DEEP
    return TIED if problem.tied else EFFORT


def by_key(task: Task, points: IntArray) -> Tried:
    """The points in ascending order of their keys."""
    points = np.ascontiguousarray(points)
    start = task.beginning.start
    options = start + points - task.problem.code[start]
    keys = np.bitwise_xor.reduce(task.beginning.option_key[options], axis=1)
    ascending = np.argsort(keys)
    return Tried(keys[ascending], points[ascending])


def hand_in(known: tuple[Point, float] | None, task: Task, pool: Pool) -> None:
    """Make a point the only one in hand."""
    if known is None:
        return
    point, value = known
    beginning = task.beginning
    options = beginning.start + point - task.problem.code[beginning.start]
    pool.value[0] = math.ldexp(value - task.constant, -task.exponent)
    pool.key[0] = np.bitwise_xor.reduce(beginning.option_key[options])
    pool.codes[0] = point


def highest(stack: Stack) -> float:
    """The highest bound of an open node; -inf without any."""
    return float(stack.bound[: stack.counts[0]].max(initial=-math.inf))


def is_near(value: float, bound: float, gap: float) -> bool:
    """Whether the relative distance is at most the gap."""
    return bound - value <= gap * max(abs(value), abs(bound))


def root(task: Task, seed: int) -> Stack:
    """The stack with the whole domain on it."""
    problem, beginning = task.problem, task.beginning
    rows, layer = problem.above.shape
    nodes, edges, letters = problem.nodes, problem.edges, len(problem.key)
    depth, width = 64, rows + layer
    cells = nodes + 1 + 2 * edges + letters
    stack = Stack(
        counts=np.array([1, 0, 0, 0, 0, 0, 0]),
        bound=np.zeros(depth),
        lines=np.zeros((depth, 4, width)),
        place=np.zeros((depth, 8), np.int64),
        arena=np.empty(3 * cells + 4096, np.int32),
    )
    stack.bound[0] = 1.0
    phase, price, low, high = stack.lines[0]
    phase[:] = OPEN
    if problem.linear >= 0:
        phase[problem.linear] = MERGED
    # Padding is no row.
    phase[:rows][(problem.rows[SIZE] == 0.0) & (problem.tie == UNIT)] = DROPPED
    price[:] = 0.5
    price[:rows][problem.tie != UNIT] = 0.0
    phase[:rows][problem.tie == EQUAL] = LEVEL
    low[:rows], high[:rows] = beginning.low, beginning.high
    low[rows:], high[rows:] = -1e300, 1e300
    stack.place[0] = [nodes, edges, letters, 0, cells, 0, -1, 0]
    shuffled_root(beginning, stack.arena, letters, seed)
    return stack
