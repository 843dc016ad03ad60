"""The linear surrogate and its learners.

Section 6 of the paper uses a linear surrogate as an ablation, "with additional randomization provided by
bootstrapping": each step fits another resample of the data, so the belief is one draw of many.
"""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from milbox.arrays import FloatArray
from milbox.surrogates.scaling import Scale, checked
from milbox.system.blas import one_thread


@dataclass(frozen=True, slots=True, eq=False)
class Linear:
    """features @ weights + bias."""

    weights: FloatArray
    bias: float

    def __post_init__(self) -> None:
        if self.weights.ndim != 1:
            raise ValueError(f"the weights should be one per feature, and have shape {self.weights.shape}")

    def predict(self, features: FloatArray) -> FloatArray:
        """The predicted values (n,) of encoded points (n, d)."""
        predictions: FloatArray = np.asarray(features, dtype=np.float64) @ self.weights + self.bias
        return predictions


@dataclass(frozen=True, slots=True)
class LinearLearner:
    """Least squares, with a ridge small enough to settle collinear features and nothing else."""

    bootstrap: bool = True
    """Whether to fit a resample of the points, drawn with replacement, or the points themselves."""
    ridge: float = 1e-6
    """The number added to the diagonal of the features' covariance. One-hot groups are collinear (each sums
    to one), as are fewer points than features; the ridge picks the smallest weights."""

    def __post_init__(self) -> None:
        if not self.ridge > 0:
            raise ValueError(f"the ridge should be positive, and is {self.ridge}")

    @one_thread
    def fit(self, features: FloatArray, values: FloatArray, rng: Generator) -> Linear:
        """The least w, b in mean((features w + b - values)**2) + ridge |w|**2, in standardised units."""
        from scipy.linalg import cho_factor, cho_solve

        features, values = checked(features, values)
        count, dimension = features.shape
        target = Scale.of_values(values)
        inputs = Scale.of_columns(features)
        share = rng.multinomial(count, np.full(count, 1.0 / count)) / count if self.bootstrap else 1.0 / count
        share = np.broadcast_to(share, (count,))

        X = inputs.shrink(features)
        y = target.shrink(values)
        centre = share @ X
        level = share @ y
        X = np.sqrt(share)[:, None] * (X - centre)
        y = np.sqrt(share) * (y - level)
        if dimension <= count:
            w = cho_solve(cho_factor(X.T @ X + self.ridge * np.eye(dimension)), X.T @ y)
        else:  # the same weights by a smaller system
            w = X.T @ cho_solve(cho_factor(X @ X.T + self.ridge * np.eye(count)), y)

        weights = w / inputs.spread * target.spread
        bias = (level - centre @ w) * target.spread + target.centre - inputs.centre @ weights
        return Linear(weights, float(bias))
