"""A surrogate over the letters of a domain, scaled for the search."""

import math
from dataclasses import dataclass
from functools import reduce

import numpy as np

from milbox.arrays import FloatArray
from milbox.inner.search.paths import Paths
from milbox.inner.search.state import AT_MOST, EQUAL, LANES, UNIT, Beginning, Problem
from milbox.surrogates.linear import Linear
from milbox.surrogates.relu import ReluNet

NARROW = 8
"""Where all variables have the same few codes, a pass for each code is faster than one for each variable."""


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
        straight = paths.by_option(output.weights)[:, 0]
        empty = np.zeros((count, 0))
        return Layered(empty, none, none, np.zeros((0, 0)), none, none, straight, float(output.bias[0]))
    table = paths.by_option(hidden[0].weights)
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
    points: float
    """The number of paths, whether ties hold or not."""
    exponent: int
    constant: float


def task_of(net: Layered, paths: Paths) -> Task:
    """The network over the paths, as a task for the search.

    Raises:
        ValueError: weights are infinite or undefined, or overflow together.
    """
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):  # what that leads to is refused below
        table, bias, sign, above, upper_bias = folded(net, paths)
        line = net.straight[:, None] if net.straight.any() else np.zeros((len(paths.code), 0))
        low, high, size = ranges(table, bias, paths)
        line_low, line_high, straight = ranges(line, np.zeros(line.shape[1]), paths)
        upper_size = np.abs(upper_bias) + size @ np.abs(above)
        scale = float(straight.sum() + (upper_size.sum() if len(upper_bias) else size.sum()))
    if not math.isfinite(scale + net.constant):
        raise ValueError("the network has infinite or undefined weights, or its values overflow")
    exponent = math.frexp(scale)[1] + 1
    unit = tie_units(paths, math.ldexp(float(np.abs(table).mean()), -exponent) if table.size else 0.0)
    units, ties = len(bias), len(unit)
    rows = units + ties + line.shape[1]
    width = max(LANES, rows + -rows % LANES)
    options = np.zeros((len(paths.code), width))
    options[:, :units] = shifted(table, -exponent)
    options[:, units : units + ties] = paths.tie_table * unit
    options[:, units + ties : rows] = shifted(line, -exponent)
    tie = np.full(width, UNIT, dtype=np.int32)
    tie[units : units + ties] = np.where(paths.tie_equal, EQUAL, AT_MOST)
    tie_bias = paths.tie_bias * unit
    tie_low, tie_high = paths.tie_low * unit, paths.tie_high * unit
    below = np.where(paths.tie_equal, 2.0 / unit, 0.0)
    whole = np.zeros((width, len(upper_bias)))
    whole[:units] = above

    def by_row(unit_part: FloatArray, tie_part: FloatArray, line_part: FloatArray) -> FloatArray:
        """Numbers of units, ties and the line, of which those of ties are scaled already."""
        rest = np.zeros(width - rows)
        return np.concatenate([shifted(unit_part, -exponent), tie_part, shifted(line_part, -exponent), rest])

    terms = paths.longest + width + len(upper_bias) + len(paths.start) + 8
    noise = float(np.finfo(np.float64).eps) * terms * (3 if len(upper_bias) else 1)
    problem = Problem(
        nodes=paths.nodes,
        edges=len(paths.source),
        table=paths.by_letter(options),
        rows=np.stack(
            [
                by_row(bias, tie_bias, np.zeros(line.shape[1])),
                np.concatenate([sign, -2.0 / unit, np.ones(line.shape[1]), np.zeros(width - rows)]),
                by_row(size, paths.tie_size * unit, straight),
                np.concatenate([np.zeros(units), below, np.ones(line.shape[1]), np.zeros(width - rows)]),
            ]
        ),
        tie=tie,
        tied=ties > 0,
        linear=rows - 1 if line.shape[1] else -1,
        above=whole,
        uppers=np.stack(
            [shifted(upper_bias, -exponent), np.sign(net.upper_weight), shifted(upper_size, -exponent)]
        ),
        key=paths.key,
        pair=paths.pair,
        joined=paths.joined,
        option=paths.option,
        variable=paths.variable,
        code=paths.code,
        variables=len(paths.start),
        longest=paths.longest,
        noise=noise,
        slack=8.0 * noise,
    )
    low, high = by_row(low, tie_low, line_low), by_row(high, tie_high, line_high)
    beginning = Beginning(paths.first, paths.source, paths.letter, low, high, paths.option_key, paths.start)
    return Task(problem, beginning, paths.points, exponent, net.constant)


def folded(net: Layered, paths: Paths) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, FloatArray]:
    """Table and bias with the sizes of weights folded in, signs, and the layer above with weights of one.

    Below another layer a unit is scaled such that it says no more than one in all to the layer above, and
    that its input can get to about one before, so that products of small and large weights lose nothing.
    """
    if not len(net.upper_bias):
        used = np.flatnonzero(net.weight)
        weight, size = net.weight[used], np.abs(net.weight[used])
        table = net.table if len(used) == len(net.weight) else net.table[:, used]
        return table * size, net.bias[used] * size, np.sign(weight), np.zeros((len(used), 0)), net.upper_bias
    exponent = np.frexp(ranges(net.table, net.bias, paths)[2])[1]
    table, bias = np.ldexp(net.table, -exponent), np.ldexp(net.bias, -exponent)
    heard = np.abs(net.upper_weight)
    above, upper_bias = np.ldexp(net.above, exponent[:, None]) * heard, net.upper_bias * heard
    size = np.abs(above).sum(axis=1)
    used = np.flatnonzero(size)
    above, size = above[used] / size[used, None], size[used]
    return table[:, used] * size, bias[used] * size, np.zeros(len(used)), above, upper_bias


def shifted(array: FloatArray, exponent: int) -> FloatArray:
    """The array times a power of two, which changes no digit; in two steps, neither of which overflows."""
    half = exponent // 2
    return array * math.ldexp(1.0, half) * math.ldexp(1.0, exponent - half)


def tie_units(paths: Paths, size: float) -> FloatArray:
    """Powers of two that ties are multiplied by, so that no sum exceeds one.

    Entries become about as large as those of the units (of this mean size), so that subgradient steps suit
    the prices of both.
    """
    exponent = np.frexp(paths.tie_size)[1]
    if size > 0.0 and len(exponent):
        alike = np.frexp(paths.tie_mean / size)[1]
        exponent = np.clip(alike, exponent, exponent + 30)
    unit: FloatArray = np.ldexp(1.0, -exponent)
    return unit


def ranges(table: FloatArray, bias: FloatArray, paths: Paths) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The least, the largest and the largest absolute h if any option of each variable may be taken."""
    if not table.shape[1]:
        return bias, bias, bias
    count, width = len(paths.start), len(table) // len(paths.start)
    if width <= NARROW and np.array_equal(paths.start, np.arange(0, len(table), width)):
        codes = np.split(table.reshape(count, -1), width, axis=1)
        least, most = reduce(np.minimum, codes), reduce(np.maximum, codes)
    else:
        least = np.minimum.reduceat(table, paths.start, axis=0)
        most = np.maximum.reduceat(table, paths.start, axis=0)
    return (
        bias + least.sum(axis=0),
        bias + most.sum(axis=0),
        np.abs(bias) + np.maximum(-least, most).sum(axis=0),
    )
