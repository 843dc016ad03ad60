"""What is maximised, and how is it scaled for the search?"""

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator

from milbox.arrays import FloatArray, IntArray
from milbox.inner.branch_letters import Ties
from milbox.inner.branch_points import BELOW, LEVEL, OPEN, Network


@dataclass(frozen=True, slots=True, eq=False)
class Layered:
    """Units above those of a sum: f(a) = h_N + sum_k weight_k max(0, z_k).

    Here z = bias + sum_{j<N} max(0, h_j) above[j].
    """

    above: FloatArray
    """(N, K)"""
    bias: FloatArray
    weight: FloatArray
    """(K,)"""


@dataclass(frozen=True, slots=True, eq=False)
class Sum:
    """f(a) = h_N + sum_{j<N} weight_j max(0, h_j), where h = bias + sum_p table[first_p + a_p]."""

    table: FloatArray
    """(letters, N + 1): the states of the first block, of the second, ...; the last column is linear."""
    first: IntArray
    """(blocks + 1,): where each block's states begin; no block is empty."""
    bias: FloatArray
    """(N + 1,)"""
    weight: FloatArray | Layered
    """(N,), or a layer above, and then the last column is 0."""
    ties: Ties | None = None
    """What a point must satisfy besides."""

    def __post_init__(self) -> None:
        if isinstance(self.weight, Layered) and self.table[:, -1].any():
            raise ValueError("below another layer nothing is said straight to the output")


def shuffled(f: Sum, rng: Generator) -> tuple[Network, IntArray, int]:
    """The network, letters shuffled within blocks and |f| < 1; the old letters; log2 of the scale.

    Letters are shuffled so that the seed breaks ties.
    """
    block = np.repeat(np.arange(len(f.first) - 1), np.diff(f.first))
    order = np.lexsort((rng.random(len(block)), block))
    with np.errstate(over="ignore", invalid="ignore"):  # what that leads to is refused below
        f = balanced(f)
        size, sign, layer = folded(f.weight)
        used = np.append(np.flatnonzero(size), len(size))
        size = np.append(size, 1.0)[used]
        by_letter = f.table[order][:, used] * size
        bias = f.bias[used] * size
        scale = float(reached(by_letter, bias, f.first).sum() + np.abs(layer.bias).sum())
    if not math.isfinite(scale):
        raise ValueError("the network has infinite or undefined weights, or its values overflow")
    # A power of two changes no digit of any weight.
    exponent = math.frexp(scale)[1]
    by_letter, bias = np.ldexp(by_letter, -exponent), np.ldexp(bias, -exponent)
    sign, above = sign[used[:-1]], layer.above[used[:-1]]
    phase = np.full(len(sign), OPEN)
    if f.ties is not None:
        tied, constant = scaled(f.ties, f.first)
        by_letter = np.column_stack([by_letter[:, :-1], tied[order], by_letter[:, -1]])
        bias = np.concatenate([bias[:-1], constant, bias[-1:]])
        sign = np.append(sign, np.zeros(len(constant)))
        above = np.vstack([above, np.zeros((len(constant), above.shape[1]))])
        phase = np.append(phase, np.where(f.ties.level, LEVEL, BELOW))
    by_letter = np.ascontiguousarray(by_letter)
    net = Network(
        by_letter=by_letter,
        by_unit=np.ascontiguousarray(by_letter.T),
        bias=bias,
        sign=sign,
        above=np.ascontiguousarray(above),
        upper_bias=np.ldexp(layer.bias, -exponent),
        upper_sign=layer.weight,
        phase=np.append(phase, np.full(len(layer.weight), OPEN)),
        first=f.first,
        key=rng.integers(0, 2**63, len(order)),
    )
    return net, order, exponent


def balanced(f: Sum) -> Sum:
    """The same sum, units below others scaled by powers of two such that each |h| can get to about 1.

    Weights of two layers are multiplied with each other, and what is lost below the smallest number there may
    be large once it is multiplied with inputs.
    """
    if not isinstance(f.weight, Layered):
        return f
    exponent = np.append(np.frexp(reached(f.table, f.bias, f.first))[1][:-1], 0)
    above = np.ldexp(f.weight.above, exponent[:-1, None])
    return replace(
        f,
        table=np.ldexp(f.table, -exponent),
        bias=np.ldexp(f.bias, -exponent),
        weight=replace(f.weight, above=above),
    )


def folded(weight: FloatArray | Layered) -> tuple[FloatArray, FloatArray, Layered]:
    """How large a unit's say is, what is left of it when its input is scaled by that, and the layer above."""
    if not isinstance(weight, Layered):
        nothing = Layered(np.zeros((len(weight), 0)), np.zeros(0), np.zeros(0))
        return np.abs(weight), np.sign(weight), nothing
    used = np.flatnonzero(weight.weight)
    heard = np.abs(weight.weight[used])
    above, bias = weight.above[:, used] * heard, weight.bias[used] * heard
    size = np.abs(above).sum(axis=1)
    above = above / np.where(size > 0.0, size, 1.0)[:, None]
    return size, np.zeros(len(size)), Layered(above, bias, np.sign(weight.weight[used]))


def scaled(ties: Ties, first: IntArray) -> tuple[FloatArray, FloatArray]:
    """The ties times powers of two, such that the sum of all |g| is below 1."""
    size = reached(ties.table, ties.bias, first) * len(ties.bias)
    exponent = np.frexp(size)[1]
    return np.ldexp(ties.table, -exponent), np.ldexp(ties.bias, -exponent)


def reached(by_letter: FloatArray, bias: FloatArray, first: IntArray) -> FloatArray:
    """How large each |h| can get."""
    size: FloatArray = np.abs(bias) + np.maximum.reduceat(np.abs(by_letter), first[:-1], axis=0).sum(axis=0)
    return size
