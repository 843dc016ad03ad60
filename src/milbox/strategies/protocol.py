"""The protocol of strategies, which choose the next points from the history."""

from typing import Protocol

from numpy.random import Generator

from milbox.domain import Domain
from milbox.trials import Answer, History


class Strategy(Protocol):
    """A pure function of the history: same arguments, same answer; nothing is kept between calls.

    A journal keeps the strategy's identity, such as `nn+milp@2(initial=10)`. A strategy of your own says it
    in an attribute `identity`: a name, `@`, a version that rises when it would propose something else than
    before, and the settings that are not the default. Without the attribute its repr is kept.

    A strategy that reads `history.goal`, and so knows of several objectives, limits and noise, has an
    attribute `takes_goals` that is true; others are refused for such studies.
    """

    def propose(self, domain: Domain, history: History, count: int, rng: Generator) -> Answer:
        """`count` distinct points that were never asked, or as many as were found; Empty is a proof."""
        ...
