"""Fits to the ranks of the values, by chance in place of the values.

Where a few values are far below the rest, all that a surrogate can learn is which points those are: the
differences among good points are lost in the rounding of its errors. Ranks spread out whatever lies close
together, and late in a run that is the top. Where single values stand out at the top, ranks hide by how much,
and a surrogate of the values themselves sees farther. So each fit takes one or the other.
"""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from milbox.arrays import FloatArray, ranks
from milbox.surrogates.base import Learner, Surrogate
from milbox.surrogates.relu import ReluLearner
from milbox.surrogates.scaling import checked


@dataclass(frozen=True, slots=True)
class Ranked:
    """Another learner, fitted to ranks in some fits and to the values in the others.

    Attributes:
        learner: who learns.
        share: the probability that a fit sees ranks.
    """

    learner: Learner = ReluLearner()
    share: float = 0.5

    def __post_init__(self) -> None:
        if not 0.0 <= self.share <= 1.0:
            raise ValueError(f"the share of fits that see ranks should be from 0 to 1, and is {self.share}")

    def fit(self, features: FloatArray, values: FloatArray, rng: Generator) -> Surrogate:
        """The learner's surrogate of the values, or of what their ranks make of them."""
        features, values = checked(features, values)
        by_rank = rng.random() < self.share
        return self.learner.fit(features, by_ranks(values) if by_rank else values, rng)


def by_ranks(values: FloatArray) -> FloatArray:
    """Values in the same order, spread like a normal distribution, with the same median and the same best.

    These two keep predictions of good points in the values' own units.
    """
    from scipy.special import ndtri

    if values.min() == values.max():
        return values
    scores = ndtri((ranks(values) - 0.5) / len(values))
    anchor = np.median if np.median(values) < values.max() else np.min
    low, level = anchor(values), anchor(scores)
    reach = scores.max() - level
    return np.asarray(low + (values.max() / reach - low / reach) * (scores - level))
