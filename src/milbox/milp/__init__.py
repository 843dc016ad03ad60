"""Mixed-integer programs as data, and their solvers."""

from milbox.milp.program import Affine, Milp, MilpBuilder
from milbox.milp.solution import Limits, Solution, Solver, Status
from milbox.milp.solvers import SOLVERS, Exhaustive, Gurobi, Highs, Scip, Settings
from milbox.milp.text import lp_text
from milbox.milp.verify import TOLERANCE, Violation, satisfies, violation

__all__ = [
    "SOLVERS",
    "TOLERANCE",
    "Affine",
    "Exhaustive",
    "Gurobi",
    "Highs",
    "Limits",
    "Milp",
    "MilpBuilder",
    "Scip",
    "Settings",
    "Solution",
    "Solver",
    "Status",
    "Violation",
    "lp_text",
    "satisfies",
    "violation",
]
