"""The quadratic surrogate: a sum of pairwise interactions.

A Bayesian linear model on the features and their pairwise products, as in BOCS (Baptista & Poloczek 2018),
with a Gaussian prior. The belief is one draw from its posterior, pulled most of the way to the mean: full
draws explore too much when pairs outnumber points, the mean itself too little.

Where groups of features are labels of one alphabet, which of them are equal makes further features
(`equal_labels.py`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.random import Generator

from milbox.arrays import FloatArray, IntArray
from milbox.surrogates.equal_labels import equal_labels, relevances, spread
from milbox.surrogates.scaling import Scale, checked
from milbox.system.blas import one_thread

# Of the standardised value where all features are zero: a few deviations from the mean either way.
LEVEL_VARIANCE = 10.0

# What evidence chooses from: shares of features, products and equal labels, and noise beside a signal of 1.
SHARES = ((1.0, 0.0), (0.6, 0.4), (0.2, 0.8), (0.0, 1.0))
SHARES_OF_LABELS = (0.0, 0.6, 1.0)
NOISES = (1e-4, 1e-3, 1e-2, 0.05, 0.2, 1.0)

# So many points decide prior variances and noise: more of them where there are more features than that.
JUDGED, MANY = 100, 300

# So many points are enough to choose which pairs of labels matter.
JUDGED_LABELS = 300


@dataclass(frozen=True, slots=True, eq=False)
class Quadratic:
    """sum of pairs[i, j] x_i x_j over i < j, plus linear·x + bias."""

    linear: FloatArray
    """(d,)"""
    pairs: FloatArray
    """(d, d), zero on and below the diagonal"""
    bias: float

    def __post_init__(self) -> None:
        d = self.linear.size
        if self.linear.shape != (d,) or self.pairs.shape != (d, d):
            raise ValueError(
                f"linear of shape {self.linear.shape} and pairs of shape {self.pairs.shape} do not belong "
                f"together; they should be (d,) and (d, d)"
            )
        if np.tril(self.pairs).any():
            raise ValueError(
                "pairs should be zero on and below the diagonal; each pair counts once, at i < j"
            )

    def predict(self, features: FloatArray) -> FloatArray:
        """The predicted values (n,) of encoded points (n, d)."""
        x = np.asarray(features, dtype=np.float64)
        predictions: FloatArray = ((x @ self.pairs + self.linear) * x).sum(axis=1) + self.bias
        return predictions


@dataclass(frozen=True, slots=True)
class QuadraticLearner:
    """A posterior draw, shrunk towards the posterior mean.

    In standardised values y = w·phi(x) + noise, where phi(x) lists 1, the features x_i, the products
    x_i x_j, i < j, and which groups have equal labels. The weights of features share one prior variance, and
    so do those of products; each pair of groups has its own. The weight of 1 may be almost anything.
    """

    draw: float = 0.3
    """The position between the posterior mean (0) and a draw from the posterior (1)."""
    pairs: float | None = 0.7
    """The share of products in the prior variance of the values. None leaves this, the noise, the share of
    labels and the size of the variance to the marginal likelihood."""
    noise: float = 0.01
    """The variance of the values that no pairwise model explains, where the prior variance is 1."""
    labels: tuple[tuple[int, ...], ...] = ()
    """Groups of features with one alphabet: in each row exactly one is 1. Used where `pairs` is None."""
    judged: int | None = None
    """So many points, drawn by chance, decide what is left to the marginal likelihood. None is 100, and 300
    where there are more than 300 features: more points take longer, and pay where features are many."""

    def __post_init__(self) -> None:
        if not ((self.pairs is None or 0 <= self.pairs <= 1) and self.noise > 0 and self.draw >= 0):
            raise ValueError(
                f"pairs should be within 0 and 1, noise positive and draw not negative; "
                f"they are {self.pairs}, {self.noise} and {self.draw}"
            )
        if self.judged is not None and self.judged < 1:
            raise ValueError(f"judged should be at least one point, and is {self.judged}")

    @one_thread
    def fit(self, features: FloatArray, values: FloatArray, rng: Generator) -> Quadratic:
        """The pairwise model of values (n,) seen at encoded points (n, d), in raw units.

        All in the space of points, since pairs are many: with prior variances V, a prior draw w0 and noise e,

            w = w0 + V phi' (phi V phi' + noise I)^-1 (y - phi w0 - e)

        is a posterior draw (Matheron's rule), and it is linear in (w0, e): scaling these by `draw` shrinks
        the draw to the mean.
        """
        from scipy.linalg import cho_factor, cho_solve

        features, values = checked(features, values)
        count, dimension = features.shape
        target = Scale.of_values(values)
        inputs = Scale.of_columns(features)
        X = inputs.shrink(features)
        y = target.shrink(values)
        has_labels = self.pairs is None and self.labels
        labels = np.array(self.labels if has_labels else np.empty((0, 0)), dtype=np.int64)
        equal = equal_labels(X, labels)
        centres = equal.mean(axis=0)
        gram, products = _kernels(X)
        if self.pairs is None:
            judged = self.judged or (JUDGED if dimension <= MANY else MANY)
            some = _some(count, judged, rng)
            prior, noise_variance = _evident(X[some], y[some], equal[some] - centres)
        else:
            prior = Prior.of_shares([gram, products], [1.0 - self.pairs, self.pairs])
            noise_variance = self.noise
        kernel = prior.products * products
        kernel += prior.features * gram
        kernel += LEVEL_VARIANCE
        label_variances = np.zeros(equal.shape[1])
        if prior.labels > 0.0:
            some = _some(count, JUDGED_LABELS, rng)
            label_variances, noise_variance = relevances(
                kernel[np.ix_(some, some)], equal[some] - centres, y[some], prior.labels, noise_variance
            )
        matter = np.flatnonzero(label_variances)
        relevant = equal[:, matter] - centres[matter]
        scaled = relevant * np.sqrt(label_variances[matter])
        kernel += scaled @ scaled.T
        kernel[np.diag_indices(count)] += noise_variance

        level = self.draw * np.sqrt(LEVEL_VARIANCE) * rng.standard_normal()
        linear = self.draw * np.sqrt(prior.features) * rng.standard_normal(dimension)
        pairs = self.draw * np.sqrt(prior.products) * np.triu(rng.standard_normal((dimension, dimension)), 1)
        of_labels = self.draw * np.sqrt(label_variances) * rng.standard_normal(equal.shape[1])
        noise = self.draw * np.sqrt(noise_variance) * rng.standard_normal(count)
        drawn = ((X @ pairs + linear) * X).sum(axis=1) + relevant @ of_labels[matter] + level
        factor = cho_factor(kernel, lower=True, overwrite_a=True, check_finite=False)
        pull = cho_solve(factor, y - drawn - noise, check_finite=False)
        level += LEVEL_VARIANCE * pull.sum()
        linear += prior.features * (pull @ X)
        pairs += prior.products * np.triu((X.T * pull) @ X, 1)
        of_labels[matter] += label_variances[matter] * (pull @ relevant)
        pairs += spread(of_labels, labels, dimension)
        return _in_raw_units(level - centres @ of_labels, linear, pairs, inputs, target)


def _kernels(X: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The sums over features and over products of what two points have of each.

    With s = sum of x_i z_i, the sum of x_i z_i x_j z_j over i < j is (s^2 - sum of (x_i z_i)^2) / 2.
    """
    squares = X * X
    gram = X @ X.T
    products = gram * gram
    products -= gram if np.array_equal(X, squares) else squares @ squares.T
    products *= 0.5
    return gram, products


class Prior(NamedTuple):
    """The prior variances of the weights of features, products and equal labels."""

    features: float
    products: float
    labels: float = 0.0

    @classmethod
    def of_shares(cls, kernels: Sequence[FloatArray], shares: Sequence[float]) -> Self:
        """The variances with which each explains its share of the variance of the values."""
        sizes = [float(np.diagonal(kernel).mean()) for kernel in kernels]
        return cls(*(_variance(share, size) for share, size in zip(shares, sizes, strict=True)))


def _evident(X: FloatArray, y: FloatArray, equal: FloatArray) -> tuple[Prior, float]:
    """The prior variances and the noise under which the values are most likely."""
    from scipy.linalg import cholesky, solve_triangular

    kernels = (*_kernels(X), equal @ equal.T)
    count, best, chosen = len(y), np.inf, (Prior(0.0, 0.0), 1.0)
    diagonal = np.diag_indices(count)
    for of_labels in SHARES_OF_LABELS if equal.shape[1] else (0.0,):
        for of_features, of_products in SHARES if of_labels < 1.0 else SHARES[:1]:
            rest = 1.0 - of_labels
            prior = Prior.of_shares(kernels, (rest * of_features, rest * of_products, of_labels))
            kernel = np.full((count, count), LEVEL_VARIANCE)
            for variance, part in zip(prior, kernels, strict=True):
                kernel += variance * part
            own = kernel[diagonal]
            for noise in NOISES:
                kernel[diagonal] = own + noise
                root = cholesky(kernel, lower=True, check_finite=False)
                # The best common factor of all variances is in closed form.
                factor = float(np.square(solve_triangular(root, y, lower=True, check_finite=False)).mean())
                misfit = count * np.log(max(factor, 1e-300)) + 2.0 * np.log(root[diagonal]).sum()
                if misfit < best:
                    best = float(misfit)
                    chosen = Prior(*(factor * v for v in prior)), max(factor * noise, 1e-8)
    return chosen


def _some(count: int, most: int, rng: Generator) -> IntArray:
    """All places, or so many of them by chance."""
    return rng.choice(count, most, replace=False) if count > most else np.arange(count)


def _variance(share: float, size: float) -> float:
    """The prior variance of weights that explain a share of the variance at points of this size."""
    return share / size if size > 1e-12 else 0.0  # nothing, up to rounding: no weights


def _in_raw_units(
    level: float, linear: FloatArray, pairs: FloatArray, inputs: Scale, target: Scale
) -> Quadratic:
    """The model that takes unscaled features and predicts unscaled values.

    With z = x - c, z'Pz + w'z = x'Px + (w - (P + P')c)'x + (c'P - w')c.
    """
    P, w, bias, spread = pairs, linear, level, target.spread
    if not inputs.neutral:
        P = pairs / np.outer(inputs.spread, inputs.spread)
        w = linear / inputs.spread
        c = inputs.centre
        bias = level + float((c @ P - w) @ c)
        w = w - (P + P.T) @ c
    return Quadratic(w * spread, P * spread, float(bias * spread + target.centre))
