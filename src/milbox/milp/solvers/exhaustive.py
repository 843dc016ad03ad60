"""A solver that looks at every integer point: the oracle of tests."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from milbox.arrays import FloatArray
from milbox.errors import UnsupportedProgram
from milbox.milp.program import Milp
from milbox.milp.solution import Limits, Solution, Status
from milbox.milp.solvers.checked import Claim, Prepared, solve_checked
from milbox.milp.verify import TOLERANCE

_CHUNK = 4096  # points looked at together


@dataclass(frozen=True, slots=True)
class Exhaustive:
    """Enumeration of a pure integer program: slow, plain, and what the other solvers are tested against.

    A point counts as a node. Ties go to the first point in lexicographic order.

    Attributes:
        most: programs with more points than this are refused.
    """

    most: int = 4_000_000

    def solve(self, milp: Milp, limits: Limits, start: FloatArray | None = None) -> Solution:
        """Maximise by looking at every point within the bounds.

        Raises:
            UnsupportedProgram: a column is continuous, or there are too many points.
        """
        if not milp.integer.all():
            raise UnsupportedProgram(
                f"Exhaustive takes integer programs only, and {int((~milp.integer).sum())} of {milp.columns} "
                f"columns are continuous"
            )
        return solve_checked(milp, limits, start, "exhaustive enumeration", self._ask)

    def _ask(self, prepared: Prepared, limits: Limits) -> Claim:
        milp, cost = prepared.milp, prepared.cost
        count = math.prod(int(high - low) + 1 for low, high in zip(milp.lower, milp.upper, strict=True))
        if count > self.most:
            raise UnsupportedProgram(
                f"the program has {count} points; Exhaustive looks at {self.most} at most"
            )

        began = perf_counter()
        allowed = count if limits.nodes is None else min(count, limits.nodes)
        dense = milp.matrix.toarray()
        slack_lower = milp.row_lower - TOLERANCE * np.maximum(1.0, _size(milp.row_lower))
        slack_upper = milp.row_upper + TOLERANCE * np.maximum(1.0, _size(milp.row_upper))
        best, best_value, seen = None, -math.inf, 0
        for points in _points(milp, allowed):
            if perf_counter() - began >= limits.seconds:
                break
            activity = points @ dense.T
            good = points[((activity >= slack_lower) & (activity <= slack_upper)).all(axis=1)]
            seen += len(points)
            if len(good):
                values = good @ cost
                k = int(values.argmax())
                if values[k] > best_value:
                    best, best_value = good[k], float(values[k])

        if seen < count:
            return Claim(Status.UNKNOWN if best is None else Status.FEASIBLE, best, math.inf, seen)
        if best is None:
            return Claim(Status.INFEASIBLE, None, -math.inf, seen)
        return Claim(Status.OPTIMAL, best, best_value, seen)


def _size(sides: FloatArray) -> FloatArray:
    return np.where(np.isfinite(sides), np.abs(sides), 1.0)


def _points(milp: Milp, count: int) -> Iterator[FloatArray]:
    """The first `count` points of the box in lexicographic order, in chunks."""
    sizes = (milp.upper - milp.lower).astype(np.int64) + 1
    strides = np.concatenate([np.cumprod(sizes[:0:-1])[::-1], [1]])
    for first in range(0, count, _CHUNK):
        numbers = np.arange(first, min(count, first + _CHUNK))
        yield milp.lower + (numbers[:, None] // strides) % sizes
