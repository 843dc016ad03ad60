"""Several fits of one learner, in one acquisition: expected improvement or an upper confidence bound.

Fits from different random numbers disagree where points are few. What they say together is one network
again (`acquisition.py`), and so as exact to maximise as one of them, at a higher price.
"""

from dataclasses import dataclass
from typing import Literal

from numpy.random import Generator

from milbox.arrays import FloatArray
from milbox.surrogates.acquisition import improvement, normal, optimism
from milbox.surrogates.base import Learner, Surrogate
from milbox.surrogates.relu import ReluLearner
from milbox.surrogates.scaling import checked


@dataclass(frozen=True, slots=True)
class Several:
    """Several fits of a learner, and what they say together.

    Attributes:
        learner: who learns, several times.
        count: how many times.
        say: the expected improvement on the best value, or the mean with a bonus for disagreement.
        weight: of the bonus, the mean absolute deviation.
    """

    learner: Learner = ReluLearner(hidden=(8,))
    count: int = 4
    say: Literal["improvement", "optimism"] = "improvement"
    weight: float = 1.0

    def __post_init__(self) -> None:
        if self.count < 1 or self.weight < 0.0 or self.say not in ("improvement", "optimism"):
            raise ValueError(
                f"count should be at least 1, weight not negative, and say 'improvement' or 'optimism'; "
                f"they are {self.count}, {self.weight} and {self.say!r}"
            )

    def fit(self, features: FloatArray, values: FloatArray, rng: Generator) -> Surrogate:
        """The acquisition of so many fits, in its normal form."""
        features, values = checked(features, values)
        parts = [self.learner.fit(features, values, rng) for _ in range(self.count)]
        if self.say == "improvement":
            return normal(improvement(parts, float(values.max())))
        return normal(optimism(parts, self.weight))
