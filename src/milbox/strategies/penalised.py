"""The paper's Ensemble+RegEvo (Appendix C.4): infeasible points train the model with a bad value.

Infeasible points are shown to the learner with a value worse than any observed, and the inner solver searches
the whole box. In the paper such points come from infeasible proposals; here every proposal is feasible, so
they are bred from the points tried. Without constraints this is Algorithm 1.
"""

import time
from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator

from milbox.arrays import IntArray
from milbox.domain import Domain
from milbox.inner import Evolution, InnerSolver
from milbox.inner.evolution.mutators import Pointwise
from milbox.inner.protocol import refusal_of
from milbox.inner.query import Query, Region
from milbox.inner.successive import successive
from milbox.strategies.random import RandomSearch
from milbox.strategies.units import in_own_units, unit_of
from milbox.surrogates import Learner
from milbox.surrogates.ensemble import EnsembleLearner
from milbox.trials import Answer, Found, History

# How often as many children as there are points are bred, to find that many infeasible ones.
ATTEMPTS = 4


@dataclass(frozen=True, slots=True)
class Penalised:
    """Fit to what was measured and to infeasible points with a bad value, then let an inner solver choose.

    Attributes:
        learner: fits both.
        inner: what it visits may be infeasible; what it proposes may not.
        initial: how many random points come first.
        breeder: makes the infeasible points out of those tried.
    """

    learner: Learner
    inner: InnerSolver
    initial: int = 50
    breeder: Pointwise = Pointwise(crossover=0.1, mutation=0.1, blind=True)

    def refusal(self, domain: Domain) -> str | None:
        """Why the strategy cannot be used on a domain; None when it can."""
        return refusal_of(self.inner, domain)

    def propose(self, domain: Domain, history: History, count: int, rng: Generator) -> Answer:
        """`count` points: random ones until `initial` are measured, then one per freshly fitted surrogate."""
        if len(history.finished) < self.initial or not history.finished:
            return RandomSearch().propose(domain, history, count, rng)
        region = Region.untried(domain, history.asked_points)
        return successive(region, count, lambda left, _: self._best(history, left, rng))

    def _best(self, history: History, region: Region, rng: Generator) -> Answer:
        """The best point of a region by a surrogate that is fitted for it."""
        domain, unit = region.domain, unit_of(history.values)
        points, values = history.points.codes(domain), history.values / unit
        inside = np.array([trial.outside is None for trial in history.finished], dtype=bool)
        began = time.perf_counter()
        bad = self.infeasible(domain, points[inside], rng)
        # As far below the worst as the best is above it, and below it in any case.
        penalty = values.min() - max(float(np.ptp(values)), 1.0)
        surrogate = self.learner.fit(
            domain.encode(np.concatenate([points, bad])),
            np.concatenate([values, np.full(len(bad), penalty)]),
            rng,
        )
        fitted = time.perf_counter() - began
        best = self.inner.solve(Query(surrogate, region), rng)
        if not isinstance(best, Found):
            return best
        return Found((replace(in_own_units(best.proposals[0], unit), fit_seconds=fitted),))

    def infeasible(self, domain: Domain, points: IntArray, rng: Generator) -> IntArray:
        """About as many infeasible points as there are points; none without constraints."""
        found = points[:0]
        if not domain.constraints:
            return found
        state = np.array([rng.integers(2**63)], dtype=np.uint64)
        for _ in range(ATTEMPTS):
            first, second = points[rng.permutation(len(points))], points[rng.permutation(len(points))]
            children = self.breeder.children(domain, first, second, state)
            found = np.concatenate([found, children[~domain.feasible(children)]])[: len(points)]
            if len(found) == len(points):
                break
        return found


def EnsembleRegEvo(initial: int = 50) -> Penalised:  # noqa: N802
    """Ensemble+RegEvo: linear and tree regressors, B = 12,500, b = 25, T = 20, D = 1000, (0.2, 0.01)."""
    inner = Evolution(Pointwise(0.2, 0.01, blind=True), evaluations=12_500, batch=25)
    return Penalised(EnsembleLearner(), inner, initial)
