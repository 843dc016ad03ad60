"""The tables of docs/study.md from journals: wins, paired tests with Holm's correction, seconds.

    python scripts/study.py RESULTS [--default nn+milp/network] [--former RESULTS] [--without PROBLEM ...]

Reads what `milbox bench run PLAN --out RESULTS` wrote. Problems and trials that a candidate and the default
both have to the end are compared. With `--former` the default is what an earlier version of milbox ran there.
"""

import argparse
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy.stats import wilcoxon

from milbox.bench.measure.cells import CellRecord, read_cells

FAMILIES = {
    "tfbind": ("tfbind/",),
    "ising": ("ising/",),
    "programs": ("minlplib/", "bqp/"),
    "networks": ("constrained/network/", "randommlp/"),
    "trees": ("constrained/trees/",),
    "published": ("ehrlich/", "labs/", "maxsat/", "contamination/", "pestcontrol/", "nasbench101"),
}
HORIZONS = (100, 300)
EQUAL = 1e-9
"""Differences below this share of a problem's spread are ties."""


def family_of(problem: str) -> str:
    """The family of a problem of the study."""
    return next(name for name, starts in FAMILIES.items() if problem.startswith(starts))


def measures(longest: int) -> dict[str, Callable[[CellRecord], float]]:
    """What is compared, by name: best values after some evaluations, and the mean of the curve."""
    found: dict[str, Callable[[CellRecord], float]] = {}
    for horizon in HORIZONS:
        if horizon <= longest:
            found[f"best@{horizon}"] = lambda cell, h=horizon: float(cell.best[h - 1])  # type: ignore[misc]
    found["area"] = lambda cell: float(cell.best[:longest].mean())
    return found


def holm(p_values: Sequence[float]) -> list[float]:
    """The p-values, corrected for being several."""
    order = np.argsort(p_values)
    corrected, largest = [1.0] * len(p_values), 0.0
    for place, index in enumerate(order.tolist()):
        largest = max(largest, min(1.0, (len(p_values) - place) * p_values[index]))
        corrected[index] = largest
    return corrected


def tested(differences: Sequence[float]) -> float:
    """The p-value of Wilcoxon's signed-rank test, ties left out; 1 where all are ties."""
    left = [d for d in differences if abs(d) > EQUAL]
    return float(wilcoxon(left).pvalue) if left else 1.0


def counted(differences: Sequence[float]) -> str:
    """Wins, ties and losses."""
    values = np.array(differences)
    wins, losses = int((values > EQUAL).sum()), int((values < -EQUAL).sum())
    return f"{wins}/{len(values) - wins - losses}/{losses}"


def report(cells: Sequence[CellRecord], default: str) -> None:
    """Print one table for each candidate and measure, and the seconds of a step."""
    longest = int(np.median([len(cell.values) for cell in cells]))
    complete = [cell for cell in cells if len(cell.values) >= longest]
    by_key = {(cell.algorithm, cell.problem, cell.trial): cell for cell in complete}
    candidates = sorted({cell.algorithm for cell in complete} - {default})
    shorter = len(cells) - len(complete)
    print(f"{len(complete)} studies of {longest} evaluations, {shorter} shorter ones left out\n")
    print("| candidate | measure | family | wins/ties/losses | mean difference | p | p (Holm) |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for candidate in candidates:
        for name, measure in measures(longest).items():
            spread = {
                problem: np.ptp([measure(c) for c in complete if c.problem == problem]) or 1.0
                for problem in {c.problem for c in complete}
            }
            differences: dict[str, list[float]] = defaultdict(list)
            for (algorithm, problem, trial), cell in by_key.items():
                other = by_key.get((default, problem, trial))
                if algorithm == candidate and other is not None:
                    difference = (measure(cell) - measure(other)) / spread[problem]
                    differences[family_of(problem)].append(difference)
            families = [family for family in FAMILIES if family in differences]
            p_values = [tested(differences[family]) for family in families]
            corrected = holm(p_values)
            for family, p, holms in zip(families, p_values, corrected, strict=True):
                own = differences[family]
                cells_of = f"{counted(own)} | {np.mean(own):+.3f} | {p:.3f} | {holms:.3f}"
                print(f"| {candidate} | {name} | {family} | {cells_of} |")
            together = [d for family in families for d in differences[family]]
            print(
                f"| {candidate} | {name} | **all** | {counted(together)} | {np.mean(together):+.3f} "
                f"| {tested(together):.3g} | |"
            )
    print("\n| strategy | median ms of a fit | median ms of a search | mean ms of both | proved |")
    print("| --- | --- | --- | --- | --- |")
    for algorithm in [default, *candidates]:
        own = [cell for cell in complete if cell.algorithm == algorithm]
        fit, inner = (np.concatenate([getattr(c, part) for c in own]) for part in ("fit", "inner"))
        proved = np.concatenate([c.certified for c in own])
        by_model = fit > 0
        print(
            f"| {algorithm} | {1e3 * np.median(fit[by_model]):.1f} | {1e3 * np.median(inner[by_model]):.1f} "
            f"| {1e3 * (fit + inner)[by_model].mean():.1f} | {100 * proved[by_model].mean():.1f} % |"
        )
    print("\n| problem | measure | " + " | ".join([default, *candidates]) + " |")
    print("| --- | --- |" + " --- |" * (1 + len(candidates)))
    for problem in sorted({cell.problem for cell in complete}):
        for name, measure in measures(longest).items():
            means = []
            for algorithm in [default, *candidates]:
                own = [measure(c) for c in complete if (c.problem, c.algorithm) == (problem, algorithm)]
                means.append(f"{np.mean(own):.5g}" if own else "")
            print(f"| {problem} | {name} | " + " | ".join(means) + " |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path)
    parser.add_argument("--default", default="nn+milp/network")
    parser.add_argument("--former", type=Path, metavar="RESULTS", help="the default of an earlier version")
    parser.add_argument("--without", nargs="+", default=[], metavar="PROBLEM", help="problems to leave out")
    arguments = parser.parse_args()
    found, default = read_cells(arguments.results), arguments.default
    if arguments.former is not None:
        default = "former"
        earlier = read_cells(arguments.former)
        if len({cell.algorithm for cell in earlier}) != 1:
            parser.error(f"{arguments.former} should have studies of one algorithm")
        found = [*found, *(replace(cell, algorithm=default) for cell in earlier)]
    report([cell for cell in found if cell.problem not in arguments.without], default)
