"""The points that the rows of a domain leave, found one by one.

Where the constraints hold, the definitions of the auxiliary columns must complete the point to a solution of
the program; where they do not, no values of the auxiliary columns may.
"""

from generators import Case, box, scalar_values
from milbox.arrays import Point
from milbox.domain import Domain
from milbox.embed.domain import Formulation, formulate
from milbox.milp.program import Milp, MilpBuilder
from milbox.milp.solution import Limits, Solver, Status
from milbox.milp.verify import satisfies


def formulated(domain: Domain) -> Formulation:
    """The domain in a program of its own."""
    return formulate(domain, MilpBuilder())


def completable(milp: Milp, formulation: Formulation, point: Point, solver: Solver) -> bool:
    """Whether the program has a solution with the point's features as inputs."""
    fixed = milp.fixed(formulation.inputs, formulation.domain.encode([point])[0])
    status = solver.solve(fixed, Limits()).status
    assert status in (Status.OPTIMAL, Status.INFEASIBLE)
    return status is Status.OPTIMAL


def completed(milp: Milp, formulation: Formulation, point: Point) -> bool:
    """Whether the definitions of the auxiliary columns make a solution of the point."""
    features = formulation.domain.encode([point])[0]
    x = formulation.milp.completed(formulation.inputs, features)
    assert (x[formulation.inputs] == features).all()
    return satisfies(milp, x)


def check_law_2(case: Case, solver: Solver) -> None:
    """The rows leave exactly the points of which the claims are true, for every point of the box."""
    domain = case.domain
    formulation = formulated(domain)
    milp = formulation.milp.build()
    assert len(formulation.inputs) == domain.features
    for point in box(domain):
        if case.truth(scalar_values(domain, point)):
            assert completed(milp, formulation, point), f"{point} is feasible, its completion is not"
        else:
            assert not completed(milp, formulation, point)
            assert not completable(milp, formulation, point, solver), f"{point} is not feasible, its rows are"
