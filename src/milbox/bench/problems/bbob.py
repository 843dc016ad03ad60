"""BBOB functions on a grid whose levels have no order (Appendix B.3).

The functions follow Hansen et al. 2009 in the form google-vizier gives them (which the tests compare with):
no shift and no added optimum value, and rotations that are the identity unless a matrix is passed. The step
ellipsoid follows COCO's code instead. Attractive Sector and Schwefel have their optimum elsewhere in vizier;
here they are moved so that it is at zero like the others'. All are minimised; a problem divides by the median
absolute deviation at 30 fixed points and negates.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from milbox.arrays import FloatArray, IntArray
from milbox.bench.problems.problem import Problem
from milbox.domain import Domain, categorical

DIMENSIONS = 10
LEVELS = 10
RANGE = 5.0
REFERENCE_POINTS = 30
REFERENCE_SEED = 0

CITATION = (
    "Hansen et al., Real-parameter black-box optimization benchmarking 2009: noiseless functions, INRIA 2009"
)

Raw: TypeAlias = Callable[[FloatArray, FloatArray, FloatArray], FloatArray]
"""(n, d) points, two (d, d) rotations R and Q -> (n,) values, minimal (zero) at the origin."""


def exponents(d: int) -> FloatArray:
    """0 to 1 along the dimensions."""
    return np.linspace(0.0, 1.0, d) if d > 1 else np.ones(1)


def conditioning(alpha: float, d: int) -> FloatArray:
    """The diagonal of Lambda^alpha."""
    return np.asarray(alpha ** (0.5 * exponents(d)))


def oscillated(x: FloatArray) -> FloatArray:
    """T_osz: sign(x) exp(h + 0.049 (sin c1 h + sin c2 h)) with h = log |x|."""
    h = np.log(np.where(x == 0, 1.0, np.abs(x)))
    c1, c2 = np.where(x > 0, 10.0, 5.5), np.where(x > 0, 7.9, 3.1)
    return np.asarray(np.sign(x) * np.exp(h + 0.049 * (np.sin(c1 * h) + np.sin(c2 * h))))


def asymmetric(x: FloatArray, beta: float) -> FloatArray:
    """T_asy: x_i^(1 + beta i/(d-1) sqrt(x_i)) where x_i is positive."""
    positive = np.maximum(x, 0.0)
    return np.where(x > 0, positive ** (1 + beta * exponents(x.shape[1]) * np.sqrt(positive)), x)


def penalty(x: FloatArray) -> FloatArray:
    """f_pen: squared distance from the box [-5, 5]."""
    return np.asarray((np.maximum(0.0, np.abs(x) - RANGE) ** 2).sum(axis=1))


def alternating(d: int, first: float) -> FloatArray:
    """first, -first, first, ..."""
    return np.asarray(first * (-1.0) ** np.arange(d))


def sphere(x: FloatArray, _r: FloatArray, _q: FloatArray) -> FloatArray:
    """f1."""
    return np.asarray((x * x).sum(axis=1))


def ellipsoid_separable(x: FloatArray, _r: FloatArray, _q: FloatArray) -> FloatArray:
    """f2."""
    return np.asarray(oscillated(x) ** 2 @ 10.0 ** (6 * exponents(x.shape[1])))


def attractive_sector(x: FloatArray, r: FloatArray, q: FloatArray) -> FloatArray:
    """f6 about its optimum, (1, -1, 1, ...) in the original."""
    d = x.shape[1]
    z = ((x @ r.T) * conditioning(10.0, d)) @ q.T
    steep = np.where(z * alternating(d, 1.0) > 0, 100.0, 1.0)
    return np.asarray(oscillated(((steep * z) ** 2).sum(axis=1)) ** 0.9)


def step_ellipsoid(x: FloatArray, r: FloatArray, q: FloatArray) -> FloatArray:
    """f7: plateaus one wide further than 1/2 from zero, one tenth wide nearer, as in COCO's code.

    Vizier has the narrow plateaus on the whole negative side, and 1000 in place of 10,000.
    """
    d = x.shape[1]
    z = (x @ r.T) * conditioning(10.0, d)
    stepped = np.where(np.abs(z) > 0.5, np.floor(0.5 + z), np.floor(0.5 + 10 * z) / 10)
    ellipsoid = (stepped @ q.T) ** 2 @ 10.0 ** (2 * exponents(d))
    return np.asarray(0.1 * np.maximum(np.abs(z[:, 0]) / 10_000, ellipsoid) + penalty(x))


def discus(x: FloatArray, r: FloatArray, _q: FloatArray) -> FloatArray:
    """f11."""
    z = oscillated(x @ r.T) ** 2
    return np.asarray(1e6 * z[:, 0] + z[:, 1:].sum(axis=1))


def bent_cigar(x: FloatArray, r: FloatArray, _q: FloatArray) -> FloatArray:
    """f12."""
    z = (asymmetric(x @ r.T, 0.5) @ r.T) ** 2
    return np.asarray(z[:, 0] + 1e6 * z[:, 1:].sum(axis=1))


def weierstrass(x: FloatArray, r: FloatArray, q: FloatArray) -> FloatArray:
    """f16."""
    d = x.shape[1]
    z = (oscillated(x @ r.T) @ q.T) * conditioning(0.01, d)
    order = np.arange(12)
    weights, frequencies = 0.5**order, 3.0**order
    waves = np.cos(2 * np.pi * frequencies * (z[:, :, None] + 0.5)) @ weights
    lowest = np.cos(np.pi * frequencies) @ weights
    return np.asarray(10 * (waves.mean(axis=1) - lowest) ** 3 + 10 * penalty(x) / d)


def schaffers_f7(x: FloatArray, r: FloatArray, q: FloatArray) -> FloatArray:
    """f17."""
    d = x.shape[1]
    z = (asymmetric(x @ r.T, 0.5) @ q.T) * conditioning(10.0, d)
    s = np.sqrt(z[:, :-1] ** 2 + z[:, 1:] ** 2)
    waves = np.sqrt(s) * (1 + np.sin(50 * s**0.2) ** 2)
    return np.asarray(waves.mean(axis=1) ** 2 + 10 * penalty(x))


# Half of it, with alternating signs, is where the original Schwefel function has its optimum.
SCHWEFEL = 4.2096874633


def schwefel(x: FloatArray, _r: FloatArray, _q: FloatArray) -> FloatArray:
    """f20 about its optimum."""
    d = x.shape[1]
    signs = alternating(d, -1.0)
    away = 2 * signs * x  # the original's x_hat - 2 |x_opt|, after the move
    chained = away.copy()
    chained[:, 1:] += 0.25 * away[:, :-1]
    z = 100 * (chained * conditioning(10.0, d) + SCHWEFEL)
    waves = z * np.sin(np.sqrt(np.abs(z)))
    return np.asarray(-waves.sum(axis=1) / (100 * d) + 4.189828872724339 + 100 * penalty(z / 100))


def gallagher_21me(x: FloatArray, r: FloatArray, _q: FloatArray) -> FloatArray:
    """f22: 21 Gaussian peaks on a diagonal, the highest at the origin."""
    d = x.shape[1]
    peaks = 21
    places = np.arange(1, (peaks - 1) * d + 1).reshape(peaks - 1, d) / (d * peaks + 2.0)
    centres = np.vstack([np.zeros(d), -RANGE + 2 * RANGE * places])
    sharpness = 1000.0 ** (2 * np.linspace(0.0, 1.0, peaks - 1))
    scales = np.vstack([conditioning(1000.0, d), *(conditioning(float(a), d) / a**0.25 for a in sharpness)])
    heights = np.concatenate([[10.0], 1.1 + 8.0 * np.linspace(0.0, 1.0, peaks - 1)])
    away = (x[:, None, :] - centres) @ r.T
    bumps = heights * np.exp(-(away**2 * scales).sum(axis=2) / (2.0 * d))
    return np.asarray(oscillated(10.0 - bumps.max(axis=1)) ** 2 + penalty(x))


FUNCTIONS: dict[str, Raw] = {
    "attractive_sector": attractive_sector,
    "bent_cigar": bent_cigar,
    "discus": discus,
    "ellipsoid_separable": ellipsoid_separable,
    "gallagher_21me": gallagher_21me,
    "schaffers_f7": schaffers_f7,
    "schwefel": schwefel,
    "sphere": sphere,
    "step_ellipsoid": step_ellipsoid,
    "weierstrass": weierstrass,
}
NAMES = tuple(f"bbob/{function}" for function in FUNCTIONS)


@dataclass(frozen=True, slots=True)
class OnGrid:
    """- f(grid[point]) / scale."""

    function: str
    grid: FloatArray
    scale: float

    def __call__(self, points: IntArray) -> FloatArray:
        """The values at points, one row of levels each."""
        return 0.0 - raw(self.function, self.grid[points]) / self.scale


def raw(function: str, x: FloatArray) -> FloatArray:
    """An unrotated function at (n, d) points; minimal at the origin."""
    identity = np.eye(x.shape[1])
    return FUNCTIONS[function](x, identity, identity)


def levels() -> FloatArray:
    """Ten equally spaced values from -5 to 5, the one nearest to zero replaced by zero."""
    grid = np.linspace(-RANGE, RANGE, LEVELS)
    grid[np.argmin(np.abs(grid))] = 0.0
    return grid


def spread(function: str) -> float:
    """The median absolute deviation of a function at 30 fixed points, uniform in the box."""
    points = np.random.default_rng(REFERENCE_SEED).uniform(-RANGE, RANGE, (REFERENCE_POINTS, DIMENSIONS))
    values = raw(function, points)
    return float(np.median(np.abs(values - np.median(values))))


def bbob(name: str) -> Problem:
    """The problem `bbob/<function>`: 10 variables of 10 levels each."""
    function = name.removeprefix("bbob/")
    grid = levels()
    evaluate = OnGrid(function, grid, spread(function))
    optimum = float(evaluate(np.full((1, DIMENSIONS), np.argmin(np.abs(grid))))[0])
    return Problem(
        name=name,
        domain=Domain([categorical("x", [float(level) for level in grid], DIMENSIONS)]),
        evaluate=evaluate,
        source="BBOB without rotation, optimum at zero, divided by its median absolute deviation, negated",
        citation=CITATION,
        optimum=optimum,
        best_known=optimum,
    )
