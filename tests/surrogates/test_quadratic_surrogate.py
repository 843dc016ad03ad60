"""Pairwise surrogates against the same posterior written out in the space of weights."""

from itertools import combinations

import numpy as np
import pytest

from milbox.arrays import FloatArray
from milbox.surrogates.equal_labels import equal_labels, relevances
from milbox.surrogates.quadratic import LEVEL_VARIANCE, Quadratic, QuadraticLearner

MEAN = QuadraticLearner(draw=0.0)


def binary(seed: int, count: int, positions: int) -> FloatArray:
    return np.random.default_rng(seed).integers(0, 2, size=(count, positions)).astype(np.float64)


def products(X: FloatArray) -> FloatArray:
    return np.column_stack([X[:, i] * X[:, j] for i, j in combinations(range(X.shape[1]), 2)])


def weight_space(X: FloatArray, y: FloatArray, learner: QuadraticLearner) -> tuple[FloatArray, FloatArray]:
    """Mean and covariance of the level and the weights of features and pairs, for standardised values."""
    assert learner.pairs is not None
    pairs = products(X)
    variance = np.concatenate(
        [
            [LEVEL_VARIANCE],
            np.full(X.shape[1], (1 - learner.pairs) / (X**2).sum(axis=1).mean()),
            np.full(pairs.shape[1], learner.pairs / (pairs**2).sum(axis=1).mean()),
        ]
    )
    phi = np.column_stack([np.ones(len(X)), X, pairs])
    precision = np.diag(1 / variance) + phi.T @ phi / learner.noise
    covariance: FloatArray = np.asarray(np.linalg.inv(precision), dtype=np.float64)
    return covariance @ phi.T @ y / learner.noise, covariance


def weights_of(model: Quadratic) -> FloatArray:
    d = len(model.linear)
    return np.concatenate(
        [[model.bias], model.linear, [model.pairs[i, j] for i, j in combinations(range(d), 2)]]
    )


def test_a_model_by_hand() -> None:
    model = Quadratic(np.array([1.0, 2.0, 0.0]), np.array([[0, 3.0, 0], [0, 0, -1.0], [0, 0, 0]]), 0.5)
    X = np.array([[1.0, 0, 0], [1, 1, 0], [0, 1, 1], [2, 3, 0]])
    np.testing.assert_allclose(model.predict(X), [1.5, 6.5, 1.5, 26.5])


@pytest.mark.parametrize("count", [5, 80])  # fewer points than weights, and more
def test_the_mean_is_that_of_the_weight_space(count: int) -> None:
    X = binary(1, count, 6)
    y = np.random.default_rng(2).normal(size=count)
    y = (y - y.mean()) / y.std()
    mean, _ = weight_space(X, y, MEAN)
    model = MEAN.fit(X, y, np.random.default_rng(0))
    np.testing.assert_allclose(weights_of(model), mean, atol=1e-8)


def test_draws_have_the_posterior_covariance() -> None:
    """Four thousand draws; each entry's error is within five standard errors of a Gaussian sample."""
    learner = QuadraticLearner(draw=1.0, noise=0.2)
    X = binary(3, 12, 3)
    y = np.random.default_rng(4).normal(size=12)
    y = (y - y.mean()) / y.std()
    mean, covariance = weight_space(X, y, learner)
    rng = np.random.default_rng(5)
    draws = np.array([weights_of(learner.fit(X, y, rng)) for _ in range(4000)])
    spread = np.sqrt(np.diag(covariance))
    assert np.abs((draws.mean(axis=0) - mean) / spread).max() < 5 / np.sqrt(4000)
    correlation_error = (np.cov(draws.T) - covariance) / np.outer(spread, spread)
    assert np.abs(correlation_error).max() < 5 * np.sqrt(2 / 4000)


def test_draw_scales_the_distance_from_the_mean() -> None:
    X, y = binary(6, 40, 8), np.random.default_rng(7).normal(size=40)
    mean, part, full = (
        weights_of(QuadraticLearner(draw=draw).fit(X, y, np.random.default_rng(8)))
        for draw in (0.0, 0.3, 1.0)
    )
    np.testing.assert_allclose(part, mean + 0.3 * (full - mean), atol=1e-9)
    assert np.abs(full - mean).max() > 0.01


def test_a_pairwise_function_is_found() -> None:
    rng = np.random.default_rng(9)
    pairs = np.triu(rng.normal(size=(10, 10)), 1)
    truth = Quadratic(rng.normal(size=10), pairs, 2.0)
    X, other = binary(10, 400, 10), binary(11, 100, 10)
    model = QuadraticLearner().fit(X, truth.predict(X), rng)
    assert np.corrcoef(model.predict(other), truth.predict(other))[0, 1] > 0.999


def test_integer_features_are_scaled_and_scaled_back() -> None:
    rng = np.random.default_rng(12)
    X = np.column_stack([rng.integers(1, 9, size=(70, 2)), binary(13, 70, 3)]).astype(np.float64)
    y = X[:, 0] * X[:, 1] + X[:, 0] * X[:, 2]
    other = X * np.array([1e6, 1e-6, 1, 1, 1])
    model = QuadraticLearner().fit(X, y, np.random.default_rng(1))
    scaled = QuadraticLearner().fit(other, y, np.random.default_rng(1))
    np.testing.assert_allclose(scaled.predict(other), model.predict(X), rtol=1e-6)
    assert np.abs(model.predict(X) - y).std() < 0.1 * y.std()


@pytest.mark.parametrize(("factor", "shift"), [(1e12, -1e12), (1e-12, 0.0), (3.0, 4.0)])
def test_raw_units(factor: float, shift: float) -> None:
    X, y = binary(6, 60, 8), np.random.default_rng(10).normal(size=60)
    base = QuadraticLearner().fit(X, y, np.random.default_rng(1)).predict(X)
    moved = QuadraticLearner().fit(X, factor * y + shift, np.random.default_rng(1)).predict(X)
    np.testing.assert_allclose((moved - shift) / factor, base, atol=1e-3)


@pytest.mark.parametrize(
    "X", [np.zeros((3, 4)), np.ones((3, 1)), np.eye(4), binary(1, 1, 5), np.full((2, 2), 7.0)]
)
@pytest.mark.parametrize("value", [0.0, -3.0, 1e12])
def test_degenerate_data(X: FloatArray, value: float) -> None:
    model = MEAN.fit(X, np.full(len(X), value), np.random.default_rng(1))
    np.testing.assert_allclose(model.predict(X), value)
    assert np.isfinite(
        QuadraticLearner().fit(X, np.linspace(0.0, 1.0, len(X)), np.random.default_rng(1)).predict(X)
    ).all()


def test_the_generator_decides_everything() -> None:
    X, y = binary(6, 60, 8), np.random.default_rng(10).normal(size=60)
    fits = [weights_of(QuadraticLearner().fit(X, y, np.random.default_rng(seed))) for seed in (1, 1, 2)]
    np.testing.assert_array_equal(fits[0], fits[1])
    assert np.abs(fits[0] - fits[2]).max() > 1e-3


def test_models_and_settings_that_cannot_be_meant() -> None:
    with pytest.raises(ValueError, match="each pair counts once"):
        Quadratic(np.zeros(2), np.array([[0.0, 1.0], [1.0, 0.0]]), 0.0)
    with pytest.raises(ValueError, match=r"\(2,\) and pairs of shape \(3, 3\)"):
        Quadratic(np.zeros(2), np.zeros((3, 3)), 0.0)
    with pytest.raises(ValueError, match="noise positive"):
        QuadraticLearner(noise=0.0)
    with pytest.raises(ValueError, match="judged should be at least one point"):
        QuadraticLearner(judged=0)


@pytest.mark.parametrize(("dimension", "judged"), [(300, 100), (301, 300)])
def test_more_points_judge_priors_of_many_features(dimension: int, judged: int) -> None:
    X, y = binary(8, 400, dimension), np.random.default_rng(10).normal(size=400)
    fits = [
        weights_of(QuadraticLearner(pairs=None, judged=number).fit(X, y, np.random.default_rng(1)))
        for number in (None, 100, 300)
    ]
    assert np.abs(fits[1] - fits[2]).max() > 1e-6
    np.testing.assert_array_equal(fits[0], fits[1 if judged == 100 else 2])


def labelled(count: int, groups: int, letters: int, seed: int) -> tuple[FloatArray, FloatArray]:
    """One-hot groups, and values that depend on which groups have equal labels alone."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, letters, (count, groups))
    weights = np.triu(rng.normal(size=(groups, groups)), 1)
    values = np.array([(weights * (row[:, None] == row)).sum() for row in labels])
    return np.eye(letters)[labels].reshape(count, -1), values


def test_equal_labels_are_learnt_from_few_points() -> None:
    groups, letters = 8, 3
    X, y = labelled(140, groups, letters, 0)
    rows = tuple(tuple(range(letters * g, letters * (g + 1))) for g in range(groups))
    train, rest = slice(0, 60), slice(60, 140)
    errors = []
    for labels in ((), rows):
        learner = QuadraticLearner(draw=0.0, pairs=None, labels=labels)
        model = learner.fit(X[train], y[train], np.random.default_rng(0))
        errors.append(float(((model.predict(X[rest]) - y[rest]) ** 2).mean() / y[rest].var()))
    assert errors[1] < 0.1 < errors[0]


def test_evidence_tells_linear_values_from_products() -> None:
    rng = np.random.default_rng(4)
    X = rng.integers(0, 2, (80, 12)).astype(np.float64)
    sizes = []
    for pairs in (0.0, 1.0):
        truth = Quadratic(rng.normal(size=12), pairs * np.triu(rng.normal(size=(12, 12)), 1), 0.0)
        model = QuadraticLearner(draw=0.0, pairs=None).fit(X, truth.predict(X), np.random.default_rng(0))
        sizes.append(np.abs(model.pairs).sum() / np.abs(model.linear).sum())
    assert 5 * sizes[0] < sizes[1]


def test_draws_by_evidence_agree_with_what_was_seen_and_differ_elsewhere() -> None:
    X, y = labelled(60, 6, 3, 1)
    rows = tuple(tuple(range(3 * g, 3 * g + 3)) for g in range(6))
    learner = QuadraticLearner(draw=1.0, pairs=None, labels=rows)
    models = [learner.fit(X[:15], y[:15], np.random.default_rng(seed)) for seed in range(20)]
    predictions = np.array([model.predict(X) for model in models])
    spread = predictions.std(axis=0)
    assert spread[:15].mean() < 0.5 * spread[15:].mean()


def test_pairs_of_labels_that_do_not_matter_drop_out() -> None:
    """A sparse graph: 15 of 66 pairs of groups matter, and 66 weights of one size would explain less."""
    rng = np.random.default_rng(1)
    groups, letters, count = 12, 3, 90
    one, other = np.triu_indices(groups, 1)
    truth = np.zeros(len(one))
    truth[rng.choice(len(one), 15, replace=False)] = rng.normal(size=15) + 2.0
    labels = rng.integers(0, letters, (count + 60, groups))
    X = np.eye(letters)[labels].reshape(count + 60, -1)
    rows = np.arange(groups * letters).reshape(groups, letters)
    equal = equal_labels(X, rows)
    assert np.array_equal(equal, labels[:, one] == labels[:, other])
    assert not equal_labels(np.zeros((1, groups * letters)), rows).any()  # a point without labels
    assert equal_labels(np.ones((1, groups * letters)), rows).all()  # a point with all labels
    y = equal @ truth
    shared = (y - y[:count].mean()) / y[:count].std()
    centred = equal[:count] - equal[:count].mean(axis=0)
    variances, noise = relevances(np.full((count, count), 10.0), centred, shared[:count], 0.1, 0.01)
    assert variances[truth == 0.0].sum() < 0.01 * variances.sum()
    assert noise < 0.001
    model = QuadraticLearner(draw=0.0, pairs=None, labels=tuple(map(tuple, rows.tolist())))
    found = model.fit(X[:count], y[:count], np.random.default_rng(0))
    assert np.abs(found.predict(X[count:]) - y[count:]).max() < 0.05 * y.std()
