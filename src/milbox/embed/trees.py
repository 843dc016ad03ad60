"""Rows of an ensemble of regression trees (Mišić 2020).

Each leaf has a column between 0 and 1, and those of a tree add up to one. A split of a feature at a threshold
has a binary, which is 1 where the feature is at most the threshold; leaves on the left are open where it is
1, leaves on the right where it is 0. A binary feature is such a binary itself. With all splits decided, one
leaf of each tree is left.
"""

import math
from collections.abc import Iterator
from functools import partial

import numpy as np

from milbox.arrays import FloatArray, IntArray
from milbox.embed import embed
from milbox.milp.program import Affine, MilpBuilder
from milbox.surrogates.trees import TreeEnsemble


@embed.register
def _(trees: TreeEnsemble, milp: MilpBuilder, inputs: IntArray) -> Affine:
    """The values of the leaves that are reached."""
    lower, upper = milp.bounds(inputs)
    whole = milp.are_integer(inputs)
    switches: dict[tuple[int, float], Affine] = {}

    def at_most(feature: int, threshold: float) -> Affine:
        """What is 1 where the feature is at most the threshold, else 0."""
        low, high = float(lower[feature]), float(upper[feature])
        cut = math.floor(threshold) + 0.5 if whole[feature] else threshold
        if high <= cut or low > cut:
            return Affine(np.zeros(0, dtype=np.int64), np.zeros(0), float(high <= cut))
        if whole[feature] and (low, high) == (0.0, 1.0):
            return Affine(inputs[[feature]], np.array([-1.0]), 1.0)
        key = (feature, cut)
        if key not in switches:
            column, switch = inputs[feature], milp.columns(0, 1, integer=True)
            both = np.append(switch, column)
            milp.row(both, [high - cut, 1.0], upper=high)  # 1: x <= cut
            milp.row(both, [cut - low, 1.0], lower=cut)  # 0: x >= cut
            milp.define(switch, partial(below_cut, int(column), cut))
            switches[key] = Affine(switch, np.ones(1))
        return switches[key]

    columns, values = [], []
    for root in trees.roots.tolist():
        leaves = list(below(trees, root))
        place = {leaf: k for k, leaf in enumerate(leaves)}
        opened = milp.columns(np.zeros(len(leaves)), 1)
        milp.row(opened, np.ones(len(leaves)), 1, 1)
        stack = [root]
        while stack:
            node = stack.pop()
            if trees.feature[node] < 0:
                continue
            left, right = int(trees.left[node]), int(trees.right[node])
            switch = at_most(int(trees.feature[node]), float(trees.threshold[node]))
            for side, sign in ((left, 1.0), (right, -1.0)):
                own = opened[[place[leaf] for leaf in below(trees, side)]]
                # On the left at most the switch, on the right at most one less it.
                most = switch.constant if sign > 0 else 1.0 - switch.constant
                milp.row(
                    np.concatenate([own, switch.columns]),
                    np.concatenate([np.ones(len(own)), -sign * switch.coefficients]),
                    upper=most,
                )
            stack += [left, right]
        milp.define(opened, partial(reached, trees, root, leaves, inputs))
        columns.append(opened)
        values.append(trees.value[leaves])
    return Affine(np.concatenate(columns), np.concatenate(values), trees.bias)


def below(trees: TreeEnsemble, node: int) -> Iterator[int]:
    """The leaves under a node."""
    if trees.feature[node] < 0:
        yield node
        return
    yield from below(trees, int(trees.left[node]))
    yield from below(trees, int(trees.right[node]))


def below_cut(column: int, cut: float, x: FloatArray) -> FloatArray:
    """One where the column is at most the cut, else zero."""
    return np.array([float(x[column] <= cut)])


def reached(trees: TreeEnsemble, root: int, leaves: list[int], inputs: IntArray, x: FloatArray) -> FloatArray:
    """One for the leaf that the inputs reach, zero for the others."""
    node, features = root, x[inputs]
    while trees.feature[node] >= 0:
        goes_left = features[trees.feature[node]] <= trees.threshold[node]
        node = int(trees.left[node] if goes_left else trees.right[node])
    return np.array([float(leaf == node) for leaf in leaves])
