"""Building programs, and what is refused."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from milbox.milp import Affine, Milp, MilpBuilder


def test_columns_are_numbered_and_broadcast() -> None:
    builder = MilpBuilder()
    assert builder.columns(np.zeros(3), 2, integer=[True, False, True]).tolist() == [0, 1, 2]
    assert builder.columns(-1, 1).tolist() == [3]
    assert builder.columns(np.zeros(0), 1).tolist() == []
    assert builder.width == 4
    milp = builder.build()
    assert milp.lower.tolist() == [0, 0, 0, -1]
    assert milp.upper.tolist() == [2, 2, 2, 1]
    assert milp.integer.tolist() == [True, False, True, False]
    lower, upper = builder.bounds([3, 0])
    assert (lower.tolist(), upper.tolist()) == ([-1, 0], [1, 2])


def test_rows_keep_their_order_and_sum_what_repeats() -> None:
    builder = MilpBuilder()
    x = builder.columns(np.zeros(3), 1)
    builder.row([2, 0, 2], [1, 5, 2], upper=4)
    builder.rows([[1, 0], [0, -1]], x[:2], lower=[0, -1])
    builder.row([0, 0], [1, -1], lower=-1)
    builder.row([], [])
    milp = builder.build()
    assert milp.matrix.toarray().tolist() == [[5, 0, 3], [1, 0, 0], [0, -1, 0], [0, 0, 0], [0, 0, 0]]
    assert milp.matrix.nnz == 4
    assert milp.row_lower.tolist() == [-np.inf, 0, -1, -1, -np.inf]
    assert milp.row_upper.tolist() == [4, np.inf, np.inf, np.inf, np.inf]


def test_a_builder_goes_on_after_build() -> None:
    builder = MilpBuilder()
    x = builder.columns(np.zeros(2), 1)
    builder.maximize(Affine(x, np.array([1.0, 2.0]), 3.0))
    first = builder.build()
    builder.row(x, [1, 1], upper=1)
    builder.maximize(Affine(x[:1], np.array([4.0])))
    second = builder.build()
    assert (first.rows, second.rows) == (0, 1)
    assert (first.cost.tolist(), first.offset) == ([1, 2], 3.0)
    assert (second.cost.tolist(), second.offset) == ([4, 0], 0.0)


@pytest.mark.parametrize(("lower", "upper"), [(-np.inf, 0), (0, np.inf), (np.nan, 1)])
def test_a_column_needs_finite_bounds(lower: float, upper: float) -> None:
    builder = MilpBuilder()
    builder.columns(0, 1)
    with pytest.raises(ValueError, match=r"column 1 has bounds .* needs finite bounds"):
        builder.columns(lower, upper)


def test_rows_over_unknown_columns_are_refused() -> None:
    builder = MilpBuilder()
    x = builder.columns(np.zeros(2), 1)
    with pytest.raises(ValueError, match="column 2 does not exist: there are 2 columns"):
        builder.row([0, 2], [1, 1])
    with pytest.raises(ValueError, match="column -1 does not exist"):
        builder.maximize(Affine(np.array([-1]), np.array([1.0])))
    with pytest.raises(TypeError, match="columns are integers"):
        builder.row([0.5], [1])
    with pytest.raises(ValueError, match=r"shape \(1, 3\) does not fit 2 columns"):
        builder.row(x, [1, 1, 1])
    with pytest.raises(ValueError, match="must be finite"):
        builder.row(x, [1, np.nan])


def test_rows_need_sensible_sides() -> None:
    builder = MilpBuilder()
    x = builder.columns(np.zeros(2), 1)
    builder.row(x, [1, 1], lower=np.inf)
    with pytest.raises(ValueError, match="row 0 has sides inf and inf"):
        builder.build()


def test_arrays_of_different_lengths_are_refused() -> None:
    matrix = csr_array(np.ones((1, 2)))
    one, two = np.ones(1), np.ones(2)
    with pytest.raises(ValueError, match=r"lower has shape \(1,\).*needs \(2,\)"):
        Milp(two, 0.0, matrix, one, one, one, two, np.zeros(2, dtype=bool))
    with pytest.raises(ValueError, match="upper of column 1 is inf"):
        Milp(two, 0.0, matrix, one, one, two, np.array([1, np.inf]), np.zeros(2, dtype=bool))


def test_affine_expressions_add_and_scale() -> None:
    first = Affine(np.array([0, 2]), np.array([1.0, -1.0]), 2.0)
    both = 3 * first + Affine(np.array([2]), np.array([5.0]))
    x = np.array([1.0, 10.0, 100.0])
    assert both.at(x) == 3 * (1 - 100 + 2) + 500
    with pytest.raises(ValueError, match="2 columns but 1 coefficients"):
        Affine(np.array([0, 1]), np.array([1.0]))


def test_fixed_relaxed_and_the_bound_of_the_box() -> None:
    builder = MilpBuilder()
    x = builder.columns([-1, 0], [2, 3], integer=True)
    builder.maximize(Affine(x, np.array([-2.0, 1.0]), 10.0))
    milp = builder.build()
    assert milp.box_bound() == 15.0
    assert milp.fixed(x[:1], np.array([1.0])).box_bound() == 11.0
    assert not milp.relaxed().integer.any()
    assert milp.integer.all()
