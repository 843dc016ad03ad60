"""A small domain and strategies for tests of studies."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

import milbox.domain as md
from milbox.inner import Evolution, Mip
from milbox.inner.evolution.mutators import Pointwise
from milbox.milp.solution import Status
from milbox.strategies import (
    NNMILP,
    LinearMILP,
    ModelBased,
    NNRejSample,
    Penalised,
    RandomSearch,
    RegEvo,
    Strategy,
)
from milbox.surrogates.linear import LinearLearner
from milbox.surrogates.relu import ReluLearner
from milbox.trials import Answer, Certificate, Empty, Found, History, Proposal

MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None
"""A folder where flushing to disk costs nothing, for tests that open many journals; None: wherever."""


def shelf() -> md.Domain:
    """42 points: 3 binaries of which at most two are one, times k from 1 to 6."""
    x = md.binary("x", 3)
    k = md.integer("k", 1, 6)
    return md.Domain([x, k], [x.sum() <= 2])


@dataclass(frozen=True)
class Greedy:
    """Proposes what a crude linear fit likes best; every bit of the history matters for what that is."""

    noise: float = 1.0

    def propose(self, domain: md.Domain, history: History, count: int, rng: np.random.Generator) -> Answer:
        seen = set(history.asked_points)
        left = [point for point in domain if point not in seen]
        if not left:
            return Empty()
        weights = domain.encode(history.points).T @ history.values
        values = domain.encode(left) @ weights + self.noise * rng.normal(size=len(left))
        order = np.argsort(-values)[:count]
        return Found(
            tuple(
                Proposal(
                    left[i],
                    f"greedy after {len(history)}",
                    Certificate(
                        Status.OPTIMAL, float(values[i]), float(values[order[0]]), 0.0, len(seen), 0.5, "list"
                    ),
                    fit_seconds=0.25,
                )
                for i in order
            )
        )


STRATEGIES: dict[str, Strategy] = {
    "greedy": Greedy(),
    "random": RandomSearch(),
    "nn": NNMILP(initial=4),
    "nn by mip": NNMILP(inner=Mip(), initial=4),
    "linear": LinearMILP(initial=4),
    "evolution": RegEvo(initial=4),
    "nn by evolution": ModelBased(ReluLearner(), Evolution(evaluations=500), initial=4),
    "nn by sample": NNRejSample(initial=4),
    "penalised": Penalised(
        LinearLearner(), Evolution(Pointwise(0.2, 0.01, blind=True), evaluations=300, batch=25), initial=4
    ),
}
"""One of each kind, by a name."""
