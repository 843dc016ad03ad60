"""Bounds over a relaxation are valid and tight."""

from dataclasses import replace

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from milbox.milp.program import Affine, Milp, MilpBuilder
from milbox.milp.relaxation import dual_bound, maxima
from milbox.milp.solvers.highs import linear_optimum
from milbox.testing.programs import mixed_milps


@settings(deadline=None)
@given(mixed_milps(), st.integers(0, 2**32))
def test_bounds_are_those_of_the_linear_program(milp: Milp, seed: int) -> None:
    x = linear_optimum(milp.relaxed())
    assume(x is not None)
    objectives = np.array([milp.cost, np.random.default_rng(seed).normal(size=milp.columns), -milp.cost])
    for objective, bound in zip(objectives, maxima(milp, objectives), strict=True):
        best = linear_optimum(replace(milp.relaxed(), cost=objective))
        assert best is not None
        assert objective @ best - 1e-7 <= bound <= objective @ best + 1e-6 * (1 + np.abs(objective).sum())


@settings(deadline=None)
@given(mixed_milps(), st.integers(0, 2**32))
def test_any_prices_give_a_bound(milp: Milp, seed: int) -> None:
    x = linear_optimum(milp.relaxed())
    assume(x is not None)
    prices = np.random.default_rng(seed).normal(size=milp.rows)
    assert x is not None
    assert milp.cost @ x <= dual_bound(milp, milp.cost, prices) + 1e-7


def test_without_time_the_column_bounds_have_to_do() -> None:
    builder = MilpBuilder()
    x = builder.columns([0, 0], [1, 1])
    builder.row(x, [1, 1], upper=1)
    builder.maximize(Affine(x, np.ones(2)))
    milp = builder.build()
    assert maxima(milp, np.ones((1, 2))).round(9).tolist() == [1.0]
    assert maxima(milp, np.ones((1, 2)), seconds=-1.0).tolist() == [2.0]
