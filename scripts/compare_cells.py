"""Wins, ties and losses of one algorithm against the others, from tables of finished studies.

    python scripts/compare_cells.py docs/results/unconstrained-*/cells.csv --algorithm nn+milp

Reads the `cells.csv` that `milbox bench report` writes, several of them as one: trials that were run at other
times, with other journals, count together, and a study that two tables have counts once. They should be of
one version of each strategy, which the reports beside them name. Only studies of exactly that many
evaluations are compared. A problem is won where the mean over its trials is larger, of the trials that both
algorithms have.
"""

import argparse
import csv
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from scipy.stats import binomtest

EQUAL = 1e-9
"""Means that differ by less than this share of the larger one are equal."""

Cells = Mapping[str, Mapping[str, Mapping[int, float]]]


def read(paths: Sequence[Path], evaluations: int) -> Cells:
    """The best value of each study: by algorithm, problem and trial."""
    found: dict[str, dict[str, dict[int, float]]] = defaultdict(lambda: defaultdict(dict))
    for path in paths:
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                if int(row["evaluations"]) != evaluations:
                    continue
                trials, trial = found[row["algorithm"]][row["problem"]], int(row["trial"])
                if trials.setdefault(trial, float(row["best"])) != float(row["best"]):
                    cell = f"{row['algorithm']} on {row['problem']}, trial {trial}"
                    raise SystemExit(f"{path} has {cell}, which another file has with another value")
    return found


def family(problem: str) -> str:
    """The first part of a problem's name; of Ising instances their size too."""
    parts = problem.split("/")
    return "/".join(parts[:2]) if parts[0] == "ising" else parts[0]


def sign(one: float, other: float) -> int:
    """1 where the first is larger, -1 where the second is, 0 where they are equal."""
    if abs(one - other) <= EQUAL * max(abs(one), abs(other)):
        return 0
    return 1 if one > other else -1


def shown(signs: Sequence[int]) -> str:
    """Won / tied / lost."""
    return f"{signs.count(1)} / {signs.count(0)} / {signs.count(-1)}"


def compared(cells: Cells, one: str, other: str) -> str | None:
    """A row of the table; None where the two have no trial in common."""
    problems: dict[str, list[int]] = defaultdict(list)
    trials: list[int] = []
    counts = set()
    for problem in sorted(cells[one].keys() & cells[other].keys()):
        mine, theirs = cells[one][problem], cells[other][problem]
        both = sorted(mine.keys() & theirs.keys())
        if both:
            counts.add(len(both))
            trials += [sign(mine[t], theirs[t]) for t in both]
            means = (float(np.mean([values[t] for t in both])) for values in (mine, theirs))
            problems[family(problem)].append(sign(*means))
    if not counts:
        return None
    every = [s for signs in problems.values() for s in signs]
    decided = every.count(1) + every.count(-1)
    p = binomtest(every.count(1), decided).pvalue if decided else 1.0
    each = f"{min(counts)}" if len(counts) == 1 else f"{min(counts)} to {max(counts)}"
    families = ", ".join(f"{name} {shown(signs)}" for name, signs in problems.items())
    least = f"{sum(s >= 0 for s in every)} of {len(every)}"
    return f"| `{other}` | {each} | {shown(every)} | {families} | {least} | {p:.2g} | {shown(trials)} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("cells", nargs="+", type=Path, help="files cells.csv")
    parser.add_argument("--algorithm", default="nn+milp", help="who is compared with the others")
    parser.add_argument("--evaluations", type=int, default=1000, help="of every study")
    given = parser.parse_args()
    cells = read(given.cells, given.evaluations)
    if given.algorithm not in cells:
        parser.error(f"no study of {given.algorithm} has {given.evaluations} evaluations in these files")
    heads = ("trials", "problems won / tied / lost", "by family", "at least equal", "p, sign test")
    print(f"| `{given.algorithm}` against | {' | '.join(heads)} | trials won / tied / lost |")
    print("| --- | ---: | ---: | --- | ---: | ---: | ---: |")
    for other in sorted(cells.keys() - {given.algorithm}):
        row = compared(cells, given.algorithm, other)
        if row is not None:
            print(row)


if __name__ == "__main__":
    main()
