"""The protocol of inner solvers, which find the best untried point of a surrogate."""

from collections.abc import Sequence
from typing import Protocol

from numpy.random import Generator

from milbox.arrays import Point
from milbox.domain import Domain
from milbox.surrogates.base import Surrogate
from milbox.trials.trial import Proposal


class InnerSolver(Protocol):
    """Anything that maximises a surrogate over the points of a domain that are not forbidden."""

    def best(
        self, surrogate: Surrogate, domain: Domain, forbidden: Sequence[Point], count: int, rng: Generator
    ) -> Sequence[Proposal]:
        """The `count` best points, best first; fewer when fewer are left."""
        ...
