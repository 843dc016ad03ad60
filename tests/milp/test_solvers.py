"""What is special to one solver."""

import builtins
import subprocess
import sys
from typing import Any

import numpy as np
import pyscipopt
import pytest

from milbox.errors import SolverUnavailable, UnsupportedProgram
from milbox.milp import (
    SOLVERS,
    Affine,
    Exhaustive,
    Gurobi,
    Limits,
    Milp,
    MilpBuilder,
    Scip,
    Settings,
    Solver,
    Status,
    violation,
)
from milbox.milp.solvers import scip_load
from milbox.milp.solvers.scip import _status
from milbox.testing.programs import jeroslow, knapsack


def test_solvers_by_name_are_solvers() -> None:
    for kind in SOLVERS.values():
        solver: Solver = kind()
        assert repr(solver) == repr(kind())
        assert hash(solver) == hash(kind())


def test_importing_the_room_imports_no_solver() -> None:
    code = "import milbox.milp, sys; print([m for m in sys.modules if m in ('pyscipopt', 'scipy.optimize')])"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        == "[]\n"
    )


def test_gurobi_missing_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *args: Any, **kwargs: Any) -> Any:
        if name == "gurobipy":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(SolverUnavailable, match=r"pip install milbox\[gurobi\]"):
        Gurobi().solve(knapsack(), Limits())


def test_an_unknown_scip_option_is_an_error() -> None:
    with pytest.raises(ValueError, match="SCIP has no option 'limits/tiem' that takes 3"):
        Scip(options=(("limits/tiem", 3),)).solve(knapsack(), Limits())
    with pytest.raises(ValueError, match="SCIP has no option 'limits/nodes' that takes 'many'"):
        Scip(options=(("limits/nodes", "many"),)).solve(knapsack(), Limits())


def test_exhaustive_refuses_what_it_cannot_enumerate() -> None:
    with pytest.raises(UnsupportedProgram, match="10 of 10 columns are continuous"):
        Exhaustive().solve(jeroslow().relaxed(), Limits())
    with pytest.raises(UnsupportedProgram, match="16 points; Exhaustive looks at 15 at most"):
        Exhaustive(most=15).solve(knapsack(), Limits())


def hard(size: int) -> Milp:
    """A market split: two dense equations that no relaxation helps with (Cornuéjols and Dawande 1998)."""
    rng = np.random.default_rng(1998)
    weights = rng.integers(0, 100, (4, size))
    builder = MilpBuilder()
    x = builder.columns(np.zeros(size), 1, integer=True)
    slack = builder.columns(np.zeros(8), 5000)
    for i, row in enumerate(weights):
        half = int(row.sum()) // 2
        builder.row([*x, slack[2 * i], slack[2 * i + 1]], [*row, 1, -1], half, half)
    builder.maximize(Affine(slack, -np.ones(8)))
    return builder.build()


@pytest.mark.parametrize("solver", [Scip(), Scip(Settings.PAPER), SOLVERS["highs"]()])
def test_a_time_limit_ends_a_long_search(solver: Solver) -> None:
    milp = hard(40)
    start = np.concatenate([np.zeros(40), np.zeros(8)])
    start[40::2] = milp.row_lower
    solution = solver.solve(milp, Limits(seconds=0.3), start)
    assert solution.status is Status.FEASIBLE
    assert milp.objective(start) <= solution.objective < solution.bound <= 0.0


def test_rows_by_array_and_rows_by_entry_are_the_same() -> None:
    rng = np.random.default_rng(7)
    builder = MilpBuilder()
    x = builder.columns(np.zeros(6), [1, 1, 1, 5, 5, 2.5], integer=[True, True, True, True, False, False])
    matrix = rng.integers(-3, 4, (8, 6)) / 3
    sides = np.array([0, -np.inf, -1, -np.inf, 2, -2, -np.inf, 1.5])
    builder.rows(matrix, x, sides, [0, 4, np.inf, np.inf, 3, 5, 2.25, np.inf])
    waits = [False, True, False, False, True, False, False, False]
    builder.row([], [], upper=1)
    milp = builder.build()
    rows = [0, 1, 2, 4, 5, 6, 7]
    library = scip_load._library()
    assert library is not None
    seen = []
    for name in ("array", "entry"):
        model = pyscipopt.Model()
        model.hideOutput()
        variables = scip_load.add_columns(model, milp, milp.cost)
        if name == "array":
            scip_load._add_rows_by_array(library, model, milp, variables, rows, waits)
        else:
            scip_load.add_rows_by_entry(model, milp, variables, rows, waits)
        seen.append(
            [
                (model.getValsLinear(c), model.getLhs(c), model.getRhs(c), c.isInitial())
                for c in model.getConss()
            ]
        )
    assert [initial for *_, initial in seen[0]] == [not waits[i] for i in rows]
    assert seen[0] == seen[1]


def test_scip_solves_the_same_without_its_c_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = Scip().solve(hard(8), Limits())
    monkeypatch.setattr(scip_load, "_library", lambda: None)
    solution = Scip().solve(hard(8), Limits())
    assert (solution.status, solution.objective) == (Status.OPTIMAL, expected.objective)


def test_every_status_of_scip_is_known() -> None:
    assert _status("optimal", True) is Status.OPTIMAL
    assert _status("gaplimit", True) is Status.OPTIMAL
    assert _status("timelimit", True) is Status.FEASIBLE
    assert _status("memlimit", False) is Status.UNKNOWN
    assert _status("infeasible", False) is Status.INFEASIBLE
    with pytest.raises(KeyboardInterrupt):
        _status("userinterrupt", True)
    with pytest.raises(RuntimeError, match="no bounded program"):
        _status("unbounded", False)


@pytest.mark.parametrize("solver", [Scip(), Scip(Settings.PAPER)])
def test_scip_uses_a_start(solver: Scip) -> None:
    """With the optimum as start and one node allowed, the optimum is returned."""
    milp = hard(16)
    best = solver.solve(milp, Limits())
    assert best.status is Status.OPTIMAL
    again = solver.solve(milp, Limits(nodes=1), best.x)
    assert again.objective == pytest.approx(best.objective, abs=1e-6)
    assert again.x is not None
    assert violation(milp, again.x).worst <= 1e-6
