"""Ensembles of regression trees, whoever grew them."""

from milbox.surrogates.trees.tree_ensemble import TreeEnsemble, from_booster, from_trees, joined

__all__ = ["TreeEnsemble", "from_booster", "from_trees", "joined"]
