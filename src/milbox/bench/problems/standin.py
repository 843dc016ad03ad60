"""A stand-in for the accuracies of NAS-Bench-101 where the full table is not at hand, labelled as such.

Boosted trees on 84 counts that do not depend on how the vertices are numbered, fitted to the 20,001 real
cells of the sample: one model for -log(1 - validation accuracy), one for the log of the training time. Its
answers are always the same: there are no replicates, and no test accuracy of its own.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from milbox.arrays import FloatArray, IntArray
from milbox.bench.problems.boosting import BINS, BoostedTables, Counts, boosted
from milbox.bench.problems.cells import INNER, VERTICES, Cells
from milbox.bench.problems.folder import arrays, shaped
from milbox.compiled.jit import entry

SAMPLE = "nb101_sample20001.npz"
# Where the groups of counts start; see count_features.
KINDS, DEPTHS, PATHS, FEATURES = 10, 35, 44, 84


@dataclass(frozen=True, slots=True)
class StandIn:
    """Guesses for cells that were never trained here."""

    error: BoostedTables
    time: BoostedTables

    def accuracy(self, cells: Cells) -> FloatArray:
        """Validation accuracy after 108 epochs, as a share."""
        return np.asarray(1.0 - np.exp(-self.error.predict(cell_features(cells))))

    def seconds(self, cells: Cells) -> FloatArray:
        """Training time of 108 epochs."""
        return np.asarray(np.exp(self.time.predict(cell_features(cells))))


def fitted(cells: Cells, accuracy: FloatArray, seconds: FloatArray) -> StandIn:
    """The stand-in for these real cells. Settings were chosen once, on cells held out from the sample.

    Residuals are clipped because some single training runs failed (accuracy near 0.1) for no reason that
    the cell shows.
    """
    features = cell_features(cells)
    return StandIn(
        boosted(features, -np.log(1.0 - accuracy), trees=300, rate=0.2, clip=0.3),
        boosted(features, np.log(seconds), trees=100, rate=0.4),
    )


def read_sample(path: Path) -> tuple[Cells, FloatArray, FloatArray]:
    """The real cells, their validation accuracies and their training times."""
    remedy = "get the file again, or use the full table nasbench_only108.tfrecord"
    names = ("V", "bits", "ops", "val_acc_108", "train_time_108")
    data = arrays(path, names, remedy)
    count = len(np.atleast_1d(data["V"]))
    for name in names:
        shaped(path, name, data[name], (count, INNER) if name == "ops" else (count,), remedy)
    cells = Cells(data["V"], data["bits"], data["ops"])
    return cells, data["val_acc_108"].astype(np.float64), data["train_time_108"].astype(np.float64)


def cell_features(cells: Cells) -> Counts:
    """84 counts for each cell, equal for isomorphic cells."""
    counts = np.zeros((len(cells.bits), FEATURES), dtype=np.int64)
    count_features(cells.vertices, cells.bits, cells.ops, counts)
    return np.minimum(counts, BINS - 1).astype(np.uint8)


@entry
def count_features(vertices: IntArray, bits: IntArray, ops: IntArray, counts: IntArray) -> None:
    """Fill the counts.

    0 vertices, 1 edges, 2 longest and 3 shortest path, 4-6 vertices of each operation, 7 edges from the
    input, 8 into the output, 9 from input to output; then edges by the kinds of their ends (operation 0-2,
    input 3, output 4); then for each operation its deepest vertex and the edges into and out of its
    vertices; then paths from input to output by the operations on them, up to three.
    """
    edge = np.zeros((VERTICES, VERTICES), dtype=np.int64)
    kind = np.zeros(VERTICES, dtype=np.int64)
    for row in range(len(bits)):
        last = vertices[row] - 1
        kind[0], kind[last] = 3, 4
        for v in range(1, last):
            kind[v] = ops[row, v - 1]
            counts[row, 4 + kind[v]] += 1
        edge[:] = 0
        longest = np.zeros(VERTICES, dtype=np.int64)
        shortest = np.full(VERTICES, VERTICES)
        shortest[0] = 0
        for y in range(1, last + 1):
            for x in range(y):
                if bits[row] >> (x + y * (y - 1) // 2) & 1:
                    edge[x, y] = 1
                    counts[row, 1] += 1
                    counts[row, KINDS + 5 * kind[x] + kind[y]] += 1
                    longest[y] = max(longest[y], longest[x] + 1)
                    shortest[y] = min(shortest[y], shortest[x] + 1)
        counts[row, 0] = vertices[row]
        counts[row, 2], counts[row, 3] = longest[last], shortest[last]
        counts[row, 7], counts[row, 8], counts[row, 9] = edge[0].sum(), edge[:, last].sum(), edge[0, last]
        for a in range(1, last):
            at = DEPTHS + 3 * kind[a]
            counts[row, at] = max(counts[row, at], longest[a])
            counts[row, at + 1] += edge[:, a].sum()
            counts[row, at + 2] += edge[a].sum()
        counts[row, PATHS] = edge[0, last]
        for a in range(1, last):
            counts[row, PATHS + 1 + kind[a]] += edge[0, a] * edge[a, last]
            for b in range(a + 1, last):
                two = edge[0, a] * edge[a, b]
                counts[row, PATHS + 4 + 3 * kind[a] + kind[b]] += two * edge[b, last]
                for c in range(b + 1, last):
                    three = two * edge[b, c] * edge[c, last]
                    counts[row, PATHS + 13 + 9 * kind[a] + 3 * kind[b] + kind[c]] += three
