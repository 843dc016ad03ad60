"""Training of small ReLU networks by Adam.

Adam (Kingma & Ba 2015) on the mean squared error, compiled. Inputs are mostly zeros and ones, so a point is
kept as the list of its ones: the first layer adds up rows of its weights, and its gradient adds to the same
rows. Columns with other values (integer encodings) are multiplied as usual. All weights live in one flat
float32 array, each layer's width padded to whole vectors; padded units have zero weights, are never active,
and so stay zero.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from milbox.arrays import FloatArray, IntArray

Layers: TypeAlias = Sequence[tuple[FloatArray, FloatArray]]
"""Weights (inputs, units) and bias (units,) of each layer; the last has one unit and no ReLU."""

Floats: TypeAlias = npt.NDArray[np.float32]


def train(
    layers: Layers,
    features: FloatArray,
    targets: FloatArray,
    *,
    steps: int,
    batch: int = 64,
    rate: float = 0.01,
    decay: float = 0.0,
    partial: bool = False,
    centre: FloatArray | None = None,
    seed: int = 0,
) -> list[tuple[FloatArray, FloatArray]]:
    """The layers after `steps` of Adam from the given ones, on mean((net(features) - targets)**2).

    The result depends on the arguments alone, bit for bit: sums have a fixed order and no operations are
    fused, whatever the processor.

    Args:
        layers: Where to start; at least one hidden layer.
        features: One row per point.
        targets: One per point, of ordinary size (standardise first).
        steps: Updates of the weights.
        batch: Points per step, drawn without replacement from one shuffle after another.
        rate: Adam's step size.
        decay: Each step's gradient gets `decay` times the weights (and biases) added.
        partial: Whether the rest of a shuffle that fills no batch makes a smaller one (an epoch then visits
            every point once), or is left out.
        centre: One number per column; the layers are trained on `features - centre`, at the speed of
            `features`, whose zeros cost nothing.
        seed: Of the shuffles, below 2**64.
    """
    # numba is slow to import, so whoever does not train does not pay for it.
    from milbox.surrogates.relu.descent import Data, Shape, State, descend
    from milbox.surrogates.relu.lanes import LANES

    count = len(targets)
    batch = min(batch, count)
    units = [len(bias) for _, bias in layers[:-1]]
    padded = [-(-size // LANES) * LANES for size in units]
    widths = np.array([features.shape[1], *padded], dtype=np.int64)
    weights = _pack(layers, widths)
    starts, ones, valued = _split(features)
    data = Data(
        starts=starts,
        ones=(ones * widths[1]).astype(np.int32),
        valued=np.ascontiguousarray(features[:, valued], dtype=np.float32),
        valued_rows=(valued * widths[1]).astype(np.int32),
        shift=np.zeros(0, np.float32) if centre is None else -centre.astype(np.float32),
        targets=np.ascontiguousarray(targets, dtype=np.float32),
        order=np.arange(count),
    )
    shape = Shape(
        widths=widths,
        matrices=np.concatenate([[0], np.cumsum((widths[:-1] + 1) * widths[1:])]),
        blocks=batch * np.cumsum([0, *padded]),
    )
    room = int(shape.blocks[-1])
    state = State(*map(_zeros, (len(weights), room, room, *4 * [len(weights)])))
    state.weights[:] = weights
    descend(data, shape, state, steps, batch, rate, decay, partial, np.uint64(seed))
    return _unpack(state.weights, widths, units)


def _zeros(count: int) -> Floats:
    """Zeros that begin with a line of the processor's cache: sixteen lanes then never lie across two."""
    line, size = 64, np.dtype(np.float32).itemsize
    spacious = np.zeros(count + line // size, dtype=np.float32)
    begin = -spacious.ctypes.data % line // size
    return spacious[begin : begin + count]


def _split(features: FloatArray) -> tuple[IntArray, IntArray, IntArray]:
    """The offset of each row's ones, their columns, and the columns that hold other values."""
    count, dimension = features.shape
    is_one = features == 1.0
    plain = (is_one | (features == 0.0)).all(axis=0)
    is_one &= plain
    ones_per_row = np.count_nonzero(is_one, axis=1)
    starts = np.concatenate([[0], np.cumsum(ones_per_row)])
    ones = np.flatnonzero(is_one) - np.repeat(np.arange(count) * dimension, ones_per_row)
    return starts, ones, np.flatnonzero(~plain)


def _pack(layers: Layers, widths: IntArray) -> Floats:
    """All weights in one array: each hidden layer's matrix and bias, then the output's weights and bias."""
    parts = []
    for (weights, bias), (rows, width) in zip(layers[:-1], pairwise(widths), strict=True):
        matrix = np.zeros((rows + 1, width), dtype=np.float32)
        matrix[: len(weights), : len(bias)] = weights
        matrix[rows, : len(bias)] = bias
        parts.append(matrix.ravel())
    weights, bias = layers[-1]
    output = np.zeros(widths[-1] + 1, dtype=np.float32)
    output[: len(weights)] = weights[:, 0]
    output[-1] = bias[0]
    return np.concatenate([*parts, output])


def _unpack(flat: Floats, widths: IntArray, units: Sequence[int]) -> list[tuple[FloatArray, FloatArray]]:
    layers = []
    inputs = int(widths[0])
    for (rows, width), size in zip(pairwise(widths), units, strict=True):
        matrix, flat = np.split(flat, [(rows + 1) * width])
        matrix = matrix.reshape(rows + 1, width)
        layers.append((matrix[:inputs, :size].astype(np.float64), matrix[rows, :size].astype(np.float64)))
        inputs = size
    layers.append((flat[:inputs, None].astype(np.float64), flat[-1:].astype(np.float64)))
    return layers
