"""Law 5, for every solver that is installed."""

import importlib.util

import pytest

from milbox.milp import Exhaustive, Gurobi, Highs, Scip, Settings
from milbox.testing.solvers import SolverConformance


class TestExhaustive(SolverConformance):
    solver = Exhaustive()
    integer_only = True


class TestScip(SolverConformance):
    solver = Scip()


class TestScipPaper(SolverConformance):
    solver = Scip(Settings.PAPER)


class TestHighs(SolverConformance):
    solver = Highs()


@pytest.mark.skipif(importlib.util.find_spec("gurobipy") is None, reason="gurobipy is not installed")
class TestGurobi(SolverConformance):
    solver = Gurobi()
