"""One cell of a plan, run as a study of its own and resumed where it ended."""

import contextlib
import time
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from milbox.bench.algorithms import ALGORITHMS
from milbox.bench.environment import environment
from milbox.bench.plan import Cell
from milbox.bench.problems import Problem, load
from milbox.bench.records import progress
from milbox.errors import Exhausted
from milbox.study import Study
from milbox.trials import Finished


@dataclass(frozen=True, slots=True)
class End:
    """What came of a cell."""

    cell: Cell
    state: Literal["finished", "skipped", "refused", "crashed"]
    evaluations: int = 0
    best: float | None = None
    seconds: float = 0.0
    reason: str = ""
    """Why it was refused or crashed; the first line is a summary."""


def attempt(cell: Cell, folder: Path, data: Path | None = None) -> End:
    """Run a cell; whatever goes wrong is told, not raised, so that other cells go on."""
    began = time.perf_counter()
    try:
        return run_cell(cell, folder, data)
    except Exception as error:
        summary = "".join(traceback.format_exception_only(error)).strip().partition("\n")[0]
        reason = f"{summary}\n{traceback.format_exc()}"
        return End(cell, "crashed", seconds=time.perf_counter() - began, reason=reason)


def run_cell(cell: Cell, folder: Path, data: Path | None = None) -> End:
    """Run a cell to its budget, or as far as its domain or its time goes."""
    began = time.perf_counter()
    path = cell.journal(folder)
    done = progress(path)
    if done is not None and done.over(cell.budget):
        return End(cell, "skipped", done.ended, done.best)
    algorithm = ALGORITHMS[cell.algorithm]
    original = load(cell.problem, data, seed=cell.seed)
    refusal = algorithm.refusal(original.domain)
    if refusal is not None:
        return End(cell, "refused", reason=refusal)
    problem = algorithm.problem(original)
    path.parent.mkdir(parents=True, exist_ok=True)
    strategy = algorithm.strategy(cell.initial, cell.seed)
    notes = notes_of(cell, problem)
    with Study(problem.domain, strategy, seed=cell.seed, journal=path, notes=notes) as study:
        evaluated(study, problem, cell.budget)
        best = study.best
        return End(
            cell,
            "finished",
            len(study.history.finished),
            None if best is None else best.value,
            time.perf_counter() - began,
        )


def evaluated(study: Study, problem: Problem, budget: int) -> None:
    """Ask and tell until the budget, the problem's own time or the domain is used up."""
    spent = sum((t.outcome.seconds for t in study.history if isinstance(t.outcome, Finished)), 0.0)
    limit = problem.seconds_budget
    waiting = list(study.history.pending)
    with contextlib.suppress(Exhausted):
        while limit is None or spent <= limit:
            if not waiting and len(study.history) >= budget:
                break
            trial = waiting.pop(0) if waiting else study.ask()
            point = np.array([trial.point], dtype=np.int64)
            began = time.perf_counter()
            value = float(problem.evaluate(point)[0])
            # Where an evaluation stands for hours of training, those hours are what it costs.
            seconds = time.perf_counter() - began
            if problem.seconds is not None:
                seconds = float(problem.seconds(point)[0])
            study.tell(trial.number, value, seconds=seconds)
            spent += seconds


def notes_of(cell: Cell, problem: Problem) -> dict[str, Any]:
    """What a report needs to know besides the trials."""
    return {
        "problem": cell.problem,
        "algorithm": cell.algorithm,
        "trial": cell.trial,
        "initial": cell.initial,
        "variables": len(problem.domain.variables),
        "optimum": problem.optimum,
        "best_known": problem.best_known,
        "seconds_budget": problem.seconds_budget,
        "source": problem.source,
        "environment": environment(),
    }
