"""Compiled predictions of many trees at many points."""

from milbox.arrays import FloatArray, IntArray
from milbox.compiled.jit import entry


@entry
def add_leaves(
    features: FloatArray,
    feature: IntArray,
    threshold: FloatArray,
    left: IntArray,
    right: IntArray,
    value: FloatArray,
    roots: IntArray,
    predictions: FloatArray,
) -> None:
    """Add to each prediction the value of the leaf its row of features reaches, in every tree."""
    for row in range(len(features)):
        total = 0.0
        for root in roots:
            node = root
            while feature[node] >= 0:
                node = left[node] if features[row, feature[node]] <= threshold[node] else right[node]
            total += value[node]
        predictions[row] += total
