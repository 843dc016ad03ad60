"""Small files in the formats of the published benchmarks, for the tests of readers and runners."""

from pathlib import Path

import numpy as np

from milbox.arrays import IntArray
from milbox.bench.problems.binding import FOLDER as BINDING
from milbox.bench.problems.binding import SEQUENCES
from milbox.bench.problems.cells import EDGES, ENDS, INNER, NULL, cells_of
from milbox.bench.problems.nasbench import ALL_CELLS, cell_domain
from milbox.bench.problems.nasbench import FOLDER as CELLS
from milbox.bench.problems.quadratic import FOLDER as PROGRAMS
from milbox.bench.problems.standin import SAMPLE
from programs import random_program, write_npz


def write_binding(folder: Path, *names: str) -> None:
    """TfBind data sets of random scores."""
    (folder / BINDING).mkdir(parents=True, exist_ok=True)
    for seed, name in enumerate(names):
        escore = np.random.default_rng(seed).uniform(-0.5, 0.5, SEQUENCES).astype(np.float32)
        np.savez(folder / BINDING / f"{name}.npz", escore=escore)


def write_programs(folder: Path, *names: str) -> None:
    """Random binary quadratic programs by the names of MINLPLib's, with an index."""
    (folder / PROGRAMS).mkdir(parents=True, exist_ok=True)
    for seed, name in enumerate(names):
        write_npz(random_program(seed, n=16, m=3), folder / PROGRAMS / f"{name}.npz")
    rows = "".join(f"{name},-10\n" for name in names)
    (folder / PROGRAMS / "index.csv").write_text("name,best_known\n" + rows)


def random_cells(seed: int, tries: int = 60_000) -> IntArray:
    """Feasible points of NAS-Bench-101's domain: those among random graphs without edges at null vertices."""
    rng = np.random.default_rng(seed)
    points = rng.integers(0, NULL + 1, (tries, EDGES + INNER))
    points[:, :EDGES] = rng.random((tries, EDGES)) < 0.4
    for k, ends in enumerate(ENDS):
        for v in set(ends) - {0, INNER + 1}:
            points[:, k] *= points[:, EDGES + v - 1] != NULL
    return points[cell_domain(symmetry=False).feasible(points)]


def write_cells(folder: Path) -> None:
    """A sample of NAS-Bench-101 with made accuracies and times, and a list of as many cells."""
    (folder / CELLS).mkdir(parents=True, exist_ok=True)
    cells = cells_of(random_cells(0))
    convolutions = (cells.ops == 0).sum(axis=1)
    np.savez(folder / CELLS / ALL_CELLS, V=cells.vertices, bits=cells.bits, ops=cells.ops)
    np.savez(
        folder / CELLS / SAMPLE,
        V=cells.vertices,
        bits=cells.bits,
        ops=cells.ops,
        val_acc_108=0.85 + 0.02 * convolutions,
        train_time_108=500.0 + 300.0 * convolutions,
    )
