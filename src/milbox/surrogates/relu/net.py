"""A fully connected ReLU network with one output, in raw units."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from milbox.arrays import FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """inputs @ weights + bias."""

    weights: FloatArray
    """(inputs, units)"""
    bias: FloatArray
    """(units,)"""


@dataclass(frozen=True, slots=True, eq=False)
class ReluNet:
    """A network of linear layers with a ReLU after each but the last, which has one unit."""

    layers: tuple[Layer, ...]

    def __post_init__(self) -> None:
        if not self.layers:
            raise ValueError("a ReluNet needs at least its output layer, and got no layers")
        for number, layer in enumerate(self.layers):
            if layer.weights.ndim != 2 or layer.bias.shape != layer.weights.shape[1:]:
                raise ValueError(
                    f"layer {number} has weights of shape {layer.weights.shape} and bias of shape "
                    f"{layer.bias.shape}; they should be (inputs, units) and (units,)"
                )
            if number and len(layer.weights) != len(self.layers[number - 1].bias):
                raise ValueError(
                    f"layer {number} takes {len(layer.weights)} inputs, but the layer before it has "
                    f"{len(self.layers[number - 1].bias)} units"
                )
            if not (np.isfinite(layer.weights).all() and np.isfinite(layer.bias).all()):
                raise ValueError(
                    f"layer {number} has weights or biases that are infinite or NaN: nothing can be proved "
                    f"about such a network; was its training cut short, or did it diverge?"
                )
        if len(self.layers[-1].bias) != 1:
            raise ValueError(f"the last layer should have one unit, and has {len(self.layers[-1].bias)}")

    @classmethod
    def of(cls, arrays: Sequence[tuple[FloatArray, FloatArray]]) -> Self:
        """The network of (weights, bias) pairs."""
        return cls(
            tuple(
                Layer(np.asarray(weights, np.float64), np.asarray(bias, np.float64))
                for weights, bias in arrays
            )
        )

    @property
    def hidden(self) -> tuple[Layer, ...]:
        """The layers with a ReLU."""
        return self.layers[:-1]

    @property
    def output(self) -> Layer:
        """The last layer: one unit, no ReLU."""
        return self.layers[-1]

    def predict(self, features: FloatArray) -> FloatArray:
        """The predicted values (n,) of encoded points (n, d)."""
        signals = np.asarray(features, dtype=np.float64)
        for layer in self.hidden:
            signals = np.maximum(signals @ layer.weights + layer.bias, 0.0)
        predictions: FloatArray = signals @ self.output.weights[:, 0] + self.output.bias[0]
        return predictions
