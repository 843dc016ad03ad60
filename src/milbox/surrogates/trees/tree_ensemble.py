"""Ensembles of regression trees as plain arrays, from any library."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from milbox.arrays import FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class TreeEnsemble:
    """bias + sum over trees of the value of the leaf that a point reaches.

    All nodes of all trees are numbered through. A node with feature -1 is a leaf; any other sends a point to
    the left when its feature is at most the threshold.
    """

    feature: IntArray
    threshold: FloatArray
    left: IntArray
    right: IntArray
    value: FloatArray
    """Of leaves; elsewhere unused."""
    roots: IntArray
    bias: float = 0.0

    def predict(self, features: FloatArray) -> FloatArray:
        """The predicted values (n,) of encoded points (n, d)."""
        from milbox.surrogates.trees.leaves import add_leaves

        predictions = np.full(len(features), self.bias)
        add_leaves(
            np.ascontiguousarray(features, dtype=np.float64),
            self.feature,
            self.threshold,
            self.left,
            self.right,
            self.value,
            self.roots,
            predictions,
        )
        return predictions

    def scaled(self, factor: float, offset: float) -> "TreeEnsemble":
        """This times the factor, plus the offset."""
        return TreeEnsemble(
            self.feature,
            self.threshold,
            self.left,
            self.right,
            self.value * factor,
            self.roots,
            self.bias * factor + offset,
        )


def from_trees(trees: Sequence[Any]) -> TreeEnsemble:
    """Trees of scikit-learn as arrays: their mean."""
    share = 1.0 / len(trees)
    parts = []
    for tree in trees:
        leaf = tree.children_left < 0
        parts.append(
            (
                np.where(leaf, -1, tree.feature),
                np.where(leaf, 0.0, tree.threshold),
                tree.children_left,
                tree.children_right,
                tree.value[:, 0, 0] * share,
            )
        )
    return joined(parts)


def from_booster(booster: Any) -> TreeEnsemble:
    """A LightGBM booster as arrays: the sum of its trees. Only splits by a threshold are known."""
    parts = []
    for tree in booster.dump_model()["tree_info"]:
        nodes: list[tuple[int, float, int, int, float]] = []

        def add(node: dict[str, Any], nodes: list[tuple[int, float, int, int, float]] = nodes) -> int:
            number = len(nodes)
            if "leaf_value" in node:
                nodes.append((-1, 0.0, 0, 0, float(node["leaf_value"])))
                return number
            if node["decision_type"] != "<=":
                raise ValueError(f"a split by {node['decision_type']!r} is not a threshold; encode one-hot")
            nodes.append((0, 0.0, 0, 0, 0.0))
            left, right = add(node["left_child"]), add(node["right_child"])
            nodes[number] = (int(node["split_feature"]), float(node["threshold"]), left, right, 0.0)
            return number

        add(tree["tree_structure"])
        feature, threshold, left, right, value = (np.array(column) for column in zip(*nodes, strict=True))
        parts.append((feature, threshold, left, right, value))
    return joined(parts)


def joined(parts: Sequence[tuple[Any, Any, Any, Any, Any]]) -> TreeEnsemble:
    """Trees given as (feature, threshold, left, right, value), each numbered from 0, numbered through."""
    sizes = [len(part[0]) for part in parts]
    roots = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
    above = np.repeat(roots, sizes)
    feature, threshold, left, right, value = (np.concatenate(column) for column in zip(*parts, strict=True))
    return TreeEnsemble(
        feature.astype(np.int64),
        threshold.astype(np.float64),
        left.astype(np.int64) + above,
        right.astype(np.int64) + above,
        value.astype(np.float64),
        roots,
    )
