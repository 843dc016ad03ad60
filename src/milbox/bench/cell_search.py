"""The searches of the NAS-Bench-101 paper: regularised evolution (RE) and random search (RS).

Both work on all 7 vertices and 21 edges and prune what lies on no path from input to output, as the paper's
published notebook does (population 50, tournament 10, mutation rate 1). A pruned vertex is a null operation
in our domain, which does not say what it was: when its cell is mutated, it comes back with a random one.
Points asked before are drawn again, as everywhere in milbox. On a domain that has each cell once, a cell is
renamed to the point that stands for it, and drawn again where there is none.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from milbox.arrays import IntArray, Point
from milbox.bench.problems.cells import (
    EDGES,
    ENDS,
    INNER,
    NULL,
    VERTICES,
    canonical_codes,
    cells_of,
    points_of,
)
from milbox.domain import Domain
from milbox.inner.evolution import parents
from milbox.strategies import RandomSearch
from milbox.strategies.identity import own_identity
from milbox.strategies.random import filled
from milbox.trials import Answer, History, Proposal

MOST_EDGES = 9
BROOD = 64
ATTEMPTS = 50


@dataclass(frozen=True, slots=True)
class CellEvolution:
    """RE: mutants of the best of a tournament among the last finished trials.

    Attributes:
        tournament: how many members of the population compete to be the parent.
        alive: how many of the last finished trials are the population.
        rate: how many operations change on average; edges change rate / 7 each.
        initial: how many random points come first.
    """

    tournament: int = 10
    alive: int = 50
    rate: float = 1.0
    initial: int = 50

    @property
    def identity(self) -> str:
        """Name, version and settings that are not the default."""
        return own_identity(self, "re", 2)

    def propose(self, domain: Domain, history: History, count: int, rng: Generator) -> Answer:
        """`count` new mutants, or random points until `initial` are measured."""
        population = history.finished[-self.alive :]
        if len(history.finished) < self.initial or not population:
            return RandomSearch().propose(domain, history, count, rng)
        points = np.array([trial.point for trial in population], dtype=np.int64)
        values = np.array([trial.value for trial in population], dtype=np.float64)
        state = np.array([rng.integers(2**63)], dtype=np.uint64)

        def brood() -> IntArray:
            best, _ = parents(values, self.tournament, BROOD, state)
            return mutants(points[best], self.rate, rng)

        return fresh(brood, "cell mutation", domain, history, count, rng)


@dataclass(frozen=True, slots=True)
class CellSampling:
    """RS: every edge with probability 1/2, every operation equally likely, pruned.

    Attributes:
        initial: how many points come first that are drawn as for all other algorithms.
    """

    initial: int = 50

    @property
    def identity(self) -> str:
        """Name, version and settings that are not the default."""
        return own_identity(self, "rs", 2)

    def propose(self, domain: Domain, history: History, count: int, rng: Generator) -> Answer:
        """`count` new random cells."""
        if len(history.finished) < self.initial:
            return RandomSearch().propose(domain, history, count, rng)

        def brood() -> IntArray:
            edges = rng.integers(2, size=(BROOD, EDGES))
            return pruned(edges, rng.integers(NULL, size=(BROOD, INNER)))

        return fresh(brood, "random cell", domain, history, count, rng)


def mutants(points: IntArray, rate: float, rng: Generator) -> IntArray:
    """Valid mutants of points; fewer than there are points, since many mutants are not valid."""
    edges, ops = points[:, :EDGES], points[:, EDGES:]
    edges = edges ^ (rng.random(edges.shape) < rate / VERTICES)
    ops = np.where(ops == NULL, rng.integers(NULL, size=ops.shape), ops)
    other = (ops + rng.integers(1, NULL, size=ops.shape)) % NULL
    ops = np.where(rng.random(ops.shape) < rate / INNER, other, ops)
    return pruned(edges, ops)


def pruned(edges: IntArray, ops: IntArray) -> IntArray:
    """Graphs on all vertices as points: what is on no path is null, and invalid graphs are left out."""
    reached = np.zeros((len(edges), VERTICES), dtype=bool)
    leads = reached.copy()
    reached[:, 0] = leads[:, VERTICES - 1] = True
    there = edges.astype(bool)
    # Edges come in the order of their heads, so one pass forwards and one backwards see every path.
    for k, (x, y) in enumerate(ENDS):
        reached[:, y] |= reached[:, x] & there[:, k]
    for x in range(VERTICES - 2, -1, -1):
        for k, ends in enumerate(ENDS):
            if ends[0] == x:
                leads[:, x] |= leads[:, ends[1]] & there[:, k]
    used = reached & leads
    kept = np.stack([there[:, k] & used[:, x] & used[:, y] for k, (x, y) in enumerate(ENDS)], axis=1)
    valid = used[:, 0] & (kept.sum(axis=1) <= MOST_EDGES)
    inner = np.where(used[:, 1 : VERTICES - 1], ops, NULL)
    made: IntArray = np.concatenate([kept.astype(np.int64), inner], axis=1)[valid]
    return made


def fresh(
    brood: Callable[[], IntArray], origin: str, domain: Domain, history: History, count: int, rng: Generator
) -> Answer:
    """The first `count` new points of as many broods as it takes; random ones when that is too many."""
    seen = history.asked_points
    found: dict[Point, None] = {}
    for _ in range(ATTEMPTS):
        born = standing_for(brood(), domain)
        for point in map(tuple, born.tolist()):
            if point not in seen and len(found) < count:
                found[point] = None
        if len(found) == count:
            break
    return filled((Proposal(point, origin) for point in found), domain, history, count, rng)


def standing_for(points: IntArray, domain: Domain) -> IntArray:
    """The points that are in the domain, themselves or under the name that stands for their cell."""
    inside = domain.feasible(points)
    if inside.all():
        return points
    renamed = np.where(inside[:, None], points, points_of(canonical_codes(cells_of(points))))
    return np.asarray(renamed[domain.feasible(renamed)])


def refusal(domain: Domain) -> str | None:
    """Why these searches cannot be used on a domain; None for the cells of NAS-Bench-101."""
    shape = [(thing.name, getattr(thing, "shape", None)) for thing in domain.declared]
    return None if shape == [("edge", (EDGES,)), ("op", (INNER,))] else "it is for nasbench101 only"
