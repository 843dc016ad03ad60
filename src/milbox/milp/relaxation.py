"""The largest value of each of many expressions over a program's linear relaxation."""

import itertools
import math
import time

import numpy as np

from milbox.arrays import FloatArray
from milbox.milp.program import Milp

ROUNDING = 1e-12
"""The share of its terms' total size by which a sum of many may be off."""


def maxima(milp: Milp, objectives: FloatArray, seconds: float = math.inf) -> FloatArray:
    """For each row of objectives (k, columns), an upper bound on its maximum over the relaxed program.

    One linear program is solved again and again with another objective; its basis stays feasible, so that
    the primal simplex starts where it ended. Where it gives no answer, or time is up, the column bounds do.
    """
    from pyscipopt import LP

    began = time.perf_counter()
    found: FloatArray = np.maximum(objectives * milp.lower, objectives * milp.upper).sum(axis=1)
    lp = LP("relaxation", "maximize")
    none: list[tuple[int, float]] = []
    lp.addCols(
        [none] * milp.columns,
        [0.0] * milp.columns,
        milp.lower.tolist(),
        milp.upper.tolist(),
    )
    starts, indices, data = (a.tolist() for a in (milp.matrix.indptr, milp.matrix.indices, milp.matrix.data))
    infinity = lp.infinity()
    lp.addRows(
        [
            list(zip(indices[first:last], data[first:last], strict=True))
            for first, last in itertools.pairwise(starts)
        ],
        np.maximum(milp.row_lower, -infinity).tolist(),
        np.minimum(milp.row_upper, infinity).tolist(),
    )
    current = np.zeros(milp.columns)
    for i, objective in enumerate(objectives):
        if time.perf_counter() - began > seconds:
            break
        for j in np.flatnonzero(objective != current):
            lp.chgObj(int(j), float(objective[j]))
        current = objective
        try:
            lp.solve(False)
        except Exception:  # PySCIPOpt has no narrower one for "error in LP solver"
            continue
        if lp.isOptimal():
            found[i] = min(found[i], dual_bound(milp, objective, np.array(lp.getDual())))
    return found


def dual_bound(milp: Milp, objective: FloatArray, prices: FloatArray) -> float:
    """A bound on the objective that holds for any prices of the rows, so for those of an inexact solver too.

    objective · x = (objective - prices · matrix) · x + prices · (matrix x), each term at its largest.
    """
    up = np.where(np.isfinite(milp.row_upper), np.maximum(prices, 0.0), 0.0)
    down = np.where(np.isfinite(milp.row_lower), np.minimum(prices, 0.0), 0.0)
    rest = objective - (up + down) @ milp.matrix
    terms = np.concatenate(
        [
            np.maximum(rest * milp.lower, rest * milp.upper),
            up[up > 0.0] * milp.row_upper[up > 0.0],
            down[down < 0.0] * milp.row_lower[down < 0.0],
        ]
    )
    return float(terms.sum() + ROUNDING * np.abs(terms).sum())
