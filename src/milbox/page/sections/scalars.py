"""Scalar variables as axes of charts: which of them to draw, and where a value stands."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from milbox.arrays import FloatArray
from milbox.domain import Variable
from milbox.page.analysis.effects import FEWEST, Effects, analyse
from milbox.page.formats import number, short
from milbox.page.svg.scales import steps
from milbox.page.values import worst_shown
from milbox.trials import Trial
from milbox.trials.frames import scalars
from milbox.trials.record import Record

# Sums of squares of larger numbers would overflow.
LARGEST = 1e100
# Up to so many values have a label each.
LABELLED = 8


@lru_cache(maxsize=1)
def effects_of(record: Record) -> Effects | None:
    """The effects of the variables on the only objective; None where the trials say too little."""
    if record.goal.several or len(record.finished) < FEWEST or np.abs(record.values).max() > LARGEST:
        return None
    # What is drawn at the edge of the progress chart counts as lying there.
    values = record.sign * np.maximum(record.sign * record.values, record.sign * worst_shown(record))
    return analyse(record.domain, [trial.point for trial in record.finished], values)


@dataclass(frozen=True, slots=True)
class ScalarAxis:
    """A scalar variable whose values lie between 0 and 1; the choices of a categorical stand in order."""

    variable: Variable
    low: float
    high: float
    """The ends of the values that were tried."""

    @property
    def name(self) -> str:
        """The variable's name."""
        return str(self.variable.name)

    @property
    def listed(self) -> bool:
        """Whether the values are choices and not numbers."""
        return self.variable.kind == "categorical"

    @property
    def crowded(self) -> bool:
        """Whether many trials share a value, so that they are drawn beside one another."""
        whole = self.variable.kind != "real"
        return whole and self.high - self.low < 2 * LABELLED

    def number(self, code: int) -> float:
        """A code as the number that is drawn."""
        return float(code) if self.listed else float(self.variable.value(code))

    def place(self, code: int) -> float:
        """The place of a code between 0 and 1."""
        span = self.high - self.low
        return 0.5 if span == 0 else (self.number(code) - self.low) / span

    def ticks(self, count: int = 5) -> list[tuple[float, str]]:
        """Places and labels of round numbers, or of choices."""
        span = (self.high - self.low) or 1.0
        if not self.listed:
            values = steps(self.low, self.high, count) if self.high > self.low else [self.low]
            if self.variable.kind != "real":
                values = [value for value in values if value == round(value)]
            return [((value - self.low) / span if span else 0.5, number(value)) for value in values]
        codes = [code for code in self.variable.codes if self.low <= code <= self.high]
        every = -(-len(codes) // LABELLED)
        return [(self.place(code), short(str(self.variable.value(code)), 12)) for code in codes[::every]]


def axes_of(record: Record, trials: Sequence[Trial], most: int) -> list[tuple[int, ScalarAxis]]:
    """At most so many variables with more than one value among the trials, with their places in a point.

    Those that matter most come first where the trials tell; else they stand in order.
    """
    codes = np.array([trial.point for trial in trials], dtype=np.int64).reshape(len(trials), -1)
    varying = np.flatnonzero((codes != codes[:1]).any(axis=0)).tolist()
    effects = effects_of(record)
    if effects is not None:
        ranked = {effect.place: rank for rank, effect in enumerate(effects.variables)}
        varying.sort(key=lambda place: (ranked.get(place, len(ranked)), place))
    found = []
    for place in varying[:most]:
        variable = record.domain.variables[place]
        bare = ScalarAxis(variable, 0.0, 0.0)
        ends = [bare.number(int(codes[:, place].min())), bare.number(int(codes[:, place].max()))]
        found.append((place, ScalarAxis(variable, ends[0], ends[1])))
    return found


def values_of(trial: Trial) -> Mapping[str, object]:
    """The values of a trial's scalar variables; None for those that do not exist there."""
    return dict(scalars(trial.assignment))


def ordered(values: FloatArray) -> FloatArray:
    """The rank of each value as a share, from 0 for the smallest to 1 for the largest."""
    ranks = np.empty(len(values))
    ranks[np.argsort(values, kind="stable")] = np.arange(len(values))
    return ranks / max(1, len(values) - 1)
