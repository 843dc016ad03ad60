"""The three answers to a request for untried points: some points, a proof that none is left, or neither."""

import operator
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TypeAlias

from milbox.domain import Domain
from milbox.trials.points import Points
from milbox.trials.trial import Proposal


@dataclass(frozen=True, slots=True)
class Found:
    """Untried feasible points, best first.

    There may be fewer than were asked for. That proves nothing: whether more are left, the next request says.
    """

    proposals: tuple[Proposal, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "proposals", tuple(self.proposals))
        if not self.proposals:
            raise ValueError("Found needs a proposal; without one the answer is Empty() or Unknown(reason)")


@dataclass(frozen=True, slots=True)
class Empty:
    """A proof that every feasible point is excluded, and not only that a search met none."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """No point was found, and none is proved to be left out: a limit came first."""

    reason: str


Answer: TypeAlias = Found | Empty | Unknown


def joined(first: tuple[Proposal, ...], then: Answer) -> Answer:
    """Proposals in hand, followed by the answer to the request for more."""
    if isinstance(then, Found):
        return Found((*first, *then.proposals))
    return Found(first) if first else then


def checked(proposals: Iterable[Proposal], domain: Domain, asked: Points, strategy: str) -> list[Proposal]:
    """The proposals of a strategy: each lies in the domain, was not asked, and is no image of another.

    A repeat, where measurements are noisy, is of a point that was asked.
    """
    taken = asked.orbits(domain)
    kept: list[Proposal] = []
    for proposal in proposals:
        point = tuple(operator.index(code) for code in proposal.point)
        inside = domain.contains(point)
        if not inside or (point in taken) != (proposal.repeat > 0):
            before = "asked before, or the image of one that was" if domain.symmetries else "asked before"
            before = "never asked, as a repeat" if proposal.repeat else before
            raise RuntimeError(
                f"the strategy {strategy} proposed the point {point}, "
                f"{before if inside else 'outside the domain'}; "
                f"this is a bug in the strategy, and nothing was handed out"
            )
        taken = taken.extended(Points([point]).orbits(domain))
        kept.append(replace(proposal, point=point))
    return kept
