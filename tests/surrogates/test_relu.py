"""ReLU networks: what they compute, how they are refused, and that fitting survives any data."""

import math
import subprocess
import sys

import numpy as np
import pytest
from numpy.random import Generator

from milbox.arrays import FloatArray
from milbox.surrogates import PAPER, Layer, ReluLearner, ReluNet

QUICK = ReluLearner(steps=200)


def points(seed: int, count: int, positions: int = 6, letters: int = 3) -> FloatArray:
    rng = np.random.default_rng(seed)
    return np.eye(letters)[rng.integers(letters, size=(count, positions))].reshape(count, -1)


def rng() -> Generator:
    return np.random.default_rng(7)


def test_a_network_by_hand() -> None:
    net = ReluNet(
        (
            Layer(np.array([[1.0, -1.0], [2.0, 0.0]]), np.array([0.0, 0.5])),
            Layer(np.array([[3.0], [10.0]]), np.array([-1.0])),
        )
    )
    # Units: relu(x0 + 2 x1) and relu(0.5 - x0).
    np.testing.assert_allclose(net.predict(np.array([[0.0, 0.0], [1.0, 0.0], [-1.0, 1.0]])), [4.0, 2.0, 17.0])
    assert len(net.hidden) == 1
    assert net.output is net.layers[1]


def test_a_network_without_hidden_layers_is_linear() -> None:
    net = ReluNet.of([(np.array([[2.0], [-1.0]]), np.array([0.5]))])
    np.testing.assert_allclose(net.predict(np.array([[1.0, 3.0]])), [-0.5])


@pytest.mark.parametrize(
    ("shapes", "words"),
    [
        ([], "no layers"),
        ([((3, 2), (3,))], r"layer 0 has weights of shape \(3, 2\)"),
        ([((3, 4), (4,)), ((5, 1), (1,))], "layer 1 takes 5 inputs, but the layer before it has 4 units"),
        ([((3, 2), (2,))], "one unit, and has 2"),
    ],
)
def test_layers_that_do_not_fit_are_refused(
    shapes: list[tuple[tuple[int, ...], tuple[int, ...]]], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        ReluNet.of([(np.zeros(w), np.zeros(b)) for w, b in shapes])


def test_fitting_learns() -> None:
    X = points(1, 200)
    y = (X @ np.random.default_rng(2).normal(size=X.shape[1])) ** 2
    errors = ReluLearner().fit(X, y, rng()).predict(X) - y
    assert errors.std() < 0.1 * y.std()


@pytest.mark.parametrize("hidden", [(1,), (16,), (17,), (8, 8), (5, 6, 7, 8)])
def test_layers_have_the_shapes_asked_for(hidden: tuple[int, ...]) -> None:
    net = ReluLearner(hidden=hidden, steps=20).fit(points(1, 30), np.linspace(0.0, 1.0, 30), rng())
    assert [layer.weights.shape for layer in net.layers] == list(
        zip((18, *hidden), (*hidden, 1), strict=True)
    )


def test_the_generator_decides_everything() -> None:
    X, y = points(3, 100), np.random.default_rng(4).normal(size=100)
    one, same = (QUICK.fit(X, y, np.random.default_rng(5)).predict(X) for _ in range(2))
    other = QUICK.fit(X, y, np.random.default_rng(6)).predict(X)
    np.testing.assert_array_equal(one, same)
    assert np.abs(one - other).max() > 1e-3


@pytest.mark.parametrize("positions", [6, 60])  # 60 ones per point: the inputs are centred
def test_scaling_the_values_by_a_power_of_two_scales_the_network(positions: int) -> None:
    """A power of two changes no rounding, so the same network comes back, bit for bit."""
    X, y = points(3, 100, positions), np.random.default_rng(4).normal(size=100)
    base = QUICK.fit(X, y, rng()).predict(X)
    np.testing.assert_array_equal(QUICK.fit(X, 2.0**20 * y, rng()).predict(X), 2.0**20 * base)


@pytest.mark.parametrize(("factor", "shift"), [(3.0, 0.0), (1e12, 1e12), (1e-12, 0.0), (0.7, -5.0)])
def test_raw_units(factor: float, shift: float) -> None:
    """Fitting to factor * y + shift predicts factor * prediction + shift.

    Twenty steps: each makes more of the difference in how the two sets of values are rounded.
    """
    X, y = points(3, 100), np.random.default_rng(4).normal(size=100)
    learner = ReluLearner(steps=20)
    base = learner.fit(X, y, rng()).predict(X)
    moved = learner.fit(X, factor * y + shift, rng()).predict(X)
    np.testing.assert_allclose((moved - shift) / factor, base, atol=1e-4)


def test_integer_features_are_scaled_and_scaled_back() -> None:
    """A column in other units gives the same predictions at the same points."""
    generator = np.random.default_rng(8)
    X = np.column_stack([generator.integers(1, 9, size=80), generator.integers(0, 2, size=(80, 4))]).astype(
        float
    )
    y = np.sqrt(X[:, 0]) + X[:, 1]
    other = X.copy()
    other[:, 0] = 1024.0 * X[:, 0]
    net, scaled = QUICK.fit(X, y, rng()), QUICK.fit(other, y, rng())
    np.testing.assert_allclose(scaled.predict(other), net.predict(X), atol=1e-9)
    assert np.abs(net.predict(X) - y).max() < 0.5


@pytest.mark.parametrize("scale", [1e-300, 1e-12, 1.0, 1e12, 1e300])
@pytest.mark.parametrize("count", [1, 2, 63, 65])
def test_any_amount_of_data_at_any_scale(count: int, scale: float) -> None:
    X = points(9, count)
    y = scale * np.random.default_rng(10).normal(size=count)
    predictions = ReluLearner(steps=400).fit(X, y, rng()).predict(X)
    assert np.isfinite(predictions).all()
    assert np.abs(predictions - y).max() < 1.5 * scale


@pytest.mark.parametrize("value", [0.0, 5.0, -1e12, 1e-12, 1e300])
def test_equal_values(value: float) -> None:
    X = points(9, 40)
    predictions = ReluLearner().fit(X, np.full(40, value), rng()).predict(X)
    np.testing.assert_allclose(predictions, value, atol=0.05 * (abs(value) or 1.0))


def test_differences_at_the_edge_of_rounding() -> None:
    X = points(9, 40)
    y = np.random.default_rng(1).choice([1e12, 1e12 + 2.0**-13], size=40)
    assert np.isfinite(QUICK.fit(X, y, rng()).predict(X)).all()


@pytest.mark.parametrize("constant", [0.0, 1.0, 7.0])
def test_constant_features(constant: float) -> None:
    X = np.full((20, 5), constant)
    y = np.random.default_rng(1).normal(size=20)
    np.testing.assert_allclose(ReluLearner().fit(X, y, rng()).predict(X), y.mean(), atol=0.2)


def test_a_network_of_many_binaries_lives() -> None:
    """Without centring, Adam's first steps throw every unit out of reach of all points."""
    generator = np.random.default_rng(11)
    X = generator.integers(0, 2, size=(200, 400)).astype(float)
    y = X @ generator.normal(size=400)
    assert np.corrcoef(ReluLearner().fit(X, y, rng()).predict(X), y)[0, 1] > 0.95
    dead = ReluLearner(centre_above=math.inf).fit(X, y, rng()).predict(X)
    assert dead.std() < 0.8 * y.std()


@pytest.mark.parametrize(
    ("features", "values", "words"),
    [
        (np.zeros((0, 3)), np.zeros(0), "at least one value"),
        (np.zeros((2, 3)), np.zeros(3), r"\(2, 3\) and values of shape \(3,\)"),
        (np.zeros(3), np.zeros(3), r"should be \(n, d\) and \(n,\)"),
        (np.zeros((2, 3)), np.array([0.0, np.nan]), "finite"),
        (np.full((2, 3), np.inf), np.zeros(2), "finite"),
    ],
)
def test_data_that_cannot_be_fitted(features: FloatArray, values: FloatArray, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        ReluLearner().fit(features, values, rng())


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"hidden": ()}, "at least one layer"),
        ({"hidden": (4, 0)}, "at least one unit"),
        ({"batch": 0}, "batch"),
    ],
)
def test_settings_that_cannot_be_meant(settings: dict[str, tuple[int, ...]], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        ReluLearner(**settings)  # type: ignore[arg-type]


def test_the_presets_are_what_is_published() -> None:
    assert (
        repr(ReluLearner()) == "ReluLearner(hidden=(16,), rate=0.01, batch=64, steps=1000, epochs=None, "
        "decay=0.1, centre_above=32.0, floor=0.0)"
    )
    assert (PAPER.hidden, PAPER.rate, PAPER.batch, PAPER.epochs, PAPER.decay) == (
        (16,),
        0.01,
        64,
        25_000,
        0.0,
    )
    assert PAPER.centre_above is None, "inputs as they are"


def test_inputs_as_they_are_are_not_centred_nor_standardised() -> None:
    features = np.concatenate([np.ones((30, 40)), np.arange(30.0)[:, None]], axis=1)
    values: FloatArray = np.arange(30, dtype=np.float64)
    untrained = ReluLearner(steps=0, centre_above=None).fit(features, values, np.random.default_rng(0))
    from milbox.surrogates.relu import glorot

    (weights, bias), *_ = glorot((41, 16, 1), np.random.default_rng(0))
    assert np.array_equal(untrained.layers[0].weights, weights.astype(np.float32))
    assert np.array_equal(untrained.layers[0].bias, bias)


def test_an_epoch_is_a_pass_over_all_points() -> None:
    """Seventy points are two batches an epoch, the second of six; so 3 epochs are 6 partial steps."""
    from milbox.surrogates.relu import glorot
    from milbox.surrogates.relu.adam import train

    X, y = points(12, 70), np.random.default_rng(13).normal(size=70)
    net = ReluLearner(epochs=3, decay=0.0).fit(X, y, rng())
    generator = rng()
    start = glorot((18, 16, 1), generator)
    seed = int(generator.integers(2**63))
    standard = (y - y.mean()) / y.std()
    expected = ReluNet.of(train(start, X, standard, steps=6, partial=True, seed=seed)).predict(X)
    np.testing.assert_allclose((net.predict(X) - y.mean()) / y.std(), expected, atol=1e-4)


def test_importing_surrogates_does_not_import_numba() -> None:
    code = "import sys, milbox.surrogates; print('numba' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False"
