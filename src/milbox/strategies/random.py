"""Random search: feasible points that were never asked, however hard the constraints are."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from numpy.random import Generator

from milbox.domain import Domain
from milbox.inner.query import Region
from milbox.inner.successive import successive
from milbox.inner.untried import DRAWS, LIMITS, SOLVER, untried
from milbox.milp.solution import Limits, Solver
from milbox.strategies.repeats import where_none_is_new
from milbox.trials import Answer, Found, History, Proposal
from milbox.trials.answer import joined


@dataclass(frozen=True, slots=True)
class RandomSearch:
    """Feasible points that were never asked, without a model.

    Attributes:
        draws: how many points of the box are drawn before rejection is given up.
        solver: solves programs with random objectives where rejection fails.
        limits: of one such program.
    """

    draws: int = DRAWS
    solver: Solver = SOLVER
    limits: Limits = LIMITS
    takes_goals: ClassVar[bool] = True

    def propose(self, domain: Domain, history: History, count: int, rng: Generator) -> Answer:
        """`count` new feasible points, or as many as were found; where values are noisy, old ones at last."""
        return where_none_is_new(self.new(domain, history, count, rng), domain, history, count, rng)

    def new(self, domain: Domain, history: History, count: int, rng: Generator) -> Answer:
        """`count` points that were never asked."""
        region = Region.untried(domain, history.asked_points)
        if not domain.symmetries:
            return self.drawn(region, count, rng)
        # One after the other, so that none is the image of another.
        return successive(region, count, lambda left, _: self.drawn(left, 1, rng))

    def drawn(self, region: Region, count: int, rng: Generator) -> Answer:
        """Random points of a region."""
        return untried(region, count, rng, draws=self.draws, solver=self.solver, limits=self.limits)


def filled(
    proposals: Iterable[Proposal], domain: Domain, history: History, count: int, rng: Generator
) -> Answer:
    """The proposals, and behind them as many random points as `count` lacks."""
    proposals = tuple(proposals)
    if len(proposals) == count:
        return Found(proposals)
    rest = RandomSearch().propose(domain, history.asked(proposals), count - len(proposals), rng)
    return joined(proposals, rest)
