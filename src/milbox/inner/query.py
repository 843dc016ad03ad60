"""What an inner solver is asked: the best points of an objective over a region."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from milbox.arrays import BoolArray, IntArray, Point
from milbox.domain import Domain
from milbox.domain.box import Box
from milbox.inner.spacing import distances, near
from milbox.surrogates.acquisition import Sum, normal, shortfall
from milbox.surrogates.base import Surrogate
from milbox.trials.points import Points
from milbox.trials.trial import EVERYWHERE


@dataclass(frozen=True, slots=True, eq=False)
class Region:
    """Where a proposal may lie: the points of a domain that are new.

    Attributes:
        domain: the feasible points.
        exclude: the points tried before.
        radius: in how many variables a point must differ from every excluded one.
        apart: by how many steps a variable differs, one number for each; by one where there are none.
        box: the part of the domain that is searched; all of it where there is none.
    """

    domain: Domain
    exclude: Points = field(default_factory=Points)
    radius: int = 1
    apart: IntArray | None = None
    box: Box | None = None

    @classmethod
    def untried(cls, domain: Domain, tried: Points) -> "Region":
        """The points of a domain that are neither tried nor the image of one under its symmetries."""
        return cls(domain, tried.orbits(domain))

    def without(self, points: Iterable[Point]) -> "Region":
        """The region without these points and their images."""
        return replace(self, exclude=self.exclude.extended(Points(points).orbits(self.domain)))

    @property
    def steps_apart(self) -> IntArray:
        """By how many steps each variable differs."""
        return np.ones(len(self.domain.variables), dtype=np.int64) if self.apart is None else self.apart

    def distances(self) -> Iterator[IntArray]:
        """The distances to keep from tried points, from the one that is wanted down to one step."""
        return distances(self.domain, len(self.exclude), None if self.box is None else self.box.side)

    def holds(self, points: IntArray) -> BoolArray:
        """Which of the points, one a row, are feasible and in the box, tried or not."""
        feasible = self.domain.feasible(points)
        return feasible if self.box is None else feasible & self.box.holds(points)

    def beside(self) -> list[Point]:
        """The excluded points that are in the box, or so near that their distances reach into it."""
        if self.box is None:
            return list(self.exclude)
        tried, reach = self.exclude.codes(self.domain), self.steps_apart - 1
        close = ((tried >= self.box.low - reach) & (tried <= self.box.high + reach)).all(axis=1)
        return [self.exclude[i] for i in np.flatnonzero(close).tolist()]

    def far(self, points: IntArray) -> BoolArray:
        """Which of the points, one a row, differ enough from every excluded one."""
        if self.radius == 1:
            return ~near(points, self.exclude.codes(self.domain), self.steps_apart)
        tried, apart = self.exclude.codes(self.domain), self.steps_apart
        counts = [(np.abs(tried - point) >= apart).sum(axis=1).min(initial=self.radius) for point in points]
        return np.array(counts, dtype=np.int64) >= self.radius

    def __contains__(self, point: Point) -> bool:
        if point in self.exclude or not self.domain.contains(point):
            return False
        if self.box is not None and not self.box.holds(np.array([point], dtype=np.int64))[0]:
            return False
        if self.radius == 1 and (self.apart is None or (self.apart == 1).all()):
            return True
        return bool(self.far(np.array([point], dtype=np.int64))[0])

    @property
    def about(self) -> str:
        """The region in words, for certificates."""
        spaced = self.apart is not None and bool((self.apart > 1).any())
        if self.radius == 1:
            points = "untried points at a distance from every tried one" if spaced else EVERYWHERE
        else:
            points = f"untried points that differ from every tried one in at least {self.radius} variables"
        if self.domain.symmetries:
            points = f"{points}, images of tried ones left out"
        if self.box is None:
            return points
        return f"{points}, {self.box.about}"


@dataclass(frozen=True, slots=True, eq=False)
class AtLeast:
    """A requirement: a surrogate reaches a level.

    Attributes:
        surrogate: what is believed about the quantity.
        level: what it should reach.
        penalty: what the objective loses for each unit that is missing.
        hard: whether the penalty grows until the point found meets the requirement, if any does; a soft one
            is weighed against the objective as it is.
        name: what a certificate calls it.
    """

    surrogate: Surrogate
    level: float
    penalty: float
    hard: bool = True
    name: str = "requirement"

    def __post_init__(self) -> None:
        if not self.penalty > 0.0:
            raise ValueError(f"the penalty of {self.name!r} should be positive, and is {self.penalty}")


@dataclass(frozen=True, slots=True, eq=False)
class Query:
    """The `count` best points of an objective over a region, as far as they meet the requirements.

    Inner solvers take queries without requirements; `requirements.solve` makes such queries of one with.
    `nodes` limits the tree that a program is searched by, where that is less than the solver's own limit.
    """

    objective: Surrogate
    region: Region
    count: int = 1
    requirements: tuple[AtLeast, ...] = ()
    nodes: int | None = None

    @classmethod
    def of(cls, objective: Surrogate, domain: Domain, tried: Iterable[Point] = (), count: int = 1) -> "Query":
        """The query for the `count` best points of a domain beside the tried ones."""
        return cls(objective, Region(domain, Points(tried)), count)

    @property
    def domain(self) -> Domain:
        """The region's feasible points."""
        return self.region.domain

    @property
    def exclude(self) -> Points:
        """The points that may not be the answer."""
        return self.region.exclude

    def without(self, points: Sequence[Point], count: int) -> "Query":
        """The query for `count` points beside these."""
        return replace(self, region=self.region.without(points), count=count)

    def penalised(self, growth: float = 1.0) -> "Query":
        """The query without requirements whose objective loses what they miss; hard ones `growth` times."""
        if not self.requirements:
            return self
        losses = tuple(
            (-each.penalty * (growth if each.hard else 1.0), shortfall(each.surrogate, each.level))
            for each in self.requirements
        )
        objective = normal(Sum(((1.0, self.objective), *losses)))
        return replace(self, objective=objective, requirements=())

    def meets(self, point: Point) -> bool:
        """Whether the point meets every hard requirement, as far as surrogates know."""
        features = self.domain.encode([point])
        return all(
            not each.hard or float(each.surrogate.predict(features)[0]) >= each.level
            for each in self.requirements
        )

    def predicted(self, point: Point) -> float:
        """The objective's own word on one point."""
        return float(self.objective.predict(self.domain.encode([point]))[0])
