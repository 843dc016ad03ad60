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
from milbox.run import evaluations
from milbox.study import Study
from milbox.trials import Finished
from milbox.trials.journal import Glance, glance
from milbox.trials.record import evaluation_seconds


@dataclass(frozen=True, slots=True)
class End:
    """What came of a cell."""

    cell: Cell
    state: Literal["finished", "skipped", "refused", "crashed"]
    evaluations: int = 0
    best: float | None = None
    """None for a cell that was complete before, too: its trials are not read."""
    seconds: float = 0.0
    reason: str = ""
    """Why it was refused or crashed; the first line is a summary."""


def attempt(cell: Cell, folder: Path, data: Path | None = None) -> End:
    """Run a cell; whatever goes wrong is told, not raised, so that other cells go on."""
    began = time.perf_counter()
    try:
        return run_cell(cell, folder, data)
    except (Exception, Crash) as raised:
        error = (raised.__cause__ or raised) if isinstance(raised, Crash) else raised
        summary = "".join(traceback.format_exception_only(error)).strip().partition("\n")[0]
        reason = f"{summary}\n{traceback.format_exc()}"
        return End(cell, "crashed", seconds=time.perf_counter() - began, reason=reason)


def run_cell(cell: Cell, folder: Path, data: Path | None = None) -> End:
    """Run a cell to its budget, or as far as its domain or its time goes."""
    began = time.perf_counter()
    done = complete(cell, folder)
    if done is not None:
        return done
    algorithm = ALGORITHMS[cell.algorithm]
    original = load(cell.problem, data, seed=cell.seed)
    refusal = algorithm.refusal(original.domain)
    if refusal is not None:
        return End(cell, "refused", reason=refusal)
    problem = algorithm.problem(original)
    path = cell.journal(folder)
    path.parent.mkdir(parents=True, exist_ok=True)
    strategy = algorithm.strategy(cell.initial, cell.seed)
    notes = notes_of(cell, problem)
    with Study(problem.domain, strategy, seed=cell.seed, journal=path, notes=notes) as study:
        evaluated(study, problem, cell.budget)
        record = study.record
        return End(
            cell,
            "finished",
            len(record.finished),
            None if record.best is None else record.best.value,
            time.perf_counter() - began,
        )


class Crash(BaseException):
    """A black box of a benchmark raised something, which is a mistake and no failure of the trial.

    Not an Exception, so that the loop lets it through and the trial stays pending, to be evaluated again.
    """


def evaluated(study: Study, problem: Problem, budget: int) -> None:
    """Run the study until the budget, the problem's own time or the domain is used up."""

    def objective(**assignment: Any) -> Finished | float:
        point = problem.domain.point(assignment)
        try:
            if problem.seconds is None:
                return problem.value(point)
            # Where an evaluation stands for hours of training, those hours are what it costs.
            seconds = problem.seconds(np.array([point], dtype=np.int64))
            return Finished(problem.value(point), float(seconds[0]))
        except Exception as error:
            raise Crash from error

    spent = study.record.spent.evaluation
    limit = problem.seconds_budget
    # A value that is not finite is a failure; black boxes have none, so the first ends the cell.
    with contextlib.closing(evaluations(study, objective, budget=budget, failures=0, window=1)) as steps:
        while limit is None or spent <= limit:
            trial = next(steps, None)
            if trial is None:
                break
            spent += evaluation_seconds(trial)


def progress(path: Path) -> Glance | None:
    """How far the cell in a journal is, also while it is being written; None without a journal."""
    return glance(path) if path.exists() else None


def complete(cell: Cell, folder: Path) -> End | None:
    """The end of a cell of which nothing is left to do; None for any other."""
    done = progress(cell.journal(folder))
    if done is None:
        return None
    limit = done.header.notes.get("seconds_budget")
    over = done.ended >= cell.budget or (limit is not None and done.seconds > limit)
    return End(cell, "skipped", done.ended) if over else None


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
