"""Random walks over feasible points of domains with wide variables, whose codes are too many to list.

A walk that takes every feasible step spreads over the domain; one that takes only steps up is a climb. Many
walk side by side, so that NumPy looks at all of their next points at once.
"""

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.random import Generator

from milbox.arrays import FloatArray, IntArray, Point
from milbox.domain import Domain, Variable
from milbox.domain.box import Box
from milbox.domain.kept import kept
from milbox.inner.query import Region
from milbox.inner.spacing import near
from milbox.surrogates.base import Surrogate

WALKERS = 64
"""How many walk side by side."""

STARTS = 16
"""How many of the best tried points they start from."""

ROUNDS = 100
"""How many steps each tries."""

STEPS = 60
"""How many steps a walk takes that only spreads."""

LOOKS = 16
"""How many steps it tries until one is feasible."""


def walked(surrogate: Surrogate, region: Region, rng: Generator) -> tuple[Point, float] | None:
    """A point of the region, and its prediction; None if none is met."""
    domain = region.domain
    if not len(region.exclude):
        return None
    tried = region.exclude.codes(domain)
    inside = tried[region.holds(tried)]
    if not len(inside):
        return None
    best = np.argsort(-surrogate.predict(domain.encode(inside)), kind="stable")[:STARTS]
    points = inside[np.resize(best, WALKERS)]
    values = np.full(WALKERS, -np.inf)
    for _ in range(ROUNDS):
        steps = moved(domain, points, rng, region.box)
        made = worth(surrogate, region, steps)
        better = made > values
        points, values = np.where(better[:, None], steps, points), np.where(better, made, values)
    top = int(np.argmax(values))
    return (tuple(points[top].tolist()), float(values[top])) if np.isfinite(values[top]) else None


def worth(surrogate: Surrogate, region: Region, points: IntArray) -> FloatArray:
    """The predictions at points; minus infinity where a point is not allowed, or near a tried one."""
    values = np.full(len(points), -np.inf)
    allowed = np.flatnonzero(region.holds(points))
    tried = region.exclude.codes(region.domain)
    allowed = allowed[~near(points[allowed], tried, region.steps_apart)]
    if len(allowed):
        values[allowed] = surrogate.predict(region.domain.encode(points[allowed]))
    return values


def spread(domain: Domain, point: Point, rng: Generator) -> Point:
    """A feasible point some random steps away from a feasible one."""
    here = np.array(point, dtype=np.int64)
    for _ in range(STEPS):
        steps = moved(domain, np.resize(here, (LOOKS, len(here))), rng)
        feasible = steps[domain.feasible(steps)]
        here = feasible[0] if len(feasible) else here
    return tuple(here.tolist())


def scattered(domain: Domain, points: IntArray, count: int, rng: Generator) -> IntArray:
    """Feasible points that are spread over the domain by walks from known ones, which may be infeasible."""
    here = points[rng.integers(len(points), size=count)]
    for _ in range(STEPS):
        steps = moved(domain, here, rng)
        here = np.where(domain.feasible(steps)[:, None], steps, here)
    return here


def moved(domain: Domain, points: IntArray, rng: Generator, box: Box | None = None) -> IntArray:
    """A random step from each point within the bounds of a box, feasible or not.

    A variable takes any of its codes, or a wide one goes up or down; one goes up and another down by as much,
    so that a sum stays as it is; two variables of the same kind change places.
    """
    made, rows = points.copy(), np.arange(len(points))
    low, high = (domain.coding.low, domain.coding.high) if box is None else (box.low, box.high)
    steps = high - low
    wide, level, alike = partners(domain)
    kind = rng.integers(4, size=len(points))
    one = rng.integers(len(domain.variables), size=len(points))
    made[rows, one] = rng.integers(low[one], high[one] + 1)
    if len(wide):
        one = wide[rng.integers(len(wide), size=len(points))]
        sizes = sizes_of(steps[one], rng)
        nudged = points.copy()
        nudged[rows, one] += sizes
        made[kind == 1] = nudged[kind == 1]
    for chosen, pairs in ((2, level), (3, alike)):
        if not len(pairs):
            continue
        one, other = pairs[rng.integers(len(pairs), size=len(points))].T
        changed = points.copy()
        if chosen == 2:
            sizes = sizes_of(np.minimum(steps[one], steps[other]), rng)
            changed[rows, one] += sizes
            changed[rows, other] -= sizes
        else:
            changed[rows, one], changed[rows, other] = points[rows, other], points[rows, one]
        made[kind == chosen] = changed[kind == chosen]
    return np.clip(made, low, high)


def sizes_of(steps: IntArray, rng: Generator) -> IntArray:
    """How far to go, up or down: from one step to all of them, small distances as often as large ones."""
    sizes = np.rint(np.maximum(steps, 1) ** rng.random(len(steps))).astype(np.int64)
    return np.where(rng.random(len(steps)) < 0.5, -sizes, sizes)


@kept
def partners(domain: Domain) -> tuple[IntArray, IntArray, IntArray]:
    """The wide variables; the pairs of them with equal steps; the pairs of variables with equal values."""
    wide = domain.coding.shares

    def pairs(members: Sequence[int], key: dict[int, Hashable]) -> IntArray:
        found = [(i, j) for i in members for j in members if i != j and key[i] == key[j]]
        return np.array(found, dtype=np.int64).reshape(-1, 2)

    steps: dict[int, Hashable] = {int(i): getattr(domain.variables[i], "step", 1) for i in wide}
    kinds = {i: values_of(variable) for i, variable in enumerate(domain.variables)}
    return wide, pairs(list(steps), steps), pairs(list(kinds), kinds)


def values_of(variable: Variable) -> Hashable:
    """The same for two variables that take the same values."""
    ends = variable.codes[0], variable.codes[-1]
    return variable.kind, ends, variable.value(ends[0]), variable.value(ends[1])
