"""The protocol of inner solvers, which find the best untried point of a surrogate."""

from collections.abc import Sequence
from typing import Protocol

from numpy.random import Generator

from milbox.arrays import Point
from milbox.domain import Domain
from milbox.surrogates.base import Surrogate
from milbox.trials.answer import Answer


class InnerSolver(Protocol):
    """Anything that maximises a surrogate over the points of a domain that are not forbidden."""

    def best(
        self, surrogate: Surrogate, domain: Domain, forbidden: Sequence[Point], count: int, rng: Generator
    ) -> Answer:
        """The `count` best points, one or more, best first; or a proof that none is left, or neither."""
        ...
