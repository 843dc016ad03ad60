"""SMAC on some benchmark problems, with the initial points of milbox's own studies: docs/study.md.

    python scripts/rivals.py POINTS.json              where milbox runs: draws the points
    python scripts/rivals.py POINTS.json OUT.csv      in an environment that has SMAC and this package

Results are written as they come. SMAC's parameters know no constraints: a suggestion that is infeasible is
told as a crash and costs no evaluation, and after `INFEASIBLE` of them in a row a random feasible point takes
its place. Milbox and Optuna run by `plans/study-rivals.toml`.
"""

import argparse
import csv
import json
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from milbox.bench.plan import Cell
from milbox.bench.problems import load

PROBLEMS = (
    "tfbind/SIX6_REF_R1",
    "randommlp/cnn-13",
    "bbob/schaffers_f7",
    "contamination/3",
    "constrained/trees/budget-100/1",
    "ehrlich/15/6",
)
INITIAL, BUDGET, TRIALS = 20, 100, 3
SPARE = 200
INFEASIBLE = 5


def write_points(path: Path) -> None:
    """The random feasible points of each problem and trial: the initial ones, then spare ones."""
    from milbox.strategies.random import RandomSearch
    from milbox.study import Study

    points = {}
    for problem in PROBLEMS:
        for trial in range(TRIALS):
            cell = Cell(problem, "random", trial, BUDGET, INITIAL)
            with Study(load(problem).domain, RandomSearch(), seed=cell.seed) as study:
                drawn = [study.ask().point for _ in range(INITIAL + SPARE)]
            points[f"{problem}#{trial}"] = [list(map(int, point)) for point in drawn]
    path.write_text(json.dumps(points), encoding="utf-8")


def never_called(config: Any, seed: int = 0) -> float:
    """What SMAC wants to be given, though it is asked and told."""
    raise AssertionError((config, seed))


def smac_run(problem: str, trial: int, drawn: list[list[int]]) -> tuple[float, float, float, int]:
    """The best values after half of the evaluations and all, seconds a proposal, and replaced suggestions."""
    from ConfigSpace import Categorical, Configuration, ConfigurationSpace, Integer
    from smac import HyperparameterOptimizationFacade as Facade
    from smac import Scenario
    from smac.runhistory import StatusType, TrialValue

    black_box = load(problem)
    domain = black_box.domain
    space = ConfigurationSpace(seed=trial)
    names = [f"v{i:03d}" for i in range(len(domain.variables))]
    for name, variable in zip(names, domain.variables, strict=True):
        codes = list(variable.codes)
        ordered = variable.kind == "integer" and len(codes) > 2
        space.add(Integer(name, (codes[0], codes[-1])) if ordered else Categorical(name, codes))

    def config(point: list[int]) -> Any:
        return Configuration(space, values=dict(zip(names, point, strict=True)))

    folder = Path(tempfile.mkdtemp())
    scenario = Scenario(space, deterministic=True, n_trials=10**6, seed=trial, output_directory=folder)
    first = Facade.get_initial_design(
        scenario, n_configs=0, additional_configs=[config(point) for point in drawn[:INITIAL]]
    )
    smac = Facade(scenario, never_called, initial_design=first, overwrite=True, logging_level=50)
    values: list[float] = []
    spare, replaced, in_row, seconds, proposals = iter(drawn[INITIAL:]), 0, 0, 0.0, 0
    while len(values) < BUDGET:
        began = time.perf_counter()
        asked = smac.ask()
        if len(values) >= INITIAL:
            seconds, proposals = seconds + time.perf_counter() - began, proposals + 1
        point = [int(asked.config[name]) for name in names]
        if domain.contains(point):
            values.append(black_box.value(tuple(point)))
            smac.tell(asked, TrialValue(cost=-values[-1]))
            in_row = 0
            continue
        worst = -min(values)
        smac.tell(asked, TrialValue(cost=worst, status=StatusType.CRASHED))
        in_row += 1
        if in_row == INFEASIBLE:
            in_row, replaced = 0, replaced + 1
            values.append(black_box.value(tuple(next(spare))))
    best = np.maximum.accumulate(values)
    return float(best[BUDGET // 2 - 1]), float(best[-1]), seconds / (BUDGET - INITIAL), replaced


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("points", type=Path)
    parser.add_argument("out", type=Path, nargs="?")
    arguments = parser.parse_args()
    if arguments.out is None:
        write_points(arguments.points)
        sys.exit()
    given = json.loads(arguments.points.read_text(encoding="utf-8"))
    for trial in range(TRIALS):
        for problem in PROBLEMS:
            row = (problem, "smac", trial, *smac_run(problem, trial, given[f"{problem}#{trial}"]))
            print(*row, flush=True)
            with arguments.out.open("a", encoding="utf-8", newline="") as file:
                csv.writer(file).writerow(row)
