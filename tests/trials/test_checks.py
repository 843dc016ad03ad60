import decimal
import fractions
import math
from typing import Any

import numpy as np
import pytest

from milbox.trials.checks import measured, whole


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (3, 3.0),
        (2.5, 2.5),
        (np.float32(0.5), 0.5),
        (np.int8(-3), -3.0),
        (np.array(1.25), 1.25),
        (fractions.Fraction(1, 4), 0.25),
        (10**20, 1e20),
    ],
)
def test_numbers_of_any_kind_are_values(value: Any, number: float) -> None:
    found = measured(value, "it")
    assert type(found) is float
    assert found == number


def test_a_negative_zero_is_a_zero() -> None:
    assert math.copysign(1.0, measured(-0.0, "it")) == 1.0


@pytest.mark.parametrize(
    "value",
    [
        None,
        "3",
        b"3",
        True,
        np.True_,
        np.array(True),
        np.array("3"),
        np.array([1.0]),
        [1.0],
        {"value": 1.0},
        1 + 0j,
        np.complex64(1.0),
    ],
)
def test_what_is_not_one_number_is_refused_by_type(value: Any) -> None:
    with pytest.raises(TypeError, match=r"the yield is .*; it must be a single finite number"):
        measured(value, "the yield")


@pytest.mark.parametrize(
    "value", [math.nan, math.inf, -math.inf, np.float64("nan"), np.array(np.inf), 10**400]
)
def test_what_is_not_finite_is_refused_by_value(value: Any) -> None:
    with pytest.raises(ValueError, match=r"the yield is (nan|inf|-inf); it must be finite"):
        measured(value, "the yield")


def test_a_decimal_is_a_value() -> None:
    # decimal.Decimal is a Number but, by its authors' choice, not a Real.
    assert measured(decimal.Decimal("0.5"), "it") == 0.5


def test_a_tensor_without_axes_is_a_value() -> None:
    torch = pytest.importorskip("torch")
    assert measured(torch.tensor(1.5), "it") == 1.5
    with pytest.raises(TypeError, match="a single finite number"):
        measured(torch.tensor([1.5]), "it")


def test_whole_numbers() -> None:
    assert whole("count", np.int64(3), 1) == 3
    for wrong in (True, 1.0, "1", None):
        with pytest.raises(TypeError, match="count must be a whole number"):
            whole("count", wrong, 1)
    with pytest.raises(ValueError, match="count must be 1 or more, not 0"):
        whole("count", 0, 1)
