"""Limits that a solver keeps to, and the solution that it returns."""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass
from typing import Protocol

from milbox.arrays import FloatArray
from milbox.milp.program import Milp


class Status(enum.StrEnum):
    """The state of knowledge when a solver stopped, not the reason why it did."""

    OPTIMAL = "optimal"
    """Proved: of a program within the gap that its solver was asked for, of a proposal up to rounding."""
    FEASIBLE = "feasible"
    """A limit stopped the search; a solution is in hand."""
    INFEASIBLE = "infeasible"
    """Proved: nothing is left."""
    UNKNOWN = "unknown"
    """A limit stopped the search; no solution."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a solver: wall-clock seconds, relative gap, nodes of the search tree.

    The gap is (bound - objective) / max(|objective|, |bound|); zero asks for a proof up to the solver's
    own arithmetic.
    """

    seconds: float = 60.0
    gap: float = 0.0
    nodes: int | None = None

    def __post_init__(self) -> None:
        if not self.seconds >= 0:
            raise ValueError(f"seconds is {self.seconds}; it must be zero or more (math.inf for no limit)")
        if not 0 <= self.gap < math.inf:
            raise ValueError(f"gap is {self.gap}; it must be zero or more, and finite")
        if self.nodes is not None and self.nodes < 0:
            raise ValueError(f"nodes is {self.nodes}; it must be zero or more, or None for no limit")


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """A solver's answer; `objective <= bound` always holds.

    Attributes:
        status: what is known.
        x: one value per column, integer columns exactly whole; None without a solution.
        objective: cost·x + offset; -inf without a solution.
        bound: no solution is better than this; -inf when the program is infeasible.
        seconds: wall-clock time, loading included.
        nodes: of the search tree.
        solver: name and version.
    """

    status: Status
    x: FloatArray | None
    objective: float
    bound: float
    seconds: float
    nodes: int
    solver: str


class Solver(Protocol):
    """Anything that solves a `Milp`."""

    def solve(self, milp: Milp, limits: Limits, start: FloatArray | None = None) -> Solution:
        """Maximise within the limits; a feasible start is never lost."""
        ...
