"""Rows of a ReLU network."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from milbox.arrays import BoolArray, FloatArray, IntArray
from milbox.embed import embed
from milbox.embed.relu.bounds import Bounded, Bounds, interval_bounds
from milbox.embed.relu.hull import hull, pays
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
    net = bounded.net
    pull = net.output.weights[:, 0] if bounded.one_sided else None
    signals = embed_layers(
        net.hidden, bounded.bounds, milp, inputs, pull, bounded.groups, hulls=bounded.hulls
    ).through(net.output)
    return Affine(signals.columns, signals.mix[:, 0], float(signals.shift[0]))


@dataclass(frozen=True, slots=True, eq=False)
class Signals:
    """The inputs of a layer as expressions: x[columns] @ mix + shift."""

    columns: IntArray
    mix: FloatArray
    shift: FloatArray

    def through(self, layer: Layer) -> "Signals":
        """The layer's pre-activations."""
        return Signals(self.columns, self.mix @ layer.weights, self.shift @ layer.weights + layer.bias)


def embed_layers(
    layers: Sequence[Layer],
    bounds: Bounds,
    milp: MilpBuilder,
    inputs: IntArray,
    pull: FloatArray | None = None,
    groups: Sequence[IntArray] = (),
    hulls: bool | None = None,
) -> Signals:
    """Rows for y = max(0, z), z = w·x + b, l <= z <= u, with a binary a ("active") where l < 0 < u.

        y >= z,   y <= z - l (1 - a),   y <= u a,   0 <= y <= u.

    Big-M with proved bounds, separate for each side (Tjeng et al. 2019; the paper's Appendix A). A neuron
    with u <= 0 is zero and one with l >= 0 is z itself: neither has a column, and l = u = 0 is zero.

    `pull` says how much the objective gains by each signal of the last layer. A signal that is pulled up is
    then held from above alone, and one that is pulled down from below, which needs no binary: at the maximum
    they are what they should be. `groups` are inputs, by position, of which one is one and the others zero.
    `hulls` says whether rows of convex hulls may be asked for; where it is None, they may where that pays.
    """
    signals, switched = Signals(inputs, np.eye(len(inputs)), np.zeros(len(inputs))), []
    for depth, (layer, (low, high)) in enumerate(zip(layers, bounds, strict=True), start=1):
        z = signals.through(layer)
        on, unstable = (low >= 0) & (high > 0), (low < 0) & (high > 0)
        pulled = pull[unstable] if pull is not None and depth == len(layers) else None
        held = np.ones(int(unstable.sum()), dtype=np.bool_)
        from_below, from_above = (held, held) if pulled is None else (pulled < 0, pulled > 0)

        count = len(held)
        y = milp.columns(np.zeros(count), high[unstable]) if count else inputs[:0]
        switches = int(from_above.sum())
        a = milp.columns(np.zeros(switches), 1, integer=True) if switches else inputs[:0]
        w, b = z.mix[:, unstable], z.shift[unstable]
        above = np.hstack([-w.T, np.eye(count)])
        least, most = low[unstable][from_above], high[unstable][from_above]
        # After another hidden layer these rows are better there from the start: 1.4 times as slow otherwise.
        lazy = pulled is not None and depth == 1
        milp.rows(above[from_below], [*z.columns, *y], b[from_below], np.inf, lazy)  # y - w·x >= b
        milp.rows(
            np.hstack([above[from_above], -np.diag(least)]),
            [*z.columns, *y, *a],
            -np.inf,
            b[from_above] - least,
        )
        milp.rows(np.hstack([np.eye(switches), -np.diag(most)]), [*y[from_above], *a], -np.inf, 0)
        define_activations(milp, z.columns, w, b, y, a, from_above)
        if switches:
            switched.append(((z.columns, y[from_above], a), w[:, from_above], b[from_above]))

        known = len(z.columns)
        mix = np.zeros((known + count, len(layer.bias)))
        mix[:known, on] = z.mix[:, on]
        mix[known:, unstable] = np.eye(count)
        signals = Signals(np.concatenate([z.columns, y]), mix, np.where(on, z.shift, 0.0))
    if hulls is None:
        hulls = pays(sum(len(b) for _, _, b in switched), len(inputs), groups)
    if hulls:
        for columns, w, b in switched:
            milp.cut(hull(columns, w, b, milp.bounds(columns[0]), groups))
    return signals


def define_activations(
    milp: MilpBuilder,
    columns: IntArray,
    w: FloatArray,
    b: FloatArray,
    y: IntArray,
    a: IntArray,
    switched: BoolArray,
) -> None:
    """Say what y and a are once x is known."""
    milp.define(y, lambda x: np.maximum(x[columns] @ w + b, 0.0))
    milp.define(a, lambda x: (x[columns] @ w + b)[switched] > 0)
