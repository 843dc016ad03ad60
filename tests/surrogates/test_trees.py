"""Trees grown by others predict here what they predict there; the ensemble keeps what explains enough."""

import numpy as np
import pytest

from milbox.arrays import FloatArray
from milbox.errors import Unavailable
from milbox.surrogates import ensemble
from milbox.surrogates.ensemble import EnsembleLearner, Mean, boosted, forest, lasso, ridge
from milbox.surrogates.linear import Linear
from milbox.surrogates.trees import from_booster, from_trees, joined

sklearn_ensemble = pytest.importorskip("sklearn.ensemble", reason="pip install milbox[trees]")
lightgbm = pytest.importorskip("lightgbm", reason="pip install milbox[trees]")


def data(count: int, seed: int = 0) -> tuple[FloatArray, FloatArray]:
    """One-hot letters, and values with a linear part and one pair of letters that matters."""
    rng = np.random.default_rng(seed)
    letters = rng.integers(4, size=(count, 6))
    features = np.eye(4)[letters].reshape(count, -1)
    values = 3.0 * features[:, 1] - 2.0 * features[:, 9] + 4.0 * features[:, 4] * features[:, 14]
    return features, values + 0.1 * rng.normal(size=count) + 50.0


def test_a_tree_by_hand() -> None:
    # x0 <= 0.5 ? 1 : (x1 <= 2 ? 10 : 100), and a tree that is one leaf.
    trees = joined(
        [
            ([0, -1, 1, -1, -1], [0.5, 0, 2, 0, 0], [1, 0, 3, 0, 0], [2, 0, 4, 0, 0], [0, 1, 0, 10, 100]),
            ([-1], [0.0], [0], [0], [0.25]),
        ]
    )
    points = np.array([[0.0, 9.0], [0.5, 9.0], [1.0, 2.0], [1.0, 3.0]])
    np.testing.assert_allclose(trees.predict(points), [1.25, 1.25, 10.25, 100.25])
    np.testing.assert_allclose(trees.scaled(2.0, 1.0).predict(points), [3.5, 3.5, 21.5, 201.5])
    assert trees.roots.tolist() == [0, 5]


@pytest.mark.parametrize("count", [1, 7, 120])
def test_a_forest_of_scikit_learn(count: int) -> None:
    features, values = data(count)
    grown = sklearn_ensemble.RandomForestRegressor(9, random_state=1).fit(features, values)
    points, _ = data(60, seed=1)
    trees = from_trees([member.tree_ for member in grown.estimators_])
    np.testing.assert_allclose(trees.predict(points), grown.predict(points), rtol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_our_forests_are_those_of_scikit_learn(seed: int) -> None:
    features, values = data(80)
    points, _ = data(60, seed=1)
    rng = np.random.default_rng(seed)
    grown = sklearn_ensemble.RandomForestRegressor(
        max_depth=(4, 8, 16, None)[rng.integers(4)],
        max_features=float(rng.uniform(0.2, 1.0)),
        n_estimators=int(rng.integers(20, 101)),
        random_state=int(rng.integers(2**31)),
    ).fit(features, values)
    ours = forest(np.random.default_rng(seed))(features, values)
    np.testing.assert_allclose(ours.predict(points), grown.predict(points), rtol=1e-12)


@pytest.mark.parametrize("count", [30, 300])
def test_a_booster_of_lightgbm(count: int) -> None:
    features, values = data(count)
    features = features + 0.3 * np.arange(24)  # thresholds that are not between 0 and 1
    settings = {"objective": "regression", "verbosity": -1, "num_threads": 1}
    grown = lightgbm.train(settings, lightgbm.Dataset(features, values, params=settings), 25)
    points = data(60, seed=1)[0] + 0.3 * np.arange(24)
    np.testing.assert_allclose(from_booster(grown).predict(points), grown.predict(points), rtol=1e-9)


def test_categorical_splits_are_refused() -> None:
    rng = np.random.default_rng(0)
    letters = rng.integers(6, size=(300, 1)).astype(float)
    settings = {"objective": "regression", "verbosity": -1, "num_threads": 1, "min_data_per_group": 1}
    sets = lightgbm.Dataset(letters, np.sin(5 * letters[:, 0]), categorical_feature=[0], params=settings)
    with pytest.raises(ValueError, match="a split by '==' is not a threshold; encode one-hot"):
        from_booster(lightgbm.train(settings, sets, 3))


@pytest.mark.parametrize("kind", [lasso, ridge, forest, boosted])
def test_every_kind_learns_and_repeats(kind: ensemble.Fit) -> None:
    features, values = data(200)
    y = (values - values.mean()) / values.std()
    points, expected = data(100, seed=2)
    fits = [kind(np.random.default_rng(3))(features, y).predict(points) for _ in range(2)]  # type: ignore[arg-type, call-arg]
    np.testing.assert_array_equal(fits[0], fits[1])
    assert np.corrcoef(fits[0], expected)[0, 1] > 0.7


def test_the_ensemble_is_in_raw_units_and_keeps_what_explains_enough() -> None:
    features, values = data(150)
    points, expected = data(100, seed=2)
    fitted = EnsembleLearner(draws=1).fit(features, values, np.random.default_rng(0))
    assert 1 < len(fitted.members) <= 4
    predicted = fitted.predict(points)
    assert np.corrcoef(predicted, expected)[0, 1] > 0.85
    assert abs(predicted.mean() - expected.mean()) < 0.5
    again = EnsembleLearner(draws=1).fit(features, values, np.random.default_rng(0))
    np.testing.assert_array_equal(again.predict(points), predicted)


def test_when_nothing_explains_enough_the_best_remains() -> None:
    rng = np.random.default_rng(0)
    features, _ = data(60)
    fitted = EnsembleLearner(draws=1).fit(features, rng.normal(size=60), rng)
    assert len(fitted.members) == 1


@pytest.mark.parametrize("count", [1, 2, 6])
def test_few_or_equal_values(count: int) -> None:
    features, _ = data(count)
    fitted = EnsembleLearner(draws=1).fit(features, np.full(count, 7.0), np.random.default_rng(0))
    np.testing.assert_allclose(fitted.predict(features), 7.0)


def test_the_mean() -> None:
    members = (Linear(np.array([1.0, 0.0]), 1.0), Linear(np.array([0.0, 3.0]), 2.0))
    np.testing.assert_allclose(Mean(members).predict(np.array([[2.0, 4.0]])), [(3.0 + 14.0) / 2])
    assert repr(EnsembleLearner()) == "EnsembleLearner(draws=2, folds=5, threshold=0.4)"


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "lightgbm", None)
    with pytest.raises(Unavailable, match=r"LightGBM is not installed; run `pip install milbox\[trees\]`"):
        boosted(np.random.default_rng(0))
