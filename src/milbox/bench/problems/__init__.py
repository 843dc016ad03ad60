"""Black boxes with a name: every problem of the paper, on real data where it exists."""

from milbox.bench.problems.catalogue import PROBLEMS, Entry, catalogue, expand, feasible_share, load, names
from milbox.bench.problems.problem import Pair, Problem, primal_gap

__all__ = [
    "PROBLEMS",
    "Entry",
    "Pair",
    "Problem",
    "catalogue",
    "expand",
    "feasible_share",
    "load",
    "names",
    "primal_gap",
]
