"""Bayesian linear regression on random hinges: a ReLU network that is drawn and solved for, not trained.

A hinge is max(0, w·x + b) with a random direction w. Its weight and those of a linear part are Gaussian, with
variances by evidence, and one draw from their posterior is the surrogate: another plausible belief at every
step, and exact to maximise, since it is a network with one hidden layer.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator

from milbox.arrays import FloatArray
from milbox.surrogates.relu import ReluNet
from milbox.surrogates.scaling import Scale, checked
from milbox.system.blas import one_thread

SIGNALS = (0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
NOISES = (1e-4, 1e-3, 1e-2, 0.05, 0.2)
"""The variances of weights and of values among which evidence chooses, for values of variance one."""

SCATTER = 0.3
"""How far from a tried point a kink is, in standard deviations."""


@dataclass(frozen=True, slots=True)
class Hinges:
    """One draw of the posterior of a linear regression on random hinges and the features themselves.

    Attributes:
        units: how many hinges.
        floor: the least spread that features are scaled by: where all points fitted are nearly the same in a
            feature, their differences are not blown up.
        through: encoded points of the domain; the kinks of half of the hinges go through these, those of the
            others near the points fitted. Without any, all do.
    """

    units: int = 64
    floor: float = 0.005
    through: FloatArray | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.units < 1:
            raise ValueError(f"units should be at least 1, and is {self.units}")

    def fit(self, features: FloatArray, values: FloatArray, rng: Generator) -> ReluNet:
        """The network of one draw, in raw units."""
        features, values = checked(features, values)
        inputs, target = Scale.of_columns(features, self.floor), Scale.of_values(values)
        X, y = inputs.shrink(features), target.shrink(values)
        weights = rng.standard_normal((X.shape[1], self.units))
        weights /= np.linalg.norm(weights, axis=0)
        kinks = self.kinks(X, inputs, rng)
        bias = -np.einsum("ij,ji->i", kinks, weights)

        signals = np.maximum(X @ weights + bias, 0.0)
        drawn = draw(np.hstack([signals, X]), prior_of(self.units, X.shape[1]), y, rng)
        slopes, linear, level = drawn[: self.units], drawn[self.units : -1], drawn[-1]

        first = weights / inputs.spread[:, None]
        straight = linear / inputs.spread
        # The linear part is two units, max(0, z) - max(0, -z) with z = straight·x + shift. Where features are
        # from zero to one, or as wide as those fitted, z is positive: the one is always on, the other off.
        least, most = np.minimum(features.min(axis=0), 0.0), np.maximum(features.max(axis=0), 1.0)
        shift = -float(np.minimum(straight * least, straight * most).sum())
        level = level - float(inputs.centre @ straight) - shift
        hidden = (
            np.hstack([first, straight[:, None], -straight[:, None]]),
            np.concatenate([bias - inputs.centre @ first, [shift, -shift]]),
        )
        output = np.concatenate([slopes, [1.0, -1.0]])[:, None]
        return ReluNet.of(
            [hidden, (output * target.spread, np.array([level * target.spread + target.centre]))]
        )

    def kinks(self, X: FloatArray, inputs: Scale, rng: Generator) -> FloatArray:
        """A point for each hinge, in scaled units, through which its kink goes."""
        near = X[rng.integers(len(X), size=self.units)]
        near = near + SCATTER * rng.standard_normal(near.shape)
        if self.through is not None:
            half = self.units // 2
            places = inputs.shrink(self.through)
            near[:half] = places[rng.integers(len(places), size=half)]
        return near


def prior_of(units: int, features: int) -> FloatArray:
    """The variances of the weights of hinges, features and the constant, but for a common factor."""
    return np.concatenate([np.full(units, 1.0 / units), np.full(features, 1.0 / features), [1.0]])


@one_thread
def draw(columns: FloatArray, prior: FloatArray, y: FloatArray, rng: Generator) -> FloatArray:
    """One draw of the posterior of the weights of columns and a constant.

    The variances of weights and values are the pair of `SIGNALS` and `NOISES` with the largest evidence.
    """
    from scipy.linalg import cho_factor, cho_solve, eigh, solve_triangular

    A = np.hstack([columns, np.ones((len(columns), 1))]) * np.sqrt(prior)
    sizes, vectors = eigh(A @ A.T)
    seen = (vectors.T @ y) ** 2
    spreads = np.array([(signal, noise) for signal in SIGNALS for noise in NOISES])
    variances = spreads[:, :1] * np.maximum(sizes, 0.0) + spreads[:, 1:]
    misfit = (seen / variances).sum(axis=1) + np.log(variances).sum(axis=1)
    signal, noise = spreads[np.argmin(misfit)]
    precision = A.T @ A / noise
    precision[np.diag_indices_from(precision)] += 1.0 / signal
    factor, lower = cho_factor(precision, lower=True)
    mean = cho_solve((factor, lower), A.T @ y / noise)
    noise_draw = solve_triangular(factor, rng.standard_normal(len(mean)), lower=True, trans=1)
    return np.asarray((mean + noise_draw) * np.sqrt(prior))
