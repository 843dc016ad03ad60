"""Which points make a network largest, over a product of small blocks, minus tried points?

Exact branch and bound on arrays. It branches on the phases of units, then on blocks: `branch_sum` says what
is maximised, `branch_bound` has the bound, `branch_tree` the tree. This module lays out the arrays and looks
at the clock between slices of the search.
"""

import math
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.random import Generator

from milbox.arrays import FloatArray, IntArray
from milbox.inner.branch_node import Blocks, Columns, Desk, Lines, Rows, Stack
from milbox.inner.branch_points import NOTHING, OPEN, Network, Pool, Starts, Tried
from milbox.inner.branch_sum import Sum, shuffled
from milbox.inner.branch_tree import DONE, STACK_FULL, advance

SLICE = 0.02
"""Seconds of search between looks at the clock."""

STARTS = 4
"""Random points to climb from before the search."""

STEPS = 4
"""Subgradient steps per round; more save few nodes: ruling out letters and phases does most of the work."""

FIRST_TIED_STEPS, TIED_STEPS = 300, 20
"""The same with ties, at the root and elsewhere: their prices take longer to find, and are inherited."""

FIRST_DEEP_STEPS, DEEP_STEPS = 40, 10
"""The same with two hidden layers and without ties."""

FEW, MANY = 512.0, 4e6
"""Nodes of few points are enumerated; all points are, unless many, once nodes times few exceed them. With
upper units, whose inputs have to be added up for each point, fewer are many."""


PER_NODE = ("bound", "phase", "price", "low", "high", "first", "start")
"""The arrays of a stack that have an entry or a row for each node."""


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """The best untried points, best first, and what is proved about the others."""

    points: IntArray
    """(found, blocks): the number of a state for each block."""
    values: FloatArray
    rest: float
    """No untried point beyond `points` is worth more; -inf when there is none."""
    slack: float
    """How far rounding can carry values and bounds."""
    scale: float
    """No value can be larger than this."""
    nodes: int


def maximise(
    f: Sum,
    tried: IntArray,
    count: int,
    rng: Generator,
    *,
    seconds: float = math.inf,
    nodes: int | None = None,
    gap: float = 0.0,
    start: IntArray | None = None,
) -> Found:
    """The `count` best points that are not among the tried ones; fewer when fewer are left.

    The limits do not count before there are `count` points in hand or none is left; with ties, where that may
    take long, they always do.

    Args:
        f: What is maximised.
        tried: (tried, blocks), the number of a state for each block.
        count: How many points to return, at least one.
        rng: Breaks ties.
        seconds: After so long the search stops.
        nodes: After so many nodes of its tree the search stops.
        gap: At this relative distance between the bound and the last point's value the search stops.
        start: An untried point to begin with; random ones are climbed from otherwise.
    """
    began = time.perf_counter()
    net, order, exponent = shuffled(f, rng)
    blocks, (units, uppers) = len(net.first) - 1, net.above.shape
    # Each of the sums behind a value or a bound has at most so many terms, of total size below 1, and below
    # 1 more with ties. With two layers such a sum is a term of another, and so are its weights.
    parts = 1 + (f.ties is not None) + 2 * (uppers > 0)
    noise = float(np.finfo(np.float64).eps) * (units + uppers + blocks + 4) * parts
    slack = 8.0 * noise

    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    seen = by_key(net, place[tried + f.first[:-1]])
    pool = Pool(np.full(count, NOTHING), np.zeros((count, blocks), np.int64), np.zeros(count, np.int64))
    starts = net.first[:-1] + (rng.random((STARTS, blocks)) * np.diff(net.first)).astype(np.int64)
    if start is not None:
        starts = place[start + f.first[:-1]][None, :]
    steps = (FIRST_DEEP_STEPS, DEEP_STEPS) if uppers else (STEPS, STEPS)
    if f.ties is not None:
        steps = (FIRST_TIED_STEPS, TIED_STEPS)
    stack, desk = root(net), empty_desk(net)

    limit = math.inf if nodes is None else nodes
    points = float(np.diff(net.first).astype(np.float64).prod())
    portion, checkpoint, few = 0, 1, FEW
    while True:
        before = time.perf_counter()
        state = advance(net, seen, pool, stack, *desk, Starts(starts), portion, *steps, few, slack, noise)
        now = time.perf_counter()
        searched, full = int(stack.counts[1]), pool.value[-1] > NOTHING
        limited = full or f.ties is not None
        if state == DONE or (limited and (now - began > seconds or searched >= limit)):
            break
        if state == STACK_FULL:
            stack = larger(stack)
        # What depends on the search but not on the clock is looked at after 1, 2, 4, 8, ... nodes.
        if searched >= checkpoint:
            checkpoint = 2 * searched
            if full and gap > 0.0 and is_near(pool.value[-1], highest(stack), gap):
                break
            if few < points < min(searched * FEW, MANY / (1 + uppers)):
                # Looking at all points would have been cheaper by now.
                stack, few = root(net), points
                stack.counts[1] = searched
        pace = SLICE / max(now - before, 1e-6)
        portion = max(1, min(int(portion * pace), checkpoint - searched))
        if limited:
            portion = int(min(portion, limit - searched))
        starts = starts[:0]

    found = int((pool.value > NOTHING).sum())
    rest = pool.value[-1] + 2.0 * slack if found == count else -math.inf
    rest = max(rest, highest(stack))
    return Found(
        points=order[pool.point[:found]] - f.first[:-1],
        values=np.ldexp(pool.value[:found], exponent),
        rest=float(np.ldexp(rest, exponent)),
        slack=math.ldexp(2.0 * slack, exponent),
        scale=math.ldexp(1.0, exponent),
        nodes=int(stack.counts[1]),
    )


def by_key(net: Network, points: IntArray) -> Tried:
    """The points in ascending order of their keys."""
    keys = np.bitwise_xor.reduce(net.key[points], axis=1)
    ascending = np.argsort(keys)
    return Tried(keys[ascending], points[ascending])


def highest(stack: Stack) -> float:
    """The highest bound of an open node; -inf without any."""
    return float(stack.bound[: stack.counts[0]].max(initial=-math.inf))


def is_near(value: float, bound: float, gap: float) -> bool:
    """Whether the relative distance is at most the gap."""
    return bound - value <= gap * max(abs(value), abs(bound))


def root(net: Network) -> Stack:
    """The stack with the whole domain on it."""
    letters, units, blocks = len(net.key), len(net.phase), len(net.first) - 1
    depth = 32 + 2 * blocks
    stack = Stack(
        counts=np.array([1, 0, -1, 0, 0, 0]),
        bound=np.zeros(depth),
        phase=np.zeros((depth, units), np.int64),
        price=np.zeros((depth, units)),
        low=np.zeros((depth, units)),
        high=np.zeros((depth, units)),
        first=np.zeros((depth, blocks + 1), np.int64),
        start=np.zeros(depth + 1, np.int64),
        letter=np.empty(8 * letters + (1 << 16), np.int64),
    )
    stack.bound[0] = 1.0
    stack.phase[0] = net.phase
    stack.price[0] = np.where(net.phase == OPEN, 0.5, 0.0)
    stack.low[0], stack.high[0] = -1.0, 1.0
    stack.first[0] = net.first
    stack.start[1] = letters
    stack.letter[:letters] = np.arange(letters)
    return stack


def larger(stack: Stack) -> Stack:
    """The same stack with twice the room for nodes, if one more branching may not fit, else for letters.

    The node that did not fit is bounded again, which often spares its children: so room is made step by step.
    """

    def twice(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        longer = np.empty((2 * len(array), *array.shape[1:]), array.dtype)
        longer[: len(array)] = array
        return longer

    children = stack.first.shape[1] + 1
    if stack.counts[0] - 1 + children <= len(stack.bound):
        return stack._replace(letter=twice(stack.letter))
    return stack._replace(**{name: twice(getattr(stack, name)) for name in PER_NODE})


def empty_desk(net: Network) -> tuple[Rows, Lines, Lines, Columns, Blocks, Desk]:
    """Room to work on any node."""
    letters, (units, layer), blocks = len(net.key), net.above.shape, len(net.first) - 1

    def floats(*shape: int) -> FloatArray:
        return np.zeros(shape)

    def whole(*shape: int) -> IntArray:
        return np.zeros(shape, np.int64)

    rows = Rows(
        unit=whole(units),
        sign=floats(units),
        above=floats(units, layer),
        bias=floats(units + 1),
        h=floats(units + 1 + layer),
    )
    lines = Lines(*(floats(units) for _ in Lines._fields))
    uppers = Lines(*(floats(layer) for _ in Lines._fields))
    uppers.weight[:] = net.upper_sign  # and stays so
    columns = Columns(
        table=np.empty((units + 1, letters)),
        letter=whole(letters),
        cost=floats(letters),
        best_cost=floats(letters),
        regret=floats(letters),
        kept=whole(letters),
        keep=np.zeros(letters, np.bool_),
    )
    blank = Blocks(
        number=whole(blocks),
        first=whole(blocks + 1),
        top=floats(blocks),
        best_top=floats(blocks),
        at=whole(blocks),
        best_at=whole(blocks),
    )
    desk = Desk(
        phase=whole(units + layer),
        point=whole(blocks),
        spare_point=whole(blocks),
        climbing_h=floats(units + 1 + layer),
        spare_h=floats(units + 1 + layer),
    )
    return rows, lines, uppers, columns, blank, desk
