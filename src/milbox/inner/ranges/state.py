"""What the compiled search over ranges works on."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from milbox.arrays import BoolArray, FloatArray, IntArray

# What a row is: a unit of the network, a sum between limits, or what goes straight to the output.
UNIT, LIMIT, STRAIGHT = 0, 1, 2

# Phases of a unit.
OPEN, ACTIVE, INACTIVE = 0, 1, -1

NOTHING = -2.0
"""Below any value: networks are scaled so that |f| < 1."""

Small = npt.NDArray[np.int8]


class Problem(NamedTuple):
    """f(x) = sum over units of weight_r relu(h_r), and what goes straight to the output.

        h_r = bias_r + sum_i table[i, r] x_i,     x_i = value of column i / its largest value.

    Sizes of weights are folded into the rows, so that weights are 1 or -1. Rows that are limits ask for
    low_r <= h_r <= high_r.
    """

    table: FloatArray
    """(columns, rows)"""
    bias: FloatArray
    weight: FloatArray
    kind: Small
    low: FloatArray
    high: FloatArray
    """(rows,): the limits of sums; -inf and inf of units are written as -4 and 4, which no |h_r| reaches."""
    size: FloatArray
    """(rows,): no |h_r| exceeds it."""
    steps: IntArray
    """(columns,): the largest value; 1 where there is one value alone."""
    first: IntArray
    last: IntArray
    """(columns,): the part that is searched."""
    group: IntArray
    """(columns,): the number of the group, or -1."""
    groups: int
    sums: IntArray
    """(sums, columns): whole coefficients."""
    least: IntArray
    most: IntArray
    tried: IntArray
    """(tried, columns)"""
    apart: IntArray
    """(columns,): a point is near a tried one if every column differs by less than this."""
    noise: float
    """What rounding may add to a sum of terms of total size one."""
    slack: float
    """Points count as better from this difference on."""
    fine: int
    """Columns of so many steps are rounded before they are branched on."""


class Program(NamedTuple):
    """The linear program of a node, by the bounded dual simplex method on a dense tableau.

    Variables are the columns, then for each row the positive and the negative part of h. All are between
    finite limits, so that every basis is dual feasible once each nonbasic variable is at the right limit,
    and the tableau of the last node is a start for any other.
    """

    tableau: FloatArray
    """(rows, variables + 1): the inverse of the basis times the matrix, and times the right-hand side."""
    basis: IntArray
    """(rows,): the variable that is basic in each row."""
    place: IntArray
    """(variables,): the row in which it is basic, or -1."""
    upper: BoolArray
    """(variables,): whether a nonbasic one is at its upper limit."""
    numbers: FloatArray
    """(5, variables): lower limits, upper limits, costs, reduced costs, values."""
    pivots: IntArray
    """[since the tableau was made anew, in all]"""


LOWER, UPPER, PRICE, REDUCED, VALUE = 0, 1, 2, 3, 4


class Node(NamedTuple):
    """The node at work."""

    first: IntArray
    last: IntArray
    """(columns,): the range of each column."""
    phase: Small
    """(rows,)"""
    low: FloatArray
    high: FloatArray
    """(rows,): ranges of h."""
    multiplier: FloatArray
    """(rows,): of the Lagrangian bound."""
    slope: FloatArray
    """(columns,): the multipliers times the table."""
    point: IntArray
    """(columns,): a point being looked at."""
    h: FloatArray
    order: IntArray


class Open(NamedTuple):
    """Open nodes, the last is next."""

    counts: IntArray
    """[open nodes, nodes searched, nodes set aside]"""
    bound: FloatArray
    first: IntArray
    last: IntArray
    phase: Small


class Best(NamedTuple):
    """The best point met."""

    value: FloatArray
    """[value, the highest bound of a node that was given up]"""
    point: IntArray
