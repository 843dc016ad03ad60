"""Weighted MaxSAT over 60 binaries, of the class of the benchmark MaxSAT60 (Oh et al. 2019).

The published benchmark is one file of the MaxSAT evaluation of 2018, frb10-6-4. This is an instance of the
same class, generated as published for that class: forced satisfiable Model RB (Xu et al. 2007) with 10
variables of 6 values, 64 constraints of 9 forbidden pairs each, none of which a planted assignment
violates. A binary says that a variable takes a value. A hard clause (not two values of a variable; not a
forbidden pair) weighs more than all soft ones (each binary alone) together. The published objective
standardises the weights; with two weights only, subtracting their mean would reward unsatisfied soft
clauses, so the weights stay as they are.
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from milbox.arrays import FloatArray, IntArray
from milbox.bench.problems.problem import Problem
from milbox.domain import Domain, binary

VARIABLES = 10
VALUES = 6
CONSTRAINTS = 64
FORBIDDEN = 9
SEED = 4

NAMES = ("maxsat/60",)


@dataclass(frozen=True, slots=True)
class Clauses:
    """Soft clauses of weight 1, one for each binary, and hard ones, each of which excludes two ones."""

    pairs: IntArray  # (hard clauses, 2)

    def __call__(self, points: IntArray) -> FloatArray:
        """The weight of the satisfied clauses of points."""
        broken = (points[:, self.pairs[:, 0]] & points[:, self.pairs[:, 1]]).sum(axis=1)
        hard = points.shape[1] + 1
        return np.asarray(points.sum(axis=1) + hard * (len(self.pairs) - broken), dtype=np.float64)


def forbidden_pairs(seed: int) -> tuple[IntArray, IntArray]:
    """The pairs of binaries that must not both be one, and a planted solution that keeps them apart."""
    rng = np.random.default_rng([VARIABLES * VALUES, seed])
    planted = rng.integers(VALUES, size=VARIABLES)
    pairs = {
        (VALUES * v + a, VALUES * v + b) for v in range(VARIABLES) for a, b in combinations(range(VALUES), 2)
    }
    for _ in range(CONSTRAINTS):
        first, second = sorted(rng.choice(VARIABLES, size=2, replace=False))
        kept = VALUES * planted[first] + planted[second]
        others = [cell for cell in range(VALUES**2) if cell != kept]
        for cell in rng.choice(others, size=FORBIDDEN, replace=False):
            pairs.add((int(VALUES * first + cell // VALUES), int(VALUES * second + cell % VALUES)))
    solution = np.zeros(VARIABLES * VALUES, dtype=np.int64)
    solution[VALUES * np.arange(VARIABLES) + planted] = 1
    return np.array(sorted(pairs), dtype=np.int64), solution


def maxsat(name: str) -> Problem:
    """The problem `maxsat/60`. The planted assignment is optimal: a variable has at most one value."""
    pairs, solution = forbidden_pairs(SEED)
    function = Clauses(pairs)
    return Problem(
        name=name,
        domain=Domain([binary("x", VARIABLES * VALUES)]),
        evaluate=function,
        source="forced satisfiable Model RB, 10 variables of 6 values, drawn by NumPy",
        citation="Oh et al., Combinatorial Bayesian Optimization using the Graph Cartesian Product, 2019",
        optimum=float(function(solution[None, :])[0]),
    )
