"""The protocol of strategies, which choose the next points from the history."""

from typing import Protocol

from numpy.random import Generator

from milbox.domain import Domain
from milbox.trials import Answer, History


class Strategy(Protocol):
    """A pure function of the history: same arguments, same answer; nothing is kept between calls."""

    def propose(self, domain: Domain, history: History, count: int, rng: Generator) -> Answer:
        """`count` distinct points that were never asked, or as many as were found; Empty is a proof."""
        ...
