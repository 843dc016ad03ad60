"""A network beside a linear model, which learns what that leaves over."""

from dataclasses import dataclass, replace

from numpy.random import Generator

from milbox.arrays import FloatArray
from milbox.surrogates.acquisition import Sum, normal
from milbox.surrogates.base import Learner, Surrogate
from milbox.surrogates.linear import LinearLearner
from milbox.surrogates.relu import ReluLearner
from milbox.surrogates.scaling import checked


@dataclass(frozen=True, slots=True)
class LinearSkip:
    """A ridge regression, and a network fitted to what it leaves over; their sum is one network again.

    Attributes:
        learner: who learns what is left over.
        ridge: how much the linear part is shrunk, in standardised units.
    """

    learner: Learner = ReluLearner()
    ridge: float = 0.1

    def fit(self, features: FloatArray, values: FloatArray, rng: Generator) -> Surrogate:
        """The sum of both, in raw units."""
        features, values = checked(features, values)
        linear = replace(LinearLearner(bootstrap=False), ridge=self.ridge).fit(features, values, rng)
        rest = self.learner.fit(features, values - linear.predict(features), rng)
        return normal(Sum(((1.0, linear), (1.0, rest))))
