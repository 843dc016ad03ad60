"""The protocol of inner solvers, which find the best untried points of a surrogate."""

from typing import Protocol

from numpy.random import Generator

from milbox.inner.query import Query
from milbox.trials.answer import Answer


class InnerSolver(Protocol):
    """Anything that maximises a surrogate over a region."""

    def refusal(self, query: Query) -> str | None:
        """Why it cannot answer such a query; None when it can."""
        ...

    def solve(self, query: Query, rng: Generator) -> Answer:
        """The best points, best first; or a proof that the region is empty, or neither."""
        ...
