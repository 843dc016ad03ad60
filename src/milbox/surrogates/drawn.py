"""A linear surrogate drawn from its posterior.

What no point had has a weight from the prior, so that draws try it; what many points had is known, and draws
keep it where it is good. Both at once make one point a test of every variable that does not matter yet.
"""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from milbox.arrays import FloatArray
from milbox.surrogates.linear import Linear
from milbox.surrogates.scaling import Scale, checked
from milbox.system.blas import one_thread

LEVEL = 10.0
"""The prior variance of the constant, where the features of a point have a variance of 1 together."""

NOISES = (1e-3, 1e-2, 0.05, 0.2, 1.0)
"""The variances of what is not linear, beside that 1, among which evidence chooses."""


@dataclass(frozen=True, slots=True)
class LinearDraw:
    """A draw from the posterior of a linear model, shrunk towards the posterior mean.

    All weights have one prior variance. It and the noise are those of the largest marginal likelihood.

    Attributes:
        draw: the position between the posterior mean (0) and a draw from the posterior (1).
    """

    draw: float = 0.7

    def __post_init__(self) -> None:
        if not self.draw >= 0.0:
            raise ValueError(f"draw should not be negative, and is {self.draw}")

    @one_thread
    def fit(self, features: FloatArray, values: FloatArray, rng: Generator) -> Linear:
        """The linear model of values (n,) seen at encoded points (n, d), in raw units.

        By Matheron's rule in the space of points, as `QuadraticLearner` does.
        """
        from scipy.linalg import cho_factor, cho_solve

        features, values = checked(features, values)
        count, dimension = features.shape
        target, inputs = Scale.of_values(values), Scale.of_columns(features)
        X, y = inputs.shrink(features), target.shrink(values)
        size = float((X * X).sum(axis=1).mean()) or 1.0
        kernel = X @ X.T / size + LEVEL
        factor, noise = _evident(kernel, y)
        weight, level = factor / size, LEVEL * factor

        w = self.draw * np.sqrt(weight) * rng.standard_normal(dimension)
        constant = self.draw * np.sqrt(level) * rng.standard_normal()
        error = self.draw * np.sqrt(noise) * rng.standard_normal(count)
        covariance = factor * kernel
        covariance[np.diag_indices(count)] += noise
        pull = cho_solve(cho_factor(covariance, lower=True), y - X @ w - constant - error)
        w += weight * (pull @ X)
        constant += level * pull.sum()

        weights = w / inputs.spread * target.spread
        bias = constant * target.spread + target.centre - inputs.centre @ weights
        return Linear(weights, float(bias))


def _evident(kernel: FloatArray, y: FloatArray) -> tuple[float, float]:
    """The factor of the kernel and the noise under which the values are most likely; 1 for equal values."""
    from scipy.linalg import eigh

    if not y.any():
        return 1.0, NOISES[0]
    sizes, vectors = eigh(kernel)
    variances = np.maximum(sizes, 0.0) + np.array(NOISES)[:, None]
    # The best common factor of all variances is in closed form.
    factors = ((vectors.T @ y) ** 2 / variances).mean(axis=1)
    misfit = len(y) * np.log(np.maximum(factors, 1e-300)) + np.log(variances).sum(axis=1)
    place = int(np.argmin(misfit))
    factor = max(float(factors[place]), 1e-6)
    return factor, factor * NOISES[place]
