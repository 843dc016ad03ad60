"""What the compiled search works on: problem, points in hand, open nodes, and the node at work."""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from milbox.arrays import BoolArray, FloatArray, IntArray

# Phases of a unit. ACTIVE and INACTIVE were branched on; a certain phase holds at every point of the node
# that is better than the worst point in hand. LEVEL is the phase of an equality that is not certain to hold.
OPEN, ACTIVE, INACTIVE, SURELY_ACTIVE, SURELY_INACTIVE, LEVEL = 0, 1, -1, 2, -2, 3

# In place of the phases of rows that have left a node: those that became part of the output, and the others.
MERGED, DROPPED = 4, -4

# Kinds of rows: a unit (or what goes straight to the output), and ties: h <= 0, and h = 0.
UNIT, AT_MOST, EQUAL = 0, 1, 2

NOTHING = -2.0
"""Below any value: networks are scaled so that |f| < 1."""

UNREACHED = -1e300
"""In place of the length of a longest path where there is no path."""

LANES = 8
"""Rows are padded to a multiple of this."""

Small = npt.NDArray[np.int32]

Unsigned = npt.NDArray[np.uint32]
"""Indices that do not count from the end, which spares a look at their signs."""

Int: TypeAlias = int | np.signedinteger[Any]
"""A whole number that numba may be handed as np.int64(1): for a literal it would compile once more."""


class Problem(NamedTuple):
    """f(x) = sum_r weight_r relu(h_r) + sum_k upper_sign_k relu(z_k) over paths x, minus tried ones.

        h = bias + the sum of table over the letters of the path,   z = upper_bias + relu(h) above.

    Rows are the units of the first hidden layer, then ties, then what goes straight to the output (if
    anything does), which is always active, then nothing up to a multiple of eight. Sizes of weights are
    folded into the rows. A tie asks for h_r <= 0 or for h_r = 0: it is a concave unit, -P relu(h_r) or
    -P |h_r|, with a penalty P so large that one violation outweighs f.
    """

    nodes: int
    edges: int
    table: FloatArray
    """(letters, rows)"""
    rows: FloatArray
    """(4, rows): bias; output weight (+1 or -1, 0 below another layer, minus the penalty for a tie); size,
    which no |h_r| exceeds; and the output weight where h_r < 0."""
    tie: Small
    """(rows,): their kinds."""
    tied: bool
    """Whether any row is a tie."""
    linear: int
    """The row that is always active, or -1 where nothing goes straight to the output."""
    above: FloatArray
    """(rows, upper units)"""
    uppers: FloatArray
    """(3, upper units): bias, output weight (+1 or -1), and size."""
    key: IntArray
    """(letters,): random bits. A point's key is the exclusive or of its letters' keys."""
    pair: Small
    """(letters + 1,): the first option of each letter."""
    joined: bool
    """Whether letters stand for several options, so that ranges known beforehand are wide."""
    option: Small
    """The options (a variable with a code) that letters stand for."""
    variable: Small
    """(options,)"""
    code: IntArray
    """(options,)"""
    variables: int
    longest: int
    """No path has more letters."""
    noise: float
    """What rounding may add to a sum of terms of total size one."""
    slack: float
    """Points count as better from this difference on."""


class Beginning(NamedTuple):
    """What only the root needs."""

    first: Small
    """(nodes + 1,): the first edge into each node; nodes are in topological order, the terminal last."""
    source: Small
    letter: Small
    low: FloatArray
    """(rows,): ranges of h over all paths, as far as known beforehand."""
    high: FloatArray
    option_key: IntArray
    """(options,): a letter's key is the exclusive or of its options' keys."""
    start: IntArray
    """(variables,): the first option of each."""


class Tried(NamedTuple):
    """The points that must not be returned, in ascending order of their keys."""

    key: IntArray
    codes: IntArray
    """(tried, variables)"""


class Pool(NamedTuple):
    """The best untried points found so far, best first; `NOTHING` marks a free place."""

    value: FloatArray
    key: IntArray
    codes: IntArray


class Settings(NamedTuple):
    """Effort at each node."""

    root_steps: int
    steps: int
    stuck_steps: int
    """Subgradient steps per round: at the root, elsewhere, and where no chord is left."""
    root_rounds: int
    rounds: int
    """How often a node is bounded again after something was ruled out."""
    sweeps: int
    """Sweeps for better points at the root."""
    few: float
    """Nodes of so few paths are enumerated."""
    checks: float
    """Edges that an enumeration below several bounds may look at."""


class Stack(NamedTuple):
    """The open nodes, the last is next, and their diagrams one behind the other in an arena.

    Nodes pushed together may share a diagram. A node with a deviation is what has some edges of a path of the
    diagram and lacks another one.
    """

    counts: IntArray
    """[open nodes; of those searched: all, bounded, split by phase, by path, by side, enumerated]"""
    bound: FloatArray
    lines: FloatArray
    """(nodes, 4, rows + upper units): phase, price, low, high."""
    place: IntArray
    """(nodes, 8): nodes, edges, letters, begin and end in the arena, fixed letters, deviation or -1, and the
    length of its path: it has the edges before the deviation, and lacks the one there."""
    arena: Small


class Rows(NamedTuple):
    """All rows at the node at work, and room for those it has left.

    Once enough rows have settled for the others to fit into fewer lanes, those that are surely inactive are
    dropped; with one layer those that are surely active are merged into one, straight to the output.
    """

    known: FloatArray
    """(4, rows): phase, price, low, high of all rows."""
    behind: Unsigned
    """(rows,): the row behind each of those left."""
    merged: Unsigned
    """(rows,): the rows that were merged."""
    listed: IntArray
    """[rows left, rows merged]"""
    kind: Small
    above: FloatArray
    lines: FloatArray
    """(15 * rows,), as those below: tables of the rows left, one row of theirs behind the other."""
    weights: FloatArray
    bias: FloatArray
    table: FloatArray


Lines: TypeAlias = FloatArray
"""(15, rows): lines above weight * relu(h) for h in [low, high], one for each row or upper unit.

slope = base + gain * price, where least <= price <= most; prices are the multipliers of the Lagrangian bound.
"""

WEIGHT, LOW, HIGH, PHASE = 0, 1, 2, 3
BASE, GAIN, LEAST, MOST = 4, 5, 6, 7
PRICE, BEST_PRICE, SLOPE, BEST_SLOPE = 8, 9, 10, 11
STEP = 12
"""The derivative of the bound by the price, 0 where the price cannot follow."""
H, BEST_H = 13, 14
"""Inputs at the longest path, and at that of the best bound."""


# Rows of tables: one array of named rows takes the compiler far less time than one array for each name.
BIAS, OUTPUT, SIZE, BELOW = 0, 1, 2, 3  # of a problem's rows and, but for the last, of upper units
STACKED_PHASE, STACKED_PRICE, STACKED_LOW, STACKED_HIGH = 0, 1, 2, 3
NAME, LETTER_MAP = 0, 1
COST, BEST_COST, USED = 0, 1, 2
AHEAD, BEHIND = 0, 1
FIXED, PATH = 0, 1
NODE_MAP, JUMP = 0, 1
REACH, PREFIX, SUFFIX = 0, 1, 2
LEAST_SUM = PREFIX  # before sweeps
PREFIX_KEY, SUFFIX_KEY = 0, 1
INTO, OUT = 0, 1


class Desk(NamedTuple):
    """The node at work: its diagram, the letters it has left, and room for passes."""

    size: IntArray
    """[nodes, edges, letters, fixed letters, key of the fixed letters]"""
    first: Small
    source: Small
    letter: Small
    names: Small
    """(2, letters): the problem's letter behind each, and its number after the next packing."""
    table: FloatArray
    bias: FloatArray
    """With the fixed letters added."""
    costs: FloatArray
    """(3, letters): costs, those of the best bound, and how often the last steps used a letter."""
    lengths: FloatArray
    """(2, nodes): longest paths from the root and to the terminal."""
    steps: Small
    """(2, longest + 1): the fixed letters, and the edges of a path, last first."""
    keep: BoolArray
    marks: Small
    """(2, nodes): a node's number after the next packing, and how it is passed by."""
    codes: IntArray
    """(variables,): a point being looked at."""


class Room(NamedTuple):
    """Tables of nodes by rows, as large as the node at work needs."""

    ends: FloatArray
    """(3, nodes, rows): the largest sums; the least ones, or inputs along the best prefix; and inputs along
    the best suffix."""
    lanes: FloatArray
    """(nodes, 8)"""
    keys: IntArray
    """(2, nodes): of the best prefix and suffix."""
    ways: Small
    """(2, nodes): the edge by which the best prefix comes, and the best suffix leaves."""
    top: FloatArray
    lane_cost: FloatArray
    """(letters, 8)"""
