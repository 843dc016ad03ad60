"""The three answers to a request for untried points: some points, a proof that none is left, or neither."""

from dataclasses import dataclass
from typing import TypeAlias

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
