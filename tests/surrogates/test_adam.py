"""The compiled training against a plain float64 NumPy one, and what training must not depend on."""

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.random import Generator

from milbox.arrays import FloatArray
from milbox.surrogates.relu import ReluNet, glorot
from milbox.surrogates.relu.adam import train

Arrays = list[tuple[FloatArray, FloatArray]]


def reference(layers: Arrays, X: FloatArray, y: FloatArray, steps: int, rate: float, decay: float) -> Arrays:
    """Full-batch Adam as the textbook has it, in float64."""
    parameters = [array.copy() for pair in layers for array in pair]
    first = [np.zeros_like(p) for p in parameters]
    second = [np.zeros_like(p) for p in parameters]
    for t in range(1, steps + 1):
        signals = [X]
        for w, b in zip(parameters[:-2:2], parameters[1:-2:2], strict=True):
            signals.append(np.maximum(signals[-1] @ w + b, 0))
        delta = 2 / len(y) * (signals[-1] @ parameters[-2] + parameters[-1] - y[:, None])
        gradients: list[FloatArray] = []
        for index in range(len(parameters) - 2, -1, -2):
            below = signals[index // 2]
            gradients[:0] = [below.T @ delta, delta.sum(axis=0)]
            delta = (delta @ parameters[index].T) * (below > 0)
        corrected = rate * np.sqrt(1 - 0.999**t) / (1 - 0.9**t)
        for index, g in enumerate(gradients):
            g_decayed = g + decay * parameters[index]
            first[index] = 0.9 * first[index] + 0.1 * g_decayed
            second[index] = 0.999 * second[index] + 0.001 * g_decayed**2
            parameters[index] -= corrected * first[index] / (np.sqrt(second[index]) + 1e-7)
    return list(zip(parameters[::2], parameters[1::2], strict=True))


def one_hot(rng: Generator, count: int, positions: int, letters: int) -> FloatArray:
    return np.eye(letters)[rng.integers(letters, size=(count, positions))].reshape(count, -1)


def binary(rng: Generator, count: int, positions: int) -> FloatArray:
    return rng.integers(2, size=(count, positions)).astype(np.float64)


def mixed(rng: Generator, count: int) -> FloatArray:
    """Ones and zeros beside standardised integers."""
    integers = rng.integers(-4, 5, size=(count, 3)) / 2.5
    return np.hstack([integers[:, :1], one_hot(rng, count, 3, 4), integers[:, 1:], binary(rng, count, 2)])


def predictions(layers: Sequence[tuple[FloatArray, FloatArray]], X: FloatArray) -> FloatArray:
    return ReluNet.of(layers).predict(X)


@pytest.mark.parametrize("hidden", [(16,), (32,), (5,), (40,), (16, 16), (7, 20), (9, 16, 4)])
@pytest.mark.parametrize("kind", ["one-hot", "binary", "mixed"])
def test_fifty_full_batch_steps_agree_with_float64(hidden: tuple[int, ...], kind: str) -> None:
    rng = np.random.default_rng([len(hidden), sum(hidden)])
    match kind:
        case "one-hot":
            X = one_hot(rng, 120, 8, 4)
        case "binary":
            X = binary(rng, 120, 37)
        case _:
            X = mixed(rng, 120)
    y = np.sin(X @ rng.normal(size=X.shape[1]))
    start = glorot((X.shape[1], *hidden, 1), rng)
    ours = train(start, X, y, steps=50, batch=120, rate=0.01, decay=0.1 / 120)
    exact = reference(start, X, y, 50, 0.01, 0.1 / 120)
    assert np.abs(predictions(ours, X) - predictions(exact, X)).max() < 1e-4
    assert np.abs(predictions(start, X) - predictions(exact, X)).max() > 0.1  # fifty steps do move


@pytest.mark.parametrize("hidden", [(16,), (20, 5)])
def test_a_centre_is_subtracted_from_the_features(hidden: tuple[int, ...]) -> None:
    rng = np.random.default_rng(12)
    X = mixed(rng, 90)
    centre = rng.normal(size=X.shape[1:])
    y = np.sin(X @ rng.normal(size=X.shape[1]))
    start = glorot((X.shape[1], *hidden, 1), rng)
    ours = train(start, X, y, steps=50, batch=90, decay=1e-3, centre=centre)
    exact = reference(start, X - centre, y, 50, 0.01, 1e-3)
    assert np.abs(predictions(ours, X - centre) - predictions(exact, X - centre)).max() < 1e-4


@pytest.mark.parametrize("inputs", [32, 125, 400])
def test_agreement_at_the_sizes_of_the_paper(inputs: int) -> None:
    rng = np.random.default_rng(inputs)
    X = {
        32: lambda: one_hot(rng, 1000, 8, 4),
        125: lambda: one_hot(rng, 1000, 25, 5),
        400: lambda: binary(rng, 1000, 400),
    }[inputs]()
    y = rng.normal(size=1000)
    start = glorot((inputs, 16, 1), rng)
    ours = train(start, X, y, steps=50, batch=1000)
    exact = reference(start, X, y, 50, 0.01, 0.0)
    assert np.abs(predictions(ours, X) - predictions(exact, X)).max() < 1e-4


def test_training_is_a_function_of_its_arguments() -> None:
    rng = np.random.default_rng(3)
    X = one_hot(rng, 200, 6, 5)
    y = rng.normal(size=200)
    start = glorot((30, 16, 16, 1), rng)

    def weights(seed: int) -> bytes:
        return b"".join(a.tobytes() + b.tobytes() for a, b in train(start, X, y, steps=300, seed=seed))

    assert weights(1) == weights(1)
    assert weights(1) != weights(2)


def test_the_start_is_left_alone() -> None:
    rng = np.random.default_rng(4)
    start = glorot((6, 3, 1), rng)
    before = [(w.copy(), b.copy()) for w, b in start]
    after = train(start, binary(rng, 9, 6), rng.normal(size=9), steps=10)
    for (w, b), (w0, b0) in zip(start, before, strict=True):
        np.testing.assert_array_equal(w, w0)
        np.testing.assert_array_equal(b, b0)
    assert [(w.shape, b.shape) for w, b in after] == [(w.shape, b.shape) for w, b in start]


def test_no_steps_change_nothing_but_the_precision() -> None:
    rng = np.random.default_rng(5)
    start = glorot((7, 5, 3, 1), rng)
    for (w, b), (w0, b0) in zip(train(start, binary(rng, 4, 7), np.ones(4), steps=0), start, strict=True):
        np.testing.assert_array_equal(w, w0.astype(np.float32))
        np.testing.assert_array_equal(b, b0)


def test_partial_batches_visit_every_point_once_an_epoch() -> None:
    """With one unit per point and no decay, a unit moves only when its point is in the batch.

    Point i has the single feature i, so row i of the weights moves only once i has been visited.
    """
    X = np.eye(10)
    y = np.linspace(-20.0, -11.0, 10)
    start: Arrays = [(np.full((10, 1), 0.5), np.full(1, 0.1)), (np.ones((1, 1)), np.zeros(1))]

    def visited(steps: int, partial: bool) -> int:
        (weights, _), _ = train(start, X, y, steps=steps, batch=4, rate=1e-3, partial=partial, seed=8)
        return int((weights[:, 0] != np.float32(0.5)).sum())

    assert [visited(steps, partial=True) for steps in (1, 2, 3)] == [4, 8, 10]
    assert [visited(steps, partial=False) for steps in (1, 2)] == [4, 8]
    assert visited(3, partial=False) >= 8  # two points sat out the first shuffle; the second may call them


def test_shuffles_are_fair() -> None:
    """Over many seeds, each of five points is in the first batch of two 2/5 of the time."""
    X = np.eye(5)
    y = np.linspace(-20.0, -16.0, 5)
    start: Arrays = [(np.full((5, 1), 0.5), np.full(1, 0.1)), (np.ones((1, 1)), np.zeros(1))]
    chosen = np.zeros(5)
    for seed in range(2000):
        (weights, _), _ = train(start, X, y, steps=1, batch=2, rate=1e-3, seed=seed)
        chosen += weights[:, 0] != np.float32(0.5)
    # Five standard deviations of a binomial share.
    assert np.abs(chosen / 2000 - 0.4).max() < 5 * np.sqrt(0.4 * 0.6 / 2000)


def test_a_constant_feature_of_zeros_keeps_its_weights() -> None:
    rng = np.random.default_rng(6)
    X = binary(rng, 50, 8)
    X[:, 3] = 0.0
    start = glorot((8, 16, 1), rng)
    (weights, _), _ = train(start, X, rng.normal(size=50), steps=200)
    np.testing.assert_array_equal(weights[3], start[0][0][3].astype(np.float32))
