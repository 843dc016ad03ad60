"""How are small ReLU networks trained in microseconds a step?

Adam (Kingma & Ba 2015) on the mean squared error, compiled. Inputs are mostly zeros and ones, so a point is
kept as the list of its ones: the first layer adds up rows of its weights, and its gradient adds to the same
rows. Columns with other values (integer encodings) are multiplied as usual. All weights live in one flat
float32 array, every layer's width padded to whole vectors; padded units have zero weights, are never
active, and so stay zero.

Importing this module compiles the kernel, or loads it from numba's cache.
"""

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from numba import njit

from milbox.arrays import FloatArray
from milbox.surrogates.vectors import LANES, fill, load, store, total, where_positive

# What every framework ships: Kingma & Ba's decay rates, and TensorFlow's epsilon (outside the root, before
# bias correction).
FIRST_DECAY = 0.9
SECOND_DECAY = 0.999
EPSILON = 1e-7

Layers = Sequence[tuple[FloatArray, FloatArray]]
"""Weights (inputs, units) and bias (units,) of each layer; the last has one unit and no ReLU."""


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
    seed: int = 0,
) -> list[tuple[FloatArray, FloatArray]]:
    """The layers after `steps` of Adam from the given ones, on mean((net(features) - targets)**2).

    Args:
        layers: Where to start; at least one hidden layer.
        features: One row per point.
        targets: One per point, of ordinary size (standardise first).
        steps: Updates of the weights.
        batch: Points per step, drawn without replacement from one shuffle after another.
        rate: Adam's step size.
        decay: Each step's gradient gets `decay` times the weights (and biases) added.
        partial: Whether the rest of a shuffle that fills no batch makes a smaller one (an epoch then visits
            every point once) or waits for a later shuffle.
        seed: Of the shuffles.
    """
    inputs = features.shape[1]
    units = [len(bias) for _, bias in layers[:-1]]
    widths = np.array([inputs] + [-(-size // LANES) * LANES for size in units], dtype=np.int64)
    weights = _pack(layers, widths)
    starts, ones, valued = _split(features)
    _descend(
        starts,
        ones * widths[1],
        np.ascontiguousarray(features[:, valued], dtype=np.float32),
        valued * widths[1],
        np.ascontiguousarray(targets, dtype=np.float32),
        widths,
        weights,
        steps,
        batch,
        rate,
        decay,
        partial,
        np.uint64(seed),
    )
    return _unpack(weights, widths, units)


def _split(
    features: FloatArray,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The ones of each row, as (starts, columns), over columns of zeros and ones; and the other columns."""
    is_one = features == 1.0
    plain = (is_one | (features == 0.0)).all(axis=0)
    rows, ones = np.nonzero(is_one & plain)
    starts = np.searchsorted(rows, np.arange(len(features) + 1)).astype(np.int64)
    return starts, ones.astype(np.int64), np.flatnonzero(~plain).astype(np.int64)


def _pack(layers: Layers, widths: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
    """All weights in one array: each hidden layer's matrix and bias, then the output's weights and bias."""
    parts = []
    for (weights, bias), rows, width in zip(layers[:-1], widths[:-1], widths[1:], strict=True):
        matrix = np.zeros((rows + 1, width), dtype=np.float32)
        matrix[: len(weights), : len(bias)] = weights
        matrix[rows, : len(bias)] = bias
        parts.append(matrix.ravel())
    weights, bias = layers[-1]
    output = np.zeros(widths[-1] + 1, dtype=np.float32)
    output[: len(weights)] = weights[:, 0]
    output[-1] = bias[0]
    return np.concatenate([*parts, output])


def _unpack(
    flat: npt.NDArray[np.float32], widths: npt.NDArray[np.int64], units: list[int]
) -> list[tuple[FloatArray, FloatArray]]:
    layers = []
    offset, real_rows = 0, int(widths[0])
    for rows, width, size in zip(widths[:-1], widths[1:], units, strict=True):
        matrix = flat[offset : offset + (rows + 1) * width].reshape(rows + 1, width).astype(np.float64)
        layers.append((matrix[:real_rows, :size].copy(), matrix[rows, :size].copy()))
        offset += (rows + 1) * width
        real_rows = size
    output = flat[offset:].astype(np.float64)
    layers.append((output[:real_rows, None].copy(), output[-1:].copy()))
    return layers


@njit(inline="always")
def _random(state):  # type: ignore[no-untyped-def]
    """The next 64 random bits (splitmix64, Steele et al. 2014)."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    bits = state[0]
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))


@njit(
    "void(int64[::1], int64[::1], float32[:, ::1], int64[::1], float32[::1], int64[::1], float32[::1],"
    " int64, int64, float64, float64, boolean, uint64)",
    cache=True,
    error_model="numpy",
    nogil=True,
)
def _descend(  # type: ignore[no-untyped-def]
    starts, ones, valued, valued_rows, targets, widths, weights, steps, batch, rate, decay, partial, seed
):
    """Train `weights` in place.

    `ones` and `valued_rows` hold offsets of rows of the first layer's weights; point i has its ones at
    `ones[starts[i] : starts[i + 1]]` and its other values in `valued[i]`.
    """
    count = targets.shape[0]
    depth = widths.shape[0] - 1
    zero = np.float32(0)

    matrices = np.empty(depth + 1, np.int64)  # where each layer's weights begin; the last is the output's
    units = np.empty(depth + 1, np.int64)  # where each hidden layer's activations and deltas begin
    matrices[0] = 0
    units[0] = 0
    for layer in range(depth):
        matrices[layer + 1] = matrices[layer] + (widths[layer] + 1) * widths[layer + 1]
        units[layer + 1] = units[layer] + widths[layer + 1]
    output = matrices[depth]
    last = units[depth - 1]
    final = weights.shape[0] - 1  # the output's bias
    width = widths[1]
    first_bias = widths[0] * width

    active = np.zeros(units[depth], np.float32)
    deltas = np.zeros(units[depth], np.float32)
    gradient = np.zeros(weights.shape[0], np.float32)
    first = np.zeros(weights.shape[0], np.float32)
    second = np.zeros(weights.shape[0], np.float32)

    state = np.empty(1, np.uint64)
    state[0] = seed
    order = np.arange(count)
    position = count
    batch = min(batch, count)
    first_power = 1.0
    second_power = 1.0

    for _ in range(steps):
        if position >= count or (not partial and position + batch > count):
            if batch < count:
                for i in range(count - 1, 0, -1):
                    j = np.int64(((_random(state) >> np.uint64(32)) * np.uint64(i + 1)) >> np.uint64(32))
                    order[i], order[j] = order[j], order[i]
            position = 0
        size = min(batch, count - position)
        slope = np.float32(2.0 / size)
        bias_gradient = zero

        for k in range(position, position + size):
            i = order[k]
            begin = starts[i]
            end = starts[i + 1]

            for u in range(0, width, LANES):
                z = load(weights, first_bias + u)
                for q in range(begin, end):
                    z += load(weights, ones[q] + u)
                for c in range(valued.shape[1]):
                    z += fill(valued[i, c]) * load(weights, valued_rows[c] + u)
                store(active, u, where_positive(z, z))
            for layer in range(1, depth):
                inputs = widths[layer]
                outputs = widths[layer + 1]
                for u in range(0, outputs, LANES):
                    z = load(weights, matrices[layer] + inputs * outputs + u)
                    for j in range(inputs):
                        z += fill(active[units[layer - 1] + j]) * load(
                            weights, matrices[layer] + j * outputs + u
                        )
                    store(active, units[layer] + u, where_positive(z, z))
            products = fill(zero)
            for u in range(0, widths[depth], LANES):
                products += load(active, last + u) * load(weights, output + u)
            error = slope * (total(products) + weights[final] - targets[i])

            bias_gradient += error
            errors = fill(error)
            for u in range(0, widths[depth], LANES):
                on = load(active, last + u)
                store(gradient, output + u, load(gradient, output + u) + errors * on)
                store(deltas, last + u, where_positive(on, errors * load(weights, output + u)))
            for layer in range(depth - 1, 0, -1):
                inputs = widths[layer]
                outputs = widths[layer + 1]
                for j in range(inputs):
                    a = active[units[layer - 1] + j]
                    row = matrices[layer] + j * outputs
                    products = fill(zero)
                    if a > zero:
                        for u in range(0, outputs, LANES):
                            delta = load(deltas, units[layer] + u)
                            products += delta * load(weights, row + u)
                            store(gradient, row + u, load(gradient, row + u) + fill(a) * delta)
                    deltas[units[layer - 1] + j] = total(products)
                row = matrices[layer] + inputs * outputs
                for u in range(0, outputs, LANES):
                    store(gradient, row + u, load(gradient, row + u) + load(deltas, units[layer] + u))
            for u in range(0, width, LANES):
                delta = load(deltas, u)
                store(gradient, first_bias + u, load(gradient, first_bias + u) + delta)
                for q in range(begin, end):
                    store(gradient, ones[q] + u, load(gradient, ones[q] + u) + delta)
                for c in range(valued.shape[1]):
                    row = valued_rows[c] + u
                    store(gradient, row, load(gradient, row) + fill(valued[i, c]) * delta)

        position += size
        gradient[final] = bias_gradient
        first_power *= FIRST_DECAY
        second_power *= SECOND_DECAY
        rate_now = np.float32(rate * math.sqrt(1 - second_power) / (1 - first_power))
        shrink = np.float32(decay)
        for k in range(weights.shape[0]):
            g = gradient[k] + shrink * weights[k]
            m = np.float32(FIRST_DECAY) * first[k] + np.float32(1 - FIRST_DECAY) * g
            v = np.float32(SECOND_DECAY) * second[k] + np.float32(1 - SECOND_DECAY) * g * g
            first[k] = m
            second[k] = v
            weights[k] -= rate_now * m / (math.sqrt(v) + np.float32(EPSILON))
            gradient[k] = zero
