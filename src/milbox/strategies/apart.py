"""Points of a batch that keep a distance from one another.

The distance from a point is a sum over variables, and the search over diagrams takes sums as ties, so that a
batch's next point is found as exactly as its first.
"""

import math
from collections.abc import Iterable

from milbox.arrays import Point
from milbox.domain import Constraint, Domain
from milbox.domain.constraints.selections import count_of
from milbox.domain.model.expressions import Literal


def away(domain: Domain, points: Iterable[Point], distance: int) -> Domain | None:
    """The points that differ from all of these in at least so many variables.

    None where a variable has no statement "it has this code" that could be counted, such as a wide integer.
    """
    rows: list[Constraint] = []
    for point in points:
        same = [v == v.value(code) for v, code in zip(domain.variables, point, strict=True)]
        if not all(isinstance(statement, Literal) for statement in same):
            return None
        rows.append(count_of(same) <= len(same) - distance)
    return domain.narrowed(rows)


def distance_of(domain: Domain, share: float) -> int:
    """The distance that is a share of the variables, and one at least."""
    return max(1, math.ceil(share * len(domain.variables)))
