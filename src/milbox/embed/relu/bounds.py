"""Bounds of each neuron over the whole domain.

Interval arithmetic answers over the column bounds, or over the domain's blocks, each of which is in exactly
one state; `milbox.embed.relu.tighten` sharpens the answer with linear programs.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from milbox.arrays import FloatArray, IntArray
from milbox.domain import Domain
from milbox.domain.blocks import STATES, Block, tied_blocks
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


def block_bounds(net: ReluNet, domain: Domain, limit: int = STATES, box: Box | None = None) -> Bounds:
    """Interval arithmetic over the domain's blocks, each of which is in one of its feasible joint states.

    Where one would have more states than the limit, each variable is a block. What ties blocks together is
    not known, but for the number of changes that a box allows.
    """
    if not net.hidden:
        return ()
    layer = net.hidden[0]
    least, most = layer.bias.copy(), layer.bias.copy()
    falls, rises = [], []
    for block in known_blocks(domain, limit):
        states = block.states if box is None else within(block, box)
        adds = domain.coding.contributions(block.variables, states, layer.weights)
        if box is None or len(block.variables) > 1 or not box.unordered[block.variables[0]]:
            least += adds.min(axis=0)
            most += adds.max(axis=0)
            continue
        centre = adds[states[:, 0] == box.centre[block.variables[0]]].min(axis=0)
        least, most = least + centre, most + centre
        falls.append(centre - adds.min(axis=0))
        rises.append(adds.max(axis=0) - centre)
    if box is not None and falls:
        least -= np.sort(falls, axis=0)[::-1][: box.changes].sum(axis=0)
        most += np.sort(rises, axis=0)[::-1][: box.changes].sum(axis=0)
    return propagated(net, (least, most))


def within(block: Block, box: Box) -> IntArray:
    """The states of a block that a box allows; of a variable that goes by its ends, the ends in the box."""
    members = np.array(block.variables)
    low, high = box.low[members], box.high[members]
    if len(members) == 1 and not box.unordered[members[0]]:
        return np.unique(np.clip(block.states, low, high), axis=0)
    return np.asarray(block.states[((block.states >= low) & (block.states <= high)).all(axis=1)])


def one_hot_groups(domain: Domain) -> tuple[IntArray, ...]:
    """Features of which exactly one is one, at every point, and the others are zero.

    Those of a one-hot variable are, and those of a block whose codes are like that in every state.
    """
    places = domain.coding
    groups = [places.group(int(i)) for i in np.flatnonzero(places.onehot)]
    scaled = places.onehot | (places.steps > 0)
    for block in known_blocks(domain, STATES):
        variables, states = np.array(block.variables), block.states
        if scaled[variables].any():
            continue
        if (states >= 0).all() and (states.sum(axis=1) == 1).all():
            groups.append(places.start[variables])
    return tuple(groups)


def known_blocks(domain: Domain, limit: int) -> Sequence[Block]:
    """The domain's blocks or, where those are not small or have no state at all, its variables."""
    tied = tied_blocks(domain, limit)
    if tied is not None and all(len(block.states) for block in tied.blocks):
        return tied.blocks
    hot = domain.coding.onehot
    # One weight times a code is extreme where the code is.
    said = [v.codes if hot[i] else (v.codes[0], v.codes[-1]) for i, v in enumerate(domain.variables)]
    return [Block((i,), np.array(codes)[:, None]) for i, codes in enumerate(said)]


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
