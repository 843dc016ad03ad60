"""The command milbox-bonmin solves what Pyomo gives it, and says when there is no solution."""

import sys
from pathlib import Path
from typing import Any

import pytest

from milbox.integrations.bonmin import option

pyomo = pytest.importorskip("pyomo.environ", reason="pip install milbox[rbfopt]")
pytest.importorskip("casadi", reason="pip install milbox[rbfopt]")


def program(most: float) -> Any:
    """Integers x and y near (2.4, 3.3) whose squares sum up to `most` at most."""
    model = pyomo.ConcreteModel()
    model.x = pyomo.Var(bounds=(1, 5), domain=pyomo.Integers)
    model.y = pyomo.Var(bounds=(1, 5), domain=pyomo.Integers)
    model.goal = pyomo.Objective(expr=(model.x - 2.4) ** 2 + (model.y - 3.3) ** 2)
    model.limit = pyomo.Constraint(expr=model.x**2 + model.y**2 <= most)
    return model


def solved(model: Any) -> str:
    """How the command ended, by Pyomo's word; the solution is in the model."""
    command = str(Path(sys.executable).parent / "milbox-bonmin")
    solver = pyomo.SolverFactory("bonmin", executable=command, solver_io="nl")
    solver.options["bonmin.algorithm"] = "B-BB"
    solver.options["bonmin.time_limit"] = 45
    solver.options["acceptable_tol"] = 1e-3
    return str(solver.solve(model, load_solutions=True).solver.termination_condition)


def test_the_solution_is_that_of_enumeration() -> None:
    for most in (30.0, 9.5, 4.0):
        model = program(most)
        assert solved(model) == "optimal"
        pairs = [(x, y) for x in range(1, 6) for y in range(1, 6) if x * x + y * y <= most]
        best = min(pairs, key=lambda pair: (pair[0] - 2.4) ** 2 + (pair[1] - 3.3) ** 2)
        assert (round(model.x.value), round(model.y.value)) == best


@pytest.mark.filterwarnings("ignore")
def test_no_solution_is_no_solution() -> None:
    assert solved(program(1.5)) == "infeasible"


def test_options_have_the_types_of_their_values() -> None:
    given = ["bonmin.time_limit=45", "acceptable_tol=0.001", "bonmin.algorithm=B-BB", "max_iter=1000"]
    assert dict(map(option, given)) == {
        "time_limit": 45,
        "acceptable_tol": 0.001,
        "algorithm": "B-BB",
        "max_iter": 1000,
    }
