"""Batches against one point at a time, at equal evaluations: docs/study.md.

    python scripts/batches.py OUT.csv [--trials 3]

Each study is told eight points at a time or one; results are written as they come, and what is there is not
run again.
"""

import argparse
import csv
import time
from pathlib import Path

from milbox.bench.algorithms import ALGORITHMS
from milbox.bench.plan import Cell
from milbox.bench.problems import load
from milbox.study import Study

PROBLEMS = (
    "tfbind/CRX_REF_R1",
    "ising/100/0",
    "minlplib/graphpart_2g-0055-0062",
    "constrained/trees/budget-100/0",
    "randommlp/fcc-0",
)
STRATEGIES = {"nn+milp": (1, 8), "nn+milp/apart": (8,), "nn+milp/mixed": (1, 8)}
"""By name, with the sizes of batches."""
INITIAL, BUDGET = 20, 180


def run(problem: str, strategy: str, size: int, trial: int) -> tuple[float, float, float]:
    """The best value after 100 evaluations and at the end, and the processor seconds of all asks."""
    cell = Cell(problem, strategy, trial, BUDGET, INITIAL)
    black_box = load(problem, seed=cell.seed)
    best, curve, asking = float("-inf"), [], 0.0
    with Study(black_box.domain, ALGORITHMS[strategy].strategy(INITIAL, cell.seed), seed=cell.seed) as study:
        while len(curve) < BUDGET:
            began = time.process_time()
            trials = study.ask_many(1 if len(curve) < INITIAL else size)
            asking += time.process_time() - began
            for asked in trials:
                value = black_box.value(asked.point)
                study.tell(asked.number, value)
                best = max(best, value)
                curve.append(best)
    return curve[99], curve[BUDGET - 1], asking


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--trials", type=int, default=3)
    arguments = parser.parse_args()
    done = set()
    if arguments.out.exists():
        with arguments.out.open(encoding="utf-8") as file:
            done = {tuple(row[:4]) for row in csv.reader(file)}
    for trial in range(arguments.trials):
        for problem in PROBLEMS:
            for strategy, sizes in STRATEGIES.items():
                for size in sizes:
                    key = (problem, strategy, str(size), str(trial))
                    if key not in done:
                        row = (*key, *run(problem, strategy, size, trial))
                        with arguments.out.open("a", encoding="utf-8", newline="") as file:
                            csv.writer(file).writerow(row)
