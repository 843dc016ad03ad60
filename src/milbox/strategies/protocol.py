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

    A strategy that cannot be used on some domains may say why in a method `refusal(domain)`, which returns
    None for all others; it is then refused before the first evaluation.
    """

    def propose(self, domain: Domain, history: History, count: int, rng: Generator) -> Answer:
        """`count` distinct points that were never asked, or as many as were found; Empty is a proof."""
        ...


def objection(strategy: object, domain: Domain) -> str | None:
    """Why a strategy cannot be used on a domain, where it says so; None when it may."""
    asked = getattr(strategy, "refusal", None)
    return None if asked is None else asked(domain)


def ensure_taken(strategy: object, name: str, domain: Domain) -> None:
    """Refuse a strategy that cannot be used on a domain."""
    reason = objection(strategy, domain)
    if reason is not None:
        raise ValueError(f"the strategy {name} cannot be used here: {reason}")
