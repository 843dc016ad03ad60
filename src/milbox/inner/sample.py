"""The best of many feasible points drawn at random."""

import time
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from milbox.arrays import FloatArray, IntArray, Point
from milbox.domain import Domain
from milbox.domain.kept import kept
from milbox.errors import UnsupportedProgram
from milbox.inner.certify import Claim, certify
from milbox.inner.enumerate import Enumerate
from milbox.inner.query import Query
from milbox.inner.untried import sample, untried
from milbox.trials.answer import Answer, Found

# Points of the box drawn at a time, and how many are drawn before rejection is given up.
DRAW = 10_000
PATIENCE = 200_000

# Points checked against the constraints at a time, best first.
CHECKED = 64


@dataclass(frozen=True, slots=True)
class Sample:
    """The best of many feasible points drawn uniformly (the paper's NN+RejSample); proves nothing.

    Where feasible points are too rare to be drawn, it refuses: any other point would not be uniform.

    Attributes:
        points: how many feasible points are drawn. Where feasible points are rarer than one in
            `patience / points`, and the domain is no product of diagrams, there are fewer.
        patience: how many random points are drawn at most, feasible or not.
    """

    points: int = 10_000
    patience: int = PATIENCE

    def refusal(self, query: Query) -> str | None:
        """Why it cannot answer; None when it can."""
        return undrawable(query.domain) or not_beside(query)

    def solve(self, query: Query, rng: Generator) -> Answer:
        """The best of the points drawn that are new."""
        began = time.perf_counter()
        domain = query.domain
        drawn: list[IntArray] = []
        missing, left = self.points, self.patience
        while missing > 0 and left > 0:
            found = sample(domain, min(DRAW, left), rng)[:missing]
            missing -= len(found)
            left -= DRAW
            drawn.append(found)
        points = np.concatenate(drawn)
        if Enumerate().too_large(domain) is not None:
            new = {point for point in map(tuple, points.tolist()) if point not in query.exclude}
            if len(new) < query.count:
                raise UnsupportedProgram(
                    undrawable(domain, self.patience)
                    or f"{self.patience:,} draws gave no more than {len(new)} untried feasible points"
                )
        values = query.objective.predict(domain.encode(points)) if len(points) else np.zeros(0)
        return chosen("sample", points, values, query, rng, began)


@kept
def undrawable(domain: Domain, patience: int = PATIENCE) -> str | None:
    """The reason why feasible points cannot be drawn uniformly in `patience` draws; None where they can."""
    if domain.drawing is not None:
        return None
    rng = np.random.default_rng(0)
    if any(len(sample(domain, DRAW, rng)) for _ in range(patience // DRAW)):
        return None
    return (
        f"feasible points cannot be drawn uniformly: none of {patience:,} random points is feasible, and "
        f"the constraints do not fall into decision diagrams; use an exact inner solver, as nn+milp does"
    )


def not_beside(query: Query) -> str | None:
    """The reason why visiting points cannot answer the query; None when it can."""
    if query.region.box is not None:
        return "it searches no part of a domain"
    return "it keeps no distance from tried points" if query.region.radius > 1 else None


def chosen(
    origin: str, points: IntArray, values: FloatArray, query: Query, rng: Generator, began: float
) -> Answer:
    """The best feasible points of those visited; any untried ones where those do not suffice."""
    seen, picked = query.exclude, list[tuple[Point, float, str]]()
    order = np.argsort(-values, kind="stable")
    for start in range(0, len(order), CHECKED):
        if len(picked) >= query.count:
            break
        some = order[start : start + CHECKED]
        for i in some[query.domain.feasible(points[some])]:
            point = tuple(points[i].tolist())
            if point not in seen and len(picked) < query.count:
                seen = seen.extended([point])
                picked.append((point, float(values[i]), origin))
    if len(picked) < query.count:
        more = untried(query.region.without([p for p, _, _ in picked]), query.count - len(picked), rng)
        if isinstance(more, Found):
            rest = [proposal.point for proposal in more.proposals]
            picked += [(point, query.predicted(point), "random") for point in rest]
        elif not picked:
            return more
    seconds = time.perf_counter() - began
    return Found(
        tuple(
            certify(
                query,
                Claim(
                    point=point,
                    origin=source,
                    value=value,
                    no_goods=len(query.exclude),
                    seconds=seconds,
                    solver=f"{origin} of {len(points)} points",
                ),
            )
            for point, value, source in picked
        )
    )
