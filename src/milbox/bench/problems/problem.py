"""A problem: a domain, a function on it, its origin, and what is known of its optimum."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from milbox.arrays import FloatArray, IntArray, Point
from milbox.domain import Domain

Evaluate: TypeAlias = Callable[[IntArray], FloatArray]
"""Points as an (n, variables) array of codes -> one number each."""

Sample: TypeAlias = Callable[[int, np.random.Generator], IntArray]
"""How many points to draw -> an (n, variables) array of feasible codes."""

Pair: TypeAlias = tuple[tuple[int, ...], tuple[int, ...]]
"""Positions of two subsets of binaries that must contain equally many ones."""


PAPER = (
    "Papalexopoulos et al., Constrained Discrete Black-Box Optimization using Mixed-Integer Programming, "
    "ICML 2022"
)


@dataclass(frozen=True, slots=True)
class Problem:
    """A named black box for benchmarks, always maximised.

    Attributes:
        name: as in plans: `family/instance`.
        domain: what may be proposed.
        evaluate: the objective at many points at once; points must be feasible.
        source: where the function or its data come from, in one line.
        citation: what to cite.
        optimum: the maximum over the domain, where it is proved.
        best_known: the best value anyone has reported, negated for what was minimised.
        pairs: the paired subsets of a fine-balance domain, for mutators that keep them balanced.
        sample: draws uniformly from the feasible points, where an exact sampler exists.
        seconds: what evaluating each point would cost in reality (training time), in seconds.
        test_value: the out-of-sample value of each point, which the algorithms do not see.
        seconds_budget: an experiment stops when the summed `seconds` exceed this.
    """

    name: str
    domain: Domain
    evaluate: Evaluate
    source: str
    citation: str
    optimum: float | None = None
    best_known: float | None = None
    pairs: tuple[Pair, ...] = ()
    sample: Sample | None = None
    seconds: Evaluate | None = None
    test_value: Evaluate | None = None
    seconds_budget: float | None = None

    def objective(self, **assignment: Any) -> float:
        """The value at one assignment, as a user's objective would be called."""
        return self.value(self.domain.point(assignment))

    def value(self, point: Point) -> float:
        """The value at one point."""
        return float(self.evaluate(np.array([point], dtype=np.int64))[0])

    def gap(self, value: float) -> float | None:
        """The primal gap of a value to the best known one: None where there is none, zero where beaten."""
        if self.best_known is None:
            return None
        return 0.0 if value >= self.best_known else primal_gap(value, self.best_known)


def primal_gap(value: float, best_known: float) -> float:
    """|v - v*| / max(|v|, |v*|); 0 when both are 0, 1 when their signs differ (Berthold 2013)."""
    if value == best_known:
        return 0.0
    if value * best_known < 0:
        return 1.0
    return abs(value - best_known) / max(abs(value), abs(best_known))
