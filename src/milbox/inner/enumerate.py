"""What is the best point of a small domain? Look at every one."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.random import Generator

from milbox.arrays import FloatArray, IntArray, Point
from milbox.domain import Domain
from milbox.domain.blocks import blocks
from milbox.milp.solution import Status
from milbox.surrogates.base import Surrogate
from milbox.trials.trial import Certificate, Proposal

# How many feature entries are encoded at a time, and how many are kept for the next step (128 MB).
CHUNK = 1 << 22
KEPT = 1 << 24


@dataclass(frozen=True, slots=True)
class Enumerate:
    """Exact for any surrogate, on domains of at most `limit` points."""

    limit: int = 200_000

    def refusal(self, surrogate: Surrogate, domain: Domain) -> str | None:
        """Why it cannot be used here; None when it can."""
        del surrogate
        if domain.size is None:
            return "the constraints tie too many variables together to list their states"
        if domain.size > self.limit:
            return f"the domain has {domain.size} points, more than {self.limit}"
        return None

    def best(
        self, surrogate: Surrogate, domain: Domain, forbidden: Sequence[Point], count: int, rng: Generator
    ) -> Sequence[Proposal]:
        """The `count` best points by prediction; equal ones in an order drawn from rng."""
        began = time.perf_counter()
        points, index = all_points(domain)
        values = np.concatenate([surrogate.predict(part) for part in encoded(domain)])
        values[[index[p] for p in forbidden if p in index]] = -np.inf
        ties = rng.random(len(values))
        count = min(count, len(points))
        top = np.argpartition(-values, count - 1)[:count] if count else np.zeros(0, dtype=np.int64)
        if count:
            top = np.flatnonzero(values >= values[top].min())
        chosen = top[np.lexsort((ties[top], -values[top]))][:count]
        seconds = time.perf_counter() - began
        return [
            Proposal(
                tuple(points[i].tolist()),
                "enumeration",
                Certificate(
                    status=Status.OPTIMAL,
                    value=float(values[i]),
                    bound=float(values[i]),
                    residual=0.0,
                    no_goods=len(forbidden),
                    seconds=seconds,
                    solver=f"enumeration of {len(points)} points",
                ),
            )
            for i in chosen
            if values[i] > -np.inf
        ]


@lru_cache(maxsize=4)
def all_points(domain: Domain) -> tuple[IntArray, dict[Point, int]]:
    """Every point, one a row, and the row of each."""
    found = blocks(domain, 1 << 17)
    assert found is not None, "refusal() says no to such domains"
    points = np.zeros((domain.size or 0, len(domain.variables)), dtype=np.int64)
    repeat = len(points)
    for block in found:
        repeat //= max(1, len(block.states))
        rows = np.repeat(np.arange(len(block.states)), repeat)
        points[:, block.variables] = block.states[np.resize(rows, len(points))]
    return points, {tuple(row): i for i, row in enumerate(points.tolist())}


def encoded(domain: Domain) -> Sequence[FloatArray]:
    """The features of every point in parts that fit into memory."""
    points, _ = all_points(domain)
    if points.size and len(points) * domain.features <= KEPT:
        return (all_features(domain),)
    step = max(1, CHUNK // domain.features)
    return [domain.encode(points[i : i + step]) for i in range(0, max(1, len(points)), step)]


@lru_cache(maxsize=2)
def all_features(domain: Domain) -> FloatArray:
    """The features of every point of a domain small enough to keep them."""
    return domain.encode(all_points(domain)[0])
