"""Certificates: the one place where what a solver claims becomes what is said of a proposal."""

import math
from dataclasses import dataclass

from milbox.arrays import Point
from milbox.inner.query import Query
from milbox.milp.solution import Status
from milbox.trials.trial import Certificate, Proposal


@dataclass(frozen=True, slots=True)
class Claim:
    """The claim of an inner solver about a point that it found.

    Attributes:
        point: the point.
        origin: how it was found, in a word or two.
        value: the objective there, as the solver computed it.
        solver: name and version.
        seconds: how long it took.
        no_goods: how many excluded points it had to keep apart.
        bound: no other point of the region is worth more; infinite where nothing is proved.
        proved: whether the bound is as close to the value as was asked for.
        rounding: how far the value may be from the objective's own prediction. Beyond, what was solved is not
            the objective, and proves nothing about it.
    """

    point: Point
    origin: str
    value: float
    solver: str
    seconds: float
    no_goods: int
    bound: float = math.inf
    proved: bool = False
    rounding: float = math.inf


def certify(query: Query, claim: Claim) -> Proposal:
    """The proposal with its certificate: checked to lie in the region, and compared with the objective."""
    assert not query.requirements, "requirements are part of the objective by now (see requirements.py)"
    assert claim.point in query.region, f"{claim.origin} found a point outside the region"
    predicted = query.predicted(claim.point)
    residual = abs(claim.value - predicted)
    bound, proved = max(claim.bound, claim.value), claim.proved
    if not residual <= claim.rounding:  # also where one of them is no number
        bound, proved = math.inf, False
    certificate = Certificate(
        status=Status.OPTIMAL if proved else Status.FEASIBLE,
        value=claim.value,
        bound=bound,
        residual=residual,
        no_goods=claim.no_goods,
        seconds=claim.seconds,
        solver=claim.solver,
        about=query.region.about,
    )
    return Proposal(claim.point, claim.origin, certificate)
