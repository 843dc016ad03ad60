"""A surrogate over the letters of a domain, scaled for the search."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from milbox.arrays import BoolArray, FloatArray
from milbox.inner.search.paths import Paths
from milbox.inner.search.state import Beginning, Problem
from milbox.surrogates.linear import Linear
from milbox.surrogates.relu import ReluNet

LANES = 8
"""Rows are padded to a multiple of this."""


@dataclass(frozen=True, slots=True, eq=False)
class Layered:
    """f = constant + straight + relu(h) . weight + relu(z) . upper_weight, z = upper_bias + relu(h) above."""

    table: FloatArray
    """(options, units): what each option adds to h"""
    bias: FloatArray
    weight: FloatArray
    """(units,): what relu(h) adds to f."""
    above: FloatArray
    """(units, upper units)"""
    upper_bias: FloatArray
    upper_weight: FloatArray
    straight: FloatArray
    """(options,): what each option adds to f."""
    constant: float


def layered(surrogate: Linear | ReluNet, paths: Paths) -> Layered:
    """The surrogate by options instead of features."""
    count = len(paths.code)
    if isinstance(surrogate, Linear):
        surrogate = ReluNet.of([(surrogate.weights[:, None], np.array([surrogate.bias]))])
    hidden, output = surrogate.hidden, surrogate.output
    none = np.zeros(0)
    if not hidden:
        straight = np.asarray(paths.features @ output.weights)[:, 0]
        empty = np.zeros((count, 0))
        return Layered(empty, none, none, np.zeros((0, 0)), none, none, straight, float(output.bias[0]))
    table = np.asarray(paths.features @ hidden[0].weights)
    constant, straight = float(output.bias[0]), np.zeros(count)
    if len(hidden) == 1:
        width = np.zeros((len(hidden[0].bias), 0))
        return Layered(table, hidden[0].bias, output.weights[:, 0], width, none, none, straight, constant)
    used = np.flatnonzero(output.weights[:, 0])
    return Layered(
        table,
        hidden[0].bias,
        np.zeros(len(hidden[0].bias)),
        hidden[1].weights[:, used],
        hidden[1].bias[used],
        output.weights[used, 0],
        straight,
        constant,
    )


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """The problem with |f| < 1/2; a value v of it stands for v * 2 ** exponent + constant."""

    problem: Problem
    beginning: Beginning
    exponent: int
    constant: float


def task_of(net: Layered, paths: Paths, rng: Generator) -> Task:
    """The network over the paths, as a task for the search.

    Raises:
        ValueError: weights are infinite or undefined, or overflow together.
    """
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):  # what that leads to is refused below
        table, bias, sign, above, upper_bias = folded(net, paths)
        upper_sign = np.sign(net.upper_weight)
        size = reached(table, bias, paths)
        line = net.straight[:, None] if net.straight.any() else np.zeros((len(paths.code), 0))
        straight = reached(line, np.zeros(line.shape[1]), paths)
        upper_size = np.abs(upper_bias) + size @ np.abs(above)
        scale = float(straight.sum() + (upper_size.sum() if len(upper_bias) else size.sum()))
    if not math.isfinite(scale + net.constant):
        raise ValueError("the network has infinite or undefined weights, or its values overflow")
    # Powers of two change no digit of any weight.
    exponent = math.frexp(scale)[1] + 1
    table, bias, size = (np.ldexp(a, -exponent) for a in (table, bias, size))
    upper_bias, upper_size = np.ldexp(upper_bias, -exponent), np.ldexp(upper_size, -exponent)
    ties, limits, units = scaled_ties(paths, float(np.abs(table).mean()) if table.size else 0.0)
    tie_size = reached(ties, limits, paths)
    rows = len(bias) + len(limits) + line.shape[1]
    pad = max(LANES - rows, -rows % LANES)
    options = np.column_stack([table, ties, np.ldexp(line, -exponent), np.zeros((len(line), pad))])
    tie: BoolArray = np.zeros(rows + pad, dtype=bool)
    tie[len(bias) : len(bias) + len(limits)] = True
    bias = np.concatenate([bias, limits, np.zeros(line.shape[1] + pad)])
    weight = np.concatenate([sign, -2.0 / units, np.ones(line.shape[1]), np.zeros(pad)])
    low, high = ranges(options, bias, paths)
    whole = np.zeros((rows + pad, len(upper_bias)))
    whole[: len(above)] = above
    terms = paths.longest + rows + len(upper_bias) + len(paths.start) + 8
    noise = float(np.finfo(np.float64).eps) * terms * (3 if len(upper_bias) else 1)
    joined = paths.members is not None
    option_key = rng.integers(0, 2**63, len(paths.code))
    key = np.bitwise_xor.reduceat(option_key[paths.option], paths.pair[:-1]) if joined else option_key
    problem = Problem(
        nodes=paths.nodes,
        edges=len(paths.source),
        table=np.ascontiguousarray(paths.by_letter(options)),
        bias=bias,
        weight=weight,
        size=np.concatenate([size, tie_size, np.ldexp(straight, -exponent), np.zeros(pad)]),
        tie=tie,
        linear=rows - 1 if line.shape[1] else -1,
        above=np.ascontiguousarray(whole),
        upper_bias=np.ascontiguousarray(upper_bias),
        upper_sign=np.ascontiguousarray(upper_sign, dtype=np.float64),
        upper_size=np.ascontiguousarray(upper_size),
        key=np.ascontiguousarray(key),
        pair=paths.pair,
        joined=joined,
        option=paths.option,
        variable=paths.variable,
        code=paths.code,
        variables=len(paths.start),
        longest=paths.longest,
        noise=noise,
        slack=8.0 * noise,
    )
    beginning = Beginning(paths.first, paths.source, paths.letter, low, high, option_key, paths.start)
    return Task(problem, beginning, exponent, net.constant)


def folded(net: Layered, paths: Paths) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, FloatArray]:
    """Table and bias with the sizes of weights folded in, signs, and the layer above with weights of one.

    Below another layer a unit is scaled such that it says no more than one in all to the layer above, and
    that its input can get to about one before, so that products of small and large weights lose nothing.
    """
    if not len(net.upper_bias):
        used = np.flatnonzero(net.weight)
        size = np.abs(net.weight[used])
        sign = np.sign(net.weight[used])
        return (
            net.table[:, used] * size,
            net.bias[used] * size,
            sign,
            np.zeros((len(used), 0)),
            net.upper_bias,
        )
    exponent = np.frexp(reached(net.table, net.bias, paths))[1]
    table, bias = np.ldexp(net.table, -exponent), np.ldexp(net.bias, -exponent)
    heard = np.abs(net.upper_weight)
    above, upper_bias = np.ldexp(net.above, exponent[:, None]) * heard, net.upper_bias * heard
    size = np.abs(above).sum(axis=1)
    used = np.flatnonzero(size)
    above, size = above[used] / size[used, None], size[used]
    return table[:, used] * size, bias[used] * size, np.zeros(len(used)), above, upper_bias


def scaled_ties(paths: Paths, size: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Ties times powers of two such that no sum exceeds one; their limits, and what one became.

    Entries become about as large as those of the units, so that subgradient steps suit the prices of both.
    """
    exponent = np.frexp(reached(paths.tie_table, paths.tie_bias, paths))[1]
    if size > 0.0 and len(exponent):
        alike = np.frexp(np.abs(paths.tie_table).mean(axis=0) / size)[1]
        exponent = np.clip(alike, exponent, exponent + 30)
    unit = np.ldexp(1.0, -exponent)
    return paths.tie_table * unit, paths.tie_bias * unit, unit


def reached(table: FloatArray, bias: FloatArray, paths: Paths) -> FloatArray:
    """How large each |h| can get, given what options add to it."""
    if not table.shape[1]:
        return np.zeros(0)
    size: FloatArray = np.abs(bias) + np.maximum.reduceat(np.abs(table), paths.start, axis=0).sum(axis=0)
    return size


def ranges(table: FloatArray, bias: FloatArray, paths: Paths) -> tuple[FloatArray, FloatArray]:
    """The least and largest h if any option of each variable may be taken."""
    low = bias + np.minimum.reduceat(table, paths.start, axis=0).sum(axis=0)
    high = bias + np.maximum.reduceat(table, paths.start, axis=0).sum(axis=0)
    return low, high
