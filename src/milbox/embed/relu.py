"""How does a ReLU network become rows?"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from milbox.arrays import FloatArray, IntArray
from milbox.embed import embed
from milbox.embed.bounds import Bounded, Bounds, interval_bounds
from milbox.milp.program import Affine, MilpBuilder
from milbox.surrogates.relu import Layer, ReluNet


@embed.register
def _(net: ReluNet, milp: MilpBuilder, inputs: IntArray) -> Affine:
    """The network with the bounds its input columns have."""
    lower, upper = milp.bounds(inputs)
    return embed(Bounded(net, interval_bounds(net, lower, upper)), milp, inputs)


@embed.register
def _(bounded: Bounded, milp: MilpBuilder, inputs: IntArray) -> Affine:
    """The output layer over the signals of the last hidden one."""
    signals = embed_layers(bounded.net.hidden, bounded.bounds, milp, inputs).through(bounded.net.output)
    return Affine(signals.columns, signals.mix[:, 0], float(signals.shift[0]))


@dataclass(frozen=True, slots=True, eq=False)
class Signals:
    """What enters a layer, as expressions: x[columns] @ mix + shift."""

    columns: IntArray
    mix: FloatArray
    shift: FloatArray

    def through(self, layer: Layer) -> "Signals":
        """What the layer makes of them, before its ReLU."""
        return Signals(self.columns, self.mix @ layer.weights, self.shift @ layer.weights + layer.bias)


def embed_layers(layers: Sequence[Layer], bounds: Bounds, milp: MilpBuilder, inputs: IntArray) -> Signals:
    """Rows for y = max(0, z), z = w·x + b, l <= z <= u, with a binary a ("active") where l < 0 < u.

        y >= z,   y <= z - l (1 - a),   y <= u a,   0 <= y <= u.

    Big-M with proved bounds, separate for each side (Tjeng et al. 2019; the paper's Appendix A). A neuron
    with u <= 0 is zero and one with l >= 0 is z itself: neither has a column, and l = u = 0 is zero.
    """
    signals = Signals(inputs, np.eye(len(inputs)), np.zeros(len(inputs)))
    for layer, (low, high) in zip(layers, bounds, strict=True):
        z = signals.through(layer)
        on, unstable = (low >= 0) & (high > 0), (low < 0) & (high > 0)
        count = int(unstable.sum())
        y = milp.columns(np.zeros(count), high[unstable]) if count else inputs[:0]
        a = milp.columns(np.zeros(count), 1, integer=True) if count else inputs[:0]
        w, b, least, most = z.mix[:, unstable], z.shift[unstable], low[unstable], high[unstable]
        above = np.hstack([-w.T, np.eye(count)])
        milp.rows(above, [*z.columns, *y], b, np.inf)  # y - w·x >= b
        milp.rows(np.hstack([above, -np.diag(least)]), [*z.columns, *y, *a], -np.inf, b - least)
        milp.rows(np.hstack([np.eye(count), -np.diag(most)]), [*y, *a], -np.inf, 0)
        define_activations(milp, z.columns, w, b, y, a)

        known = len(z.columns)
        mix = np.zeros((known + count, len(layer.bias)))
        mix[:known, on] = z.mix[:, on]
        mix[known:, unstable] = np.eye(count)
        signals = Signals(np.concatenate([z.columns, y]), mix, np.where(on, z.shift, 0.0))
    return signals


def define_activations(
    milp: MilpBuilder, columns: IntArray, w: FloatArray, b: FloatArray, y: IntArray, a: IntArray
) -> None:
    """Say what y and a are once x is known."""
    milp.define(y, lambda x: np.maximum(x[columns] @ w + b, 0.0))
    milp.define(a, lambda x: x[columns] @ w + b > 0)
