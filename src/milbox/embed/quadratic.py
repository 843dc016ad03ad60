"""Rows of a quadratic surrogate (Glover 1975).

All pairs of a binary feature x together are one product, of x and the weighted sum g of its partners. Where g
lies within low and high, a column y with

    low x <= y <= high x,    g - high (1 - x) <= y <= g - low (1 - x)

equals it: four rows for each feature in place of some for each pair.
"""

from functools import partial

import numpy as np

from milbox.arrays import FloatArray, IntArray
from milbox.domain import Domain
from milbox.embed import embed, unembeddable
from milbox.milp.program import Affine, MilpBuilder
from milbox.surrogates.quadratic import Quadratic


@embed.register
def _(surrogate: Quadratic, milp: MilpBuilder, inputs: IntArray) -> Affine:
    """Y = linear·x + bias + the product of each binary feature with its partners."""
    lower, upper = milp.bounds(inputs)
    binary = milp.are_integer(inputs) & (lower >= 0.0) & (upper <= 1.0)
    both = surrogate.pairs + surrogate.pairs.T
    assert not both[np.ix_(~binary, ~binary)].any(), "unembeddable() says no to others"
    # Each pair is its first binary feature's.
    own = np.where(binary[:, None] & (~binary[None, :] | np.triu(np.ones_like(both, dtype=bool))), both, 0.0)
    columns, total = [inputs], [surrogate.linear]
    for i in np.flatnonzero(own.any(axis=1)).tolist():
        partners = np.flatnonzero(own[i])
        weights = own[i, partners]
        low = float(np.minimum(weights * lower[partners], weights * upper[partners]).sum())
        high = float(np.maximum(weights * lower[partners], weights * upper[partners]).sum())
        product = milp.columns(min(low, 0.0), max(high, 0.0))
        pair = np.append(product, inputs[i])
        milp.row(pair, [1.0, -low], lower=0.0)
        milp.row(pair, [1.0, -high], upper=0.0)
        whole = np.concatenate([pair, inputs[partners]])
        milp.row(whole, np.concatenate([[1.0, -high], -weights]), lower=-high)
        milp.row(whole, np.concatenate([[1.0, -low], -weights]), upper=-low)
        milp.define(product, partial(times, int(inputs[i]), inputs[partners], weights))
        columns.append(product)
        total.append(np.ones(1))
    return Affine(np.concatenate(columns), np.concatenate(total), surrogate.bias)


@unembeddable.register
def _(surrogate: Quadratic, domain: Domain) -> str | None:
    """A product has rows where one of its factors is 0 or 1."""
    lower, upper = domain.coding.limits
    numbers = (lower < 0) | (upper > 1)
    if not (surrogate.pairs + surrogate.pairs.T)[np.ix_(numbers, numbers)].any():
        return None
    return "products of two variables that are one feature each, and not 0 or 1, have no rows"


def times(feature: int, partners: IntArray, weights: FloatArray, x: FloatArray) -> FloatArray:
    """A column times the weighted sum of others."""
    return np.array([x[feature] * (weights @ x[partners])])
