"""The common part of every solve: checks, limits, verification, status.

Before: bounds of integer columns are made whole, the evident cases are decided, the start is checked, and an
objective of an awkward size is scaled, since solvers compare values with absolute tolerances. After: integer
columns are made exactly whole, the result is verified, the start is kept when it is better, and no more is
claimed than is known.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np

from milbox.arrays import FloatArray
from milbox.milp.program import Milp
from milbox.milp.solution import Limits, Solution, Status
from milbox.milp.verify import TOLERANCE, satisfies

TINY = 1e-9
"""Libraries take smaller numbers for zero."""


@dataclass(frozen=True, slots=True, eq=False)
class Claim:
    """A library's answer to a prepared program, its objective scaled and without the offset."""

    status: Status
    x: FloatArray | None
    bound: float
    nodes: int


@dataclass(frozen=True, slots=True, eq=False)
class Prepared:
    """A program ready for a library.

    Attributes:
        milp: with whole bounds for integer columns; its cost and offset are the caller's.
        start: a feasible start with whole integer columns, or None.
        scale: a power of two; the library maximises scale * cost · x.
    """

    milp: Milp
    start: FloatArray | None
    scale: float

    @property
    def cost(self) -> FloatArray:
        """The objective that the library maximises."""
        return self.milp.cost * self.scale

    @property
    def offset(self) -> float:
        """The constant that the library leaves out, in its own scale."""
        return float(self.milp.offset * self.scale)


def solve_checked(
    milp: Milp,
    limits: Limits,
    start: FloatArray | None,
    solver: str,
    ask: Callable[[Prepared, Limits], Claim],
) -> Solution:
    """Prepare the program, ask the library unless the answer is evident, and settle what it claims.

    `ask` receives limits from which the time spent so far is taken off.
    """
    began = perf_counter()
    prepared = _prepared(milp, start)
    if _evidently_infeasible(prepared.milp):
        claim = Claim(Status.INFEASIBLE, None, -np.inf, 0)
    elif milp.columns == 0:
        claim = Claim(Status.OPTIMAL, np.zeros(0), 0.0, 0)
    else:
        left = max(0.0, limits.seconds - (perf_counter() - began))
        claim = ask(prepared, replace(limits, seconds=left))
    status, x, bound = _settle(prepared, limits, claim)
    return Solution(
        status=status,
        x=x,
        objective=-np.inf if x is None else milp.objective(x),
        bound=bound,
        seconds=perf_counter() - began,
        nodes=claim.nodes,
        solver=solver,
    )


def _prepared(milp: Milp, start: FloatArray | None) -> Prepared:
    lower = np.where(milp.integer, np.ceil(milp.lower - TOLERANCE), milp.lower) + 0.0  # no -0.0
    upper = np.where(milp.integer, np.floor(milp.upper + TOLERANCE), milp.upper) + 0.0
    # Bounds computed in floating point may cross by a rounding error; that is a fixed column.
    crossed = (lower > upper) & (lower - upper <= TOLERANCE)
    lower = np.where(crossed, upper, lower)
    prepared = replace(milp, lower=lower, upper=upper)
    if start is not None:
        start = np.asarray(start, dtype=np.float64)
        if start.shape != (milp.columns,):
            raise ValueError(f"the start has shape {start.shape}; the program has {milp.columns} columns")
        start = _whole(prepared, start)
        start = start if satisfies(prepared, start) else None
    return Prepared(prepared, start, _scale(prepared))


def _scale(milp: Milp) -> float:
    """A power of two that brings the objective's range over the box into [1/8, 2^20], mostly 1.

    Where the ranges of columns are wide, less is enough: to a library a tiny cost is none.
    """
    part = np.abs(milp.cost) * np.maximum(milp.upper - milp.lower, 0.0)
    span = float(part.sum())
    if span == 0.0 or 0.125 <= span <= 2.0**20:
        return 1.0
    scale = 2.0 ** np.clip(4 - np.floor(np.log2(span)), -900, 900)
    if scale < 1.0:
        least = np.abs(milp.cost[part >= TINY * span]).min()
        scale = max(scale, min(1.0, 2.0 ** (-20 - np.floor(np.log2(least)))))
    return float(scale)


def _evidently_infeasible(milp: Milp) -> bool:
    empty = np.diff(milp.matrix.indptr) == 0
    return bool(
        (milp.lower > milp.upper).any()
        or (milp.row_lower - milp.row_upper > TOLERANCE * np.maximum(1.0, np.abs(milp.row_upper))).any()
        or (empty & ((milp.row_lower > TOLERANCE) | (milp.row_upper < -TOLERANCE))).any()
    )


def _whole(milp: Milp, x: FloatArray) -> FloatArray:
    """X with integer columns rounded and every column moved into its bounds."""
    with np.errstate(invalid="ignore"):
        x = np.where(milp.integer, np.round(x), x) + 0.0
    inside = np.clip(x, milp.lower, np.maximum(milp.lower, milp.upper))
    # Only rounding errors are forgiven: a start out of bounds is not the caller's start any more.
    return np.where(np.abs(inside - x) <= TOLERANCE, inside, x)


def _settle(prepared: Prepared, limits: Limits, claim: Claim) -> tuple[Status, FloatArray | None, float]:
    milp = prepared.milp
    x = None if claim.x is None else _verified(milp, claim.x)
    if prepared.start is not None and (x is None or milp.objective(prepared.start) > milp.objective(x)):
        x = prepared.start

    if claim.status is Status.INFEASIBLE and x is None:
        return Status.INFEASIBLE, None, -np.inf
    box = milp.box_bound()
    bound = box
    if claim.status is not Status.INFEASIBLE and np.isfinite(claim.bound):
        # What a library takes for zero may be worth something over a wide range.
        ignored = np.abs(prepared.cost) < TINY
        more = float((np.abs(milp.cost) * (milp.upper - milp.lower))[ignored].sum())
        bound = min(claim.bound / prepared.scale + milp.offset + more, box)
    if x is None:
        return Status.UNKNOWN, None, bound

    value = milp.objective(x)
    bound = max(bound, value)
    proved = claim.status is Status.OPTIMAL and bound - value <= max(
        limits.gap * max(abs(bound), abs(value)), _resolution(prepared, value, bound)
    )
    return (Status.OPTIMAL if proved else Status.FEASIBLE), x, bound


def _resolution(prepared: Prepared, value: float, bound: float) -> float:
    """Two values closer than this are equal to a library that works to TOLERANCE in its own scale."""
    offset = prepared.milp.offset
    return TOLERANCE * max(1.0 / prepared.scale, abs(value - offset), abs(bound - offset))


def _verified(milp: Milp, x: FloatArray) -> FloatArray | None:
    """X with integer columns exactly whole and everything satisfied, or None.

    Rounding an integer column by 1e-7 moves a row with a big-M of 1e4 by 1e-3. Then the integer columns are
    fixed at their rounded values and the continuous ones are optimised again.
    """
    rounded = _whole(milp, x)
    if satisfies(milp, rounded):
        return rounded
    if milp.integer.all() or not np.isfinite(x).all():
        return None
    from milbox.milp.solvers.highs import linear_optimum

    polished = linear_optimum(milp.fixed(milp.integer, rounded[milp.integer]))
    if polished is None:
        return None
    polished = _whole(milp, polished)
    return polished if satisfies(milp, polished) else None
