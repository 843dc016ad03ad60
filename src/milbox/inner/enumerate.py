"""The best point of a small domain, by enumeration."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator

from milbox.arrays import FloatArray, IntArray, Point
from milbox.domain import Domain
from milbox.domain.diagrams.product import Block
from milbox.domain.kept import kept
from milbox.domain.model.numbers import digits
from milbox.inner.certify import Claim, certify
from milbox.inner.query import Query
from milbox.inner.spacing import is_spaced
from milbox.inner.successive import best_points
from milbox.surrogates.base import Surrogate
from milbox.surrogates.relu import ReluNet
from milbox.trials.answer import Answer, Empty, Found

# How many feature entries are encoded at a time, and how many are kept for the next step (128 MB).
CHUNK = 1 << 20
KEPT = 1 << 24
# How many signals a processor's cache holds.
CACHED = 1 << 16


@dataclass(frozen=True, slots=True)
class Enumerate:
    """Exact for any surrogate, on domains of at most `limit` points."""

    limit: int = 200_000

    def refusal(self, query: Query) -> str | None:
        """The reason why it cannot answer; None when it can."""
        return self.too_large(query.domain)

    def too_large(self, domain: Domain) -> str | None:
        """The reason why the points of a domain cannot be listed; None when they can."""
        if domain.size is None:
            return "the constraints tie too many variables together to list their states"
        if domain.size > self.limit:
            count = digits(domain.size)
            much = count if len(count) <= 100 else f"about 10^{len(count) - 1}"
            return f"the domain has {much} points, more than {self.limit}"
        return None

    def solve(self, query: Query, rng: Generator) -> Answer:
        """The best points by prediction; equal ones in an order drawn from rng."""
        if query.count > 1 and is_spaced(query.domain):
            return best_points(query, lambda left: self.solve(left, rng))  # at distances from each other
        began = time.perf_counter()
        domain, surrogate, region = query.domain, query.objective, query.region
        points, index = all_points(domain)
        values = everywhere(surrogate, domain)
        allowed = np.ones(len(points), dtype=bool)
        allowed[[index[p] for p in region.exclude if p in index]] = False
        left = np.flatnonzero(allowed)
        if region.box is not None:
            left = left[region.box.holds(points[left])]
        if region.radius > 1 or is_spaced(domain):
            for apart in region.distances():
                query = replace(query, region=replace(region, apart=apart))
                far = left[query.region.far(points[left])]
                if len(far):
                    break
            left = far
        if not len(left):
            return Empty()
        ties = rng.random(len(values))
        worth = np.where(np.isnan(values), -np.inf, values)[left]
        count = min(query.count, len(left))
        least = worth.max() if count == 1 else np.partition(worth, -count)[-count]
        top = left[worth >= least]
        chosen = top[np.lexsort((ties[top], -values[top]))][:count]
        seconds = time.perf_counter() - began
        return Found(
            tuple(
                certify(
                    query,
                    Claim(
                        point=tuple(points[i].tolist()),
                        origin="enumeration",
                        value=float(values[i]),
                        bound=float(values[i]),
                        proved=bool(np.isfinite(values[i])),
                        no_goods=len(region.exclude),
                        seconds=seconds,
                        solver=f"enumeration of {len(points)} points",
                    ),
                )
                for i in chosen
            )
        )


def everywhere(surrogate: Surrogate, domain: Domain) -> FloatArray:
    """The prediction at every point, in the order of `all_points`."""
    listed = listed_parts(domain)
    if not isinstance(surrogate, ReluNet) or not surrogate.hidden or not domain.size:
        return np.concatenate([surrogate.predict(part) for part in encoded(domain)])
    first = surrogate.layers[0]
    if len(listed) == 1:
        return from_halves(surrogate, domain)
    # A point's first pre-activations are a sum over the parts: of one half of them, and of the other.
    parts = [domain.coding.contributions(block.variables, block.states, first.weights) for block in listed]
    sizes = np.cumprod([len(part) for part in parts], dtype=np.float64)
    half = 1 + int(np.searchsorted(sizes, np.sqrt(sizes[-1])))
    left, right = summed(parts[:half]) + first.bias, summed(parts[half:])
    rest = ReluNet(surrogate.layers[1:])
    step = max(1, CHUNK // right.size)
    values = []
    for i in range(0, len(left), step):
        signals = left[i : i + step, None, :] + right
        np.maximum(signals, 0.0, out=signals)
        values.append(rest.predict(signals.reshape(-1, signals.shape[2])))
    return np.concatenate(values)


def from_halves(net: ReluNet, domain: Domain) -> FloatArray:
    """The prediction at every point of one block, whose halves repeat: each is worked out once."""
    first, rest = net.layers[0], ReluNet(net.layers[1:])
    signals = [half.features @ first.weights[half.columns] for half in halves(domain)]
    signals[0] += first.bias
    step, values = max(1, CACHED // len(first.bias)), []
    for i in range(0, domain.size or 0, step):
        left, right = (
            part[half.of[i : i + step]] for part, half in zip(signals, halves(domain), strict=True)
        )
        left += right
        np.maximum(left, 0.0, out=left)
        values.append(rest.predict(left))
    return np.concatenate(values)


@dataclass(frozen=True, slots=True, eq=False)
class Half:
    """The different codes that half of the variables take together."""

    columns: IntArray
    """The features of these variables."""
    features: FloatArray
    """(different ones, columns)"""
    of: IntArray
    """(points,): which of them each point has."""


@kept
def halves(domain: Domain) -> tuple[Half, Half]:
    """The variables in two halves, over all points."""
    points, _ = all_points(domain)
    found = []
    for part in np.array_split(np.arange(len(domain.variables)), 2):
        _, at, of = np.unique(points[:, part], axis=0, return_index=True, return_inverse=True)
        columns = np.concatenate([np.zeros(0, np.int64), *(domain.coding.group(i) for i in part)])
        found.append(Half(columns, domain.encode(points[at])[:, columns], of.reshape(-1)))
    return found[0], found[1]


def summed(parts: Sequence[FloatArray]) -> FloatArray:
    """The sums of one row from each part, the last part changing fastest."""
    sums = np.zeros((1, parts[0].shape[1])) if parts else np.zeros((1, 1))
    for part in parts:
        sums = (sums[:, None, :] + part).reshape(-1, part.shape[1])
    return sums


@kept
def all_points(domain: Domain) -> tuple[IntArray, dict[Point, int]]:
    """Every point, one a row, and the row of each."""
    found = listed_parts(domain)
    points = np.zeros((domain.size or 0, len(domain.variables)), dtype=np.int64)
    repeat = len(points)
    for block in found:
        repeat //= max(1, len(block.states))
        rows = np.repeat(np.arange(len(block.states)), repeat)
        points[:, block.variables] = block.states[np.resize(rows, len(points))]
    return points, {tuple(row): i for i, row in enumerate(points.tolist())}


@kept
def listed_parts(domain: Domain) -> tuple[Block, ...]:
    """The independent parts of the domain with their joint states."""
    assert domain.drawing is not None, "refusal() says no to such domains"
    listed = domain.drawing.blocks()
    assert listed is not None, "without a limit every state is listed"
    return listed


def encoded(domain: Domain) -> Sequence[FloatArray]:
    """The features of every point in parts that fit into memory."""
    points, _ = all_points(domain)
    if points.size and len(points) * domain.features <= KEPT:
        return (all_features(domain),)
    step = max(1, CHUNK // domain.features)
    return [domain.encode(points[i : i + step]) for i in range(0, max(1, len(points)), step)]


@kept
def all_features(domain: Domain) -> FloatArray:
    """The features of every point of a domain small enough to keep them."""
    return domain.encode(all_points(domain)[0])
