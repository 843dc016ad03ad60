"""Other optimisers on some benchmark problems, with the initial points of milbox's studies: docs/study.md.

    python scripts/rivals.py POINTS.json                     draws the points, where milbox runs
    python scripts/rivals.py POINTS.json OUT.csv --rival ax  where the rival is installed beside this package

Results are written as they come, and what is there is not run again. A rival sees the random feasible points
first. Its parameters know no constraints: a suggestion that is infeasible, or was evaluated before, costs no
evaluation, and an infeasible one is told with the worst value so far; after `REFUSED` of them in a row a
random feasible point takes its place. Milbox and Optuna run by `plans/study-rivals.toml`.
"""

import argparse
import csv
import json
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from milbox.bench.plan import Cell
from milbox.bench.problems import load
from milbox.domain import Domain

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
REFUSED = 5


class Rival(Protocol):
    """Anything that is told points with values, which it maximises, and suggests another."""

    def tell(self, point: Sequence[int], value: float) -> None:
        """Take in a value, of a point that it suggested or of any other."""
        ...

    def ask(self) -> list[int]:
        """A point, feasible or not."""
        ...


def named(domain: Domain) -> list[str]:
    """A short name for each variable."""
    return [f"v{i:03d}" for i in range(len(domain.variables))]


def ordered(variable: Any) -> bool:
    """Whether a variable's codes have an order that a rival should know."""
    return variable.kind == "integer" and len(variable.codes) > 2


class Smac:
    """SMAC 2's facade for hyper-parameters: a random forest with logarithmic expected improvement."""

    def __init__(self, domain: Domain, seed: int, first: Sequence[Sequence[int]]) -> None:
        from ConfigSpace import Categorical, Configuration, ConfigurationSpace, Integer
        from smac import HyperparameterOptimizationFacade as Facade
        from smac import Scenario

        self.space = ConfigurationSpace(seed=seed)
        self.names = named(domain)
        for name, variable in zip(self.names, domain.variables, strict=True):
            codes = list(variable.codes)
            whole = Integer(name, (codes[0], codes[-1])) if ordered(variable) else None
            self.space.add(whole or Categorical(name, codes))
        folder = Path(tempfile.mkdtemp())
        scenario = Scenario(
            self.space, deterministic=True, n_trials=10**6, seed=seed, output_directory=folder
        )
        configs = [Configuration(self.space, values=dict(zip(self.names, p, strict=True))) for p in first]
        design = Facade.get_initial_design(scenario, n_configs=0, additional_configs=configs)
        self.first = len(first)
        self.smac = Facade(scenario, never_called, initial_design=design, overwrite=True, logging_level=50)
        self.asked: Any = None

    def tell(self, point: Sequence[int], value: float) -> None:
        """Take in the value of what was asked; it takes no others but the first ones, which it asks for."""
        from smac.runhistory import TrialValue

        if self.asked is None and self.first and self.ask() != list(point):
            raise AssertionError("SMAC asks for the first points in another order")
        if self.asked is not None:
            self.smac.tell(self.asked, TrialValue(cost=-value))
        self.first, self.asked = max(0, self.first - 1), None

    def ask(self) -> list[int]:
        """A point, feasible or not."""
        self.asked = self.smac.ask()
        return [int(self.asked.config[name]) for name in self.names]


def never_called(config: Any, seed: int = 0) -> float:
    """What SMAC wants to be given, though it is asked and told."""
    raise AssertionError((config, seed))


class Ax:
    """Ax's client with its default strategy after the points it is told: a Gaussian process of BoTorch."""

    def __init__(self, domain: Domain, seed: int, first: Sequence[Sequence[int]]) -> None:
        del first  # told one by one
        import torch
        from ax.api.client import Client
        from ax.api.configs import ChoiceParameterConfig, RangeParameterConfig

        torch.manual_seed(seed)
        self.client, self.names = Client(random_seed=seed), named(domain)
        self.asked: dict[tuple[int, ...], int] = {}
        parameters = []
        for name, variable in zip(self.names, domain.variables, strict=True):
            codes = [int(code) for code in variable.codes]
            if ordered(variable):
                parameters.append(RangeParameterConfig(name, (codes[0], codes[-1]), "int"))
            else:
                parameters.append(ChoiceParameterConfig(name, codes, "int", is_ordered=len(codes) == 2))
        self.client.configure_experiment(parameters=parameters)
        self.client.configure_optimization("value")
        self.client.configure_generation_strategy(
            initialization_budget=INITIAL,
            initialization_random_seed=seed,
            initialize_with_center=False,
            use_existing_trials_for_initialization=True,
        )

    def tell(self, point: Sequence[int], value: float) -> None:
        """Take in a value."""
        values = dict(zip(self.names, map(int, point), strict=True))
        index = self.asked.pop(tuple(point), None)
        self.client.complete_trial(
            self.client.attach_trial(values) if index is None else index, {"value": value}
        )

    def ask(self) -> list[int]:
        """A point, feasible or not."""
        ((index, suggested),) = self.client.get_next_trials(1).items()
        point = [int(suggested[name]) for name in self.names]
        self.asked[tuple(point)] = index
        return point


class Hebo:
    """HEBO with its defaults."""

    def __init__(self, domain: Domain, seed: int, first: Sequence[Sequence[int]]) -> None:
        del first  # told one by one
        from hebo.design_space.design_space import DesignSpace
        from hebo.optimizers.hebo import HEBO

        self.names = named(domain)
        parameters: list[dict[str, Any]] = []
        for name, variable in zip(self.names, domain.variables, strict=True):
            codes = [int(code) for code in variable.codes]
            if ordered(variable):
                parameters.append({"name": name, "type": "int", "lb": codes[0], "ub": codes[-1]})
            else:
                parameters.append({"name": name, "type": "cat", "categories": codes})
        self.hebo = HEBO(DesignSpace().parse(parameters), rand_sample=INITIAL, scramble_seed=seed)

    def tell(self, point: Sequence[int], value: float) -> None:
        """Take in a value."""
        import pandas

        row = pandas.DataFrame([dict(zip(self.names, map(int, point), strict=True))])
        self.hebo.observe(row, np.array([[-value]]))

    def ask(self) -> list[int]:
        """A point, feasible or not."""
        row = self.hebo.suggest(1).iloc[0]
        return [int(row[name]) for name in self.names]


Make = Callable[[Domain, int, Sequence[Sequence[int]]], Rival]

RIVALS: dict[str, Make] = {"smac": Smac, "ax": Ax, "hebo": Hebo}


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


def run(
    make: Make, problem: str, trial: int, drawn: list[list[int]]
) -> tuple[float, float, float, float, int]:
    """The best values after half of the evaluations and all, seconds and processor seconds a proposal.

    Last, how many evaluations were of random points in place of refused suggestions.
    """
    black_box = load(problem)
    domain = black_box.domain
    rival = make(domain, trial, drawn[:INITIAL])
    values: list[float] = []
    known: set[tuple[int, ...]] = set()

    def evaluated(point: list[int]) -> None:
        values.append(black_box.value(tuple(point)))
        known.add(tuple(point))
        rival.tell(point, values[-1])

    for point in drawn[:INITIAL]:
        evaluated(point)
    spare, replaced, in_row = iter(drawn[INITIAL:]), 0, 0
    began, processor = time.perf_counter(), time.process_time()
    while len(values) < BUDGET:
        point = rival.ask()
        if domain.contains(tuple(point)) and tuple(point) not in known:
            evaluated(point)
            in_row = 0
            continue
        if tuple(point) not in known:
            rival.tell(point, min(values))
        in_row += 1
        if in_row == REFUSED:
            in_row, replaced = 0, replaced + 1
            evaluated(next(spare))
    proposals = BUDGET - INITIAL
    seconds, processor = time.perf_counter() - began, time.process_time() - processor
    best = np.maximum.accumulate(values)
    return float(best[BUDGET // 2 - 1]), float(best[-1]), seconds / proposals, processor / proposals, replaced


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("points", type=Path)
    parser.add_argument("out", type=Path, nargs="?")
    parser.add_argument("--rival", choices=sorted(RIVALS), default="smac")
    parser.add_argument("--trials", type=int, default=TRIALS)
    arguments = parser.parse_args()
    if arguments.out is None:
        write_points(arguments.points)
        sys.exit()
    given = json.loads(arguments.points.read_text(encoding="utf-8"))
    done: set[tuple[str, ...]] = set()
    if arguments.out.exists():
        with arguments.out.open(encoding="utf-8") as file:
            done = {tuple(row[:3]) for row in csv.reader(file)}
    for trial in range(arguments.trials):
        for problem in PROBLEMS:
            key = (problem, arguments.rival, str(trial))
            if key in done:
                continue
            row = (*key, *run(RIVALS[arguments.rival], problem, trial, given[f"{problem}#{trial}"]))
            print(*row, flush=True)
            with arguments.out.open("a", encoding="utf-8", newline="") as file:
                csv.writer(file).writerow(row)
