"""The paper's methods as published: training, program, solver and first points."""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from milbox.domain import Domain
from milbox.domain.kept import kept
from milbox.inner import PaperMip
from milbox.inner.evolution.mutators import paired_subsets
from milbox.inner.untried import sample, solved
from milbox.milp.solution import Limits, Solver
from milbox.milp.solvers import Scip, Settings
from milbox.strategies.model_based import ModelBased
from milbox.strategies.random import RandomSearch
from milbox.surrogates import PAPER, Learner
from milbox.surrogates.linear import LinearLearner
from milbox.trials import Answer, History, Proposal
from milbox.trials.answer import Empty, Found, Unknown, joined
from milbox.trials.points import Points

# Rejection is given up where less than one point of the box in so many is feasible.
RARE = 10_000


@dataclass(frozen=True, slots=True)
class PaperStart:
    """The paper's first points: uniform, or optima of programs with random objectives.

    Without constraints, and where rejection finds a feasible point among ten thousand, points are uniform; so
    they are where all constraints pair subsets (Section 4.3), for which the paper has a sampler of its own.
    Elsewhere a program with a random objective is solved for each point (Section 5 and Appendix F).

    Attributes:
        solver: solves the programs.
        limits: of each program.
    """

    solver: Solver = Scip(Settings.PAPER)
    limits: Limits = Limits(seconds=500.0)

    def propose(self, domain: Domain, history: History, count: int, rng: Generator) -> Answer:
        """`count` new feasible points, or as many as were found."""
        if drawable(domain):
            return RandomSearch().propose(domain, history, count, rng)
        seen = history.asked_points.orbits(domain)
        found: tuple[Proposal, ...] = ()
        while len(found) < count:
            answer = solved(domain, seen, rng, self.solver, self.limits)
            if isinstance(answer, Empty | Unknown):
                return joined(found, answer)
            seen = seen.extended(Points([answer]).orbits(domain))
            found = (*found, Proposal(answer, "random objective"))
        return Found(found)


@kept
def drawable(domain: Domain) -> bool:
    """Whether the paper would have drawn points of this domain at random."""
    if not domain.constraints or paired_subsets(domain) is not None:
        return True
    if domain.size is not None:
        return domain.size * RARE >= domain.box_size
    return len(sample(domain, RARE, np.random.default_rng(0))) > 0


def PaperNNMILP(initial: int = 50, learner: Learner = PAPER, seconds: float = 500.0) -> ModelBased:  # noqa: N802
    """NN+MILP as published (Section 3, Appendices A and C.1), for comparison with the default `NNMILP`.

    FC(16) trained for 25,000 epochs on inputs as they are, and its best untried point by SCIP with default
    settings within so many seconds.
    """
    return ModelBased(learner, PaperMip(limits=Limits(seconds=seconds)), initial, PaperStart())


def PaperLinearMILP(initial: int = 50, seconds: float = 500.0) -> ModelBased:  # noqa: N802
    """Linear+MILP as published (Section 6): a linear surrogate of a bootstrap, solved as in `PaperNNMILP`."""
    return ModelBased(LinearLearner(), PaperMip(limits=Limits(seconds=seconds)), initial, PaperStart())
