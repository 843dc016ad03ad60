"""A random forest of small trees, which a program maximises exactly."""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from milbox.arrays import FloatArray
from milbox.surrogates.scaling import Scale, checked
from milbox.surrogates.trees.tree_ensemble import TreeEnsemble, from_trees


@dataclass(frozen=True, slots=True)
class TreesLearner:
    """The mean of trees grown by scikit-learn, each on a bootstrap of the points: one draw of many forests.

    Attributes:
        trees: how many.
        leaves: the most leaves of a tree; few, so that a program with all of them stays small.
        share: of the features, which a split may choose from.
    """

    trees: int = 10
    leaves: int = 16
    share: float = 0.5

    def __post_init__(self) -> None:
        if not (self.trees >= 1 and self.leaves >= 2 and 0 < self.share <= 1):
            raise ValueError(
                f"trees should be at least 1, leaves at least 2 and share above 0 and at most 1; "
                f"they are {self.trees}, {self.leaves} and {self.share}"
            )

    def fit(self, features: FloatArray, values: FloatArray, rng: Generator) -> TreeEnsemble:
        """The forest fitted to values (n,) seen at encoded points (n, d), in raw units."""
        from milbox.surrogates.ensemble import library

        regressor = library("sklearn.tree").DecisionTreeRegressor
        features, values = checked(features, values)
        target = Scale.of_values(values)
        y = np.round(target.shrink(values), 9)  # so that rounding decides between no two splits
        grown = []
        for _ in range(self.trees):
            often = rng.multinomial(len(y), np.full(len(y), 1.0 / len(y))).astype(np.float64)
            tree = regressor(
                max_leaf_nodes=self.leaves, max_features=self.share, random_state=int(rng.integers(2**31))
            )
            grown.append(tree.fit(features, y, sample_weight=often).tree_)
        return from_trees(grown).scaled(float(target.spread), float(target.centre))
