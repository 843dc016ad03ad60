"""Curves, distributions and times of a report, as SVG and PNG."""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from milbox.arrays import FloatArray
from milbox.bench.algorithms import ALGORITHMS
from milbox.bench.measure.cells import CellRecord
from milbox.bench.measure.metrics import (
    algorithms_of,
    areas,
    best_rewards,
    by_problem,
    column,
    curves,
    everywhere,
    normalised,
    reached,
    shortest,
    spread,
)
from milbox.errors import Unavailable

# Okabe & Ito's colours, which colour-blind readers can tell apart, one for each kind of inner solver or
# search; variants of an algorithm differ in their dashes.
COLOURS = {
    "nn+milp": "#0072B2",
    "nn+regevo": "#D55E00",
    "nn+conevo": "#D55E00",
    "regevo": "#009E73",
    "conevo": "#009E73",
    "re": "#009E73",
    "ensemble+regevo": "#CC79A7",
    "linear+milp": "#56B4E9",
    "rbfopt": "#E69F00",
    "nn+rejsample": "#E69F00",
}
OTHERS = "#555555"
# More points than pixels would only make the files large.
MOST = 250
DASHES = ("-", "--", ":", "-.", (0, (5, 1, 1, 1, 1, 1)), (0, (8, 2)), (0, (1, 3)))


def pyplot() -> Any:
    """Matplotlib without a display, or an error that says how to get it."""
    try:
        import matplotlib
    except ImportError as error:
        raise Unavailable(
            "Matplotlib, which draws the figures, is not installed; run `pip install milbox[bench]`, or give "
            "--no-figures"
        ) from error
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    return plt


@contextmanager
def figure(path: Path, columns: int, rows: int = 1, size: tuple[float, float] = (4.2, 3.0)) -> Iterator[Any]:
    """Axes to draw on; then the figure is in `path` as SVG and PNG, the same bytes for the same data."""
    plt = pyplot()
    settings = {
        "svg.hashsalt": "milbox",
        "svg.fonttype": "none",
        "font.size": 8,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "figure.constrained_layout.use": True,
    }
    with plt.rc_context(settings):
        shape = {"figsize": (size[0] * columns, size[1] * rows), "squeeze": False}
        drawn, axes = plt.subplots(rows, columns, **shape)
        try:
            yield axes.ravel()
            for unused in axes.ravel():
                if not unused.has_data():
                    unused.set_visible(False)
            path.parent.mkdir(parents=True, exist_ok=True)
            drawn.savefig(path.with_suffix(".svg"), metadata={"Date": None})
            drawn.savefig(path.with_suffix(".png"), dpi=130, metadata={"Software": None})
        finally:
            plt.close(drawn)


def style(name: str) -> dict[str, Any]:
    """An algorithm's colour and dashes, the same in every figure."""
    kind, _, variant = name.partition("/")
    variants = [other for other in ALGORITHMS if other.partition("/")[0] == kind]
    place = variants.index(name) if name in variants else len(variant)
    if kind == "random":
        place = 2
    return {"color": COLOURS.get(kind, OTHERS), "linestyle": DASHES[place % len(DASHES)]}


def line(axis: Any, x: FloatArray, middle: FloatArray, low: FloatArray, high: FloatArray, name: str) -> None:
    """A curve with its band, of at most `MOST` points."""
    kept = np.unique(np.linspace(0, len(x) - 1, min(len(x), MOST)).astype(int))
    x, middle, low, high = (values[kept] for values in (x, middle, low, high))
    axis.plot(x, middle, label=name, linewidth=1.3, **style(name))
    axis.fill_between(x, low, high, alpha=0.15, linewidth=0, color=style(name)["color"])


def reward_curves(records: Sequence[CellRecord], horizon: int, path: Path) -> None:
    """Best so far against evaluations, a panel for each problem: average and one standard deviation."""
    problems = sorted(by_problem(reached(records, horizon)).items())
    columns = min(4, len(problems))
    with figure(path, columns, math.ceil(len(problems) / columns)) as axes:
        for axis, (problem, algorithms) in zip(axes, problems, strict=False):
            lowest = []
            for name in algorithms_of(records, ALGORITHMS):
                if name not in algorithms:
                    continue
                best = curves(algorithms[name], horizon)
                middle, around = best.mean(axis=0), spread(best)
                line(axis, steps(horizon), middle, middle - around, middle + around, name)
                lowest.append(middle[min(horizon, 10) - 1])
            known = next(iter(algorithms.values()))[0].best_known
            if known is not None:
                axis.axhline(known, color="#444444", linewidth=0.8, linestyle=(0, (1, 2)))
            # The first random points may be far below everything of interest.
            axis.set_ylim(bottom=min(lowest))
            axis.set_title(problem, fontsize=8)
            axis.set_xlabel("evaluations")
        axes[0].set_ylabel("best reward")
        axes[0].legend(fontsize=6, frameon=False)


def family_curves(groups: dict[str, list[CellRecord]], path: Path) -> None:
    """Best so far against evaluations: average over the problems of a family, and one standard deviation.

    Each problem counts as the average of its trials. Algorithms that were not run on all problems are left
    out, since their averages would be over others.
    """
    columns = min(3, len(groups))
    with figure(path, columns, math.ceil(len(groups) / columns)) as axes:
        for axis, (family, records) in zip(axes, groups.items(), strict=False):
            cells = everywhere(records, 1)
            for name in algorithms_of(cells, ALGORITHMS):
                group = [record for record in cells if record.algorithm == name]
                horizon = shortest(group)
                best = np.array(
                    [curves(each[name], horizon).mean(axis=0) for each in by_problem(group).values()]
                )
                middle, around = best.mean(axis=0), spread(best)
                line(axis, steps(horizon), middle, middle - around, middle + around, name)
            axis.set_title(family, fontsize=8)
            axis.set_xlabel("evaluations")
            axis.legend(fontsize=6, frameon=False)
        axes[0].set_ylabel("best reward, average over problems")


def steps(horizon: int) -> FloatArray:
    """1, 2, ..., horizon."""
    return np.arange(1, horizon + 1, dtype=np.float64)


def score_boxes(records: Sequence[CellRecord], horizon: int, path: Path, title: str) -> None:
    """The distribution of normalised scores and AUC scores over the problems of a family."""
    with figure(path, 2) as axes:
        for axis, table, label in zip(axes, (best_rewards, areas), ("best reward", "AUC"), strict=True):
            cells = everywhere(records, horizon)
            scores = normalised(table(cells, horizon))
            names = algorithms_of(cells, ALGORITHMS)
            axis.boxplot([column(scores, name) for name in names], tick_labels=names, widths=0.6)
            axis.tick_params(axis="x", rotation=40)
            axis.set_title(f"{title}: normalised {label}", fontsize=8)
            axis.set_ylim(-0.04, 1.04)


def solve_time_curves(groups: dict[str, list[CellRecord]], path: Path) -> None:
    """Seconds of the exact inner solver against evaluations: median and 5th to 95th percentile, by family."""
    found = {}
    for family, records in groups.items():
        exact = [record for record in records if "milp" in record.algorithm and record.inner.any()]
        if exact:
            found[family] = exact
    if not found:
        return
    columns = min(3, len(found))
    with figure(path, columns, math.ceil(len(found) / columns)) as axes:
        for axis, (family, records) in zip(axes, found.items(), strict=False):
            for name in algorithms_of(records, ALGORITHMS):
                group = [record for record in records if record.algorithm == name]
                where, low, middle, high = time_percentiles(group)
                if len(where):
                    line(axis, where, middle, low, high, name)
            axis.set_yscale("log")
            axis.set_title(family, fontsize=8)
            axis.set_xlabel("evaluations")
            axis.legend(fontsize=6, frameon=False)
        axes[0].set_ylabel("seconds per acquisition problem")


def time_percentiles(records: Sequence[CellRecord], bins: int = 40) -> tuple[FloatArray, ...]:
    """Where, and the 5th, 50th and 95th percentile of solve times there, over all steps of all records."""
    places = np.concatenate([np.flatnonzero(record.inner > 0) for record in records])
    seconds = np.concatenate([record.inner[record.inner > 0] for record in records])
    if not len(places):
        return (np.zeros(0),) * 4
    edges = np.unique(np.linspace(places.min(), places.max() + 1, bins + 1).astype(int))
    where, parts = [], []
    for first, last in pairwise(edges):
        inside = seconds[(places >= first) & (places < last)]
        if len(inside):
            where.append((first + last) / 2)
            parts.append(np.percentile(inside, (5, 50, 95)))
    low, middle, high = np.array(parts).T
    return np.array(where), low, middle, high
