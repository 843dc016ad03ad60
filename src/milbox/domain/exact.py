"""Exact coefficients: 0.1 is one tenth and 1 / 3 one third until they become rows."""

import math
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

Number: TypeAlias = int | float
Exact: TypeAlias = int | Fraction

# Beyond this, floating point no longer tells whole numbers apart.
LARGEST = 2**53
# Coefficients are made whole numbers when that keeps them below this; 0.1 then means one tenth exactly.
LARGEST_WHOLE = 10**9


def number(value: Any) -> Exact:
    """A finite number as it was meant, or an error that says what was given."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, bool | np.bool_ | int | np.integer):
        exact: Exact = int(value)
    elif isinstance(value, float | np.floating) and math.isfinite(value):
        exact = int(value) if float(value).is_integer() else meant(float(value))
    elif isinstance(value, Fraction):
        exact = value.numerator if value.denominator == 1 else value
    else:
        raise TypeError(f"{value!r} is not a finite number, variable or expression")
    if not -LARGEST <= exact <= LARGEST:
        raise ValueError(f"{value!r} is too large: numbers up to 2**53 can be told apart")
    return exact


def meant(value: float) -> Fraction:
    """The fraction a person means by a float: 0.1 is one tenth, 1 / 3 one third, 0.1 + 0.2 three tenths."""
    decimal = Fraction(repr(value))
    if decimal.denominator <= LARGEST_WHOLE:
        return decimal
    simple = decimal.limit_denominator(1000)
    return simple if math.isclose(simple, value, rel_tol=1e-15) else decimal


def whole_scale(values: Sequence[Exact]) -> int | None:
    """The smallest factor that makes all values whole; None when they would become too large."""
    scale = 1
    for value in values:
        scale = math.lcm(scale, value.denominator)
        if scale > LARGEST_WHOLE:
            return None
    if scale == 1:
        return 1
    return scale if all(-LARGEST_WHOLE <= value * scale <= LARGEST_WHOLE for value in values) else None


def digits(count: int) -> str:
    """A whole number in digits, however many: Python's own `str` refuses more than 4300."""
    return f"{Decimal(count):f}"


def plain(value: Number | Fraction) -> Number:
    """The number as an int where it is whole, else as a float."""
    return value if isinstance(value, int | float) else float(value)
