"""The quadratic surrogate: a sum of pairwise interactions.

A Bayesian linear model on the features and their pairwise products, as in BOCS (Baptista & Poloczek 2018),
with a Gaussian prior. The belief is one draw from its posterior, pulled most of the way to the mean: full
draws explore too much when pairs outnumber points, the mean itself too little.
"""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from milbox.arrays import FloatArray
from milbox.surrogates.scaling import Scale, checked

# Of the standardised value where all features are zero: a few deviations from the mean either way.
LEVEL_VARIANCE = 10.0


@dataclass(frozen=True, slots=True, eq=False)
class Quadratic:
    """sum of pairs[i, j] x_i x_j over i < j, plus linear·x + bias."""

    linear: FloatArray
    """(d,)"""
    pairs: FloatArray
    """(d, d), zero on and below the diagonal"""
    bias: float

    def __post_init__(self) -> None:
        d = self.linear.size
        if self.linear.shape != (d,) or self.pairs.shape != (d, d):
            raise ValueError(
                f"linear of shape {self.linear.shape} and pairs of shape {self.pairs.shape} do not belong "
                f"together; they should be (d,) and (d, d)"
            )
        if np.tril(self.pairs).any():
            raise ValueError(
                "pairs should be zero on and below the diagonal; each pair counts once, at i < j"
            )

    def predict(self, features: FloatArray) -> FloatArray:
        """The predicted values (n,) of encoded points (n, d)."""
        x = np.asarray(features, dtype=np.float64)
        predictions: FloatArray = ((x @ self.pairs + self.linear) * x).sum(axis=1) + self.bias
        return predictions


@dataclass(frozen=True, slots=True)
class QuadraticLearner:
    """A posterior draw, shrunk towards the posterior mean.

    In standardised values y = w·phi(x) + noise, where phi(x) lists 1, the features x_i and the products
    x_i x_j, i < j. The weights of features share one prior variance, the weights of products another; the
    weight of 1 may be almost anything.
    """

    draw: float = 0.3
    """The position between the posterior mean (0) and a draw from the posterior (1)."""
    pairs: float = 0.7
    """The share of products in the prior variance of the values."""
    noise: float = 0.01
    """The variance of the values that no pairwise model explains, where the prior variance is 1."""

    def __post_init__(self) -> None:
        if not (0 <= self.pairs <= 1 and self.noise > 0 and self.draw >= 0):
            raise ValueError(
                f"pairs should be within 0 and 1, noise positive and draw not negative; "
                f"they are {self.pairs}, {self.noise} and {self.draw}"
            )

    def fit(self, features: FloatArray, values: FloatArray, rng: Generator) -> Quadratic:
        """The pairwise model of values (n,) seen at encoded points (n, d), in raw units.

        All in the space of points, since pairs are many: with prior variances V, a prior draw w0 and noise e,

            w = w0 + V phi' (phi V phi' + noise I)^-1 (y - phi w0 - e)

        is a posterior draw (Matheron's rule), and it is linear in (w0, e): scaling these by `draw` shrinks
        the draw to the mean.
        """
        from scipy.linalg import cho_factor, cho_solve

        features, values = checked(features, values)
        count, dimension = features.shape
        target = Scale.of_values(values)
        inputs = Scale.of_columns(features)
        X = inputs.shrink(features)
        y = target.shrink(values)

        # With s = sum of x_i z_i, the sum of x_i z_i x_j z_j over i < j is (s^2 - sum of (x_i z_i)^2) / 2.
        squares = X * X
        sizes = squares.sum(axis=1)
        feature_variance = _variance(1.0 - self.pairs, sizes)
        pair_variance = _variance(self.pairs, 0.5 * (sizes**2 - (squares**2).sum(axis=1)))
        gram = X @ X.T
        square_gram = gram if np.array_equal(X, squares) else squares @ squares.T
        kernel = gram * gram
        kernel -= square_gram
        kernel *= 0.5 * pair_variance
        kernel += feature_variance * gram
        kernel += LEVEL_VARIANCE
        kernel[np.diag_indices(count)] += self.noise

        level = self.draw * np.sqrt(LEVEL_VARIANCE) * rng.standard_normal()
        linear = self.draw * np.sqrt(feature_variance) * rng.standard_normal(dimension)
        pairs = self.draw * np.sqrt(pair_variance) * np.triu(rng.standard_normal((dimension, dimension)), 1)
        noise = self.draw * np.sqrt(self.noise) * rng.standard_normal(count)
        drawn = ((X @ pairs + linear) * X).sum(axis=1) + level
        factor = cho_factor(kernel, lower=True, overwrite_a=True, check_finite=False)
        pull = cho_solve(factor, y - drawn - noise, check_finite=False)
        level += LEVEL_VARIANCE * pull.sum()
        linear += feature_variance * (pull @ X)
        pairs += pair_variance * np.triu((X.T * pull) @ X, 1)
        return _in_raw_units(level, linear, pairs, inputs, target)


def _variance(share: float, sizes: FloatArray) -> float:
    """The prior variance of weights that explain the share of variance at points with these squared sizes."""
    size = float(sizes.mean())
    return share / size if size > 1e-12 else 0.0  # nothing, up to rounding: no weights


def _in_raw_units(
    level: float, linear: FloatArray, pairs: FloatArray, inputs: Scale, target: Scale
) -> Quadratic:
    """The model that takes unscaled features and predicts unscaled values.

    With z = x - c, z'Pz + w'z = x'Px + (w - (P + P')c)'x + (c'P - w')c.
    """
    P = pairs / np.outer(inputs.spread, inputs.spread)
    w = linear / inputs.spread
    c = inputs.centre
    bias = level + (c @ P - w) @ c
    w = w - (P + P.T) @ c
    spread = target.spread
    return Quadratic(w * spread, P * spread, float(bias * spread + target.centre))
