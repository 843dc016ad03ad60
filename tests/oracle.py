"""An oracle of domains: constraints said in plain Python, decided with integers and fractions alone.

Nothing here uses the package but `build`, which says the same to it.
"""

import itertools
import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

Point: TypeAlias = tuple[int, ...]

WIDEST = 10**9
"""The largest range of a variable."""


@dataclass(frozen=True)
class Sum:
    """lower <= sum of weight * variable <= upper, with weights as texts that a person could have written."""

    weights: tuple[tuple[int, str], ...]
    relation: str
    limit: str

    def holds(self, point: Point) -> bool:
        """Whether the relation holds, in exact arithmetic."""
        total = sum((Fraction(weight) * point[i] for i, weight in self.weights), Fraction(0))
        limit = Fraction(self.limit)
        return {"<=": total <= limit, ">=": total >= limit, "==": total == limit, "!=": total != limit}[
            self.relation
        ]


@dataclass(frozen=True)
class Either:
    """One of two sums holds."""

    first: Sum
    second: Sum

    def holds(self, point: Point) -> bool:
        """Whether one of both holds."""
        return self.first.holds(point) or self.second.holds(point)


@dataclass(frozen=True)
class Case:
    """Ranges of integer variables, the constraints between them, and points at or next to their limits."""

    ranges: tuple[tuple[int, int], ...]
    claims: tuple[Sum | Either, ...]
    near: tuple[Point, ...]

    def holds(self, point: Point) -> bool:
        """Whether a point is in the domain."""
        inside = all(low <= code <= high for code, (low, high) in zip(point, self.ranges, strict=True))
        return inside and all(claim.holds(point) for claim in self.claims)

    @property
    def box(self) -> int:
        """How many points the ranges have."""
        return math.prod(high - low + 1 for low, high in self.ranges)

    def points(self) -> Iterator[Point]:
        """Every point of the domain, for small boxes."""
        for point in itertools.product(*(range(low, high + 1) for low, high in self.ranges)):
            if self.holds(point):
                yield point

    def build(self, mb: Any) -> Any:
        """The same as a domain of the package."""
        variables = [
            mb.binary(f"v{i}")
            if (low, high) == (0, 1)
            else mb.integer(f"v{i}", low, high, encoding="onehot" if high - low < 6 else "integer")
            for i, (low, high) in enumerate(self.ranges)
        ]
        return mb.Domain(variables, [built(claim, variables, mb) for claim in self.claims])


def built(claim: Sum | Either, variables: Sequence[Any], mb: Any) -> Any:
    """A claim as a constraint of the package."""
    if isinstance(claim, Either):
        return mb.any_of(built(claim.first, variables, mb), built(claim.second, variables, mb))
    total = sum(number(weight) * variables[i] for i, weight in claim.weights)
    limit = number(claim.limit)
    match claim.relation:
        case "<=":
            return total <= limit
        case ">=":
            return total >= limit
        case "==":
            return total == limit
        case _:
            return total != limit


def number(text: str) -> int | float:
    """A number as Python reads it."""
    return int(text) if text.lstrip("-").isdigit() else float(text)


def drawn(rng: random.Random) -> Case:
    """A random case: few variables, wide or narrow, and sums of which about half can be met."""
    count = rng.randint(1, 4)
    narrow = rng.random() < 0.6
    ranges = []
    for _ in range(count):
        low = rng.choice([0, 0, 0, 1, -3, 10**6, -(10**6)])
        width = 1 if narrow and low == 0 and rng.random() < 0.5 else rng.choice([2, 3, 5])
        if not narrow:
            width = rng.choice([1, 7, 1000, 10**6, WIDEST])
        ranges.append((low, low + width))
    claims: list[Sum | Either] = []
    near: list[Point] = []
    for _ in range(rng.randint(1, 3)):
        first = drawn_sum(rng, ranges, near)
        claims.append(first if rng.random() < 0.8 else Either(first, drawn_sum(rng, ranges, near)))
    return Case(tuple(ranges), tuple(claims), tuple(near))


def drawn_sum(rng: random.Random, ranges: Sequence[tuple[int, int]], near: list[Point]) -> Sum:
    """A sum with weights from 1e-6 to 1e9, and a limit at or next to what some point of the box gives."""
    members = rng.sample(range(len(ranges)), rng.randint(1, len(ranges)))
    exponents = rng.choice([(-6, 9), (0, 2), (6, 9), (-6, -3), (-3, 7)])
    weights = tuple((i, drawn_weight(rng, exponents)) for i in members)
    # Mostly the point of the sum before, so that several sums can be met together.
    point = list(near[0]) if near and rng.random() < 0.7 else [rng.randint(low, high) for low, high in ranges]
    near.append(tuple(point))
    for i, (low, high) in enumerate(ranges):
        near += [
            (*point[:i], code, *point[i + 1 :])
            for code in (point[i] - 1, point[i] + 1)
            if low <= code <= high
        ]
    total = sum((Fraction(weight) * point[i] for i, weight in weights), Fraction(0))
    total += Fraction(rng.choice(["0", "0", "0", "1", "-1", "1/1000", "-1/1000000"]))
    return Sum(weights, rng.choice(["<=", ">=", "==", "==", "!="]), limit_text(total))


def drawn_weight(rng: random.Random, exponents: tuple[int, int]) -> str:
    """A weight with up to four digits and an exponent, such as 0.00123 or 45600000."""
    digits, exponent = rng.randint(1, 9999), rng.randint(*exponents)
    sign = rng.choice([1, 1, -1])
    value = sign * Fraction(digits, 10 ** (len(str(digits)) - 1)) * Fraction(10) ** exponent
    return limit_text(value)


def limit_text(value: Fraction) -> str:
    """A number as a person writes it: whole, or with up to 15 digits, nine of them after the point."""
    if value.denominator == 1:
        return str(value.numerator)
    text = f"{float(value):.15g}"
    return text if Fraction(text).denominator <= 10**9 else str(round(value))
