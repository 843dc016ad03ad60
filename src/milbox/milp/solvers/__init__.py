"""Solvers of programs."""

from milbox.milp.solution import Solver
from milbox.milp.solvers.exhaustive import Exhaustive
from milbox.milp.solvers.gurobi import Gurobi
from milbox.milp.solvers.highs import Highs
from milbox.milp.solvers.scip import Scip, Settings

# For the command line and the plans; library code passes solver objects.
SOLVERS: dict[str, type[Solver]] = {
    "scip": Scip,
    "highs": Highs,
    "gurobi": Gurobi,
    "exhaustive": Exhaustive,
}

__all__ = ["SOLVERS", "Exhaustive", "Gurobi", "Highs", "Scip", "Settings", "Solver"]
