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
# A decimal of at most this denominator is meant as it is written.
SHORT = 10**9
# Floats tell all decimals of so many digits apart.
DIGITS = 15
# Whole coefficients beyond this are refused: they come from numbers that differ by more than 48 digits.
LARGEST_WHOLE = 10**48


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
    if decimal.denominator <= SHORT:
        return decimal
    simple = decimal.limit_denominator(1000)
    return simple if math.isclose(simple, value, rel_tol=1e-15) else decimal


def whole_scale(values: Sequence[Exact]) -> int:
    """The smallest factor that makes all values whole."""
    return math.lcm(*(value.denominator for value in values))


def rounding(value: Exact) -> Fraction:
    """The largest distance of a number from the one that was meant: zero up to 15 digits, which floats keep.

    Longer ones, such as `math.pi` or a sum of many decimals, were computed and rounded on the way.
    """
    if value.denominator == 1:
        return Fraction(0)
    rest, twos, fives = value.denominator, 0, 0
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    length = max(twos, fives)
    digits = abs(value.numerator) * 2 ** (length - twos) * 5 ** (length - fives)
    return Fraction(abs(value.numerator), value.denominator * 2**52) if digits >= 10**DIGITS else Fraction(0)


def digits(count: int) -> str:
    """A whole number in digits, however many: Python's own `str` refuses more than 4300."""
    return f"{Decimal(count):f}"


def power_of_ten(count: int, decimals: int) -> str:
    """A whole number, however large, as `9.42e63`, rounded."""
    return f"{Decimal(count):.{decimals}e}".replace("e+", "e")


def plain(value: Number | Fraction) -> Number:
    """The number as an int where it is whole, else as a float."""
    return value if isinstance(value, int | float) else float(value)
