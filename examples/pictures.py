"""What do the pictures of the examples have in common? A progress curve, and one look."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

INK, GREY, BLUE, ORANGE, GREEN = "#1f2933", "#9aa5b1", "#2563ab", "#d97706", "#2f855a"


def panels(*ratios: float, height: float = 3.4) -> tuple[Any, list[Any]]:
    """A figure with panels side by side."""
    plt.rcParams.update(
        {
            "font.size": 9,
            "svg.fonttype": "none",  # text stays text: small files that can be searched
            "svg.hashsalt": "milbox",
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.edgecolor": INK,
            "axes.titlesize": 10,
            "axes.titlelocation": "left",
            "legend.frameon": False,
        }
    )
    figure, axes = plt.subplots(
        1, len(ratios), figsize=(9, height), width_ratios=ratios, layout="constrained", squeeze=False
    )
    return figure, list(axes[0])


def progress(axis: Any, values: Sequence[float | None], initial: int, *, minimize: bool, label: str) -> None:
    """Every measured value, and the incumbent as a line; random points are grey."""
    found = [(i, value) for i, value in enumerate(values) if value is not None]
    best, curve = None, []
    for _, value in found:
        best = value if best is None else (min if minimize else max)(best, value)
        curve.append(best)
    axis.axvspan(-0.5, initial - 0.5, color="#eef1f4", linewidth=0)
    for random, colour, name in ((True, GREY, "random feasible"), (False, BLUE, "proposed")):
        chosen = [(i, value) for i, value in found if (i < initial) is random]
        axis.scatter(*zip(*chosen, strict=True), s=10, color=colour, label=name) if chosen else None
    axis.step([i for i, _ in found], curve, where="post", color=ORANGE, linewidth=1.6, label="incumbent")
    axis.set_xlabel("trial")
    axis.set_ylabel(label)


def save(figure: Any, path: Path) -> None:
    """Write the picture, without the date, so that the same run gives the same file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
    plt.close(figure)
