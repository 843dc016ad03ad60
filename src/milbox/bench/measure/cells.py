"""The journals of a plan as arrays, read without the problems, the strategies or the plan."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from milbox.arrays import FloatArray, IntArray
from milbox.bench.problems.nasbench import KNOWN
from milbox.domain import Domain
from milbox.errors import DataError
from milbox.trials.record import Record, evaluation_seconds, read_record
from milbox.trials.sense import Sense, sign_of


@dataclass(frozen=True, slots=True, eq=False)
class CellRecord:
    """One cell as arrays over its finished trials, in the order they were asked."""

    domain: Domain
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
        return None if value is None else sign_of(self.sense) * float(value)

    @property
    def family(self) -> str:
        """The first part of the problem's name, or the first two where the second makes another problem."""
        parts = self.problem.split("/")
        apart = parts[0] in ("ising", "bqp") or self.problem == KNOWN
        return "/".join(parts[:2]) if apart else parts[0]


def read_cells(folder: Path) -> list[CellRecord]:
    """Every journal below a folder with a value, in the order of their names."""
    if not folder.is_dir():
        raise DataError(f"{folder} is not a folder; give the folder that `milbox bench run` wrote to")
    paths = sorted(folder.glob("*/*/*.db"))
    if not paths:
        raise DataError(
            f"there are no journals in {folder}; run `milbox bench run PLAN --out {folder}` first"
        )
    found: list[CellRecord] = []
    for path in paths:
        # Most cells have the domain of the one before.
        found.append(read_cell(path, found[-1].domain if found else None))
    return [record for record in found if len(record.values)]


def read_cell(path: Path, like: Domain | None = None) -> CellRecord:
    """The cell in one journal; the domain is `like` where that is the journal's."""
    record = read_record(path, like=like)
    if not {"problem", "algorithm", "trial"} <= record.header.notes.keys():
        raise DataError(f"{path} is not of a benchmark: its notes name no problem; move it elsewhere")
    return cell_record(record)


def cell_record(record: Record) -> CellRecord:
    """The study of a cell as arrays."""
    notes = dict(record.header.notes)
    points = np.array([trial.point for trial in record.finished], dtype=np.int64)
    certificates = [trial.certificate for trial in record.finished]
    return CellRecord(
        domain=record.domain,
        problem=notes["problem"],
        algorithm=notes["algorithm"],
        trial=int(notes["trial"]),
        notes=notes,
        points=points,
        values=record.sign * record.values,
        seconds=np.array([evaluation_seconds(trial) for trial in record.finished], dtype=np.float64),
        fit=np.array([trial.proposal.fit_seconds for trial in record.finished], dtype=np.float64),
        inner=np.array([0.0 if c is None else c.seconds for c in certificates], dtype=np.float64),
        certified=np.array([c is not None and c.status == "optimal" for c in certificates], dtype=np.float64),
        at_bounds=shares_at_bounds(record.domain, points),
        solvers=tuple("" if c is None else c.solver for c in certificates),
        strategy=record.header.strategy,
        sense=record.sense,
        infeasible=int((~record.domain.feasible(points)).sum()) if len(points) else 0,
        repeated=len(record.trials) - len({trial.point for trial in record.trials}),
        pending=record.having("pending"),
        failed=record.having("failed"),
    )


def shares_at_bounds(domain: Domain, points: IntArray) -> FloatArray:
    """For each point, the share of its variables at a bound; binaries, always at one, do not count."""
    wide = [i for i, variable in enumerate(domain.variables) if len(variable.codes) > 2]
    if not len(points) or not wide:
        return np.zeros(len(points))
    ends = np.array([(domain.variables[i].codes[0], domain.variables[i].codes[-1]) for i in wide])
    return np.asarray((points[:, wide, None] == ends).any(axis=2).mean(axis=1), dtype=np.float64)
