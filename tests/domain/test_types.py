"""Types that editors and type checkers see of the modelling interface; mypy checks every `assert_type`."""

from typing import Any, assert_type

import milbox as mb
from milbox.domain import Array, Binary, Categorical, Integer
from milbox.domain.model.expressions import LinExpr, Literal


def test_declared_variables_have_types() -> None:
    assert_type(mb.binary("b"), Binary)
    assert_type(mb.integer("n", 1, 3), Integer)
    x, m = mb.binary("x", 5), mb.integer("m", 0, 9, (2, 3))
    op = mb.categorical("op", ["conv", "pool"], 4)
    assert isinstance(assert_type(x[0], Binary), Binary)
    assert isinstance(assert_type(x[1:3], Array[Binary, Binary]), Array)
    assert isinstance(assert_type(m[1], Array[Integer, Integer]), Array)
    assert isinstance(assert_type(m[1, 2], Integer), Integer)
    assert isinstance(assert_type(x.sum(), LinExpr), LinExpr)
    assert isinstance(assert_type(m.sum(axis=0), Array[LinExpr, Any]), Array)
    assert isinstance(assert_type(op[0], Categorical), Categorical)


def test_a_comparison_with_a_value_is_a_number_too() -> None:
    op, k = mb.categorical("op", ["conv", "pool"]), mb.integer("k", 1, 8)
    assert isinstance(assert_type(op == "pool", Literal), Literal)
    assert isinstance(assert_type(op != "pool", Literal), Literal)
    assert isinstance(assert_type(k == 3, Literal), Literal)
    assert isinstance(assert_type(2 * (op == "pool") + k, LinExpr), LinExpr)
