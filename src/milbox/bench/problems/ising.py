"""Ising: the balanced choice of items with the least energy (Section 4.3 and Appendix B.4).

n binary spins, a 2 x 2 table of standard normal scores for every pair of them, and fine-balance constraints:
the items come in k = n/10 pairs of subsets of 5, and the two subsets of a pair must have equally many ones.
Subsets are consecutive: S_1 = x[0:5], S_2 = x[5:10], and so on.
"""

from dataclasses import dataclass
from itertools import product

import numpy as np

from milbox.arrays import FloatArray, IntArray
from milbox.bench.problems.problem import PAPER, Pair, Problem
from milbox.domain import Domain, binary

SIZES = (100, 200, 400)
INSTANCES = 10
SUBSET = 5

NAMES = tuple(f"ising/{n}/{instance}" for n in SIZES for instance in range(INSTANCES))


@dataclass(frozen=True, slots=True)
class PairwiseScores:
    """sum_{i<j} T_ij[x_i, x_j], kept as constant + linear·x + x' upper x, the same function of 0/1 spins.

    With T = [[a, b], [c, d]] the term is a + (c - a) x_i + (b - a) x_j + (a - b - c + d) x_i x_j.
    """

    constant: float
    linear: FloatArray  # (n,)
    upper: FloatArray  # (n, n), zero on and below the diagonal

    def __call__(self, points: IntArray) -> FloatArray:
        """The scores of points, one row of spins each."""
        x = points.astype(np.float64)
        return np.asarray(self.constant + x @ self.linear + ((x @ self.upper) * x).sum(axis=1))


@dataclass(frozen=True, slots=True)
class BalancedSampler:
    """Uniform over the feasible points: the pairs are independent, so each draws one of its joint states."""

    pairs: tuple[Pair, ...]

    def __call__(self, count: int, rng: np.random.Generator) -> IntArray:
        """That many points, drawn independently."""
        points = np.zeros((count, sum(len(left) + len(right) for left, right in self.pairs)), dtype=np.int64)
        for left, right in self.pairs:
            states = balanced_states(len(left), len(right))
            points[:, left + right] = states[rng.integers(len(states), size=count)]
        return points


def balanced_states(left: int, right: int) -> IntArray:
    """Every 0/1 row over left + right positions with equally many ones on both sides: 252 for 5 and 5."""
    rows = np.array(list(product((0, 1), repeat=left + right)), dtype=np.int64)
    return np.asarray(rows[rows[:, :left].sum(axis=1) == rows[:, left:].sum(axis=1)])


def score_tables(n: int, instance: int) -> FloatArray:
    """The (pairs of spins, 2, 2) tables of an instance; pairs i < j in row order."""
    rng = np.random.default_rng([n, instance])
    return rng.standard_normal((n * (n - 1) // 2, 2, 2))


def pairwise_scores(tables: FloatArray, n: int) -> PairwiseScores:
    """The tables as one quadratic function."""
    i, j = np.triu_indices(n, 1)
    a, b, c, d = tables[:, 0, 0], tables[:, 0, 1], tables[:, 1, 0], tables[:, 1, 1]
    linear = np.zeros(n)
    np.add.at(linear, i, c - a)
    np.add.at(linear, j, b - a)
    upper = np.zeros((n, n))
    upper[i, j] = a - b - c + d
    return PairwiseScores(float(a.sum()), linear, upper)


def consecutive_pairs(n: int) -> tuple[Pair, ...]:
    """Positions of the paired subsets of 5."""
    starts = range(0, n, 2 * SUBSET)
    return tuple((tuple(range(s, s + SUBSET)), tuple(range(s + SUBSET, s + 2 * SUBSET))) for s in starts)


def ising(name: str) -> Problem:
    """The problem `ising/<n>/<instance>`."""
    n, instance = (int(part) for part in name.removeprefix("ising/").split("/"))
    pairs = consecutive_pairs(n)
    x = binary("x", n)
    balance = [x[left[0] : left[-1] + 1].sum() == x[right[0] : right[-1] + 1].sum() for left, right in pairs]
    return Problem(
        name=name,
        domain=Domain([x], balance),
        evaluate=pairwise_scores(score_tables(n, instance), n),
        source=f"standard normal scores drawn by NumPy from seed [{n}, {instance}] (Appendix B.4)",
        citation=PAPER,
        pairs=pairs,
        sample=BalancedSampler(pairs),
    )
