"""The best of many feasible points drawn at random."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.random import Generator

from milbox.arrays import FloatArray, IntArray, Point
from milbox.domain import Domain
from milbox.errors import UnsupportedProgram
from milbox.inner.enumerate import Enumerate
from milbox.inner.untried import sample, untried
from milbox.milp.solution import Status
from milbox.surrogates.base import Surrogate
from milbox.trials.answer import Answer, Found
from milbox.trials.trial import Certificate, Proposal

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

    def best(
        self, surrogate: Surrogate, domain: Domain, forbidden: Sequence[Point], count: int, rng: Generator
    ) -> Answer:
        """The `count` best of the points drawn that are not forbidden."""
        began = time.perf_counter()
        drawn: list[IntArray] = []
        missing, left = self.points, self.patience
        while missing > 0 and left > 0:
            found = sample(domain, min(DRAW, left), rng)[:missing]
            missing -= len(found)
            left -= DRAW
            drawn.append(found)
        points = np.concatenate(drawn)
        if Enumerate().refusal(surrogate, domain) is not None:
            new = {tuple(point) for point in points.tolist()}.difference(forbidden)
            if len(new) < count:
                raise UnsupportedProgram(
                    undrawable(domain, self.patience)
                    or f"{self.patience:,} draws gave no more than {len(new)} untried feasible points"
                )
        values = surrogate.predict(domain.encode(points)) if len(points) else np.zeros(0)
        return chosen("sample", points, values, surrogate, domain, forbidden, count, rng, began)


@lru_cache(maxsize=16)
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


def chosen(
    origin: str,
    points: IntArray,
    values: FloatArray,
    surrogate: Surrogate,
    domain: Domain,
    forbidden: Sequence[Point],
    count: int,
    rng: Generator,
    began: float,
) -> Answer:
    """The `count` best feasible points of those visited; any untried ones where those do not suffice."""
    seen = set(forbidden)
    picked: list[tuple[Point, float, str]] = []
    order = np.argsort(-values, kind="stable")
    for start in range(0, len(order), CHECKED):
        if len(picked) >= count:
            break
        some = order[start : start + CHECKED]
        for i in some[domain.feasible(points[some])]:
            point = tuple(points[i].tolist())
            if point not in seen and len(picked) < count:
                seen.add(point)
                picked.append((point, float(values[i]), origin))
    if len(picked) < count:
        more = untried(domain, seen, count - len(picked), rng)
        if isinstance(more, Found):
            rest = [proposal.point for proposal in more.proposals]
            worth = surrogate.predict(domain.encode(rest)).tolist()
            picked += [(point, value, "random") for point, value in zip(rest, worth, strict=True)]
        elif not picked:
            return more
    own = surrogate.predict(domain.encode([point for point, _, _ in picked])).tolist()
    seconds = time.perf_counter() - began
    return Found(
        tuple(
            Proposal(
                point,
                source,
                Certificate(
                    status=Status.FEASIBLE,
                    value=value,
                    bound=np.inf,
                    residual=abs(value - predicted),
                    no_goods=len(forbidden),
                    seconds=seconds,
                    solver=f"{origin} of {len(points)} points",
                ),
            )
            for (point, value, source), predicted in zip(picked, own, strict=True)
        )
    )
