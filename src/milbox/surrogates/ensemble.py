"""The mean of several regressors of different kinds: the surrogate of Ensemble+RegEvo.

At each step, models of four kinds are drawn with random hyper-parameters, scored by five-fold
cross-validation, and those that explain enough of the variance are averaged (Appendix C.4 of the paper, after
Angermueller et al. 2020). The papers name the hyper-parameters but not their ranges: those here were fixed
before any benchmark was run.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.random import Generator

from milbox.arrays import FloatArray
from milbox.errors import Unavailable
from milbox.surrogates.base import Surrogate
from milbox.surrogates.linear import Linear
from milbox.surrogates.scaling import Scale, checked
from milbox.surrogates.trees import TreeEnsemble, from_booster, from_trees

Fit: TypeAlias = Callable[[FloatArray, FloatArray], Any]
"""Features and standardised values -> a model of them that predicts: ours, or a booster of LightGBM."""


@dataclass(frozen=True, slots=True, eq=False)
class Mean:
    """The average of some surrogates."""

    members: tuple[Surrogate, ...]

    def predict(self, features: FloatArray) -> FloatArray:
        """The predicted values (n,) of encoded points (n, d)."""
        total = np.zeros(len(features))
        for member in self.members:
            total += member.predict(features)
        return total / len(self.members)


@dataclass(frozen=True, slots=True)
class EnsembleLearner:
    """The average of all drawn models that explain enough; the best of them when none does.

    Attributes:
        draws: how many models of each kind are drawn at each step.
        folds: of the cross-validation.
        threshold: the least explained variance, averaged over the folds, of a model that takes part.
    """

    draws: int = 2
    folds: int = 5
    threshold: float = 0.4

    def fit(self, features: FloatArray, values: FloatArray, rng: Generator) -> Mean:
        """The ensemble fitted to values (n,) seen at encoded points (n, d), in raw units."""
        features, values = checked(features, values)
        target = Scale.of_values(values)
        y = target.shrink(values)
        recipes = [kind(rng) for kind in KINDS for _ in range(self.draws)]
        parts = np.array_split(rng.permutation(len(y)), min(self.folds, len(y)))
        scores = [explained(recipe, features, y, parts) for recipe in recipes]
        enough = [i for i, score in enumerate(scores) if score >= self.threshold]
        kept = enough or [int(np.argmax(scores))]
        return Mean(tuple(in_raw_units(recipes[i](features, y), target) for i in kept))


def lasso(rng: Generator) -> Fit:
    """Least squares with an L1 penalty: alpha log-uniform in [1e-3, 1]."""
    model = library("sklearn.linear_model").Lasso(
        alpha=log_uniform(rng, 1e-3, 1.0), tol=1e-3, max_iter=10_000
    )
    return lambda X, y: straight(model.fit(X, y))


def ridge(rng: Generator) -> Fit:
    """Least squares with an L2 penalty: alpha log-uniform in [1e-2, 100]."""
    model = library("sklearn.linear_model").Ridge(alpha=log_uniform(rng, 1e-2, 100.0))
    return lambda X, y: straight(model.fit(X, y))


def forest(rng: Generator) -> Fit:
    """A random forest: max_depth 4, 8, 16 or none, max_features 0.2 to 1, n_estimators 20 to 100.

    The trees are those of scikit-learn's RandomForestRegressor, which spends about as much time on making and
    checking small trees as on growing them; here they are grown alone.
    """
    sklearn, regressor = library("sklearn"), library("sklearn.tree").DecisionTreeRegressor
    depth = (4, 8, 16, None)[rng.integers(4)]
    share = float(rng.uniform(0.2, 1.0))
    count = int(rng.integers(20, 101))
    seed = int(rng.integers(2**31))

    def fit(X: FloatArray, y: FloatArray) -> TreeEnsemble:
        single = np.ascontiguousarray(X, dtype=np.float32)  # what scikit-learn's trees are grown on
        trees = []
        with sklearn.config_context(assume_finite=True, skip_parameter_validation=True):
            for state in np.random.RandomState(seed).randint(np.iinfo(np.int32).max, size=count).tolist():
                bootstrap = np.random.RandomState(state).randint(0, len(y), len(y), dtype=np.int32)
                often = np.bincount(bootstrap, minlength=len(y)).astype(np.float64)
                tree = regressor(max_depth=depth, max_features=share, random_state=state)
                trees.append(tree.fit(single, y, sample_weight=often, check_input=False).tree_)
        return from_trees(trees)

    return fit


def boosted(rng: Generator) -> Fit:
    """LightGBM: learning_rate log-uniform in [0.03, 0.3], n_estimators 20 to 200, else its defaults."""
    lightgbm = library("lightgbm")
    rounds = int(rng.integers(20, 201))
    settings = {
        "objective": "regression",
        "learning_rate": log_uniform(rng, 0.03, 0.3),
        "seed": int(rng.integers(2**31)),
        "num_threads": 1,
        "deterministic": True,
        "force_row_wise": True,
        "verbosity": -1,
    }

    return lambda X, y: lightgbm.train(settings, lightgbm.Dataset(X, y, params=settings), rounds)


KINDS: tuple[Callable[[Generator], Fit], ...] = (lasso, ridge, forest, boosted)


def straight(model: Any) -> Linear:
    """A linear model of scikit-learn."""
    return Linear(np.asarray(model.coef_, dtype=np.float64).ravel(), float(model.intercept_))


def explained(recipe: Fit, features: FloatArray, y: FloatArray, parts: list[Any]) -> float:
    """The share of the variance explained in parts left out, averaged over them."""
    scores = []
    for part in parts:
        rest = np.setdiff1d(np.arange(len(y)), part)
        if not len(rest):
            return -np.inf
        spread = y[part].var()
        left = (y[part] - recipe(features[rest], y[rest]).predict(features[part])).var()
        scores.append(1.0 - left / spread if spread > 0 else float(left == 0))
    return float(np.mean(scores))


def in_raw_units(model: Any, target: Scale) -> Linear | TreeEnsemble:
    """The model of unscaled values, as arrays."""
    spread, centre = float(target.spread), float(target.centre)
    if not isinstance(model, Linear | TreeEnsemble):
        model = from_booster(model)
    if isinstance(model, TreeEnsemble):
        return model.scaled(spread, centre)
    return Linear(model.weights * spread, model.bias * spread + centre)


def log_uniform(rng: Generator, low: float, high: float) -> float:
    """A number whose logarithm is uniform."""
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def library(name: str) -> Any:
    """An optional library, or an error that says how to get it."""
    from importlib import import_module

    try:
        return import_module(name)
    except ImportError as error:
        package = {"sklearn": "scikit-learn", "lightgbm": "LightGBM"}[name.partition(".")[0]]
        raise Unavailable(f"{package} is not installed; run `pip install milbox[trees]`") from error
