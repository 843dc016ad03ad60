"""BoTorch as a strategy: a Gaussian process with LogEI, whose maximum is looked for over mixed variables.

Linear constraints are given to the optimiser, tightened by what rounding to the grid may cost; of amounts
with a given sum, one is what is left of it. All else is left to rejection: where the point is infeasible or
was tried, the optimiser starts again from elsewhere, and the origin of the proposal says how often.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.random import Generator

from milbox.arrays import FloatArray, Point
from milbox.bench.tpe import left_over
from milbox.domain import Categorical, Domain, Real
from milbox.domain.model.expressions import Linear
from milbox.strategies.identity import own_identity
from milbox.strategies.random import RandomSearch, filled
from milbox.trials import Answer, History, Proposal

if TYPE_CHECKING:
    import torch

ATTEMPTS = 5
"""So many times the optimiser is asked before a random feasible point is taken."""


@dataclass(frozen=True, slots=True)
class BoTorch:
    """`SingleTaskGP`, with categories `MixedSingleTaskGP`, and `LogExpectedImprovement`, all by default.

    Attributes:
        initial: how many random feasible points come first.
        restarts: of the optimiser, `optimize_acqf_mixed_alternating`.
        samples: from which it chooses its starts.
    """

    initial: int = 50
    restarts: int = 4
    samples: int = 256

    @property
    def identity(self) -> str:
        """Name, version and settings that are not the default."""
        return own_identity(self, "botorch", 1)

    def propose(self, domain: Domain, history: History, count: int, rng: Generator) -> Answer:
        """The point of the largest expected improvement; random ones beside it in a batch, and at first."""
        if len(history.finished) < self.initial:
            return RandomSearch().propose(domain, history, count, rng)
        import torch

        torch.manual_seed(int(rng.integers(2**31)))
        cube = Cube(domain)
        acquisition = improvement(cube, history)
        missed = 0
        found: tuple[Proposal, ...] = ()
        while missed < ATTEMPTS and not found:
            point = self.attempt(cube, acquisition)
            if domain.contains(point) and point not in history.asked_points:
                found = (Proposal(point, f"botorch after {missed} refused" if missed else "botorch"),)
            missed += 1
        return filled(found, domain, history, count, rng)

    def attempt(self, cube: "Cube", acquisition: Any) -> Point:
        """One run of the optimiser, rounded to the grid."""
        from botorch.optim.optimize_mixed import optimize_acqf_mixed_alternating

        above, equal = cube.constraints()
        best, _ = optimize_acqf_mixed_alternating(
            acquisition,
            bounds=cube.bounds,
            discrete_dims=cube.discrete,
            cat_dims=cube.categories,
            raw_samples=self.samples,
            num_restarts=self.restarts,
            inequality_constraints=above or None,
            equality_constraints=equal or None,
        )
        return cube.point(best[0].numpy())


class Cube:
    """A domain as BoTorch sees it: every ordered variable from 0 to 1, and the codes of categories."""

    def __init__(self, domain: Domain) -> None:
        import torch

        self.domain = domain
        variables = domain.variables
        self.low = np.array([v.codes[0] for v in variables], dtype=np.float64)
        self.categories = {
            i: [float(code) for code in v.codes]
            for i, v in enumerate(variables)
            if isinstance(v, Categorical)
        }
        span = [
            1.0 if i in self.categories else max(1.0, float(v.codes[-1] - v.codes[0]))
            for i, v in enumerate(variables)
        ]
        self.span = np.array(span)
        self.low[list(self.categories)] = 0.0
        self.discrete = {
            i: [(code - v.codes[0]) / self.span[i] for code in v.codes]
            for i, v in enumerate(variables)
            if not isinstance(v, Categorical | Real)
        }
        ends = [[v.codes[0], v.codes[-1]] for v in variables]
        self.bounds = torch.tensor((np.array(ends, dtype=np.float64).T - self.low) / self.span)
        self.left_over = left_over(domain)

    def features(self, codes: FloatArray) -> "torch.Tensor":
        """Points of the domain as points of the cube."""
        import torch

        return torch.tensor((codes - self.low) / self.span, dtype=torch.double)

    def point(self, features: FloatArray) -> Point:
        """The nearest point of the grid, with what is left of sums; it may be infeasible."""
        codes = np.rint(features * self.span + self.low).astype(np.int64)
        for i, (constraint, own) in self.left_over.items():
            places = {self.domain.index[monomial[0].name]: c for monomial, c in constraint.terms}
            rest = sum(int(c) * int(codes[place]) for place, c in places.items() if place != i)
            codes[i] = (int(constraint.lower) - rest) // own
        return tuple(codes.tolist())

    def constraints(self) -> tuple[list[Any], list[Any]]:
        """The linear constraints as BoTorch takes them: what is at least a number, and what equals one."""
        import torch

        above: list[Any] = []
        equal: list[Any] = []
        for constraint in self.domain.constraints:
            terms = constraint.terms if isinstance(constraint, Linear) else ()
            if not terms or not all(len(monomial) == 1 and monomial[0].code is None for monomial, _ in terms):
                continue
            places = np.array([self.domain.index[monomial[0].name] for monomial, _ in terms])
            factors = np.array([float(c) for _, c in terms])
            offset = float(factors @ self.low[places])
            weights, indices = factors * self.span[places], torch.tensor(places)
            unit = float(np.abs(weights).max())
            rounding = 0.5 * sum(
                abs(c)
                for c, place in zip(factors, places.tolist(), strict=True)
                if isinstance(self.domain.variables[place], Real)
            )
            if constraint.lower == constraint.upper:
                equal.append(
                    (indices, torch.tensor(weights / unit), (float(constraint.lower) - offset) / unit)
                )
                continue
            for sign, end in ((1.0, constraint.lower), (-1.0, constraint.upper)):
                if np.isfinite(float(end)):
                    level = (sign * (float(end) - offset) + rounding) / unit
                    above.append((indices, torch.tensor(sign * weights / unit), level))
        return above, equal


def improvement(cube: Cube, history: History) -> Any:
    """The logarithm of the expected improvement by a Gaussian process of all values."""
    import torch
    from botorch.acquisition import LogExpectedImprovement
    from botorch.fit import fit_gpytorch_mll
    from botorch.models import MixedSingleTaskGP, SingleTaskGP
    from gpytorch.mlls import ExactMarginalLogLikelihood

    points = cube.features(history.points.codes(cube.domain).astype(np.float64))
    values = torch.tensor(history.values, dtype=torch.double).unsqueeze(-1)
    if cube.categories:
        model = MixedSingleTaskGP(points, values, cat_dims=list(cube.categories))
    else:
        model = SingleTaskGP(points, values)
    fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
    return LogExpectedImprovement(model, best_f=values.max())
