"""What does one training run compute, step by step?

The compiled part of `adam`. Points of a batch have their activations, and later the derivatives of the loss
by pre-activation (deltas), in one block of rows per hidden layer; `blocks` says where each begins in the
array, and `matrices` where each layer's weights begin in theirs. A layer's bias follows its matrix.

The functions below are called once a step, not once a point: LLVM does not inline the larger ones.

Importing this module compiles it (a few seconds), or loads it from numba's cache.
"""

import math
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from numba import njit

from milbox.arrays import IntArray
from milbox.kernels import OPTIONS, kernel
from milbox.surrogates.vectors import LANES, Lanes, fill, load, store, total, where_positive

# The usual decay rates, and TensorFlow's epsilon: outside the root, before bias correction.
FIRST_DECAY = 0.9
SECOND_DECAY = 0.999
EPSILON = 1e-7

Floats: TypeAlias = npt.NDArray[np.float32]
Offsets: TypeAlias = npt.NDArray[np.int32]


@kernel
def _add(array: Floats, offset: int, lanes: Lanes) -> None:
    store(array, offset, load(array, offset) + lanes)


@kernel
def _product(signals: Floats, begin: int, count: int, matrix: Floats, offset: int, stride: int) -> Lanes:
    """Sixteen units of signals @ matrix."""
    z = fill(np.float32(0))
    for j in range(count):
        z += fill(signals[begin + j]) * load(matrix, offset + j * stride)
    return z


@kernel
def _shuffle(order: IntArray, seed: np.uint64) -> np.uint64:
    """Permute in place (Fisher-Yates, with splitmix64 of Steele et al. 2014); returns the next seed."""
    for i in range(len(order) - 1, 0, -1):
        seed += np.uint64(0x9E3779B97F4A7C15)
        bits = (seed ^ (seed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        bits = (bits ^ (bits >> np.uint64(31))) >> np.uint64(32)
        j = np.int64((bits * np.uint64(i + 1)) >> np.uint64(32))
        order[i], order[j] = order[j], order[i]
    return seed


@kernel
def _enter(
    points: IntArray,
    starts: IntArray,
    ones: Offsets,
    valued: Floats,
    valued_rows: Offsets,
    shift: Floats,
    widths: IntArray,
    weights: Floats,
    active: Floats,
) -> None:
    """Activations of the first hidden layer."""
    width = widths[1]
    for u in range(0, width, LANES):
        start = load(weights, widths[0] * width + u) + _product(shift, 0, len(shift), weights, u, width)
        for k in range(len(points)):
            i = points[k]
            z = start
            q = starts[i]
            end = starts[i + 1]
            # Four rows at a time: in a chain of single additions each would wait for the one before.
            while q + 4 <= end:
                z += (load(weights, ones[q] + u) + load(weights, ones[q + 1] + u)) + (
                    load(weights, ones[q + 2] + u) + load(weights, ones[q + 3] + u)
                )
                q += 4
            while q < end:
                z += load(weights, ones[q] + u)
                q += 1
            for c in range(valued.shape[1]):
                z += fill(valued[i, c]) * load(weights, valued_rows[c] + u)
            store(active, k * width + u, where_positive(z, z))


@kernel
def _rise(
    layer: int,
    size: int,
    widths: IntArray,
    matrices: IntArray,
    blocks: IntArray,
    weights: Floats,
    active: Floats,
) -> None:
    """Activations of a later hidden layer."""
    inputs = widths[layer]
    outputs = widths[layer + 1]
    for k in range(size):
        below = blocks[layer - 1] + k * inputs
        above = blocks[layer] + k * outputs
        for u in range(0, outputs, LANES):
            z = load(weights, matrices[layer] + inputs * outputs + u)
            z += _product(active, below, inputs, weights, matrices[layer] + u, outputs)
            store(active, above + u, where_positive(z, z))


@kernel
def _compare(
    points: IntArray,
    targets: Floats,
    widths: IntArray,
    matrices: IntArray,
    blocks: IntArray,
    weights: Floats,
    active: Floats,
    deltas: Floats,
    gradient: Floats,
) -> None:
    """The output's errors and gradient, and the deltas of the last hidden layer."""
    depth = len(widths) - 1
    width = widths[depth]
    output = matrices[depth]
    scale = np.float32(2.0 / len(points))  # the derivative of a mean of squares
    level = weights[len(weights) - 1]
    slope = np.float32(0)
    for k in range(len(points)):
        unit = blocks[depth - 1] + k * width
        products = fill(np.float32(0))
        for u in range(0, width, LANES):
            products += load(active, unit + u) * load(weights, output + u)
        error = scale * (total(products) + level - targets[points[k]])
        slope += error
        for u in range(0, width, LANES):
            on = load(active, unit + u)
            _add(gradient, output + u, fill(error) * on)
            store(deltas, unit + u, where_positive(on, fill(error) * load(weights, output + u)))
    gradient[len(gradient) - 1] = slope


@kernel
def _sink(
    layer: int,
    size: int,
    widths: IntArray,
    matrices: IntArray,
    blocks: IntArray,
    weights: Floats,
    transposed: Floats,
    active: Floats,
    deltas: Floats,
    gradient: Floats,
) -> None:
    """The gradient of a later hidden layer, and the deltas of the layer below it."""
    inputs = widths[layer]
    outputs = widths[layer + 1]
    matrix = matrices[layer]
    for j in range(inputs):
        for u in range(outputs):
            transposed[u * inputs + j] = weights[matrix + j * outputs + u]
    for k in range(size):
        below = blocks[layer - 1] + k * inputs
        above = blocks[layer] + k * outputs
        for u in range(0, outputs, LANES):
            delta = load(deltas, above + u)
            _add(gradient, matrix + inputs * outputs + u, delta)
            for j in range(inputs):
                _add(gradient, matrix + j * outputs + u, fill(active[below + j]) * delta)
        for u in range(0, inputs, LANES):
            slopes = _product(deltas, above, outputs, transposed, u, inputs)
            store(deltas, below + u, where_positive(load(active, below + u), slopes))


@kernel
def _leave(
    points: IntArray,
    starts: IntArray,
    ones: Offsets,
    valued: Floats,
    valued_rows: Offsets,
    shift: Floats,
    widths: IntArray,
    deltas: Floats,
    gradient: Floats,
) -> None:
    """The gradient of the first hidden layer."""
    width = widths[1]
    for u in range(0, width, LANES):
        sum_of_deltas = fill(np.float32(0))
        for k in range(len(points)):
            i = points[k]
            delta = load(deltas, k * width + u)
            sum_of_deltas += delta
            for q in range(starts[i], starts[i + 1]):
                _add(gradient, ones[q] + u, delta)
            for c in range(valued.shape[1]):
                _add(gradient, valued_rows[c] + u, fill(valued[i, c]) * delta)
        _add(gradient, widths[0] * width + u, sum_of_deltas)
        for c in range(len(shift)):
            _add(gradient, c * width + u, fill(shift[c]) * sum_of_deltas)


@kernel
def _move(
    weights: Floats, gradient: Floats, first: Floats, second: Floats, rate: np.float32, decay: np.float32
) -> None:
    """One step of Adam, with its two running moments; clears the gradient."""
    for k in range(len(weights)):
        g = gradient[k] + decay * weights[k]
        m = np.float32(FIRST_DECAY) * first[k] + np.float32(1 - FIRST_DECAY) * g
        v = np.float32(SECOND_DECAY) * second[k] + np.float32(1 - SECOND_DECAY) * g * g
        first[k] = m
        second[k] = v
        weights[k] -= rate * m / (math.sqrt(v) + np.float32(EPSILON))
        gradient[k] = np.float32(0)


@njit(
    "void(int64[::1], int32[::1], float32[:, ::1], int32[::1], float32[::1], float32[::1], int64[::1],"
    " int64[::1], int64[::1], int64[::1], float32[::1], UniTuple(float32[::1], 2), UniTuple(float32[::1], 4),"
    " int64, int64, float64, float64, boolean, uint64)",
    cache=True,
    **OPTIONS,
)
def descend(
    starts: IntArray,
    ones: Offsets,
    valued: Floats,
    valued_rows: Offsets,
    shift: Floats,
    targets: Floats,
    order: IntArray,
    widths: IntArray,
    matrices: IntArray,
    blocks: IntArray,
    weights: Floats,
    signals: tuple[Floats, Floats],
    scratch: tuple[Floats, Floats, Floats, Floats],
    steps: int,
    batch: int,
    rate: float,
    decay: float,
    partial: bool,
    seed: np.uint64,
) -> None:
    """Train `weights` in place; see `adam.train`.

    `ones` and `valued_rows` hold the offsets of rows of the first layer's weights: point i has its ones at
    `ones[starts[i] : starts[i + 1]]` and its other values in `valued[i]`. `shift` is added to every point's
    features, and is empty when there is nothing to add. `order` holds 0 to n - 1. The arrays of zeros in
    `signals` and `scratch`, with space for a batch's activations and for every weight, are made outside:
    compiling how to make them would take numba a second.
    """
    count = len(targets)
    depth = len(widths) - 1
    active, deltas = signals
    gradient, first, second, transposed = scratch
    first_power = 1.0
    second_power = 1.0
    position = count

    for _ in range(steps):
        if position >= count or (not partial and position + batch > count):
            if batch < count:
                seed = _shuffle(order, seed)
            position = 0
        points = order[position : position + batch]
        position += len(points)

        _enter(points, starts, ones, valued, valued_rows, shift, widths, weights, active)
        for layer in range(1, depth):
            _rise(layer, len(points), widths, matrices, blocks, weights, active)
        _compare(points, targets, widths, matrices, blocks, weights, active, deltas, gradient)
        for layer in range(depth - 1, 0, -1):
            _sink(layer, len(points), widths, matrices, blocks, weights, transposed, active, deltas, gradient)
        _leave(points, starts, ones, valued, valued_rows, shift, widths, deltas, gradient)

        first_power *= FIRST_DECAY
        second_power *= SECOND_DECAY
        corrected = rate * math.sqrt(1.0 - second_power) / (1.0 - first_power)
        _move(weights, gradient, first, second, np.float32(corrected), np.float32(decay))
