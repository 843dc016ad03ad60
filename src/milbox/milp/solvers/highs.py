"""HiGHS, as SciPy ships it, as solver."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from milbox.arrays import FloatArray
from milbox.milp.program import Milp
from milbox.milp.solution import Limits, Solution, Status
from milbox.milp.solvers.checked import Claim, Prepared, solve_checked

GAVE_UP = 4
"""SciPy's status when HiGHS stops without an answer, say over an ill-conditioned program."""


@dataclass(frozen=True, slots=True)
class Highs:
    """HiGHS through `scipy.optimize.milp`.

    SciPy hands HiGHS no start, so a start only serves as the least that is returned. HiGHS stops at an
    absolute gap of 1e-6 (of the scaled objective) whatever the relative gap.

    Attributes:
        presolve: whether HiGHS simplifies the program first.
    """

    presolve: bool = True

    def solve(self, milp: Milp, limits: Limits, start: FloatArray | None = None) -> Solution:
        """Maximise; the answer is never worse than a feasible start."""
        import scipy

        return solve_checked(milp, limits, start, f"HiGHS (SciPy {scipy.__version__})", self._ask)

    def _ask(self, prepared: Prepared, limits: Limits) -> Claim:
        options: dict[str, Any] = {"presolve": self.presolve, "mip_rel_gap": limits.gap}
        if limits.seconds < math.inf:
            options["time_limit"] = limits.seconds
        if limits.nodes is not None:
            options["node_limit"] = limits.nodes
        result = _minimum(prepared.milp, -prepared.cost, options)
        if result.status == GAVE_UP and result.x is None and self.presolve:
            # On some small infeasible programs presolve leaves HiGHS without an answer; the search has one.
            result = _minimum(prepared.milp, -prepared.cost, options | {"presolve": False})

        dual = result.get("mip_dual_bound")
        bound = math.inf if dual is None or not math.isfinite(dual) else -float(dual)
        nodes = int(result.get("mip_node_count") or 0)
        return Claim(_status(result), result.x, bound, nodes)


def linear_optimum(milp: Milp) -> FloatArray | None:
    """An optimal x of a program whose integer columns are all fixed, or None when there is none."""
    result = _minimum(milp.relaxed(), -milp.cost, {})
    return None if result.x is None else np.asarray(result.x)


def _minimum(milp: Milp, cost: FloatArray, options: dict[str, Any]) -> Any:
    from scipy.optimize import Bounds, LinearConstraint
    from scipy.optimize import milp as minimum

    rows = LinearConstraint(milp.matrix, milp.row_lower, milp.row_upper) if milp.rows else ()
    return minimum(
        cost,
        integrality=milp.integer.astype(int),
        bounds=Bounds(milp.lower, milp.upper),
        constraints=rows,
        options=options,
    )


def _status(result: Any) -> Status:
    match result.status:
        case 0:
            return Status.OPTIMAL
        case 1:  # a limit of time or nodes
            return Status.FEASIBLE if result.x is not None else Status.UNKNOWN
        case 2:
            return Status.INFEASIBLE
        case _ if result.status == GAVE_UP:
            return Status.FEASIBLE if result.x is not None else Status.UNKNOWN
        case _:
            # 3 is "unbounded", which no program with bounded columns is.
            raise RuntimeError(f"HiGHS stopped with status {result.status}: {result.message}")
