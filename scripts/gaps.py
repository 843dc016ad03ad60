"""How often studies of MINLPLib came close to the best known value, from tables of finished studies.

    python scripts/gaps.py docs/results/minlplib-6/cells.csv

Reads the `cells.csv` that `milbox bench report` writes, several of them as one, and prints a row for each
instance: how many trials there are, how many have a primal gap of 0, at most 1 % and at most 10 %, the
least gap, and the same counts of the paper's 20 trials. The last lines count instances, of all and of those
that the paper's Table 3 lists, where at least one trial has such a gap.
"""

import argparse
import csv
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from milbox.bench.report.published import GAPS_BY_INSTANCE, TRIALS, counts

LIMITS = (1e-9, 0.01, 0.1)
PREFIX = "minlplib/"


def read(paths: Sequence[Path], evaluations: int) -> Mapping[str, Mapping[int, float]]:
    """The gap of each trial of each instance."""
    found: dict[str, dict[int, float]] = defaultdict(dict)
    for path in paths:
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                if row["problem"].startswith(PREFIX) and int(row["evaluations"]) == evaluations:
                    instance, trial = row["problem"].removeprefix(PREFIX), int(row["trial"])
                    if trial in found[instance]:
                        raise SystemExit(f"{path} has {instance}, trial {trial}, which another file has too")
                    found[instance][trial] = float(row["gap"])
    return found


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("cells", nargs="+", type=Path, help="files cells.csv")
    parser.add_argument("--evaluations", type=int, default=1000, help="of every study")
    given = parser.parse_args()
    gaps = read(given.cells, given.evaluations)
    print(f"| instance | trials | 0 % | ≤ 1 % | ≤ 10 % | least gap | paper, of {TRIALS} |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for instance, trials in sorted(gaps.items()):
        ours = " | ".join(str(sum(gap <= limit for gap in trials.values())) for limit in LIMITS)
        paper = ", ".join(map(str, counts(instance) or ("–",)))
        print(f"| {instance} | {len(trials)} | {ours} | {min(trials.values()):.2%} | {paper} |")
    listed = [instance for instance in gaps if instance in GAPS_BY_INSTANCE]
    for name, instances in (("all", list(gaps)), ("those of Table 3", listed)):
        close = [sum(min(gaps[i].values()) <= limit for i in instances) for limit in LIMITS]
        paper = [sum((counts(i) or (0, 0, 0))[k] > 0 for i in instances) for k in range(len(LIMITS))]
        print(
            f"{name}, {len(instances)} instances: {close} with a gap of 0, ≤ 1 %, ≤ 10 %; the paper {paper}"
        )


if __name__ == "__main__":
    main()
