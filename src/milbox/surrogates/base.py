"""The protocols of learners and surrogates.

A learner is a recipe; a surrogate is what it makes of some data. Both speak raw units: whatever scaling a
learner does inside `fit` is folded into the surrogate before it returns.
"""

from typing import Protocol

from numpy.random import Generator

from milbox.arrays import FloatArray


class Surrogate(Protocol):
    """A fitted model: plain arrays, cheap to predict with."""

    def predict(self, features: FloatArray) -> FloatArray:
        """The predicted values (n,) of encoded points (n, d)."""
        ...


class Learner(Protocol):
    """A recipe for fitting surrogates: hyper-parameters and nothing else."""

    def fit(self, features: FloatArray, values: FloatArray, rng: Generator) -> Surrogate:
        """The surrogate fitted to values (n,) seen at encoded points (n, d), randomised by `rng` alone."""
        ...
