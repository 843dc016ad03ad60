"""Regularised evolution (Real et al. 2019), without a model.

The population is the last finished trials, so that nothing is kept between calls.
"""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from milbox.arrays import Point
from milbox.domain import Domain
from milbox.inner import Evolution, Sample
from milbox.inner.evolution import parents
from milbox.inner.evolution.mutators import Balanced, Mutator, Pointwise
from milbox.strategies.model_based import ModelBased
from milbox.strategies.random import RandomSearch, filled
from milbox.surrogates import Learner, ReluLearner
from milbox.trials import Answer, History, Proposal
from milbox.trials.points import Points

# Children drawn at a time, and how often a batch without a new feasible one is drawn again.
BROOD = 64
ATTEMPTS = 4


@dataclass(frozen=True, slots=True)
class RegEvo:
    """Children of tournament winners (the paper's RegEvo, Appendix C.2).

    A child that was asked before or is infeasible is drawn again, and after many attempts a random point
    takes its place: every proposal is new and feasible.

    Attributes:
        tournament: how many members of the population compete to be parents (T).
        alive: how many of the last finished trials are the population (D).
        mutator: how children are made.
        initial: how many random points come first.
    """

    tournament: int = 10
    alive: int = 100
    mutator: Mutator = Pointwise(crossover=0.1, mutation=0.1)
    initial: int = 50

    def propose(self, domain: Domain, history: History, count: int, rng: Generator) -> Answer:
        """`count` new children, or random points until `initial` are measured."""
        population = history.inside[-self.alive :]
        if len(history.finished) < self.initial or not population:
            return RandomSearch().propose(domain, history, count, rng)
        points = np.array([trial.point for trial in population], dtype=np.int64)
        values = np.array([trial.value for trial in population], dtype=np.float64)
        state = np.array([rng.integers(2**63)], dtype=np.uint64)
        seen = history.asked_points.orbits(domain)
        found: dict[Point, str] = {}
        for _ in range(ATTEMPTS):
            best, second = parents(values, self.tournament, max(BROOD, 2 * count), state)
            children = self.mutator.children(domain, points[best], points[second], state)
            keep = domain.feasible(children)
            for child, first in zip(children[keep].tolist(), best[keep].tolist(), strict=True):
                point = tuple(child)
                if point not in seen and len(found) < count:
                    found[point] = f"mutation of {population[first].number}"
                    seen = seen.extended(Points([point]).orbits(domain))
            if len(found) == count:
                break
        proposals = (Proposal(point, origin) for point, origin in found.items())
        return filled(proposals, domain, history, count, rng)


def ConEvo(initial: int = 50) -> RegEvo:  # noqa: N802
    """ConEvo (Appendix C.6): one parent, and a mutator that keeps paired subsets balanced."""
    return RegEvo(tournament=20, mutator=Balanced(0.05), initial=initial)


def NNRegEvo(learner: Learner | None = None, initial: int = 50) -> ModelBased:  # noqa: N802
    """NN+RegEvo (Appendix C.3): NN+MILP with evolution in place of the exact inner solver."""
    return ModelBased(learner or ReluLearner(), Evolution(), initial)


def NNConEvo(learner: Learner | None = None, initial: int = 50) -> ModelBased:  # noqa: N802
    """NN+ConEvo (Appendix C.7): NN+MILP with ConEvo in place of the exact inner solver."""
    return ModelBased(learner or ReluLearner(), Evolution(Balanced(0.05)), initial)


def NNRejSample(learner: Learner | None = None, initial: int = 50) -> ModelBased:  # noqa: N802
    """NN+RejSample (Appendix E.2): the best of 10,000 feasible points drawn uniformly."""
    return ModelBased(learner or ReluLearner(), Sample(), initial)
