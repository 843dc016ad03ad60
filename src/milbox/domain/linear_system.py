"""Sums of whole numbers as rows of floats that exclude nothing the sums allow.

A row that floats hold exactly is the sum itself. A wider one is scaled by a power of two, what is too small
to be seen beside the rest is left out, and its sides move apart by as much as that and rounding amount to.
"""

import math
from collections.abc import Sequence
from fractions import Fraction

from milbox.domain.model.numbers import LARGEST, Number

SCALED = 30
"""The largest term of a row that was scaled stays below two to this power."""

SEEN = Fraction(1, 2**20)
"""Terms that stay below this in a scaled row are left out."""


def largest_terms(coefficients: Sequence[int], ranges: Sequence[tuple[int, int]]) -> list[int]:
    """The largest absolute value of each term of a row."""
    return [abs(c) * max(abs(low), abs(high)) for c, (low, high) in zip(coefficients, ranges, strict=True)]


def is_exact(coefficients: Sequence[int], ranges: Sequence[tuple[int, int]]) -> bool:
    """Whether `relaxed` leaves the row as it is."""
    return sum(largest_terms(coefficients, ranges)) < LARGEST


def relaxed(
    coefficients: Sequence[int], ranges: Sequence[tuple[int, int]], lower: Number, upper: Number
) -> tuple[list[float], float, float]:
    """Coefficients and sides of a row; zero where a coefficient is left out.

    Args:
        coefficients: of the sum.
        ranges: the least and the largest value of what each is multiplied with.
        lower: limit of the sum, or -inf.
        upper: limit of the sum, or inf.
    """
    sizes = largest_terms(coefficients, ranges)
    size = sum(sizes)
    # What no sum can reach is brought near, where it says the same.
    near = size + 1
    low_side = lower if lower == -math.inf else min(max(int(lower), -near), near)
    high_side = upper if upper == math.inf else min(max(int(upper), -near), near)
    if size < LARGEST:
        return [float(c) for c in coefficients], float(low_side), float(high_side)
    unit = 2 ** max(0, max(sizes).bit_length() - SCALED)
    row: list[float] = []
    below = above = Fraction(0)
    for c, most, (low, high) in zip(coefficients, sizes, ranges, strict=True):
        if Fraction(most, unit) < SEEN:
            ends = (Fraction(c * low, unit), Fraction(c * high, unit))
            below, above = below + min(ends), above + max(ends)
            row.append(0.0)
        else:
            row.append(float(Fraction(c, unit)))
    # Each entry, each side and each sum in floats is off by at most so much.
    rounding = float(Fraction(size + near, unit)) * 2.0**-52 * (len(row) + 2)
    return (
        row,
        -math.inf if lower == -math.inf else float(Fraction(int(low_side), unit) - above) - rounding,
        math.inf if upper == math.inf else float(Fraction(int(high_side), unit) - below) + rounding,
    )
