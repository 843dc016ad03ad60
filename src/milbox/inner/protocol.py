"""The protocol of inner solvers, which find the best untried points of a surrogate."""

from typing import Protocol

from numpy.random import Generator

from milbox.domain import Domain
from milbox.inner.query import Query
from milbox.trials.answer import Answer


class InnerSolver(Protocol):
    """Anything that maximises a surrogate over a region.

    One that can answer no query about some domains, nor about any part of them, may say so in a further
    method, `domain_refusal(domain)`; strategies with it are then refused before the first evaluation.
    """

    def refusal(self, query: Query) -> str | None:
        """Why it cannot answer such a query; None when it can."""
        ...

    def solve(self, query: Query, rng: Generator) -> Answer:
        """The best points, best first; or a proof that the region is empty, or neither."""
        ...


def refusal_of(inner: InnerSolver, domain: Domain) -> str | None:
    """Why an inner solver answers no query about a domain, where it says so; None when it may."""
    asked = getattr(inner, "domain_refusal", None)
    return None if asked is None else asked(domain)
