"""Law 2 for every ready-made structure and for its opposite: the rows leave exactly its points."""

import numpy as np
import pytest

import milbox.domain as mb
from milbox.domain import Domain
from milbox.domain import structures as on
from milbox.embed.domain import formulate
from milbox.embed.nogood import forbid
from milbox.milp.program import Affine, MilpBuilder
from milbox.milp.solution import Limits, Status
from milbox.milp.solvers import Highs, Scip
from rows import completed, formulated
from structure_cases import STRUCTURES, Structure


def opposite(domain: Domain) -> Domain:
    return Domain(domain.declared, [mb.negate(mb.all_of(*domain.constraints))])


def in_integers(domain: Domain) -> Domain:
    form = domain.to_json()
    for variable in form["variables"]:
        if "encoding" in variable:
            variable["encoding"] = "integer"
    return Domain.from_json(form)


@pytest.mark.parametrize(
    "change", [lambda domain: domain, opposite, in_integers], ids=["is", "is not", "integer"]
)
@pytest.mark.parametrize("structure", STRUCTURES, ids=str)
def test_law_2_for_structures(structure: Structure, change: object) -> None:
    domain = change(structure.domain)  # type: ignore[operator]
    formulation = formulated(domain)
    milp = formulation.milp.build()
    points = list(domain)
    for point in points[:: 1 + len(points) // 40]:
        assert completed(milp, formulation, point)
    # Once its points are forbidden, the rows leave nothing: they left nothing else.
    forbid(points, formulation)
    assert Highs().solve(formulation.milp.build(), Limits()).status is Status.INFEASIBLE


def test_a_long_sequence_is_optimised_under_all_its_constraints() -> None:
    letters = mb.categorical("s", "ACGT", 30)
    domain = Domain(
        [letters],
        [
            on.no_runs(letters, 3),
            on.share(letters, "GC", 0.4, 0.5),
            on.without(letters, "GAATTC", "ACG"),
            on.containing(letters, "TATA"),
        ],
    )
    milp = MilpBuilder()
    formulation = formulate(domain, milp)
    milp.maximize(Affine(formulation.inputs, np.random.default_rng(1).normal(size=120)))
    solution = Scip().solve(milp.build(), Limits(seconds=60))
    assert solution.status is Status.OPTIMAL
    assert solution.x is not None
    point = domain.decode(solution.x[formulation.inputs])
    assert domain.contains(point)
    assert "TATA" in "".join(domain.assignment(point)["s"])
    assert solution.objective == pytest.approx(Highs().solve(milp.build(), Limits()).objective, abs=1e-5)
