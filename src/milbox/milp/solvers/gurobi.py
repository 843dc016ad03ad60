"""Gurobi as solver."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from milbox.arrays import FloatArray
from milbox.errors import SolverUnavailable, UnsupportedProgram
from milbox.milp.program import Milp
from milbox.milp.solution import Limits, Solution, Status
from milbox.milp.solvers.checked import Claim, Prepared, solve_checked
from milbox.milp.verify import TOLERANCE


@dataclass(frozen=True, slots=True)
class Gurobi:
    """Gurobi through gurobipy, an optional extra; single-threaded and deterministic.

    Attributes:
        options: Gurobi parameters by name, such as ("Cuts", 0), set after everything else.
    """

    options: tuple[tuple[str, int | float | str], ...] = ()

    def solve(self, milp: Milp, limits: Limits, start: FloatArray | None = None) -> Solution:
        """Maximise; a feasible start is handed to Gurobi as its MIP start."""
        try:
            import gurobipy
        except ImportError as error:
            raise SolverUnavailable(
                "Gurobi is not installed; run `pip install milbox[gurobi]`, or use solver=Scip()"
            ) from error
        name = "Gurobi " + ".".join(str(part) for part in gurobipy.gurobi.version())
        return solve_checked(milp, limits, start, name, self._ask)

    def _ask(self, prepared: Prepared, limits: Limits) -> Claim:
        import gurobipy

        try:
            with gurobipy.Env(empty=True) as environment:
                environment.setParam("OutputFlag", 0)
                environment.start()
                with gurobipy.Model(env=environment) as model:
                    return self._ask_model(model, prepared, limits)
        except gurobipy.GurobiError as error:
            size = f"{prepared.milp.columns} columns and {prepared.milp.rows} rows"
            match error.errno:
                case gurobipy.GRB.Error.NO_LICENSE:
                    raise SolverUnavailable(
                        f"Gurobi has no licence here; use solver=Scip(): {error}"
                    ) from error
                case gurobipy.GRB.Error.SIZE_LIMIT_EXCEEDED:
                    raise UnsupportedProgram(f"Gurobi's licence does not cover {size}: {error}") from error
                case _:
                    raise

    def _ask_model(self, model: Any, prepared: Prepared, limits: Limits) -> Claim:
        import gurobipy

        milp = prepared.milp
        x = model.addMVar(
            milp.columns, lb=milp.lower, ub=milp.upper, vtype=np.where(milp.integer, "I", "C").tolist()
        )
        equal = milp.row_lower == milp.row_upper
        for chosen, sense, side in (
            (equal, "=", milp.row_lower),
            (~equal & np.isfinite(milp.row_lower), ">", milp.row_lower),
            (~equal & np.isfinite(milp.row_upper), "<", milp.row_upper),
        ):
            if chosen.any():
                model.addMConstr(milp.matrix[chosen], x, sense, side[chosen])
        # Gurobi's gap is relative to the objective with its offset; otherwise the offset only costs digits.
        offset = prepared.offset if limits.gap > 0 else 0.0
        model.setObjective(prepared.cost @ x + offset, sense=-1)
        if prepared.start is not None:
            x.Start = prepared.start
        for name, value in self._parameters(limits):
            try:
                model.setParam(name, value)
            except (gurobipy.GurobiError, TypeError) as error:
                raise ValueError(f"Gurobi has no option {name!r} that takes {value!r}: {error}") from error

        model.optimize()

        found = model.SolCount > 0
        status = _status(model.Status, found)
        bound = math.inf
        if status is not Status.INFEASIBLE and abs(model.ObjBound) < 1e100:
            bound = model.ObjBound - offset
        return Claim(status, np.asarray(x.X) if found else None, bound, int(model.NodeCount))

    def _parameters(self, limits: Limits) -> Iterator[tuple[str, int | float | str]]:
        yield "Threads", 1
        yield "Seed", 0
        yield "FeasibilityTol", TOLERANCE
        yield "IntFeasTol", TOLERANCE
        yield "MIPGap", limits.gap
        yield "MIPGapAbs", 0.0
        yield "TimeLimit", limits.seconds
        if limits.nodes is not None:
            yield "NodeLimit", limits.nodes
        yield from self.options


def _status(native: int, found: bool) -> Status:
    match native:  # the codes of gurobipy.GRB.Status
        case 2:  # OPTIMAL
            return Status.OPTIMAL
        case 3 | 4:  # INFEASIBLE, INF_OR_UNBD: every column is bounded
            return Status.INFEASIBLE
        case 7 | 8 | 9 | 10 | 12 | 13 | 15 | 16 | 17:
            # ITERATION_LIMIT, NODE_LIMIT, TIME_LIMIT, SOLUTION_LIMIT, NUMERIC, SUBOPTIMAL, USER_OBJ_LIMIT,
            # WORK_LIMIT, MEM_LIMIT
            return Status.FEASIBLE if found else Status.UNKNOWN
        case 11:  # INTERRUPTED
            raise KeyboardInterrupt
        case _:
            # UNBOUNDED, CUTOFF, INPROGRESS and LOADED among them.
            raise RuntimeError(f"Gurobi stopped with status {native}, which no bounded program has")
