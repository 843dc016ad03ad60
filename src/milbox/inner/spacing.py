"""How far a new point has to be from every tried one, where there are reals.

Next to a tried point on a fine grid there is always another that is new in name alone. A proposal therefore
differs from each tried point in some other variable, or in a real by a distance that shrinks with the number
of points tried, which makes it a function of the history. Where no point is left at a distance, a smaller one
does, and at one step of the grid nothing is left of the domain.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from milbox.arrays import BoolArray, IntArray, Point
from milbox.domain import Domain

WIDEST, NARROWEST, TRIED = 0.1, 0.001, 90
"""The distance as a share of the range: the first, the last, and how many points are tried before that."""

IN_BOX = 0.1
"""The distance as a share of the side of a box."""

CHUNK = 1 << 20
"""How many pairs of points are compared at a time."""

FACTOR = 4
"""How much smaller a distance is where no point is left at the one before."""


def ranges_refused(domain: Domain) -> str | None:
    """Why what is for discrete domains cannot be used; None when it can."""
    if not len(domain.coding.shares):
        return None
    return "it is for discrete variables, and some are real or wide; use nn+milp"


def distances(domain: Domain, tried: int, side: float | None = None) -> Iterator[IntArray]:
    """Steps for each variable, from the distance after so many tried points down to one step of the grid.

    In a box it follows from the side of the box.
    """
    steps = real_steps(domain)
    share = max(NARROWEST, WIDEST * (NARROWEST / WIDEST) ** (tried / TRIED))
    if side is not None:
        share = min(WIDEST, IN_BOX * side)
    while True:
        apart = np.maximum(1, np.floor(share * steps)).astype(np.int64)
        yield apart
        if (apart == 1).all():
            return
        share /= FACTOR


def is_spaced(domain: Domain) -> bool:
    """Whether new points are ever more than one step from tried ones."""
    return bool((WIDEST * real_steps(domain) >= 2).any())


def real_steps(domain: Domain) -> IntArray:
    """The number of steps of each real; zero for other variables, which differ or do not."""
    real = np.array([variable.kind == "real" for variable in domain.variables], dtype=bool)
    return np.where(real, domain.coding.steps, 0)


def near(points: IntArray, others: Sequence[Point] | IntArray, apart: IntArray) -> BoolArray:
    """Which of the points, one a row, are closer than `apart` to one of the others in every variable."""
    known = np.array(others, dtype=np.int64).reshape(-1, points.shape[1])
    found = np.zeros(len(points), dtype=bool)
    step = max(1, CHUNK // max(1, len(known)))
    for first in range(0, len(points), step):
        some = points[first : first + step]
        close = np.ones((len(some), len(known)), dtype=bool)
        for column, distance in enumerate(apart.tolist()):
            close &= np.abs(some[:, column, None] - known[None, :, column]) < distance
        found[first : first + step] = close.any(axis=1)
    return found
