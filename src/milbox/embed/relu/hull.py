"""Convex-hull inequalities of a ReLU neuron (Anderson et al. 2020).

Of y = max(0, w·x + b) with a switch a, where x falls apart into groups g of columns of which one is one and
the others are zero, the hull is, from above,

    y <= b a + sum_g max { w·z : 0 <= z <= x_g, sum z = a }.

Filling z by the largest weights first solves that. With v_g the weight where a is used up it reads

    y <= b a + sum_g (v_g a + sum_{c in g} max(0, w_c - v_g) x_c),

which holds for any v (Anderson et al. 2020). A column between l and u that is in no group is one of two,
(x - l) / (u - l) and (u - x) / (u - l), with weights w u and w l.

There are too many such rows to write them all: `Hull` says which are violated most at a point.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from milbox.arrays import FloatArray, IntArray
from milbox.milp.program import Cuts

MANY = 12
"""With fewer switches trees are small anyway."""

WORTHWHILE = 1e-3
"""A row that is violated by less, relative to what the switch counts in it or to a thousandth, is not worth
its cost."""


@dataclass(frozen=True, slots=True, eq=False)
class Hull:
    """A layer's neurons over their inputs.

    Attributes:
        columns: the inputs, then the outputs y, then the switches a.
        bias: (neurons,)
        place: (groups, largest group): the input of each entry of a group.
        slope: an entry is this times its input,
        constant: plus this. Entries that pad a smaller group are zero and have weight -inf.
        weights: (neurons, groups, largest group): a neuron's weight of an entry that is one.
        order: the entries of each group by descending weight.
        sizes: (groups,): how many entries each has.
    """

    columns: IntArray
    bias: FloatArray
    place: IntArray
    slope: FloatArray
    constant: FloatArray
    weights: FloatArray
    order: IntArray
    sizes: IntArray

    def __call__(self, x: FloatArray) -> Cuts:
        """The rows of the hull that x violates by something, at most one a neuron."""
        neurons = len(self.bias)
        inputs, y, a = np.split(self.columns, [-2 * neurons, -neurons])
        entries = self.constant + self.slope * x[inputs][self.place]
        filled = np.cumsum(entries[np.arange(len(entries))[:, None], self.order], axis=2)
        last = np.minimum((filled < x[a][:, None, None] - 1e-9).sum(axis=2), self.sizes - 1)
        last = np.take_along_axis(self.order, last[:, :, None], 2)
        levels = np.take_along_axis(self.weights, last, 2)
        above = np.maximum(self.weights - levels, 0.0)

        switched = self.bias + levels.sum(axis=(1, 2))
        most = switched * x[a] + (above * entries).sum(axis=(1, 2))
        chosen = np.flatnonzero(x[y] - most > WORTHWHILE * np.maximum(np.abs(switched), WORTHWHILE))
        above = above[chosen].reshape(len(chosen), self.place.size)
        matrix = np.zeros((len(chosen), len(self.columns)))
        np.add.at(matrix.T, self.place.ravel(), -(above * self.slope.ravel()).T)
        rows = np.arange(len(chosen))
        matrix[rows, len(inputs) + chosen] = 1.0
        matrix[rows, len(inputs) + neurons + chosen] = -switched[chosen]
        return Cuts(self.columns, matrix, above @ self.constant.ravel())


def pays(switches: int, inputs: int, groups: Sequence[IntArray]) -> bool:
    """Whether rows of hulls are likely to save more than they cost.

    Over inputs that are mostly in no group they are too dense for what they say, and groups of very different
    sizes waste memory.
    """
    grouped = sum(map(len, groups))
    entries = (len(groups) + inputs - grouped) * max(map(len, groups), default=0)
    return switches >= MANY and 2 * grouped >= inputs and entries <= 8 * inputs


def hull(
    columns: tuple[IntArray, IntArray, IntArray],
    weights: FloatArray,
    bias: FloatArray,
    bounds: tuple[FloatArray, FloatArray],
    groups: Sequence[IntArray],
) -> Hull:
    """The hull of neurons max(0, x @ weights + bias).

    Args:
        columns: inputs, outputs and switches.
        weights: (inputs, neurons)
        bias: (neurons,)
        bounds: of the inputs.
        groups: inputs, by position, of which one is one and the others are zero; no input is in two.
    """
    inputs = len(columns[0])
    alone = np.ones(inputs, dtype=np.bool_)
    for group in groups:
        alone[group] = False
    width = max([2, *map(len, groups)])
    shape = (len(groups) + int(alone.sum()), width)
    place, slope, constant = np.zeros(shape, dtype=np.int64), np.zeros(shape), np.zeros(shape)
    table = np.full((*shape, len(bias)), -np.inf)
    for g, group in enumerate(groups):
        place[g, : len(group)], slope[g, : len(group)] = group, 1.0
        table[g, : len(group)] = weights[group]
    boxes, low, high = np.flatnonzero(alone), bounds[0][alone], bounds[1][alone]
    rest = slice(len(groups), None)
    # A column that cannot move is one of the two entirely.
    per = 1.0 / np.where(high > low, high - low, 1.0)
    place[rest, 0], slope[rest, 0], constant[rest, 0] = boxes, per, -low * per
    place[rest, 1], slope[rest, 1], constant[rest, 1] = boxes, -per, 1.0 + low * per
    table[rest, 0] = weights[boxes] * (low + 1.0 / per)[:, None]
    table[rest, 1] = weights[boxes] * low[:, None]
    table = table.transpose(2, 0, 1)
    return Hull(
        columns=np.concatenate(columns),
        bias=bias,
        place=place,
        slope=slope,
        constant=constant,
        weights=table,
        order=np.argsort(-table, axis=2),
        sizes=np.isfinite(table[0]).sum(axis=1),
    )
