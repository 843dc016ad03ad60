"""The journals of a plan as arrays, read without the problems, the strategies or the plan."""

import contextlib
import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from milbox.arrays import FloatArray, IntArray
from milbox.bench.problems.nasbench import KNOWN
from milbox.domain import Domain
from milbox.errors import DataError, JournalError
from milbox.trials import rows
from milbox.trials.header import Sense


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a cell is."""

    ended: int
    best: float | None
    seconds: float
    limit: float | None
    """Evaluation time after which it is over, whatever its budget."""

    def over(self, budget: int) -> bool:
        """Whether nothing is left to do."""
        return self.ended >= budget or (self.limit is not None and self.seconds > self.limit)


def progress(path: Path) -> Progress | None:
    """How far the cell in a journal is, also while it is being written; None without a journal."""
    if not path.exists():
        return None
    with opened(path) as connection:
        ended, best, seconds = connection.execute(
            "SELECT count(*), max(value), total(seconds) FROM trials WHERE state != 'pending'"
        ).fetchone()
        (notes,) = connection.execute("SELECT notes FROM header").fetchone()
    return Progress(ended, best, seconds, json.loads(notes).get("seconds_budget"))


@dataclass(frozen=True, slots=True, eq=False)
class Record:
    """One cell as arrays over its finished trials, in the order they were asked."""

    path: Path
    problem: str
    algorithm: str
    trial: int
    notes: dict[str, Any]
    points: IntArray
    values: FloatArray
    """Rewards, of which more is better: values of a study that minimises are negated."""
    seconds: FloatArray
    """What each evaluation took."""
    fit: FloatArray
    """What fitting the surrogate took; 0 without one."""
    inner: FloatArray
    """What the inner solver took; 0 without one."""
    certified: FloatArray
    """Whether the proposal was proved to be the optimum of the acquisition, as 1 and 0."""
    at_bounds: FloatArray
    """The share of the variables with more than two values that are at their least or greatest one."""
    solvers: tuple[str, ...]
    """Which inner solver chose each point; empty where none did."""
    strategy: str
    """The identity of the strategy, as the journal has it."""
    sense: Sense
    infeasible: int
    repeated: int
    pending: int
    failed: int

    @property
    def best(self) -> FloatArray:
        """The best value so far after each evaluation."""
        return np.maximum.accumulate(self.values)

    @property
    def best_known(self) -> float | None:
        """The best value anyone has reported, as a reward."""
        return self._reward("best_known")

    @property
    def optimum(self) -> float | None:
        """The proved optimum, as a reward."""
        return self._reward("optimum")

    def _reward(self, note: str) -> float | None:
        value = self.notes.get(note)
        return None if value is None else reward_sign(self.sense) * float(value)

    @property
    def family(self) -> str:
        """The first part of the problem's name, or the first two where the second makes another problem."""
        parts = self.problem.split("/")
        apart = parts[0] in ("ising", "bqp") or self.problem == KNOWN
        return "/".join(parts[:2]) if apart else parts[0]


def reward_sign(sense: Sense) -> int:
    """What turns a value of a study into a reward, of which more is better."""
    return 1 if sense == "maximize" else -1


def read_records(folder: Path) -> list[Record]:
    """Every journal below a folder, in the order of their names."""
    if not folder.is_dir():
        raise DataError(f"{folder} is not a folder; give the folder that `milbox bench run` wrote to")
    paths = sorted(folder.glob("*/*/*.db"))
    if not paths:
        raise DataError(
            f"there are no journals in {folder}; run `milbox bench run PLAN --out {folder}` first"
        )
    found = [read_record(path) for path in paths]
    return [record for record in found if len(record.values)]


def read_record(path: Path) -> Record:
    """The cell in one journal."""
    with opened(path) as connection:
        header = rows.header(connection, path)
        trials = rows.trials(connection, path)
    notes = dict(header.notes)
    if not {"problem", "algorithm", "trial"} <= notes.keys():
        raise DataError(f"{path} is not of a benchmark: its notes name no problem; move it elsewhere")
    finished = [trial for trial in trials if trial.state == "finished"]
    points = np.array([trial.point for trial in finished], dtype=np.int64)
    domain = domain_of(json.dumps(header.domain, sort_keys=True))
    certificates = [trial.certificate for trial in finished]
    return Record(
        path=path,
        problem=notes["problem"],
        algorithm=notes["algorithm"],
        trial=int(notes["trial"]),
        notes=notes,
        points=points,
        values=reward_sign(header.sense) * np.array([trial.value for trial in finished], dtype=np.float64),
        seconds=np.array([getattr(trial.outcome, "seconds", 0.0) for trial in finished], dtype=np.float64),
        fit=np.array([trial.proposal.fit_seconds for trial in finished], dtype=np.float64),
        inner=np.array([0.0 if c is None else c.seconds for c in certificates], dtype=np.float64),
        certified=np.array([c is not None and c.status == "optimal" for c in certificates], dtype=np.float64),
        at_bounds=shares_at_bounds(domain, points),
        solvers=tuple("" if c is None else c.solver for c in certificates),
        strategy=header.strategy,
        sense=header.sense,
        infeasible=int((~domain.feasible(points)).sum()) if len(points) else 0,
        repeated=len(trials) - len({trial.point for trial in trials}),
        pending=sum(trial.state == "pending" for trial in trials),
        failed=sum(trial.state == "failed" for trial in trials),
    )


def shares_at_bounds(domain: Domain, points: IntArray) -> FloatArray:
    """For each point, the share of its variables at a bound; binaries, always at one, do not count."""
    wide = [i for i, variable in enumerate(domain.variables) if len(variable.codes) > 2]
    if not len(points) or not wide:
        return np.zeros(len(points))
    ends = np.array([(domain.variables[i].codes[0], domain.variables[i].codes[-1]) for i in wide])
    return np.asarray((points[:, wide, None] == ends).any(axis=2).mean(axis=1), dtype=np.float64)


@lru_cache(maxsize=64)
def domain_of(form: str) -> Domain:
    """The domain behind its JSON, built once for all cells of a problem."""
    return Domain.from_json(json.loads(form))


@contextlib.contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    """A journal to read from; damage is told in one line."""
    try:
        with contextlib.closing(
            sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=10.0)
        ) as connection:
            connection.text_factory = rows.text
            rows.check(connection, path)
            yield connection
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise JournalError(f"{path} cannot be read ({error}); delete it, and run its plan again") from error
