"""Programs that solvers are tested on, with the right answers."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from hypothesis import strategies as st

from milbox.arrays import FloatArray
from milbox.milp.program import Affine, Milp, MilpBuilder
from milbox.milp.solvers.highs import linear_optimum
from milbox.milp.verify import satisfies


@st.composite
def integer_milps(draw: st.DrawFn, most_columns: int = 5, most_rows: int = 4) -> Milp:
    """Small pure integer programs: any sign, fixed columns, fractional bounds, empty and infeasible rows."""
    builder = MilpBuilder()
    for _ in range(draw(st.integers(0, most_columns))):
        lower = draw(st.integers(-2, 1)) + draw(st.sampled_from([0.0, 0.0, 0.0, 0.5, -0.25]))
        builder.columns(
            lower, lower + draw(st.sampled_from([0.0, 1.0, 1.0, 1.0, 1.5, 2.0, 3.0])), integer=True
        )
    _add_rows(draw, builder, most_rows)
    return builder.build()


@st.composite
def mixed_milps(draw: st.DrawFn, most_columns: int = 6, most_rows: int = 5) -> Milp:
    """Small programs with integer and continuous columns, at least one of each."""
    builder = MilpBuilder()
    kinds = [True, False, *draw(st.lists(st.booleans(), max_size=most_columns - 2))]
    for integer in kinds:
        lower = draw(st.integers(-2, 1)) + draw(st.sampled_from([0.0, 0.0, 0.5]))
        builder.columns(lower, lower + draw(st.sampled_from([0.0, 1.0, 1.0, 2.0, 2.5])), integer=integer)
    _add_rows(draw, builder, most_rows)
    return builder.build()


@st.composite
def starts(draw: st.DrawFn, milp: Milp) -> FloatArray:
    """A vector within the bounds, whole where it must be; it may well violate rows."""
    x = []
    for lower, upper, integer in zip(milp.lower, milp.upper, milp.integer, strict=True):
        if integer:
            low, high = int(np.ceil(lower)), int(np.floor(upper))
            x.append(float(draw(st.integers(low, max(low, high)))))
        else:
            x.append(float(lower + (upper - lower) * draw(st.sampled_from([0.0, 0.25, 0.5, 1.0]))))
    return np.array(x)


def optimum(milp: Milp) -> float:
    """The best objective, -inf when nothing is feasible.

    Every setting of the integer columns is tried, and a linear program solved for the continuous ones.
    """
    whole = np.flatnonzero(milp.integer)
    ranges = [range(int(np.ceil(milp.lower[j])), int(np.floor(milp.upper[j])) + 1) for j in whole]
    best = -np.inf
    for values in itertools.product(*ranges):
        x: FloatArray | None = np.array(values, dtype=np.float64)
        if len(whole) < milp.columns:
            x = linear_optimum(milp.fixed(whole, np.array(values, dtype=np.float64)))
        if x is not None and satisfies(milp, x):
            best = max(best, milp.objective(x))
    return best


def knapsack() -> Milp:
    """A program: max 10 a + 13 b + 7 c + 8 d + 1  s.t.  3 a + 4 b + 2 c + 3 d <= 7, binaries.

    The optimum is 24, at a = b = 1.
    """
    builder = MilpBuilder()
    x = builder.columns(np.zeros(4), 1, integer=True)
    builder.row(x, [3, 4, 2, 3], upper=7)
    builder.maximize(Affine(x, np.array([10.0, 13.0, 7.0, 8.0]), 1.0))
    return builder.build()


def jeroslow(size: int = 9) -> Milp:
    """A hard program: max -s  s.t.  2 (x_1 + ... + x_size) + s = size, binaries, for an odd size.

    The optimum is -1, yet the relaxation stays at 0 until half of the columns are fixed (Jeroslow 1974).
    """
    builder = MilpBuilder()
    x = builder.columns(np.zeros(size), 1, integer=True)
    s = builder.columns(0, 1, integer=True)
    builder.row([*x, *s], [2] * size + [1], size, size)
    builder.maximize(Affine(s, np.array([-1.0])))
    return builder.build()


def _add_rows(draw: st.DrawFn, builder: MilpBuilder, most_rows: int) -> None:
    coefficients = st.integers(-4, 4)
    width = builder.width

    def combination() -> list[tuple[int, float]]:
        if not width:
            return []
        # Columns may repeat: their entries are summed.
        return draw(st.lists(st.tuples(st.integers(0, width - 1), coefficients), max_size=2 * width))

    for _ in range(draw(st.integers(0, most_rows))):
        terms: Any = combination()
        low = draw(st.integers(-6, 6))
        lower, upper = draw(
            st.sampled_from([(-np.inf, low), (low, np.inf), (low, low + 3), (low, low), (-np.inf, np.inf)])
        )
        builder.row([j for j, _ in terms], [a for _, a in terms], lower, upper, lazy=draw(st.booleans()))
    objective: Any = combination()
    builder.maximize(
        Affine(
            np.array([j for j, _ in objective], dtype=np.int64),
            np.array([a / 2 for _, a in objective]),
            float(draw(st.sampled_from([0, 0, 3.5, -100]))),
        )
    )
