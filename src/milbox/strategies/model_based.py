"""The paper's Algorithm 1: fit a surrogate to everything measured, propose its best untried point."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from numpy.random import Generator

from milbox.domain import Domain
from milbox.inner import Auto, InnerSolver
from milbox.strategies.random import RandomSearch
from milbox.surrogates import Learner, ReluLearner
from milbox.surrogates.linear import LinearLearner
from milbox.trials import History, Proposal


@dataclass(frozen=True, slots=True)
class ModelBased:
    """Fit, then let an inner solver choose. Every method of the paper is a pair of the two.

    A batch is chosen one point after the other by the same rule as a single point: each gets a surrogate of
    its own, freshly fitted (a Thompson sample each), and all points asked before it, also those of its own
    batch, are excluded.
    """

    learner: Learner
    inner: InnerSolver = Auto()
    initial: int = 50

    def propose(self, domain: Domain, history: History, count: int, rng: Generator) -> Sequence[Proposal]:
        """`count` points: random ones until `initial` are measured, then one per freshly fitted surrogate."""
        if len(history.finished) < self.initial:
            return RandomSearch().propose(domain, history, count, rng)

        features, values = domain.encode(history.points), history.values
        chosen: list[Proposal] = []
        for _ in range(count):
            began = time.perf_counter()
            surrogate = self.learner.fit(features, values, rng)
            fitted = time.perf_counter() - began
            asked = [*history.asked_points, *(proposal.point for proposal in chosen)]  # pending points too
            best = self.inner.best(surrogate, domain, asked, 1, rng)
            if not best:
                break
            chosen.append(replace(best[0], fit_seconds=fitted))
        return chosen


def NNMILP(learner: Learner | None = None, inner: InnerSolver | None = None, initial: int = 50) -> ModelBased:  # noqa: N802
    """NN+MILP, the default: a ReLU network with 16 neurons and the cheapest exact inner solver."""
    return ModelBased(learner or ReluLearner(), inner or Auto(), initial)


def LinearMILP(inner: InnerSolver | None = None, initial: int = 50) -> ModelBased:  # noqa: N802
    """Linear+MILP (Section 6 of the paper): a linear surrogate fitted to a bootstrap of the data."""
    return ModelBased(LinearLearner(), inner or Auto(), initial)
