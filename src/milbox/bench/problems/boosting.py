"""Gradient boosting with symmetric trees on small whole numbers, for the NAS stand-in.

A symmetric tree asks the same question everywhere on a level (feature > threshold), so it is a table with
2^depth entries (Prokhorenkova et al. 2018). Sums run in one fixed order: the same data give the same trees.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from milbox.arrays import FloatArray, IntArray
from milbox.compiled.jit import entry

Counts = npt.NDArray[np.uint8]
"""(n, features): whole numbers below 16."""

BINS = 16


@dataclass(frozen=True, slots=True)
class BoostedTables:
    """start + sum over trees of leaf[which side of each question]."""

    start: float
    feature: IntArray  # (trees, depth)
    threshold: IntArray  # (trees, depth)
    leaf: FloatArray  # (trees, 2^depth)

    def predict(self, features: Counts) -> FloatArray:
        """One number per row."""
        values = np.full(len(features), self.start)
        add_tables(np.ascontiguousarray(features), self.feature, self.threshold, self.leaf, values)
        return values


def boosted(
    features: Counts,
    target: FloatArray,
    *,
    trees: int,
    depth: int = 6,
    rate: float = 0.1,
    prior: float = 2.0,
    clip: float = np.inf,
) -> BoostedTables:
    """Fit by least squares, or by Huber's loss where residuals count as `clip` at most.

    `prior` is the weight with which leaves are drawn to zero.
    """
    start = float(np.median(target))
    feature, threshold = np.zeros((trees, depth), np.int64), np.zeros((trees, depth), np.int64)
    leaf = np.zeros((trees, 1 << depth))
    column, row = np.nonzero(features.T)
    first = np.searchsorted(column, np.arange(features.shape[1] + 1))
    counts = features[row, column]
    fit_tables(first, row, counts, target - start, rate, prior, clip, feature, threshold, leaf)
    return BoostedTables(start, feature, threshold, leaf)


@entry
def fit_tables(
    first: IntArray,
    row: IntArray,
    count: Counts,
    rest: FloatArray,
    rate: float,
    prior: float,
    clip: float,
    feature: IntArray,
    threshold: IntArray,
    leaf: FloatArray,
) -> None:
    """Fill the trees one after another, each on what the ones before left over.

    Feature j is count[first[j] : first[j + 1]] at those rows and zero elsewhere; most counts are zero.
    """
    features, rows = len(first) - 1, len(rest)
    trees, depth = feature.shape
    side = np.zeros(rows, dtype=np.int64)
    residual = np.zeros(rows)
    for tree in range(trees):
        for i in range(rows):
            side[i] = 0
            residual[i] = min(max(rest[i], -clip), clip)
        totals = leaf_totals(side, residual, 1)
        for level in range(depth):
            best = -1.0
            for j in range(features):
                # A third of the features per tree, in turn: faster, and the trees differ more.
                if (j + tree) % 3 != 0:
                    continue
                sums = np.zeros((len(totals), BINS, 2))
                for at in range(first[j], first[j + 1]):
                    i, b = row[at], count[at]
                    sums[side[i], b, 0] += residual[i]
                    sums[side[i], b, 1] += 1.0
                gain, cut = best_cut(sums, totals, prior)
                if gain > best:
                    best = gain
                    feature[tree, level], threshold[tree, level] = j, cut
            j = feature[tree, level]
            for i in range(rows):
                side[i] *= 2
            for at in range(first[j], first[j + 1]):
                if count[at] > threshold[tree, level]:
                    side[row[at]] += 1
            totals = leaf_totals(side, residual, 2 << level)
        for k in range(len(totals)):
            leaf[tree, k] = rate * totals[k, 0] / (totals[k, 1] + prior)
        for i in range(rows):
            rest[i] -= leaf[tree, side[i]]


@entry
def leaf_totals(side: IntArray, residual: FloatArray, leaves: int) -> FloatArray:
    """The total and the size of every leaf."""
    totals = np.zeros((leaves, 2))
    for i in range(len(side)):
        totals[side[i], 0] += residual[i]
        totals[side[i], 1] += 1.0
    return totals


@entry
def best_cut(sums: FloatArray, totals: FloatArray, prior: float) -> tuple[float, int]:
    """The threshold at which splitting every leaf gives the largest sum of squared totals over sizes.

    `sums` is (leaves, bins, 2): the total and the size of every bin but the first, which holds the rest of
    the leaf's `totals`.
    """
    leaves, bins, _ = sums.shape
    gains = np.zeros(bins)
    for k in range(leaves):
        high, high_size = 0.0, 0.0
        for b in range(bins - 1, 0, -1):
            high += sums[k, b, 0]
            high_size += sums[k, b, 1]
            low, low_size = totals[k, 0] - high, totals[k, 1] - high_size
            gains[b - 1] += low * low / (low_size + prior) + high * high / (high_size + prior)
    at = 0
    for b in range(bins - 1):
        if gains[b] > gains[at]:
            at = b
    return gains[at], at


@entry
def add_tables(
    features: Counts, feature: IntArray, threshold: IntArray, leaf: FloatArray, values: FloatArray
) -> None:
    """Add every tree's entry to the values, in place."""
    trees, depth = feature.shape
    for i in range(len(values)):
        for tree in range(trees):
            at = 0
            for level in range(depth):
                at = 2 * at + (features[i, feature[tree, level]] > threshold[tree, level])
            values[i] += leaf[tree, at]
