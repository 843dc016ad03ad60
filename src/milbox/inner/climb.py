"""Where is a good untried point, quickly and without proof? Climb from the best points known.

The answer starts an exact search: it guarantees a proposal whatever the limit, and shows which tried points
can be left out of the program.
"""

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator

from milbox.arrays import IntArray, Point
from milbox.domain import Domain
from milbox.surrogates.base import Surrogate

# Changes looked at in one round; larger neighbourhoods are sampled.
NEIGHBOURS = 4096
ROUNDS = 50
STARTS = 4


def climbed(
    surrogate: Surrogate, domain: Domain, forbidden: Sequence[Point], rng: Generator
) -> tuple[Point, float] | None:
    """A feasible point that is not forbidden, and its prediction; None when no climb meets one."""
    if not forbidden:
        return None
    tried = np.array(forbidden, dtype=np.int64)
    predictions = surrogate.predict(domain.encode(tried))
    seen = set(forbidden)
    best: tuple[Point, float] | None = None
    for start in np.argsort(-predictions)[:STARTS]:
        here, value = tried[start], float(predictions[start])
        for _ in range(ROUNDS):
            around = neighbours(domain, here, rng)
            around = around[domain.feasible(around)]
            if not len(around):
                break
            values = surrogate.predict(domain.encode(around))
            for i in np.argsort(-values):
                if best is not None and values[i] <= best[1]:
                    break
                point = tuple(around[i].tolist())
                if point not in seen:
                    best = (point, float(values[i]))
                    break
            top = int(np.argmax(values))
            if values[top] <= value:
                break
            here, value = around[top], float(values[top])
    return best


def neighbours(domain: Domain, point: IntArray, rng: Generator) -> IntArray:
    """Points that differ in one variable, or in two variables that share a linear constraint."""
    singles = [
        (i, code)
        for i, variable in enumerate(domain.variables)
        for code in variable.codes
        if code != point[i]
    ]
    pairs = exchanges(domain, point)
    total = len(singles) + len(pairs)
    moves = range(total) if total <= NEIGHBOURS else rng.choice(total, NEIGHBOURS, replace=False)
    around = np.repeat(point[None], len(moves), axis=0)
    for row, move in enumerate(moves):
        if move < len(singles):
            i, code = singles[move]
            around[row, i] = code
        else:
            i, j = pairs[move - len(singles)]
            around[row, [i, j]] = point[[j, i]]
    return around


def exchanges(domain: Domain, point: IntArray) -> IntArray:
    """Pairs of variables in one linear constraint with the same codes that could swap their values."""
    matrix = domain.linear_system[0]
    owner = np.repeat(np.arange(len(domain.variables)), domain.layout.width)
    found: set[tuple[int, int]] = set()
    for first, last in zip(matrix.indptr[:-1], matrix.indptr[1:], strict=True):
        members = np.unique(owner[matrix.indices[first:last]])
        values = point[members]
        for i, j in np.argwhere(values[:, None] < values[None, :]):
            a, b = int(members[i]), int(members[j])
            if domain.variables[a].codes == domain.variables[b].codes:
                found.add((min(a, b), max(a, b)))
        if len(found) > 4 * NEIGHBOURS:
            break
    return np.array(sorted(found), dtype=np.int64).reshape(-1, 2)
