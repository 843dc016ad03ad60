"""Boxes: the part of a domain round one of its points."""

import math
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from milbox.arrays import BoolArray, FloatArray, IntArray, Point
from milbox.domain.coding import Coding
from milbox.domain.domain import Domain
from milbox.domain.kept import kept

WIDEST = 1.6
"""The side at which a box is the whole domain, wherever its centre is."""


@dataclass(frozen=True, slots=True, eq=False)
class Box:
    """The points whose ordered variables are near a centre's, and of which few others differ from it.

    Attributes:
        centre: the codes of a point.
        side: how wide the box is, as a share of each range.
        low: the least code of each variable.
        high: the largest code of each variable.
        unordered: which variables have no order: binary and categorical ones.
        changes: how many of these may differ from the centre.
        about: the box in words, for certificates.
    """

    centre: IntArray
    side: float
    low: IntArray
    high: IntArray
    unordered: BoolArray
    changes: int
    about: str

    @classmethod
    def around(cls, domain: Domain, point: Point, side: float) -> Self:
        """The box of a side; ordered variables can go at least one step up and down."""
        centre, places, unordered = np.array(point, dtype=np.int64), domain.coding, without_order(domain)
        reach = np.maximum(1, np.floor(side / 2 * (places.high - places.low))).astype(np.int64)
        low = np.where(unordered, places.low, np.maximum(places.low, centre - reach))
        high = np.where(unordered, places.high, np.minimum(places.high, centre + reach))
        count = int(unordered.sum())
        changes = max(1, math.ceil(count * min(1.0, side / WIDEST))) if count else 0
        about = f"in a box of {side:g} of each range round the best one"
        return cls(centre, side, low, high, unordered, changes, about)

    @classmethod
    def with_code(cls, domain: Domain, point: Point, variable: int) -> Self:
        """All points in which a variable (by index) has the code that it has in a point."""
        whole, own, code = cls.around(domain, point, WIDEST), domain.variables[variable], point[variable]
        low, high = domain.coding.low.copy(), domain.coding.high.copy()
        low[variable] = high[variable] = code
        return replace(whole, low=low, high=high, about=f"with {own.name} = {own.value(code)}")

    @classmethod
    def ball(cls, domain: Domain, point: Point, changes: int, near: str = "the best one") -> Self:
        """All points that differ from a point in at most so many variables, by however much.

        `near` is that point in words.
        """
        centre, places = np.array(point, dtype=np.int64), domain.coding
        every = np.ones(len(centre), dtype=bool)
        about = f"at most {changes} variable{'' if changes == 1 else 's'} away from {near}"
        return cls(centre, WIDEST, places.low, places.high, every, changes, about)

    def is_ball(self, domain: Domain) -> bool:
        """Whether it limits the number of changed variables alone."""
        places = domain.coding
        whole = (self.low <= places.low).all() and (self.high >= places.high).all()
        return bool(whole and self.unordered.all())

    def holds(self, points: IntArray) -> BoolArray:
        """Which of the points, one a row, are in the box."""
        inside = ((points >= self.low) & (points <= self.high)).all(axis=1)
        changed = (points != self.centre)[:, self.unordered].sum(axis=1)
        held: BoolArray = inside & (changed <= self.changes)
        return held

    def limits(self, places: Coding) -> tuple[FloatArray, FloatArray]:
        """The least and the largest of the whole number behind each feature."""
        lower, upper = (limit.astype(np.float64) for limit in places.limits)
        plain = ~places.onehot
        lower[places.start[plain]], upper[places.start[plain]] = self.low[plain], self.high[plain]
        for i in np.flatnonzero(places.onehot):
            codes = places.low[i] + np.arange(places.width[i])
            upper[places.group(int(i))] = (codes >= self.low[i]) & (codes <= self.high[i])
        return lower, upper


@kept
def without_order(domain: Domain) -> BoolArray:
    """Which variables have no order among their codes, or only two of them."""
    return np.array([variable.kind in ("binary", "categorical") for variable in domain.variables], dtype=bool)
