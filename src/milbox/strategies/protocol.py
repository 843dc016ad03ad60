"""The protocol of strategies, which choose the next points from the history."""

from collections.abc import Sequence
from typing import Protocol

from numpy.random import Generator

from milbox.domain import Domain
from milbox.trials import History, Proposal


class Strategy(Protocol):
    """A pure function of the history: same arguments, same answer; nothing is kept between calls."""

    def propose(self, domain: Domain, history: History, count: int, rng: Generator) -> Sequence[Proposal]:
        """`count` distinct points that were never asked; fewer when the domain has no more."""
        ...
