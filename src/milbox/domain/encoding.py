"""Layout of the feature vector: which entries belong to which variable.

A binary variable is one feature. Others are one-hot, one feature per code, or a single feature holding the
code (`encoding="integer"`, Appendix D of the paper).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from milbox.arrays import BoolArray, FloatArray, IntArray
from milbox.domain.model.variables import Binary, Variable, width


@dataclass(frozen=True, slots=True)
class Layout:
    """For each variable its first feature, how many it has, its lowest code, and whether it is one-hot."""

    start: IntArray
    width: IntArray
    low: IntArray
    onehot: BoolArray
    features: int


def layout(variables: Sequence[Variable]) -> Layout:
    """Features in the order of the variables."""
    onehot = np.array([not isinstance(v, Binary) and v.encoding == "onehot" for v in variables], dtype=bool)
    low = np.array([v.codes[0] for v in variables], dtype=np.int64)
    widths = np.array([width(v) for v in variables], dtype=np.int64)
    start = np.concatenate([[0], np.cumsum(widths)[:-1]]).astype(np.int64)
    return Layout(start, widths, low, onehot, int(widths.sum()))


def encode(places: Layout, points: IntArray) -> FloatArray:
    """Points, one a row, as features."""
    features = np.zeros((len(points), places.features))
    hot = places.onehot
    columns = places.start[hot] + points[:, hot] - places.low[hot]
    features[np.arange(len(points))[:, None], columns] = 1.0
    features[:, places.start[~hot]] = points[:, ~hot]
    return features


def contributions(
    places: Layout, variables: Sequence[int], states: IntArray, weights: FloatArray
) -> FloatArray:
    """What joint codes of some variables (by index), one a row, add to the features times the weights."""
    total = np.zeros((len(states), weights.shape[1]))
    for i, codes in zip(variables, states.T, strict=True):
        start, low = places.start[i], places.low[i]
        total += weights[start + codes - low] if places.onehot[i] else codes[:, None] * weights[start]
    return total


def decode(places: Layout, features: FloatArray) -> IntArray:
    """The point nearest to one row of features: the largest of a one-hot group, else the rounded code."""
    point = np.rint(features[places.start]).astype(np.int64)
    for i in np.flatnonzero(places.onehot):
        first = places.start[i]
        point[i] = places.low[i] + int(np.argmax(features[first : first + places.width[i]]))
    return point
