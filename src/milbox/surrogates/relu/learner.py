"""The learner of ReLU networks.

The paper's surrogate (Section 3.1, Appendix C.1): a fully connected network, trained from a fresh random
initialisation at every step, so that each step's network is another plausible belief.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.random import Generator

from milbox.arrays import FloatArray
from milbox.surrogates.relu import adam
from milbox.surrogates.relu.net import ReluNet
from milbox.surrogates.scaling import Scale, checked


@dataclass(frozen=True, slots=True)
class ReluLearner:
    """Adam from a fresh Glorot initialisation, on standardised values.

    The defaults are the recipe that matched or beat longer training in the paper's four families; `PAPER` is
    the published one.
    """

    hidden: tuple[int, ...] = (16,)
    """Units per hidden layer."""
    rate: float = 0.01
    """Adam's step size."""
    batch: int = 64
    """Points per step; all of them when there are fewer."""
    steps: int = 1000
    """Updates, each on a full batch. Unused when `epochs` is given."""
    epochs: int | None = None
    """Passes over all points instead of `steps`; the last batch of a pass may be smaller."""
    decay: float = 0.1
    """Each gradient gets decay / n times the weights added, for n points."""
    centre_above: float | None = 32.0
    """Inputs are centred if points have more ones than this on average. Adam moves each weight by up to
    `rate` a step, and a point with s ones its pre-activations by s times that: with a hundred ones and more,
    units are thrown out of reach of every point in a few steps, and whole networks die. With few ones,
    centring was no gain. With None inputs are taken as they are; otherwise columns that are not of zeros and
    ones (integer encodings) are standardised too."""
    floor: float = 0.0
    """The least spread that such columns are scaled by."""

    def __post_init__(self) -> None:
        if not self.hidden or min(self.hidden) < 1:
            raise ValueError(
                f"hidden should list at least one layer of at least one unit, and is {self.hidden}"
            )
        if self.batch < 1 or self.steps < 0 or (self.epochs is not None and self.epochs < 0):
            raise ValueError(
                f"batch should be at least 1, steps and epochs at least 0; "
                f"they are {self.batch}, {self.steps} and {self.epochs}"
            )

    def fit(self, features: FloatArray, values: FloatArray, rng: Generator) -> ReluNet:
        """The network trained on values (n,) seen at encoded points (n, d), in raw units."""
        features, values = checked(features, values)
        count = len(values)
        target = Scale.of_values(values)
        as_they_are = Scale(np.zeros(features.shape[1]), np.ones(features.shape[1]))
        inputs = as_they_are if self.centre_above is None else Scale.of_columns(features, self.floor)
        scaled = inputs.shrink(features)
        centre = scaled.mean(axis=0)
        # Other columns have mean 0: this counts a point's ones.
        crowded = self.centre_above is not None and centre.sum() > self.centre_above
        batch = min(self.batch, count)
        trained = adam.train(
            glorot((features.shape[1], *self.hidden, 1), rng),
            scaled,
            target.shrink(values),
            centre=centre if crowded else None,
            steps=self.steps if self.epochs is None else self.epochs * -(-count // batch),
            batch=batch,
            rate=self.rate,
            decay=self.decay / count,
            partial=self.epochs is not None,
            seed=int(rng.integers(2**63)),
        )
        if crowded:
            inputs = Scale(inputs.centre + centre * inputs.spread, inputs.spread)
        return _in_raw_units(trained, inputs, target)


PAPER = ReluLearner(epochs=25_000, decay=0.0, centre_above=None)
"""Appendix C.1: FC(16), Adam 0.01 with (0.9, 0.999), batch 64, 25K epochs, no regularisation.

Inputs are taken as they are: the appendix says nothing of scaling them."""


def glorot(sizes: Sequence[int], rng: Generator) -> list[tuple[FloatArray, FloatArray]]:
    """Fresh layers between the sizes: weights uniform within sqrt(6 / (inputs + units)), biases zero."""
    layers = []
    for inputs, units in pairwise(sizes):
        limit = np.sqrt(6.0 / (inputs + units))
        layers.append((rng.uniform(-limit, limit, (inputs, units)), np.zeros(units)))
    return layers


def _in_raw_units(layers: Sequence[tuple[FloatArray, FloatArray]], inputs: Scale, target: Scale) -> ReluNet:
    """The network that takes unscaled features and predicts unscaled values."""
    (weights, bias), *middle = layers
    first = weights / np.atleast_1d(inputs.spread)[:, None]
    layers = [(first, bias - inputs.centre @ first), *middle]
    weights, bias = layers[-1]
    layers[-1] = (weights * target.spread, bias * target.spread + target.centre)
    return ReluNet.of(layers)
