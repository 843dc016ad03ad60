"""Contamination control in a food supply chain (Hu et al. 2010, as in Baptista and Poloczek 2018).

A share Z of the food is contaminated. At each of 25 stages the contamination spreads to a random share of
the clean food, unless that stage is treated, which costs 1 and cures a random share of what is
contaminated. The objective is the cost plus, per stage, how often Z exceeds 0.1 in a hundred simulations
beyond the 5 % that are tolerated, plus 0.01 for each treatment. Problems here are maximised, so the
objective is negated.
"""

from dataclasses import dataclass

import numpy as np

from milbox.arrays import FloatArray, IntArray
from milbox.bench.problems.problem import Problem
from milbox.domain import Domain, binary

STAGES = 25
SIMULATIONS = 100
INSTANCES = 10
LIMIT = 0.1
TOLERATED = 0.05
REGULARISATION = 0.01

NAMES = tuple(f"contamination/{seed}" for seed in range(INSTANCES))


@dataclass(frozen=True, slots=True)
class Contamination:
    """The simulated chain: what is contaminated at first, and how it spreads and is cured at each stage."""

    initial: FloatArray  # (simulations,)
    spread: FloatArray  # (stages, simulations)
    cure: FloatArray  # (stages, simulations)

    def __call__(self, points: IntArray) -> FloatArray:
        """The negated costs of treatments, one row of stages each."""
        treated = points.astype(np.float64)[:, :, None]
        share = np.broadcast_to(self.initial, (len(points), self.initial.size))
        cost = (1.0 + REGULARISATION) * points.sum(axis=1).astype(np.float64)
        for stage, (spread, cure) in enumerate(zip(self.spread, self.cure, strict=True)):
            now = treated[:, stage]
            share = spread * (1.0 - now) * (1.0 - share) + (1.0 - cure * now) * share
            cost -= (share < LIMIT).mean(axis=1) - (1.0 - TOLERATED)
        return np.asarray(-cost)


def dynamics(seed: int) -> Contamination:
    """The simulations of an instance."""
    rng = np.random.default_rng([STAGES, seed])
    return Contamination(
        rng.beta(1.0, 30.0, size=SIMULATIONS),
        rng.beta(1.0, 17.0 / 3.0, size=(STAGES, SIMULATIONS)),
        rng.beta(1.0, 3.0 / 7.0, size=(STAGES, SIMULATIONS)),
    )


def contamination(name: str) -> Problem:
    """The problem `contamination/<seed>`: 25 binaries."""
    return Problem(
        name=name,
        domain=Domain([binary("treat", STAGES)]),
        evaluate=dynamics(int(name.removeprefix("contamination/"))),
        source="contamination control with 100 simulations drawn by NumPy, negated",
        citation="Baptista and Poloczek, Bayesian Optimization of Combinatorial Structures, ICML 2018",
    )
