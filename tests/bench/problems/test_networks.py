import math

import numpy as np
import pytest

from milbox.bench.problems import load, names, networks


def relu(value: float) -> float:
    return max(0.0, value)


def plain_dense(network: networks.DenseNetwork, letters: list[int]) -> float:
    first = [relu(sum(network.first[p, a, u] for p, a in enumerate(letters))) for u in range(128)]
    second = [relu(sum(first[i] * network.second[i, u] for i in range(128))) for u in range(128)]
    return float(sum(second[u] * network.output[u] for u in range(128)))


def plain_convolution(signal: list[list[float]], kernel: np.ndarray) -> list[list[float]]:
    width, channels, filters = kernel.shape
    return [
        [
            relu(sum(signal[p + k][c] * kernel[k, c, f] for k in range(width) for c in range(channels)))
            for f in range(filters)
        ]
        for p in range(len(signal) - width + 1)
    ]


def test_the_dense_network_is_the_sum_it_says() -> None:
    network = networks.dense_network(13)
    points = np.random.default_rng(0).integers(0, 5, (2, 25))
    expected = [plain_dense(network, point.tolist()) for point in points]
    np.testing.assert_allclose(network(points), expected, rtol=1e-10)


def test_the_convolutional_network_is_the_sum_it_says() -> None:
    network = networks.convolutional_network(77)
    points = np.random.default_rng(0).integers(0, 5, (1, 25))
    signal = [[float(letter == a) for a in range(5)] for letter in points[0]]
    signal = plain_convolution(plain_convolution(signal, network.first), network.second)
    assert len(signal) == 1  # 25 -> 13 -> 1 without padding
    expected = sum(value * weight for value, weight in zip(signal[0], network.output, strict=True))
    assert network(points)[0] == pytest.approx(expected, rel=1e-10)


def test_weights_fill_the_glorot_range() -> None:
    dense, convolutional = networks.dense_network(0), networks.convolutional_network(0)
    for weights, fans in (
        (dense.first, 25 * 5 + 128),
        (dense.second, 128 + 128),
        (convolutional.first, 13 * 5 + 13 * 64),
        (convolutional.second, 13 * 64 + 13 * 64),
    ):
        limit = math.sqrt(6 / fans)
        assert np.abs(weights).max() <= limit
        assert np.abs(weights).max() > 0.99 * limit
        assert abs(weights.mean()) < 0.05 * limit


def test_there_are_eight_different_functions() -> None:
    assert names("randommlp/*") == [f"randommlp/{a}-{s}" for a in ("cnn", "fcc") for s in (0, 13, 42, 77)]
    points = np.random.default_rng(0).integers(0, 5, (4, 25))
    values = [load(name).evaluate(points) for name in names("randommlp/*")]
    assert len({tuple(v) for v in values}) == 8


def test_a_seed_gives_the_same_function_for_ever() -> None:
    points = np.array([[0] * 25, [0, 1, 2, 3, 4] * 5])
    for name, expected in PINNED.items():
        np.testing.assert_allclose(load(name).evaluate(points), expected, rtol=1e-9)


def test_the_objective_takes_letters_by_name() -> None:
    problem = load("randommlp/fcc-0")
    letters = np.array([0, 1, 2, 3, 4] * 5)
    assert problem.objective(letter=letters) == pytest.approx(problem.evaluate(letters[None])[0])


# Computed once with NumPy's PCG64 streams, so that a changed draw is seen.
PINNED = {
    "randommlp/cnn-0": [-0.022138083520994466, -0.023540162249449076],
    "randommlp/cnn-13": [0.14969037650394584, -0.11014731530008079],
    "randommlp/cnn-42": [-0.14877896360032372, 0.02970028296213305],
    "randommlp/cnn-77": [-0.05699575086327067, -0.09612320319966415],
    "randommlp/fcc-0": [-0.049968697368091605, 0.19540930966161732],
    "randommlp/fcc-13": [0.1461291232179835, 0.1607790188645427],
    "randommlp/fcc-42": [0.11063867814476211, 0.6248636640201557],
    "randommlp/fcc-77": [0.2605556277019816, 0.20893990800314122],
}
