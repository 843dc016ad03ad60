"""Scales and ticks of charts."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from milbox.page.formats import number


@dataclass(frozen=True, slots=True)
class Scale:
    """Numbers from low to high as pixels from start to end; what lies beyond is drawn at the edge."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def __call__(self, value: float) -> float:
        """The pixel of a number."""
        value = min(max(value, self.low), self.high)
        low, high = self.low, self.high
        if self.log:
            low, high, value = math.log(low), math.log(high), math.log(value)
        # Halves, since the difference of two large numbers may overflow.
        part = (value / 2 - low / 2) / (high / 2 - low / 2)
        return self.start + part * (self.end - self.start)

    def ticks(self, count: int = 5, shown: Callable[[float], str] = number) -> list[tuple[float, str]]:
        """Pixels and labels of round numbers, about `count` of them."""
        values = powers(self.low, self.high, count) if self.log else steps(self.low, self.high, count)
        labels = [shown(value) for value in values]
        if not self.log and len(set(labels)) < len(labels):
            labels = [number(value, 12) for value in values]
        return [(self(value), label) for value, label in zip(values, labels, strict=True)]


def spanning(low: float, high: float, start: float, end: float, pad: float = 0.05) -> Scale:
    """A scale with a little room at both ends, also when there is only one number."""
    if not low < high:
        # A width that stays visible next to the number itself.
        half = max(abs(low) * 1e-3, 1e-9) if low else 1.0
        low, high = low - half, low + half
    room = pad * (high / 2 - low / 2) * 2
    return Scale(max(low - room, -1.7e308), min(high + room, 1.7e308), start, end)


def steps(low: float, high: float, count: int) -> list[float]:
    """Multiples of 1, 2 or 5 times a power of ten within the range."""
    rough = (high / 2 - low / 2) / max(1, count) * 2
    if not (0 < rough < math.inf):
        return []
    power = 10.0 ** math.floor(math.log10(rough))
    if power == 0:
        return []
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * 0.999)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    # Below one, dividing by a whole number gives rounder digits; the reciprocal of the smallest overflows.
    divided = step < 1 and math.isfinite(1 / step)
    return [k / round(1 / step) if divided else k * step for k in range(first, last + 1)]


def powers(low: float, high: float, count: int) -> list[float]:
    """Powers of ten within the range, thinned to about `count` ticks."""
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    every = max(1, math.ceil((last - first + 1) / max(1, count)))
    return [10.0**k for k in range(first, last + 1, every)]
