"""Which groups have equal labels, as features, and how much each of them matters.

Where groups of features are labels of one alphabet (the parts of a graph's vertices, say), it may matter only
whether two groups have the same label: one feature for each pair of groups, whose weight is shared by all
labels. Few pairs may matter (the edges of the graph). So each weight has a prior variance of its own, chosen
by the evidence (automatic relevance determination, MacKay 1992): what explains nothing drops out.
"""

import numpy as np

from milbox.arrays import BoolArray, FloatArray, IntArray

ROUNDS = 4
"""How often the variances are chosen anew; the first round is cautious, the others jump ahead."""

DROPPED = 1e-4
"""A variance below this share of the largest one is none."""

LEAST_NOISE = 1e-6
"""Beside values of variance 1."""


def equal_labels(X: FloatArray, labels: IntArray) -> BoolArray:
    """(n, pairs of groups): whether two groups share a label; labels (groups, letters) are features."""
    one, other = np.triu_indices(len(labels), 1)
    equal = np.zeros((len(one), len(X)), dtype=np.bool_)
    for column in labels.T:
        has = X.T[column] > 0.5  # group by group
        equal |= has[one] & has[other]
    return equal.T


def spread(weights: FloatArray, labels: IntArray, dimension: int) -> FloatArray:
    """(d, d): the weight of each pair of groups, at every pair of features that are one label of both."""
    one, other = np.triu_indices(len(labels), 1)
    pairs = np.zeros((dimension, dimension))
    for column in labels.T:
        i, j = column[one], column[other]
        np.add.at(pairs, (np.minimum(i, j), np.maximum(i, j)), weights)
    return pairs


def relevances(
    rest: FloatArray, equal: FloatArray, y: FloatArray, variance: float, noise: float
) -> tuple[FloatArray, float]:
    """The prior variance of each pair's weight, and the noise, that make the values more likely.

    `rest` (n, n) is the prior covariance of everything else that explains the values. Let gamma be the share
    of a weight that the values determine. The first update of a variance is w^2 + variance (1 - gamma), which
    cannot make the values less likely; the others are w^2 / gamma, with the same fixed points and faster.
    """
    from scipy.linalg import solve_triangular

    count, pairs = equal.shape
    kept, variances = np.arange(pairs), np.full(pairs, variance)
    for step in range(ROUNDS):
        scaled = equal * np.sqrt(variances)
        kernel = rest + scaled @ scaled.T
        kernel[np.diag_indices(count)] += noise
        inverse = solve_triangular(np.linalg.cholesky(kernel), np.eye(count), lower=True, check_finite=False)
        pull = inverse.T @ (inverse @ y)
        weights = variances * (equal.T @ pull)
        gamma = np.clip(np.square(inverse @ scaled).sum(axis=0), 1e-6, 1.0)
        noise = max(LEAST_NOISE, noise * float(pull @ pull) / float(np.square(inverse).sum()))
        squares = weights * weights
        variances = squares / gamma if step else squares + variances * (1.0 - gamma)
        alive = variances > DROPPED * variances.max(initial=0.0)
        kept, variances, equal = kept[alive], variances[alive], equal[:, alive]
    found = np.zeros(pairs)
    found[kept] = variances
    return found, noise
