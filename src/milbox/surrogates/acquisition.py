"""Acquisitions made of several surrogates, and their normal form: one ReLU network.

Weighted sums, means, minima and positive parts of ReLU networks and linear models are ReLU networks again:
min(a, b) = a - max(0, a - b), and a soft requirement is f - penalty * max(0, level - g). In its normal form
an acquisition is one network that every inner solver takes. Parts that are used twice are written once. What
a layer has to hand on unchanged goes through two neurons, the positive and the negative terms of the sum,
which are never negative and so never need a branch.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from milbox.arrays import FloatArray
from milbox.surrogates.base import Surrogate
from milbox.surrogates.linear import Linear
from milbox.surrogates.relu.net import Layer, ReluNet


@dataclass(frozen=True, slots=True, eq=False)
class Sum:
    """constant + the sum of coefficient * part."""

    terms: tuple[tuple[float, Surrogate], ...]
    constant: float = 0.0

    def predict(self, features: FloatArray) -> FloatArray:
        """The predicted values (n,) of encoded points (n, d)."""
        total = np.full(len(features), self.constant)
        for coefficient, part in self.terms:
            total += coefficient * part.predict(features)
        return total


@dataclass(frozen=True, slots=True, eq=False)
class Positive:
    """max(0, part)."""

    part: Surrogate

    def predict(self, features: FloatArray) -> FloatArray:
        """The predicted values (n,) of encoded points (n, d)."""
        return np.maximum(self.part.predict(features), 0.0)


def mean(parts: Sequence[Surrogate]) -> Sum:
    """The mean of some surrogates."""
    return Sum(tuple((1.0 / len(parts), part) for part in parts))


def minimum(parts: Sequence[Surrogate]) -> Surrogate:
    """The least of some surrogates at each point, halves of them first, so that few layers are needed."""
    if len(parts) == 1:
        return parts[0]
    half = len(parts) // 2
    one, other = minimum(parts[:half]), minimum(parts[half:])
    return Sum(((1.0, one), (-1.0, Positive(Sum(((1.0, one), (-1.0, other)))))))


def improvement(parts: Sequence[Surrogate], best: float) -> Sum:
    """The best value, and by how much surrogates exceed it on average: expected improvement of an ensemble.

    A hundredth of their mean decides where none of them expects a gain.
    """
    gains = mean([Positive(Sum(((1.0, part),), -best)) for part in parts])
    return Sum(((1.0, gains), (0.01, mean(parts))), 0.99 * best)


def optimism(parts: Sequence[Surrogate], weight: float) -> Sum:
    """The mean of surrogates and a weight times their mean absolute deviation: an upper confidence bound.

    Deviations above the mean add up to those below it, and so are half of all.
    """
    centre = mean(parts)
    above = mean([Positive(Sum(((1.0, part), (-1.0, centre)))) for part in parts])
    return Sum(((1.0, centre), (2.0 * weight, above)))


def shortfall(part: Surrogate, level: float) -> Positive:
    """By how much a surrogate misses a level that it should reach."""
    return Positive(Sum(((-1.0, part),), level))


def normal(surrogate: Surrogate) -> Surrogate:
    """The surrogate in normal form: one network, where all its parts are networks or linear; else itself."""
    if not isinstance(surrogate, Sum | Positive) or not _is_piecewise_linear(surrogate):
        return surrogate
    stack = _Stack()
    top = stack.signal(surrogate)
    return stack.network(top)


def _is_piecewise_linear(surrogate: Surrogate) -> bool:
    match surrogate:
        case Linear() | ReluNet():
            return True
        case Sum(terms):
            return all(_is_piecewise_linear(part) for _, part in terms)
        case Positive(part):
            return _is_piecewise_linear(part)
        case _:
            return False


@dataclass(frozen=True, slots=True, eq=False)
class _Signal:
    """A number that is linear in the neurons of one layer, of which the inputs are the layer 0."""

    layer: int
    weights: dict[int, float] | FloatArray
    """By neuron; of inputs all of them."""
    bias: float


@dataclass(slots=True, eq=False)
class _Stack:
    """Layers of neurons that grow; each neuron takes what the layer below it says."""

    layers: list[list[_Signal]] = field(default_factory=list)
    known: dict[int, _Signal] = field(default_factory=dict)
    """The signals of surrogates that were met before, by identity."""
    carried: dict[int, _Signal] = field(default_factory=dict)
    """The same signal one layer above, by identity."""
    kept: list[object] = field(default_factory=list)
    """What identities are about, so that none is used again."""

    def signal(self, surrogate: Surrogate) -> _Signal:
        """The surrogate's output as a signal, with all neurons below it."""
        found = self.known.get(id(surrogate))
        if found is None:
            found = self.known[id(surrogate)] = self._made(surrogate)
            self.kept.append(surrogate)
        return found

    def _made(self, surrogate: Surrogate) -> _Signal:
        match surrogate:
            case Linear(weights, bias):
                return _Signal(0, weights, bias)
            case ReluNet():
                return self._network(surrogate)
            case Positive(part):
                inside = self.signal(part)
                return _Signal(inside.layer + 1, {self._neuron(inside): 1.0}, 0.0)
            case Sum(terms, constant):
                signals = [(coefficient, self.signal(part)) for coefficient, part in terms]
                return self._total(signals, constant)
            case _:
                raise AssertionError("normal() looks at the parts first")

    def _network(self, net: ReluNet) -> _Signal:
        """A network's output over its own neurons."""
        below: list[int] = []
        for depth, layer in enumerate(net.layers):
            outputs = []
            for unit, bias in enumerate(layer.bias.tolist()):
                column = layer.weights[:, unit]
                weights = dict(zip(below, column.tolist(), strict=True)) if depth else column
                outputs.append(_Signal(depth, weights, bias))
            if depth == len(net.layers) - 1:
                return outputs[0]
            below = [self._neuron(output) for output in outputs]
        raise AssertionError("a network has an output layer")

    def _neuron(self, inside: _Signal) -> int:
        """A new neuron over a signal, by its place in the next layer."""
        while len(self.layers) <= inside.layer:
            self.layers.append([])
        self.layers[inside.layer].append(inside)
        return len(self.layers[inside.layer]) - 1

    def _total(self, signals: Sequence[tuple[float, _Signal]], constant: float) -> _Signal:
        """A weighted sum of signals, all brought to the layer of the highest."""
        top = max((signal.layer for _, signal in signals), default=0)
        bias = constant
        weights: dict[int, float] | FloatArray = {}
        for coefficient, signal in signals:
            raised = self._raised(signal, top)
            bias += coefficient * raised.bias
            if isinstance(raised.weights, dict):
                assert isinstance(weights, dict)
                for neuron, weight in raised.weights.items():
                    weights[neuron] = weights.get(neuron, 0.0) + coefficient * weight
            else:
                weights = (0.0 if isinstance(weights, dict) else weights) + coefficient * raised.weights
        return _Signal(top, weights, bias)

    def _raised(self, signal: _Signal, layer: int) -> _Signal:
        """The signal over the neurons of a layer that is not below its own."""
        while signal.layer < layer:
            found = self.carried.get(id(signal))
            if found is None:
                found = self.carried[id(signal)] = self._carried(signal)
                self.kept.append(signal)
            signal = found
        return signal

    def _carried(self, signal: _Signal) -> _Signal:
        """The signal one layer above: as the difference of two neurons."""
        if isinstance(signal.weights, dict):  # neurons below are not negative, and so neither are these
            parts = [
                _Signal(signal.layer, {n: sign * w for n, w in signal.weights.items() if sign * w > 0.0}, 0.0)
                for sign in (1.0, -1.0)
            ]
        else:
            parts = [_Signal(0, sign * signal.weights, 0.0) for sign in (1.0, -1.0)]
        plus, minus = (self._neuron(part) for part in parts)
        return _Signal(signal.layer + 1, {plus: 1.0, minus: -1.0}, signal.bias)

    def network(self, top: _Signal) -> ReluNet:
        """The network whose output is a signal of the highest layer."""
        layers, width = [], 0
        for neurons in [*self.layers[: top.layer], [top]]:
            matrix = None
            if width:
                matrix = np.zeros((width, len(neurons)))
                for place, neuron in enumerate(neurons):
                    assert isinstance(neuron.weights, dict)
                    matrix[list(neuron.weights), place] = list(neuron.weights.values())
            else:
                matrix = np.stack([np.asarray(neuron.weights) for neuron in neurons], axis=1)
            layers.append(Layer(matrix, np.array([neuron.bias for neuron in neurons])))
            width = len(neurons)
        return ReluNet(tuple(layers))
