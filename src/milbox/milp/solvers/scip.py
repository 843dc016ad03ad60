"""SCIP as solver."""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from milbox.arrays import FloatArray
from milbox.errors import SolverUnavailable
from milbox.milp.program import Milp
from milbox.milp.solution import Limits, Solution, Status
from milbox.milp.solvers.checked import TINY, Claim, Prepared, solve_checked
from milbox.milp.solvers.scip_load import add_columns, add_rows
from milbox.milp.verify import TOLERANCE

Option: TypeAlias = bool | int | float | str


class Settings(enum.StrEnum):
    """Ready-made SCIP options."""

    PAPER = "paper"
    """SCIP's defaults, as in the paper."""
    TUNED = "tuned"
    """For small programs with a start, of which a surrogate makes one a step: see `_TUNED`."""


# On top of no cuts, no heuristics and fast presolving. Measured on trained FC(16) networks over one-hot and
# assignment rows, with a start and filtered no-goods, before the order of nodes was among them, and with
# fixing by reduced costs off: together they took 0.52 of the time (geometric mean of 24 programs; with cuts
# the same programs take 13). The programs are small, so that what SCIP does to save nodes costs more than
# the nodes.
_TUNED: dict[str, Option] = {
    # Strong branching looks at a column once and then trusts what it saw (0.75). With less of it the FC(32)
    # and FC(16,16) programs have a long tail; with none of it (most infeasible branching) all take 7.5.
    "branching/relpscost/maxreliable": 1.0,
    "branching/relpscost/sbiterquot": 1.0,
    "branching/relpscost/sbiterofs": 1000,
    # No propagation inside strong branching (0.93). All other propagation stays: without it the programs of a
    # domain alone take up to four times as long.
    "branching/relpscost/maxproprounds": 0,
    # Depth first, now and then from the best bound: with a start, bounds improve no sooner by another order.
    # With reduced costs left on, programs of assignment rows take 0.56 to 0.61 of the time, those of two
    # hidden layers over one-hot groups 0.75 to 0.96, and some that Auto gives to branch and bound up to 1.25.
    "nodeselection/restartdfs/stdpriority": 1_000_000,
    "misc/usesymmetry": 0,
    # What is learned from dead ends does not pay either (0.85 to 1.03).
    "conflict/enable": False,
}


@dataclass(frozen=True, slots=True)
class Scip:
    """SCIP through PySCIPOpt, single-threaded and deterministic.

    Attributes:
        settings: a ready-made set of options.
        options: SCIP options by name, such as ("limits/memory", 1000.0), set after everything else.
    """

    settings: Settings = Settings.TUNED
    options: tuple[tuple[str, Option], ...] = ()

    def solve(self, milp: Milp, limits: Limits, start: FloatArray | None = None) -> Solution:
        """Maximise; a feasible start is handed to SCIP as its first incumbent."""
        try:
            import pyscipopt
        except ImportError as error:
            raise SolverUnavailable(
                "SCIP is not installed; run `pip install pyscipopt`, or use solver=Highs()"
            ) from error
        model = pyscipopt.Model()
        name = f"SCIP {model.getMajorVersion()}.{model.getMinorVersion()}.{model.getTechVersion()}"
        return solve_checked(
            milp, limits, start, name, lambda prepared, left: self._ask(model, prepared, left)
        )

    def _ask(self, model: Any, prepared: Prepared, limits: Limits) -> Claim:
        model.hideOutput()
        variables = add_columns(model, prepared.milp, prepared.cost)
        add_rows(model, prepared.milp, variables, lazily=self.settings is Settings.TUNED)
        model.setMaximize()
        self._set_options(model, prepared, limits)
        if prepared.start is not None:
            given = model.createSol()
            for variable, value in zip(variables, prepared.start.tolist(), strict=True):
                model.setSolVal(given, variable, value)
            # SCIP may refuse it, by a hair; the prepared keeps it anyway.
            model.addSol(given)

        cutters = prepared.milp.cutters if self.settings is Settings.TUNED else ()
        if cutters:
            from milbox.milp.solvers.scip_cuts import asked

            with asked(model, variables, cutters):
                _set(model, dict(self.options))
                solved = _solved(model)
        else:
            solved = _solved(model)
        if not solved:
            return Claim(Status.UNKNOWN, None, math.inf, 0)

        x = None
        if model.getNSols() > 0:
            best = model.getBestSol()
            x = np.array([model.getSolVal(best, variable) for variable in variables])
        bound = model.getDualbound() - (prepared.offset if limits.gap > 0 else 0.0)
        if abs(model.getDualbound()) >= model.infinity():
            bound = math.inf
        return Claim(_status(model.getStatus(), x is not None), x, bound, int(model.getNTotalNodes()))

    def _set_options(self, model: Any, prepared: Prepared, limits: Limits) -> None:
        if self.settings is Settings.TUNED:
            from pyscipopt.scip import PY_SCIP_PARAMSETTING

            model.setSeparating(PY_SCIP_PARAMSETTING.OFF)
            model.setHeuristics(PY_SCIP_PARAMSETTING.OFF)
            model.setPresolve(PY_SCIP_PARAMSETTING.FAST)
        options: dict[str, Option] = {
            **(_TUNED if self.settings is Settings.TUNED else {}),
            "timing/clocktype": 2,  # wall clock
            "randomization/randomseedshift": 0,
            "randomization/permutationseed": 0,
            "lp/threads": 1,
            "numerics/feastol": TOLERANCE,
            "numerics/dualfeastol": 1e-7,
            "numerics/epsilon": TINY,
            "limits/gap": limits.gap,
            "limits/absgap": 0.0,
            "limits/totalnodes": -1 if limits.nodes is None else limits.nodes,
            "limits/time": min(limits.seconds, model.infinity()),
            **dict(self.options),
        }
        if limits.gap > 0:
            # SCIP's gap is relative to the objective with its offset; otherwise the offset only costs digits.
            model.addObjoffset(prepared.offset)
        _set(model, options)


def _solved(model: Any) -> bool:
    """Let SCIP solve; False where its linear programs ran into numerical trouble, which proves nothing."""
    try:
        model.optimizeNogil()
    except Exception as error:
        if "error in LP solver" not in str(error):
            raise
        return False
    return True


def _set(model: Any, options: dict[str, Option]) -> None:
    for name, value in options.items():
        try:
            model.setParam(name, value)
        except Exception as error:
            raise ValueError(f"SCIP has no option {name!r} that takes {value!r}: {error}") from error


def _status(native: str, found: bool) -> Status:
    match native:
        case "optimal" | "gaplimit":
            return Status.OPTIMAL
        case "infeasible":
            return Status.INFEASIBLE
        case (
            "timelimit" | "nodelimit" | "totalnodelimit" | "stallnodelimit" | "memlimit" | "sollimit"
            | "bestsollimit" | "restartlimit" | "primallimit" | "duallimit" | "terminate" | "unknown"
        ):  # fmt: skip
            return Status.FEASIBLE if found else Status.UNKNOWN
        case "userinterrupt":
            raise KeyboardInterrupt
        case _:
            # "unbounded" and "inforunbd" among them: every column is bounded.
            raise RuntimeError(f"SCIP stopped with status {native!r}, which no bounded program has")
