"""Accuracy of the architecture that a search would hand over after a given training time.

NAS-Bench-101 (Section 6): the incumbent is the cell with the best reward seen, and what counts is its test
accuracy, which the search does not see. The budget is the sum of training times.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from milbox.arrays import FloatArray
from milbox.bench.algorithms import ALGORITHMS
from milbox.bench.measure.cells import CellRecord
from milbox.bench.measure.metrics import algorithms_of, half_width
from milbox.bench.problems import load
from milbox.bench.report.figures import figure, line
from milbox.bench.report.tables import markdown, plus_minus
from milbox.errors import DataError

# Where curves are read off, in shares of the time that every trial has used.
POINTS = 200


@dataclass(frozen=True, slots=True, eq=False)
class TimeCurve:
    """Test value of the incumbent against training time, averaged over trials."""

    algorithm: str
    trials: int
    seconds: FloatArray
    mean: FloatArray
    half_width: FloatArray
    """Of the 95 % confidence interval of the mean, by Student's t; not a number for a single trial."""


def time_curves(records: Sequence[CellRecord], data: Path | None) -> tuple[list[TimeCurve], str]:
    """One curve per algorithm, and what was measured."""
    tested, label = tests(records, data)
    end = min(float(record.seconds.sum()) for record in records)
    grid = np.linspace(end / POINTS, end, POINTS)
    found = []
    for name in algorithms_of(records, ALGORITHMS):
        rows = []
        for record, test in zip(records, tested, strict=True):
            if record.algorithm == name:
                spent = np.cumsum(record.seconds)
                leader = np.maximum.accumulate(
                    np.where(record.values >= record.best, np.arange(len(test)), 0)
                )
                place = np.searchsorted(spent, grid, side="right") - 1
                # Before the first training has ended there is no incumbent; its own value is the best guess.
                rows.append(test[leader[np.maximum(place, 0)]])
        values = np.array(rows)
        found.append(TimeCurve(name, len(values), grid, values.mean(axis=0), half_width(values)))
    return found, label


def tests(records: Sequence[CellRecord], data: Path | None) -> tuple[list[FloatArray], str]:
    """The test value at every point, asked of the problem; the rewards where the problem cannot be had."""
    try:
        problem = load(records[0].problem, data)
    except (DataError, ValueError) as error:
        return [record.values for record in records], f"observed reward (no test values here: {error})"
    if problem.test_value is None:
        return [record.values for record in records], "observed reward"
    found = [problem.test_value(record.points) for record in records]
    if problem.source.startswith("STAND-IN"):
        return found, "the stand-in's accuracy of the incumbent"
    return found, "test accuracy of the incumbent"


def time_table(curves: Sequence[TimeCurve]) -> str:
    """The curves at a few times."""
    shares = (0.05, 0.1, 0.25, 0.5, 1.0)
    places = [min(POINTS - 1, round(share * POINTS) - 1) for share in shares]
    rows = [
        (
            curve.algorithm,
            curve.trials,
            *(plus_minus(f"{curve.mean[place]:.5f}", curve.half_width[place], ".5f") for place in places),
        )
        for curve in curves
    ]
    headers = ("algorithm", "trials", *(f"{curves[0].seconds[place]:.3g} s" for place in places))
    return markdown(headers, rows)


def time_figure(curves: Sequence[TimeCurve], label: str, path: Path) -> None:
    """The curves with their intervals."""
    with figure(path, 1, size=(6.0, 4.0)) as (axis,):
        for curve in curves:
            low, high = curve.mean - curve.half_width, curve.mean + curve.half_width
            line(axis, curve.seconds, curve.mean, low, high, curve.algorithm)
        axis.set_ylim(bottom=min(curve.mean[POINTS // 20] for curve in curves))
        axis.set_xlabel("cumulative training time, seconds")
        axis.set_ylabel(label)
        axis.legend(fontsize=7, frameon=False)
