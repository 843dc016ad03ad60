"""The compiled training run.

The compiled part of `adam`. Points of a batch have their activations, and later the derivatives of the loss
by pre-activation (deltas), in one block of rows per hidden layer; `blocks` says where each begins in the
array, and `matrices` where each layer's weights begin in theirs. A layer's bias follows its matrix.

The functions below are called once a step, not once a point: LLVM does not inline the larger ones.
"""

import math
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from milbox.arrays import IntArray
from milbox.compiled.jit import ONE, entry, inlined, kernel
from milbox.compiled.random import STEP, bounded, mixed
from milbox.surrogates.relu.lanes import LANES, Lanes, fill, load, store, total, where_positive

# The usual decay rates, and TensorFlow's epsilon: outside the root, before bias correction.
FIRST_DECAY = 0.9
SECOND_DECAY = 0.999
EPSILON = 1e-7

TWO, THREE, FOUR = np.uint64(2), np.uint64(3), np.uint64(4)

Floats: TypeAlias = npt.NDArray[np.float32]
Offsets: TypeAlias = npt.NDArray[np.int32]


class Data(NamedTuple):
    """The points that are learned from, and their order."""

    starts: IntArray
    """(points + 1,): where each point's ones begin."""
    ones: Offsets
    """The rows of the first layer's weights that ones select, as offsets."""
    valued: Floats
    """(points, columns): the features that are not zeros and ones."""
    valued_rows: Offsets
    """The rows they are multiplied with, as offsets."""
    shift: Floats
    """Added to every point's features; empty when there is nothing to add."""
    targets: Floats
    order: IntArray
    """0 to points - 1, shuffled again and again."""


class Shape(NamedTuple):
    """Layer widths, and offsets into the flat arrays."""

    widths: IntArray
    """Of the inputs and of the hidden layers."""
    matrices: IntArray
    blocks: IntArray


class State(NamedTuple):
    """What changes: the weights, and zeros to work with, for a batch's signals and for every weight.

    They are made outside: compiling how to make them would take numba a second.
    """

    weights: Floats
    active: Floats
    deltas: Floats
    gradient: Floats
    first: Floats
    second: Floats
    """The running moments of the gradient."""
    transposed: Floats


@inlined
def _add(array: Floats, offset: int, lanes: Lanes) -> None:
    store(array, offset, load(array, offset) + lanes)


@inlined
def _product(signals: Floats, matrix: Floats, offset: int, stride: int) -> Lanes:
    """Sixteen units of signals @ matrix."""
    z = fill(np.float32(0))
    for j in range(len(signals)):
        z += fill(signals[j]) * load(matrix, offset + j * stride)
    return z


@kernel
def _shuffle(order: IntArray, seed: np.uint64) -> np.uint64:
    """Permute in place (Fisher-Yates); returns the next seed."""
    for i in range(len(order) - 1, 0, -1):
        seed += STEP
        j = bounded(i + 1, mixed(seed))
        order[i], order[j] = order[j], order[i]
    return seed


@kernel
def _enter(points: IntArray, data: Data, shape: Shape, state: State) -> None:
    """Activations of the first hidden layer."""
    inputs, width = shape.widths[0], shape.widths[1]
    weights, active = state.weights, state.active
    starts, ones, valued, valued_rows, shift = (
        data.starts,
        data.ones,
        data.valued,
        data.valued_rows,
        data.shift,
    )
    for u in range(0, width, LANES):
        start = fill(np.float32(0))
        for c in range(len(shift)):
            start += fill(shift[c]) * load(weights, c * width + u)
        start += load(weights, inputs * width + u)
        for k in range(len(points)):
            i = np.uint64(points[k])
            z = start
            q = np.uint64(starts[i])
            end = np.uint64(starts[i + ONE])
            # Four rows at a time: in a chain of single additions each would wait for the one before.
            while q + FOUR <= end:
                z += (load(weights, ones[q] + u) + load(weights, ones[q + ONE] + u)) + (
                    load(weights, ones[q + TWO] + u) + load(weights, ones[q + THREE] + u)
                )
                q += FOUR
            while q < end:
                z += load(weights, ones[q] + u)
                q += ONE
            for c in range(len(valued_rows)):
                z += fill(valued[i, c]) * load(weights, valued_rows[c] + u)
            store(active, k * width + u, where_positive(z, z))


@kernel
def _rise(layer: int, size: int, shape: Shape, state: State) -> None:
    """Activations of a later hidden layer."""
    weights, active = state.weights, state.active
    inputs, outputs = shape.widths[layer], shape.widths[layer + 1]
    matrix = shape.matrices[layer]
    for k in range(size):
        below = shape.blocks[layer - 1] + k * inputs
        above = shape.blocks[layer] + k * outputs
        for u in range(0, outputs, LANES):
            z = load(weights, matrix + inputs * outputs + u)
            z += _product(active[below : below + inputs], weights, matrix + u, outputs)
            store(active, above + u, where_positive(z, z))


@kernel
def _compare(points: IntArray, targets: Floats, shape: Shape, state: State) -> None:
    """The output's errors and gradient, and the deltas of the last hidden layer."""
    weights, active, deltas, gradient = state.weights, state.active, state.deltas, state.gradient
    depth = len(shape.widths) - 1
    width = shape.widths[depth]
    output = shape.matrices[depth]
    scale = np.float32(2.0 / len(points))  # the derivative of a mean of squares
    level = weights[len(weights) - 1]
    slope = np.float32(0)
    for k in range(len(points)):
        unit = shape.blocks[depth - 1] + k * width
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
def _sink(layer: int, size: int, shape: Shape, state: State) -> None:
    """The gradient of a later hidden layer, and the deltas of the layer below it."""
    weights, active, transposed = state.weights, state.active, state.transposed
    deltas, gradient = state.deltas, state.gradient
    inputs, outputs = shape.widths[layer], shape.widths[layer + 1]
    matrix = shape.matrices[layer]
    for j in range(inputs):
        row = weights[matrix + j * outputs : matrix + (j + 1) * outputs]
        for u in range(outputs):
            transposed[u * inputs + j] = row[u]
    for k in range(size):
        below = shape.blocks[layer - 1] + k * inputs
        above = shape.blocks[layer] + k * outputs
        for u in range(0, outputs, LANES):
            delta = load(deltas, above + u)
            _add(gradient, matrix + inputs * outputs + u, delta)
            signals = active[below : below + inputs]
            for j in range(inputs):
                _add(gradient, matrix + j * outputs + u, fill(signals[j]) * delta)
        for u in range(0, inputs, LANES):
            slopes = _product(deltas[above : above + outputs], transposed, u, inputs)
            store(deltas, below + u, where_positive(load(active, below + u), slopes))


@kernel
def _leave(points: IntArray, data: Data, shape: Shape, state: State) -> None:
    """The gradient of the first hidden layer."""
    inputs, width = shape.widths[0], shape.widths[1]
    gradient, deltas = state.gradient, state.deltas
    starts, ones, valued, valued_rows, shift = (
        data.starts,
        data.ones,
        data.valued,
        data.valued_rows,
        data.shift,
    )
    for u in range(0, width, LANES):
        sum_of_deltas = fill(np.float32(0))
        for k in range(len(points)):
            i = np.uint64(points[k])
            delta = load(deltas, k * width + u)
            sum_of_deltas += delta
            for q in range(np.uint64(starts[i]), np.uint64(starts[i + ONE])):
                _add(gradient, ones[q] + u, delta)
            for c in range(len(valued_rows)):
                _add(gradient, valued_rows[c] + u, fill(valued[i, c]) * delta)
        _add(gradient, inputs * width + u, sum_of_deltas)
        for c in range(len(shift)):
            _add(gradient, c * width + u, fill(shift[c]) * sum_of_deltas)


@kernel
def _move(state: State, rate: np.float32, decay: np.float32) -> None:
    """One step of Adam, with its two running moments; clears the gradient."""
    weights, gradient, first, second = state.weights, state.gradient, state.first, state.second
    for k in range(len(weights)):
        g = gradient[k] + decay * weights[k]
        m = np.float32(FIRST_DECAY) * first[k] + np.float32(1 - FIRST_DECAY) * g
        v = np.float32(SECOND_DECAY) * second[k] + np.float32(1 - SECOND_DECAY) * g * g
        first[k] = m
        second[k] = v
        weights[k] -= rate * m / (math.sqrt(v) + np.float32(EPSILON))
        gradient[k] = np.float32(0)


@entry
def descend(
    data: Data,
    shape: Shape,
    state: State,
    steps: int,
    batch: int,
    rate: float,
    decay: float,
    partial: bool,
    seed: np.uint64,
) -> None:
    """Train the weights in place; see `adam.train`."""
    count = len(data.targets)
    depth = len(shape.widths) - 1
    first_power = 1.0
    second_power = 1.0
    position = count

    for _ in range(steps):
        if position >= count or (not partial and position + batch > count):
            if batch < count:
                seed = _shuffle(data.order, seed)
            position = 0
        points = data.order[position : position + batch]
        position += len(points)

        _enter(points, data, shape, state)
        for layer in range(1, depth):
            _rise(layer, len(points), shape, state)
        _compare(points, data.targets, shape, state)
        for layer in range(depth - 1, 0, -1):
            _sink(layer, len(points), shape, state)
        _leave(points, data, shape, state)

        first_power *= FIRST_DECAY
        second_power *= SECOND_DECAY
        corrected = rate * math.sqrt(1.0 - second_power) / (1.0 - first_power)
        _move(state, np.float32(corrected), np.float32(decay))
