"""The best untried point of a network over columns: limits, slices, and what is proved."""

import math
import time
from dataclasses import dataclass

import numpy as np

from milbox.arrays import FloatArray, IntArray
from milbox.domain.box import Box
from milbox.inner.ranges.columns import Columns
from milbox.inner.ranges.state import LIMIT, NOTHING, STRAIGHT, UNIT, Best, Open, Problem
from milbox.inner.ranges.tree import explore
from milbox.surrogates.linear import Linear
from milbox.surrogates.relu import ReluNet

FIRST = 64
"""Nodes of the first slice."""

SLICE = 0.02
"""Seconds of search between looks at the clock."""

ROOM = 1 << 27
"""The search stops when the ranges of its open nodes need more bytes than this, twice."""

FINE = 1000
"""Columns of so many steps are rounded before they are branched on."""

RESOLUTION = 1e-9
"""Nodes whose bounds are this close to the best value, as a share of the largest there can be, come last."""

LAST = 256
"""So many of them are searched for a proof to the last digit; what they leave open is in the bound."""


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """The problem with |f| < 1/2; a value v of it stands for v * 2 ** exponent + constant."""

    problem: Problem
    exponent: int
    constant: float


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """The best untried point, and what is proved about the others."""

    point: IntArray | None
    """(columns,)"""
    value: float
    bound: float
    """No untried point is worth more; -inf when there is none."""
    slack: float
    """How far rounding can carry values and bounds."""
    scale: float
    """No value can be larger than this."""
    nodes: int


def task_of(
    surrogate: Linear | ReluNet,
    columns: Columns,
    tried: IntArray,
    apart: IntArray,
    box: Box | None = None,
) -> Task:
    """The surrogate over the columns, beside points (one a row) and what is nearer to them than `apart`.

    Only the points of the box are searched, if there is one.

    Raises:
        ValueError: weights are infinite or undefined, or overflow together.
    """
    first, last = np.zeros_like(columns.steps), columns.steps
    if box is not None:
        first, last = columns.between(box.low, box.high)
        columns = columns.around(box)
    with np.errstate(over="ignore", invalid="ignore"):  # what that leads to is refused below
        table, bias, weight, constant = by_column(surrogate, columns)
        size = reach(table, bias, columns)
        scale = float(size.sum())
    if not math.isfinite(scale + constant):
        raise ValueError("the network has infinite or undefined weights, or its values overflow")
    exponent = math.frexp(scale)[1] + 1
    units = len(bias)
    kind = UNIT if isinstance(surrogate, ReluNet) and surrogate.hidden else STRAIGHT
    groups = int(columns.group.max(initial=-1)) + 1
    sums = columns.sums * columns.steps
    sum_size = np.maximum(np.abs(sums).sum(axis=1), 1)
    member = (columns.group[None, :] == np.arange(groups)[:, None]).astype(float)
    rows = np.concatenate([np.ldexp(table, -exponent), (sums / sum_size[:, None]).T, member.T], axis=1)
    # Limits are wider by more than division may have moved them.
    wide = 2.0**-50
    least, most = (np.clip(limit / sum_size, -2.0, 2.0) for limit in (columns.least, columns.most))
    more, none = len(sum_size) + groups, np.zeros(groups)
    problem = Problem(
        table=np.ascontiguousarray(rows),
        bias=np.concatenate([np.ldexp(bias, -exponent), np.zeros(len(sum_size)), none - 1.0]),
        weight=np.concatenate([weight, np.zeros(more)]),
        kind=np.concatenate([np.full(units, kind), np.full(more, LIMIT)]).astype(np.int8),
        low=np.concatenate([np.full(units, -4.0), least - wide, none]),
        high=np.concatenate([np.full(units, 4.0), most + wide, none]),
        size=np.concatenate([np.ldexp(size, -exponent), np.ones(len(sum_size)), none + 2.0]),
        steps=np.maximum(columns.steps, 1),
        first=first,
        last=last,
        group=columns.group,
        groups=groups,
        sums=columns.sums,
        least=columns.least,
        most=columns.most,
        tried=np.ascontiguousarray(columns.rows(tried)),
        apart=np.ascontiguousarray(apart[columns.variable]),
        noise=float(np.finfo(np.float64).eps) * (len(columns.steps) + rows.shape[1] + 8),
        slack=8.0 * float(np.finfo(np.float64).eps) * (len(columns.steps) + rows.shape[1] + 8),
        fine=FINE,
    )
    return Task(problem, exponent, constant)


def by_column(
    surrogate: Linear | ReluNet, columns: Columns
) -> tuple[FloatArray, FloatArray, FloatArray, float]:
    """The table, biases and weights of one, with the sizes of weights folded in, and the constant."""
    if isinstance(surrogate, Linear):
        surrogate = ReluNet.of([(surrogate.weights[:, None], np.array([surrogate.bias]))])
    hidden, output = surrogate.hidden, surrogate.output
    factor = (columns.per_step * columns.steps)[:, None]
    if not hidden:
        weights = output.weights
        constant = float(output.bias[0] + columns.base @ weights[:, 0])
        return weights[columns.feature] * factor, np.zeros(1), np.ones(1), constant
    used = np.flatnonzero(output.weights[:, 0])
    weights, out = hidden[0].weights[:, used], output.weights[used, 0]
    bias = hidden[0].bias[used] + columns.base @ weights
    size, constant = np.abs(out), float(output.bias[0])
    return weights[columns.feature] * factor * size, bias * size, np.sign(out), constant


def reach(table: FloatArray, bias: FloatArray, columns: Columns) -> FloatArray:
    """The largest absolute value of each row that the columns leave open."""
    single = columns.group < 0
    total = np.abs(bias) + np.abs(table[single]).sum(axis=0)
    for g in range(int(columns.group.max(initial=-1)) + 1):
        total = total + np.abs(table[columns.group == g]).max(axis=0)
    return np.asarray(total)


def maximise(task: Task, *, seconds: float = math.inf, nodes: int | None = None, gap: float = 0.0) -> Found:
    """The best point that is near no tried one.

    Args:
        task: what is maximised.
        seconds: the search stops after so long.
        nodes: the search stops after so many nodes of its tree.
        gap: the search stops at this relative distance between the bound and the value.
    """
    began = time.perf_counter()
    problem = task.problem
    best = Best(np.array([NOTHING, NOTHING]), np.zeros(len(problem.steps), np.int64))
    open_, aside = root(problem, 1), root(problem, 0)
    limit = math.inf if nodes is None else nodes
    for resolution, most in ((RESOLUTION, limit), (0.0, LAST)):
        portion, searched = int(min(FIRST if gap == 0.0 else 1, most)), 0
        while open_.counts[0] and portion:
            before = time.perf_counter()
            near = resolution
            if best.value[0] > NOTHING:
                near = max(near, gap * abs(best.value[0] + math.ldexp(task.constant, -task.exponent)))
            open_, aside = explore(problem, best, open_, aside, near, portion)
            now = time.perf_counter()
            searched += portion
            if now - began > seconds or searched >= most or open_.first.nbytes > ROOM:
                break
            portion = int(min(portion * min(4.0, SLICE / max(now - before, 1e-6)) + 1, most - searched))
        if open_.counts[0] or not aside.counts[0]:
            break
        open_, aside = (
            aside._replace(counts=np.array([aside.counts[0], open_.counts[1], 0])),
            root(problem, 0),
        )
    rest = max(float(part.bound[: part.counts[0]].max(initial=-math.inf)) for part in (open_, aside))
    found = best.value[0] > NOTHING
    slack = math.ldexp(2.0 * problem.slack, task.exponent) + 1e-15 * abs(task.constant)
    value = math.ldexp(float(best.value[0]), task.exponent) + task.constant if found else -math.inf
    bound = math.ldexp(rest, task.exponent) + task.constant if rest > -math.inf else -math.inf
    return Found(
        point=best.point if found else None,
        value=value,
        bound=max(bound, value + slack) if found else bound,
        slack=slack,
        scale=math.ldexp(1.0, task.exponent) + abs(task.constant),
        nodes=int(open_.counts[1]),
    )


def root(problem: Problem, count: int) -> Open:
    """Open nodes: the whole domain, or none."""
    columns, rows = problem.table.shape
    depth = 256
    made = Open(
        counts=np.array([count, 0, 0]),
        bound=np.full(depth, 1.0),
        first=np.zeros((depth, columns), np.int64),
        last=np.zeros((depth, columns), np.int64),
        phase=np.zeros((depth, rows), np.int8),
    )
    made.first[0], made.last[0] = problem.first, problem.last
    return made
