"""Linear surrogates against NumPy's least squares."""

import numpy as np
import pytest

from milbox.arrays import FloatArray
from milbox.surrogates.drawn import LinearDraw
from milbox.surrogates.linear import Linear, LinearLearner

PLAIN = LinearLearner(bootstrap=False)


def one_hot(seed: int, count: int, positions: int = 5, letters: int = 4) -> FloatArray:
    rng = np.random.default_rng(seed)
    return np.eye(letters)[rng.integers(letters, size=(count, positions))].reshape(count, -1)


def affine(X: FloatArray) -> FloatArray:
    return np.column_stack([X, np.ones(len(X))])


@pytest.mark.parametrize("count", [3, 12, 300])  # fewer points than features, and more
def test_predictions_are_those_of_least_squares(count: int) -> None:
    """One-hot groups are collinear, so weights are not unique, but predictions at the points are."""
    X = one_hot(1, count)
    y = np.random.default_rng(2).normal(size=count)
    exact = affine(X) @ np.linalg.lstsq(affine(X), y)[0]
    np.testing.assert_allclose(PLAIN.fit(X, y, np.random.default_rng(0)).predict(X), exact, atol=1e-3)


def test_a_linear_function_is_found() -> None:
    X = one_hot(3, 200)
    y = X @ np.random.default_rng(4).normal(size=20) + 3.0
    other = one_hot(5, 50)
    exact = other @ np.random.default_rng(4).normal(size=20) + 3.0
    for bootstrap in (True, False):
        model = LinearLearner(bootstrap=bootstrap).fit(X, y, np.random.default_rng(6))
        np.testing.assert_allclose(model.predict(other), exact, atol=1e-3)


def test_integer_features_in_any_units() -> None:
    rng = np.random.default_rng(7)
    X = np.column_stack(
        [1e6 * rng.integers(1, 9, size=60), 1e-6 * rng.integers(1, 9, size=60), one_hot(8, 60)]
    )
    y = 1e-6 * X[:, 0] + 1e6 * X[:, 1]
    np.testing.assert_allclose(PLAIN.fit(X, y, rng).predict(X), y, rtol=1e-4)


def test_the_bootstrap_fits_a_resample() -> None:
    """Drawn counts as weights are the resample itself."""
    X = one_hot(9, 200, 2, 3)
    y = np.random.default_rng(10).normal(size=200)
    model = LinearLearner().fit(X, y, np.random.default_rng(11))
    counts = np.random.default_rng(11).multinomial(200, np.full(200, 1 / 200))
    resample = np.repeat(np.arange(200), counts)
    exact = affine(X) @ np.linalg.lstsq(affine(X[resample]), y[resample])[0]
    np.testing.assert_allclose(model.predict(X), exact, atol=1e-3)


def test_the_generator_decides_everything() -> None:
    X, y = one_hot(9, 60), np.random.default_rng(10).normal(size=60)
    fits = [LinearLearner().fit(X, y, np.random.default_rng(seed)).predict(X) for seed in (1, 1, 2)]
    np.testing.assert_array_equal(fits[0], fits[1])
    assert np.abs(fits[0] - fits[2]).max() > 1e-3


@pytest.mark.parametrize("bootstrap", [True, False])
@pytest.mark.parametrize(("factor", "shift"), [(1e12, -1e12), (1e-12, 0.0), (3.0, 4.0), (-2.0, 1.0)])
def test_raw_units(bootstrap: bool, factor: float, shift: float) -> None:
    X, y = one_hot(9, 60), np.random.default_rng(10).normal(size=60)
    learner = LinearLearner(bootstrap=bootstrap)
    base = learner.fit(X, y, np.random.default_rng(1)).predict(X)
    moved = learner.fit(X, factor * y + shift, np.random.default_rng(1)).predict(X)
    np.testing.assert_allclose((moved - shift) / factor, base, atol=1e-3)


@pytest.mark.parametrize("value", [0.0, 5.0, 1e300])
@pytest.mark.parametrize("count", [1, 4])
def test_equal_values_and_single_points(count: int, value: float) -> None:
    X = one_hot(12, count)
    model = LinearLearner().fit(X, np.full(count, value), np.random.default_rng(1))
    np.testing.assert_allclose(model.predict(X), value)
    assert isinstance(model, Linear)


def test_a_ridge_that_cannot_be_meant() -> None:
    with pytest.raises(ValueError, match="ridge should be positive, and is 0"):
        LinearLearner(ridge=0.0)


def test_weights_that_are_no_vector() -> None:
    with pytest.raises(ValueError, match=r"shape \(2, 1\)"):
        Linear(np.zeros((2, 1)), 0.0)


def test_draws_have_the_posterior_s_mean_and_spread() -> None:
    rng = np.random.default_rng(0)
    X = (rng.random((30, 4)) < 0.5).astype(float)
    X[:, 3] = 0.0  # never seen: its weight is the prior's
    y = X @ np.array([2.0, -1.0, 0.0, 0.0]) + 0.5
    drawn = np.array([LinearDraw(1.0).fit(X, y, np.random.default_rng(seed)).weights for seed in range(300)])
    mean = LinearDraw(0.0).fit(X, y, np.random.default_rng(0)).weights
    assert mean == pytest.approx([2.0, -1.0, 0.0, 0.0], abs=0.1)
    assert drawn.mean(axis=0) == pytest.approx(mean, abs=0.3)
    assert drawn[:, 3].std() > 5 * drawn[:, 0].std()


def test_one_value_leaves_the_prior() -> None:
    X = np.array([[1.0, 0.0, 0.0]])
    drawn = [LinearDraw().fit(X, np.array([3.0]), np.random.default_rng(seed)) for seed in range(2)]
    assert np.abs(drawn[0].weights).min() > 0.0
    assert not np.array_equal(drawn[0].weights, drawn[1].weights)
