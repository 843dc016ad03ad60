"""Bounds of each neuron over the whole domain.

Interval arithmetic starts from the bounds of columns, or from the parts of the domain's product, over which
the bounds of the first layer are exact; `milbox.embed.relu.tighten` sharpens them with linear programs.
"""

from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from milbox.arrays import FloatArray, IntArray
from milbox.domain import Domain
from milbox.domain.box import Box
from milbox.surrogates.relu import Layer, ReluNet

Bounds: TypeAlias = tuple[tuple[FloatArray, FloatArray], ...]
"""(lower, upper) of the pre-activations, one pair per hidden layer."""


SMALL = 8
"""The largest group of features that is thinned."""


@dataclass(frozen=True, slots=True, eq=False)
class Bounded:
    """A network with proved bounds on every hidden pre-activation; predicts as the network does."""

    net: ReluNet
    bounds: Bounds
    one_sided: bool = False
    """Embedded, the output may be less than predicted, never more: half the rows, for an objective that is
    maximised."""
    groups: tuple[IntArray, ...] = ()
    """Features, by position, of which one is one and the others are zero; none is in two groups."""
    hulls: bool | None = None
    """Whether the program may ask for rows of convex hulls; None leaves it to `hull.pays`."""

    def predict(self, features: FloatArray) -> FloatArray:
        """The network's predictions."""
        return self.net.predict(features)


def rescaled(bounded: Bounded) -> Bounded:
    """The same network, neurons of awkward ranges scaled by powers of two.

    Solvers compare with absolute tolerances: a neuron whose whole range lies below them is nothing to them.
    Little data and much decay make such neurons.
    """
    layers, scaled = list(bounded.net.layers), []
    for depth, (low, high) in enumerate(bounded.bounds):
        size = np.maximum(np.abs(low), np.abs(high))
        if depth == 0:
            # Over a block large terms may cancel; scaling up what they leave would scale them up as well.
            weights, bias = layers[0].weights, layers[0].bias
            size = np.maximum(size, np.maximum(np.abs(weights).max(axis=0, initial=0.0), np.abs(bias)))
        awkward = (size > 0.0) & ((size < 2.0**-10) | (size > 2.0**20))
        exponent = np.where(awkward, -np.frexp(size)[1], 0)
        here, after = layers[depth], layers[depth + 1]
        layers[depth] = Layer(np.ldexp(here.weights, exponent), np.ldexp(here.bias, exponent))
        layers[depth + 1] = Layer(np.ldexp(after.weights, -exponent[:, None]), after.bias)
        scaled.append((np.ldexp(low, exponent), np.ldexp(high, exponent)))
    return replace(bounded, net=ReluNet(tuple(layers)), bounds=tuple(scaled))


def thinned(bounded: Bounded) -> Bounded:
    """The same network at every point, with a weight of zero in each small group.

    Where one of x is one, w·x + b = (w - c)·x + (b + c). Shorter rows save SCIP a tenth of its time over
    groups of three; in a large group one weight makes no difference.
    """
    first, *rest = bounded.net.layers
    weights, bias = first.weights.copy(), first.bias.copy()
    for group in bounded.groups:
        if len(group) <= SMALL:
            middle = np.sort(weights[group], axis=0)[len(group) // 2]
            weights[group] -= middle
            bias += middle
    return replace(bounded, net=ReluNet((Layer(weights, bias), *rest)))


def interval_bounds(net: ReluNet, lower: FloatArray, upper: FloatArray) -> Bounds:
    """Interval arithmetic from bounds on the inputs alone."""
    if not net.hidden:
        return ()
    return propagated(net, interval(net.hidden[0], lower, upper))


def product_bounds(net: ReluNet, domain: Domain, box: Box | None = None) -> Bounds:
    """Interval arithmetic over the parts and the free variables of the domain's product.

    Each part contributes its least and its largest path; the sums that tie parts together are left out. A box
    restricts the codes, and how many free variables without order may differ from its centre.
    """
    if not net.hidden:
        return ()
    layer, coding = net.hidden[0], domain.coding
    least, most = layer.bias.copy(), layer.bias.copy()
    parts = [part for part in domain.product.parts if part.edges]
    for part in parts:
        tables = [contributions(domain, int(i), layer) for i in part.variables]
        low, high = part.extremes(tables)
        if box is not None:
            own = zip(part.variables.tolist(), tables, strict=True)
            low_in, high_in = part.extremes([allowed(domain, i, table, box) for i, table in own])
            if not np.isnan(low_in).any():  # or no path of the part is in the box
                low, high = low_in, high_in
        least, most = least + low, most + high
    held = {int(i) for part in parts for i in part.variables}
    falls, rises = [], []
    for i in sorted(set(range(len(domain.variables))) - held):
        every = domain.variables[i].codes
        # One weight times a code is extreme where the code is.
        codes = np.array(every if coding.onehot[i] else (every[0], every[-1]))
        if box is not None and not coding.onehot[i]:
            codes = np.clip(codes, box.low[i], box.high[i])
        adds = coding.contributions((i,), codes[:, None], layer.weights)
        if box is not None and box.unordered[i]:
            (centre,) = coding.contributions((i,), box.centre[[i], None], layer.weights)
            least, most = least + centre, most + centre
            falls.append(centre - adds.min(axis=0))
            rises.append(adds.max(axis=0) - centre)
            continue
        if box is not None:
            adds = adds[(codes >= box.low[i]) & (codes <= box.high[i])]
        least, most = least + adds.min(axis=0), most + adds.max(axis=0)
    if box is not None and falls:
        least -= np.sort(falls, axis=0)[::-1][: box.changes].sum(axis=0)
        most += np.sort(rises, axis=0)[::-1][: box.changes].sum(axis=0)
    return propagated(net, (least, most))


def contributions(domain: Domain, variable: int, layer: Layer) -> FloatArray:
    """The contribution of each code of a variable (by index) to the pre-activations, one code a row."""
    codes = np.array(domain.variables[variable].codes)[:, None]
    return domain.coding.contributions((variable,), codes, layer.weights)


def allowed(domain: Domain, variable: int, table: FloatArray, box: Box) -> FloatArray:
    """The contributions of a variable's codes, not a number where the code is outside the box."""
    codes = np.array(domain.variables[variable].codes)
    inside = (codes >= box.low[variable]) & (codes <= box.high[variable])
    return np.where(inside[:, None], table, np.nan)


def one_hot_groups(domain: Domain) -> tuple[IntArray, ...]:
    """Features of which exactly one is one, at every point, and the others are zero.

    Those of a one-hot variable are, and flags whose sum a constraint makes one; none is in two groups.
    """
    coding = domain.coding
    groups = [coding.group(int(i)) for i in np.flatnonzero(coding.onehot)]
    free = coding.flag[coding.owner]
    matrix, lower, upper, _ = domain.linear_system
    for row in np.flatnonzero((lower == 1.0) & (upper == 1.0)):
        entries = slice(matrix.indptr[row], matrix.indptr[row + 1])
        features = np.sort(matrix.indices[entries])
        # A row without features is a constraint that nothing satisfies.
        if len(features) and free[features].all() and (matrix.data[entries] == 1.0).all():
            groups.append(features)
            free[features] = False
    return tuple(groups)


def propagated(net: ReluNet, first: tuple[FloatArray, FloatArray]) -> Bounds:
    """Bounds of every hidden layer from those of the first, layer by layer."""
    found = [first]
    for layer in net.hidden[1:]:
        least, most = found[-1]
        found.append(interval(layer, np.maximum(least, 0), np.maximum(most, 0)))
    return tuple(found)


def interval(layer: Layer, lower: FloatArray, upper: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The interval of w·x + b for lower <= x <= upper."""
    positive, negative = np.maximum(layer.weights, 0), np.minimum(layer.weights, 0)
    return (
        lower @ positive + upper @ negative + layer.bias,
        upper @ positive + lower @ negative + layer.bias,
    )
