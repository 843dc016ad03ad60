"""Ensembles of regression trees, from any library."""

from milbox.surrogates.trees.tree_ensemble import TreeEnsemble, from_booster, from_trees, joined

__all__ = ["TreeEnsemble", "from_booster", "from_trees", "joined"]
