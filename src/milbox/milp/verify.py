"""Violation of a program's rows, bounds and integrality by a vector."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from milbox.arrays import FloatArray
from milbox.milp.program import Milp

TOLERANCE = 1e-6
"""The feasibility tolerance of every solver here: a smaller violation counts as none."""


@dataclass(frozen=True, slots=True)
class Violation:
    """The largest violation of each kind; zero when there is none, infinite when x is not finite.

    Bounds and integrality are absolute; a row's violation is relative to max(1, |side|), as SCIP measures it.
    """

    bounds: float
    rows: float
    integrality: float

    @property
    def worst(self) -> float:
        """The largest of the three."""
        return max(self.bounds, self.rows, self.integrality)


def violation(milp: Milp, x: FloatArray) -> Violation:
    """The distance of x from satisfying milp.

    Raises:
        ValueError: x has not one entry per column.
    """
    if x.shape != (milp.columns,):
        raise ValueError(f"x has shape {x.shape}; the program has {milp.columns} columns")
    if not np.isfinite(x).all():
        return Violation(np.inf, np.inf, np.inf)
    activity = milp.matrix @ x
    whole = x[milp.integer]
    return Violation(
        bounds=_largest(milp.lower - x, x - milp.upper),
        rows=_largest(
            _excess(milp.row_lower - activity, milp.row_lower),
            _excess(activity - milp.row_upper, milp.row_upper),
        ),
        integrality=_largest(np.abs(whole - np.round(whole))),
    )


def satisfies(milp: Milp, x: FloatArray, tolerance: float = TOLERANCE) -> bool:
    """Whether x violates nothing by more than the tolerance."""
    return violation(milp, x).worst <= tolerance


def _excess(amount: FloatArray, side: FloatArray) -> FloatArray:
    # An infinite side is never exceeded: its amount is -inf, and stays so divided by one.
    size: FloatArray = np.maximum(1.0, np.where(np.isfinite(side), np.abs(side), 1.0))
    return amount / size


def _largest(*amounts: FloatArray) -> float:
    return max(0.0, *(float(a.max()) for a in amounts if a.size), 0.0)
