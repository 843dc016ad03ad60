"""NAS-Bench-101: the cell with the most accurate network (Section 6 and Appendix G).

A cell has up to 7 vertices and 9 edges. Variables: 21 binaries `edge`, one for each pair of vertices x < y at
position x + y (y - 1) / 2, and 5 categoricals `op` for the vertices between input and output, null included.
One-hot encoded these are the paper's m, w and z; its constraints (1) and (2) hold by construction.
`nasbench101/symmetry` adds constraint (8), which puts null vertices last. `nasbench101/known` has the 20,001
cells of the sample and no others, each once, with the accuracies that were measured.

With the full table the reward is the validation accuracy of one of a cell's three training runs. Which one is
drawn from the seed and the point, so that a resumed study sees what it would have seen. Without the table the
reward is a stand-in's guess, and the problem's source says so.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from milbox.arrays import FloatArray, IntArray
from milbox.bench.problems.cells import (
    EDGES,
    ENDS,
    INNER,
    VERTICES,
    Cells,
    canonical_codes,
    cells_of,
    points_of,
)
from milbox.bench.problems.folder import Folders, arrays
from milbox.bench.problems.problem import Problem
from milbox.bench.problems.standin import SAMPLE, StandIn, fitted, read_sample
from milbox.bench.problems.tfrecord import REPLICATES, TrainingTable, read_table
from milbox.domain import Constraint, Domain, binary, categorical, table
from milbox.errors import DataError

FOLDER = "nasbench101"
TABLES = ("nasbench_only108.npz", "nasbench_only108.tfrecord")
ALL_CELLS = "nb101_all_cells.npz"
NAMES = ("nasbench101", "nasbench101/symmetry")
KNOWN = "nasbench101/known"
EVERY_CELL = 423_624

MOST_EDGES = 9
OPERATIONS = ("conv3x3", "conv1x1", "maxpool3x3", "null")
SECONDS_BUDGET = 5e6

CITATION = "Ying et al., NAS-Bench-101: towards reproducible neural architecture search, ICML 2019"
REMEDY = (
    "put nasbench_only108.tfrecord (https://storage.googleapis.com/nasbench/nasbench_only108.tfrecord) "
    f"into the folder {FOLDER} of the data folder"
)


@dataclass(frozen=True, slots=True)
class TableReward:
    """A column of the table at a run that the seed and the point choose."""

    table: TrainingTable
    column: str
    seed: int

    def __call__(self, points: IntArray) -> FloatArray:
        """One number per point."""
        rows = self.table.rows(canonical_codes(cells_of(points)))
        values: FloatArray = getattr(self.table, self.column)
        return values[rows, drawn_runs(points, self.seed)]


@dataclass(frozen=True, slots=True)
class TableTest:
    """The mean test accuracy of a cell's runs, which algorithms do not see."""

    table: TrainingTable

    def __call__(self, points: IntArray) -> FloatArray:
        """One number per point."""
        return np.asarray(self.table.test[self.table.rows(canonical_codes(cells_of(points)))].mean(axis=1))


@dataclass(frozen=True, slots=True)
class Guess:
    """A guess of the stand-in at points."""

    guess: Callable[[Cells], FloatArray]

    def __call__(self, points: IntArray) -> FloatArray:
        """One number per point."""
        return self.guess(cells_of(points))


@dataclass(frozen=True, slots=True)
class Measured:
    """What was measured of some cells, by their canonical codes in rising order."""

    codes: IntArray
    values: FloatArray

    def __call__(self, points: IntArray) -> FloatArray:
        """One number per point; every point must be one of the cells."""
        codes = canonical_codes(cells_of(points))
        rows = np.minimum(np.searchsorted(self.codes, codes), len(self.codes) - 1)
        if not np.array_equal(self.codes[rows], codes):
            raise DataError(f"a point is none of the {len(self.codes)} cells that were measured")
        return np.asarray(self.values[rows])


def drawn_runs(points: IntArray, seed: int) -> IntArray:
    """0, 1 or 2 for each point: the seed and the point mixed by SplitMix64."""
    from milbox.compiled import random

    places = np.concatenate([np.arange(EDGES), EDGES + 2 * np.arange(INNER)]).astype(np.uint64)
    mixed = (points.astype(np.uint64) << places).sum(axis=1, dtype=np.uint64)
    mixed += np.uint64((seed + 1) * int(random.STEP) % 2**64)
    return np.asarray(random.splitmix64(mixed) % np.uint64(REPLICATES), dtype=np.int64)


def cell_domain(*, symmetry: bool) -> Domain:
    """The cells as linear constraints; numbers as in Appendix G."""
    edge = binary("edge", EDGES)
    op = categorical("op", OPERATIONS, INNER)
    # z_i; the input and the output are never null (1).
    null: list[Any] = [0, *(op[i] == "null" for i in range(INNER)), 0]
    constraints: list[Constraint] = [edge.sum() <= MOST_EDGES]  # (3)
    for k, (x, y) in enumerate(ENDS):
        if y < VERTICES - 1:
            constraints.append(edge[k] <= 1 - null[y])  # (4)
        if x > 0:
            constraints.append(edge[k] <= 1 - null[x])  # (5)
    for v in range(VERTICES):
        into = [k for k, (_, y) in enumerate(ENDS) if y == v]
        out = [k for k, (x, _) in enumerate(ENDS) if x == v]
        if into:  # all but the input
            constraints.append(edge[into].sum() >= 1 - null[v])  # (6)
        if out:  # all but the output
            constraints.append(edge[out].sum() >= 1 - null[v])  # (7)
    if symmetry:
        constraints += [null[v] <= null[v + 1] for v in range(1, INNER)]  # (8)
    return Domain([edge, op], constraints)


def known_domain(codes: IntArray) -> Domain:
    """Some cells and no others, as a table with one row for each."""
    edge = binary("edge", EDGES)
    op = categorical("op", OPERATIONS, INNER)
    rows = [
        (*point[:EDGES], *(OPERATIONS[code] for code in point[EDGES:])) for point in points_of(codes).tolist()
    ]
    return Domain([edge, op], [table([*edge, *op], rows)])


def names(places: Folders) -> list[str]:
    """Both formulations, when the table or the sample is there; the known cells with the sample."""
    found = list(NAMES) if any(located(places, name) for name in (*TABLES, SAMPLE)) else []
    return [*found, KNOWN] if located(places, SAMPLE) else found


def located(places: Folders, name: str) -> Path | None:
    """A file of the folder, if it exists."""
    return next((p / FOLDER / name for p in places if (p / FOLDER / name).is_file()), None)


def nasbench(name: str, places: Folders, seed: int = 0) -> Problem:
    """`nasbench101` or `nasbench101/symmetry`, on the full table where it exists, else on the stand-in.

    `nasbench101/known` is on the sample in any case.
    """
    if name == KNOWN:
        return known_cells(places)
    domain = cell_domain(symmetry=name.endswith("/symmetry"))
    path = next((found for table in TABLES if (found := located(places, table))), None)
    if path is not None:
        table = table_of(path)
        return Problem(
            name=name,
            domain=domain,
            evaluate=TableReward(table, "validation", seed),
            source=f"{path.name}: validation accuracy of a random one of three training runs",
            citation=CITATION,
            best_known=float(table.validation.max()),
            seconds=TableReward(table, "seconds", seed),
            test_value=TableTest(table),
            seconds_budget=SECONDS_BUDGET,
        )
    sample = located(places, SAMPLE)
    if sample is None:
        where = (
            ", ".join(str(place / FOLDER) for place in places) or "any data folder (MILBOX_DATA is not set)"
        )
        raise DataError(f"neither {TABLES[1]} nor {SAMPLE} is in {where}; {REMEDY}")
    standin = standin_of(sample)
    optimum = guessed_optimum(sample, located(places, ALL_CELLS))
    return Problem(
        name=name,
        domain=domain,
        evaluate=Guess(standin.accuracy),
        source="STAND-IN, not NAS-Bench-101 itself: boosted trees fitted to 20,001 of its cells",
        citation=CITATION,
        optimum=optimum,
        best_known=optimum,
        seconds=Guess(standin.seconds),
        test_value=Guess(standin.accuracy),
        seconds_budget=SECONDS_BUDGET,
    )


def known_cells(places: Folders) -> Problem:
    """The problem on the cells of the sample."""
    sample = located(places, SAMPLE)
    assert sample is not None, "without the sample there is no such name"
    codes, accuracy, seconds = measured(sample)
    best = float(accuracy.max())
    return Problem(
        name=KNOWN,
        domain=known_domain(codes),
        evaluate=Measured(codes, accuracy),
        source=f"{SAMPLE}: validation accuracy of one training run, for these {len(codes):,} cells alone",
        citation=CITATION,
        optimum=best,
        best_known=best,
        seconds=Measured(codes, seconds),
        seconds_budget=SECONDS_BUDGET,
    )


@lru_cache(maxsize=1)
def measured(sample: Path) -> tuple[IntArray, FloatArray, FloatArray]:
    """Canonical codes in rising order, accuracies and training times of the sample, each cell once."""
    cells, accuracy, seconds = read_sample(sample)
    codes, rows = np.unique(canonical_codes(cells), return_index=True)
    return codes, accuracy[rows], seconds[rows]


def described(table: TrainingTable, places: Folders = ()) -> list[str]:
    """What a table holds, in sentences; a DataError says what cannot be true of NAS-Bench-101.

    Args:
        table: as it was read.
        places: data folders; where one has the sample, its accuracies must be among those of the table.
    """
    for name, low, high in (("validation", 0.0, 1.0), ("test", 0.0, 1.0), ("seconds", 0.0, np.inf)):
        values = getattr(table, name)
        if not ((values >= low) & (values <= high)).all():
            raise DataError(f"the table has a {name} outside of {low:g} to {high:g}; {REMEDY}")
    if len(np.unique(table.code)) != len(table.code):
        raise DataError(f"the table has a cell twice under two names; {REMEDY}")
    found = [f"{len(table.code):,} cells, each trained {REPLICATES} times"]
    if len(table.code) == EVERY_CELL:
        found.append("all cells of NAS-Bench-101")
    else:
        found.append(f"not all {EVERY_CELL:,} cells of NAS-Bench-101: a study ends at one that is missing")
    best = float(table.test.mean(axis=1).max())
    found.append(f"best average test accuracy {best:.4f} (published: 0.9432)")
    sample = located(places, SAMPLE)
    if sample is not None:
        codes, accuracy, _ = measured(sample)
        shared = np.isin(codes, table.code)
        runs = table.validation[table.rows(codes[shared])]
        wrong = int((~np.isclose(runs, accuracy[shared, None], atol=1e-6).any(axis=1)).sum())
        if wrong:
            raise DataError(f"{wrong} of {shared.sum()} cells have other accuracies than {sample}; {REMEDY}")
        found.append(f"{shared.sum():,} cells agree with {sample.name}")
    return found


@lru_cache(maxsize=1)
def table_of(path: Path) -> TrainingTable:
    """The table, read once per process."""
    return read_table(path)


@lru_cache(maxsize=1)
def standin_of(sample: Path) -> StandIn:
    """The stand-in, fitted once per process."""
    return fitted(*read_sample(sample))


@lru_cache(maxsize=1)
def guessed_optimum(sample: Path, every: Path | None) -> float | None:
    """The stand-in's maximum over all 423,624 cells; None without the list of them."""
    if every is None:
        return None
    data = arrays(every, ("V", "bits", "ops"), "get the file again, or delete it")
    return float(standin_of(sample).accuracy(Cells(data["V"], data["bits"], data["ops"])).max())
