"""Monomials: products of integers' values and 0/1 indicators, and sums of them at many points."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from milbox.arrays import IntArray
from milbox.domain.model.numbers import Number

if TYPE_CHECKING:
    from milbox.domain.model.variables import Variable

Codes: TypeAlias = Mapping[str, IntArray]
"""Many points at once: for each variable's name the codes it takes, one entry per point."""

WORD = 2**62
"""Sums below this are exact in 64 bits, in any order."""


@dataclass(frozen=True, slots=True)
class Factor:
    """The code of a variable when `code` is None, else the indicator of `variable = code`.

    An integer's code is its value; a real's is the number of steps from its lowest value.
    """

    name: str
    code: int | None
    variable: "Variable" = field(compare=False, repr=False)

    def value(self, codes: Codes) -> IntArray:
        """The factor's value at each of many points."""
        column = codes[self.name]
        return column if self.code is None else (column == self.code).astype(column.dtype)


Monomial: TypeAlias = tuple[Factor, ...]


def total(terms: Iterable[tuple[Monomial, Number]], codes: Codes) -> Any:
    """The sum of the terms at each of many points; of whole coefficients it is exact."""
    listed = list(terms)
    # Where 64 bits are too few, Python's integers have enough.
    wide = all(isinstance(c, int) for _, c in listed) and size(listed) >= WORD  # type: ignore[arg-type]
    if wide:
        codes = {name: column.astype(object) for name, column in codes.items()}
    # A sum of nothing has an entry per point too.
    result: Any = np.zeros(len(next(iter(codes.values()))), dtype=object if wide else np.int64)
    for monomial, coefficient in listed:
        part: Any = coefficient
        for factor in monomial:
            part = part * factor.value(codes)
        result = result + part
    return result


def size(terms: Iterable[tuple[Monomial, int]]) -> int:
    """No sum of some of the terms is larger in absolute value."""
    return sum(abs(c) * math.prod(largest(f) for f in monomial) for monomial, c in terms)


def reach(terms: Iterable[tuple[Monomial, int]]) -> tuple[int, int]:
    """The least and the most a sum can be: exact when each variable is alone in its terms."""
    least = most = 0
    slopes: dict[str, int] = {}
    jumps: dict[str, dict[int, int]] = {}
    ranges: dict[str, range] = {}
    for monomial, c in terms:
        if len(monomial) > 1:
            least, most = least + min(c, 0), most + max(c, 0)
            continue
        (factor,) = monomial
        ranges[factor.name] = factor.variable.codes
        own = jumps.setdefault(factor.name, {})
        if factor.code is None:
            slopes[factor.name] = slopes.get(factor.name, 0) + c
        else:
            own[factor.code] = own.get(factor.code, 0) + c
    for name, codes in ranges.items():
        slope, own = slopes.get(name, 0), jumps[name]
        # Between jumps the sum is a line, so that its ends are enough.
        plain_codes = [
            next((code for code in way if code not in own), None) for way in (codes, reversed(codes))
        ]
        ends = [slope * code for code in plain_codes if code is not None]
        ends += [slope * code + c for code, c in own.items() if code in codes]
        least, most = least + min(ends), most + max(ends)
    return least, most


def largest(factor: Factor) -> int:
    """The largest absolute value a factor takes."""
    if factor.code is not None:
        return 1
    codes = factor.variable.codes
    return max(abs(codes[0]), abs(codes[-1]))


def distinct(variables: Iterable["Variable"]) -> tuple["Variable", ...]:
    """Each variable once, by name, in order of appearance."""
    seen: dict[str, Variable] = {}
    for variable in variables:
        seen.setdefault(variable.name, variable)
    return tuple(seen.values())
