"""How large can each of many expressions be over a program's linear relaxation?"""

import itertools

import numpy as np

from milbox.arrays import FloatArray
from milbox.milp.program import Milp

# A simplex solver's optimum may be short of the true one by its tolerance; a bound must not be.
MARGIN = 1e-6


def maxima(milp: Milp, objectives: FloatArray) -> FloatArray:
    """For each row of objectives (k, columns), an upper bound on its maximum over the relaxed program.

    One linear program is solved again and again with another objective; its basis stays feasible, so that
    the primal simplex starts where it ended. Where the solver gives no answer, the column bounds do.
    """
    from pyscipopt import LP

    boxed = np.maximum(objectives * milp.lower, objectives * milp.upper).sum(axis=1)
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
    found: FloatArray = boxed.copy()
    current = np.zeros(milp.columns)
    for i, objective in enumerate(objectives):
        for j in np.flatnonzero(objective != current):
            lp.chgObj(int(j), float(objective[j]))
        current = objective
        lp.solve(False)
        if lp.isOptimal():
            value = lp.getObjVal()
            found[i] = min(boxed[i], value + MARGIN * max(1.0, abs(value), float(np.abs(objective).sum())))
    return found
