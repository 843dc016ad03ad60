"""The steps of the default strategy: the domain decides who learns, and where points are searched for."""

from dataclasses import dataclass

from numpy.random import Generator

from milbox.domain import Domain
from milbox.domain.kept import kept
from milbox.inner import Enumerate
from milbox.inner.pairs.moves import groups_of
from milbox.strategies.local import Local, Step, Steps
from milbox.strategies.pairwise import Pairwise
from milbox.trials import History

MOST_MOVES = 1_000
"""Points of no domain in the study had more neighbours; steps by pairs take longer with each."""


@dataclass(frozen=True, slots=True)
class ByDomain:
    """Boxes where variables are real; pairs in half of the steps where discrete variables have constraints.

    Everywhere else, and where all points can be listed, one learner sees the whole domain in every step. The
    study that decided this is in docs/study.md.

    Attributes:
        ranges: the steps where variables are real, or wide integers.
        constrained: the steps where variables are discrete and have constraints.
    """

    ranges: Local = Local()
    constrained: Pairwise = Pairwise(share=0.5)

    def steps(self, domain: Domain) -> Steps | None:
        """Who chooses on a domain; None where nobody has to."""
        if self.ranges.applies(domain):
            return self.ranges
        return self.constrained if pairs_pay(domain) else None

    def applies(self, domain: Domain) -> bool:
        """Whether it chooses on this domain."""
        return self.steps(domain) is not None

    def step(self, domain: Domain, history: History, ahead: int, rng: Generator) -> Step:
        """The step that follows a history and so many points that were chosen since."""
        return self._chosen(domain).step(domain, history, ahead, rng)

    def next_step(self, domain: Domain, history: History) -> str:
        """Where the next point is searched for, and by which beliefs."""
        return self._chosen(domain).next_step(domain, history)

    def _chosen(self, domain: Domain) -> Steps:
        steps = self.steps(domain)
        assert steps is not None, "applies() says no to this domain"
        return steps


@kept
def pairs_pay(domain: Domain) -> bool:
    """Whether a discrete domain has constraints, few neighbours of a point, and more points than are listed.

    Values that are fixed for one proposal, and other rules for it alone, do not change what pays.
    """
    whole = domain.whole
    if not whole.constraints or not Pairwise().applies(domain):
        return False
    groups = groups_of(whole)
    if isinstance(groups, str) or groups.moves > MOST_MOVES:
        return False
    return Enumerate().too_large(domain) is not None
