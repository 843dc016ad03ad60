"""Feasible points that were never tried: drawn at random, else listed, repaired, or found by a program.

Where the domain is a product of decision diagrams, a path of each is drawn: exactly uniform. Otherwise
points of the box are drawn and the infeasible ones rejected. When that does not work, random points are
repaired where sums tie diagrams together, and else programs with random objectives are solved (Section 5 of
the paper); neither is uniform. From what programs find a random walk goes on where variables are wide.
"""

import time

import numpy as np
from numpy.random import Generator

from milbox.arrays import IntArray, Point
from milbox.domain import Domain
from milbox.domain.feasibility import GLANCE, NODES, Verdict, find
from milbox.embed.domain import formulate, trusted
from milbox.embed.grid import on_grid
from milbox.embed.nogood import forbid
from milbox.inner.enumerate import Enumerate, all_points
from milbox.inner.query import Region
from milbox.inner.repair import repaired
from milbox.inner.walk import spread
from milbox.milp.program import Affine, MilpBuilder
from milbox.milp.solution import Limits, Solver, Status
from milbox.milp.solvers import Scip, Settings
from milbox.trials.answer import Answer, Empty, Found, Unknown
from milbox.trials.points import Points
from milbox.trials.trial import Proposal

DRAWS = 5_000
"""Points of the box that are drawn before rejection is given up."""

FAILURES = 3
"""Repairs that may fail before programs are solved."""

LIMITS = Limits(seconds=60.0, gap=0.05)
"""The limits of a program with a random objective; any point will do, so a gap is welcome."""

SOLVER = Scip(Settings.PAPER)

WALKS = 8
"""The most tried points from which a walk begins, where a solver leaves a program open."""


def untried(
    region: Region,
    count: int,
    rng: Generator,
    *,
    draws: int = DRAWS,
    solver: Solver = SOLVER,
    limits: Limits = LIMITS,
) -> Answer:
    """`count` points of a region, or as many as were found.

    Args:
        region: the points to choose from, with a radius of one.
        count: how many are wanted.
        rng: draws them.
        draws: points of the box that are drawn before rejection is given up.
        solver: solves a program with a random objective for each point that could not be drawn.
        limits: of one such program.
    """
    domain = region.domain
    found = drawn(domain, region.exclude, count, rng, draws)
    taken = region.exclude.extended(proposal.point for proposal in found)
    if len(found) < count and Enumerate().too_large(domain) is None:
        left = [point for point in map(tuple, all_points(domain)[0].tolist()) if point not in taken]
        chosen = rng.permutation(len(left))[: count - len(found)]
        found += [Proposal(left[i], "random") for i in chosen]
        return Found(tuple(found)) if found else Empty()
    for point in mended(domain, taken, count - len(found), rng):
        taken = taken.extended([point])
        found.append(Proposal(point, "repaired"))
    while len(found) < count:
        answer = solved(domain, taken, rng, solver, limits)
        if isinstance(answer, Empty | Unknown):
            return Found(tuple(found)) if found else answer
        taken = taken.extended([answer])
        found.append(Proposal(answer, "random objective"))
    return Found(tuple(found))


def drawn(domain: Domain, seen: Points, count: int, rng: Generator, draws: int) -> list[Proposal]:
    """Up to `count` new points by drawing from diagrams, or from the box with rejection."""
    found: dict[Point, None] = {}
    batch, spent = max(64, 4 * count), 0
    while len(found) < count and spent < draws:
        for point in map(tuple, sample(domain, batch, rng).tolist()):
            if point not in seen and len(found) < count:
                found[point] = None
        spent += batch
        batch *= 4
    return [Proposal(point, "random") for point in found]


def mended(domain: Domain, seen: Points, count: int, rng: Generator) -> list[Point]:
    """Up to `count` new points by repairing random ones; fewer once repairs fail or end at known points."""
    found: dict[Point, None] = {}
    failures = 0
    while len(found) < count and failures < FAILURES:
        point = repaired(domain, rng)
        if point is None or point in seen or point in found or not domain.contains(point):
            failures += 1
        else:
            found[point] = None
    return list(found)


def sample(domain: Domain, count: int, rng: Generator) -> IntArray:
    """Feasible points among `count` draws: all of them where the domain is a product of diagrams."""
    if domain.drawing is not None:
        return domain.drawing.draw(count, rng)
    points = np.empty((count, len(domain.variables)), dtype=np.int64)
    for i, variable in enumerate(domain.variables):
        points[:, i] = rng.integers(variable.codes[0], variable.codes[-1] + 1, size=count)
    return points[domain.feasible(points)]


def solved(
    domain: Domain, seen: Points, rng: Generator, solver: Solver, limits: Limits
) -> Point | Empty | Unknown:
    """The best point of a random linear objective.

    A solver works to tolerances, so what it finds is checked. A point that it should not have found is
    excluded by a row of its own, and the solver is asked again.
    """
    if not trusted(domain) and find(domain, seen, GLANCE) is Verdict.EMPTY:
        return Empty()
    until = time.perf_counter() + limits.seconds
    excluded = sorted(seen)
    weights = rng.standard_normal(domain.features)
    one = np.ones(len(domain.variables), dtype=np.int64)
    wrong = 0
    while True:
        milp = MilpBuilder()
        formulation = formulate(domain, milp)
        forbid(excluded, formulation)
        milp.maximize(Affine(formulation.inputs, weights))
        left = max(0.0, until - time.perf_counter())
        solution = solver.solve(milp.build(), Limits(left, limits.gap, limits.nodes))
        if solution.x is None and solution.status is Status.INFEASIBLE and trusted(domain):
            return Empty()
        if solution.x is not None:
            point = formulation.point(solution.x)
            if len(domain.coding.shares):
                found_near = on_grid(solution.x, formulation, solver, sorted(seen), one)
                if found_near is not None:
                    return strolled(domain, found_near, seen, rng)
            elif point not in seen and domain.contains(point):
                return point
            wrong += 1
        if solution.x is None or point in excluded or time.perf_counter() >= until:
            found = find(domain, seen, NODES)  # in whole numbers, where tolerances are too wide
            if found is Verdict.OPEN and len(domain.coding.shares):
                beyond = from_tried(domain, seen, rng)
                if beyond is not None:
                    return beyond
            if found is Verdict.OPEN:
                return Unknown(stopped(solution.solver, limits, len(seen), wrong))
            return Empty() if isinstance(found, Verdict) else found
        excluded.append(point)


def strolled(domain: Domain, point: Point, seen: Points, rng: Generator) -> Point:
    """A new point after a random walk from one that a program found, which is a corner of the domain."""
    end = spread(domain, point, rng)
    return point if end in seen else end


def from_tried(domain: Domain, seen: Points, rng: Generator) -> Point | None:
    """A new point after a random walk from a tried one of the domain; None where none is met."""
    inside = [point for point in sorted(seen) if domain.contains(point)]
    for place in rng.permutation(len(inside))[:WALKS].tolist():
        end = strolled(domain, inside[place], seen, rng)
        if end not in seen:
            return end
    return None


def stopped(solver: str, limits: Limits, seen: int, wrong: int) -> str:
    """The reason why a search ended without a point and without a proof, as a clause."""
    nodes = "" if limits.nodes is None else f" and {limits.nodes} nodes"
    found = f"; {wrong} that it found are infeasible by less than its tolerance" if wrong else ""
    return (
        f"{solver} neither found a feasible point beside the {seen} tried ones nor proved that there is none "
        f"within {limits.seconds:g} s{nodes}{found}"
    )
