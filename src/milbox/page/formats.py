"""Numbers, durations and names as text."""

import datetime
import math
from collections.abc import Mapping
from typing import Any

from milbox.domain.model.numbers import power_of_ten

MINUS = "\N{MINUS SIGN}"
NOTHING = "\N{EN DASH}"
"""Stands for a variable that does not exist at a point."""
ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"


def number(value: float, digits: int = 5) -> str:
    """A value with `digits` significant digits; infinities as a sign."""
    if math.isnan(value):
        return "not a number"
    if math.isinf(value):
        return "∞" if value > 0 else f"{MINUS}∞"
    shown = f"{value:.{digits}g}"
    mantissa, _, exponent = shown.partition("e")
    if exponent:
        few = 0 <= int(exponent) < 7
        shown = f"{float(shown):.0f}" if few else f"{mantissa}e{int(exponent)}"
    whole, point, rest = shown.partition(".")
    if len(whole) > 4 and "e" not in shown:
        shown = f"{int(whole):,}{point}{rest}"
    return shown.replace("-", MINUS)


def count(amount: int, noun: str) -> str:
    """`1 trial`, `2 trials`."""
    return f"{amount:,} {noun}{'' if amount == 1 else 's'}"


def of_all(some: int, total: int, noun: str) -> str:
    """`all 3 trials`, `the only trial`, `2 of 3 trials`."""
    if some == total:
        return f"the only {noun}" if total == 1 else f"all {count(total, noun)}"
    return f"{some:,} of {count(total, noun)}"


def share(fraction: float) -> str:
    """A fraction as a percentage."""
    if math.isinf(fraction):
        return "∞"
    percent = 100 * fraction
    return "0" if percent == 0 else f"{number(percent, 2)}%"


def moment(seconds: float | None) -> str:
    """A time since 1970 as a date that everybody reads alike."""
    if seconds is None or not math.isfinite(seconds):
        return "unknown"
    try:
        return f"{datetime.datetime.fromtimestamp(seconds, datetime.UTC):%-d %B %Y, %H:%M} UTC"
    except (OverflowError, ValueError, OSError):
        return "unknown"


def about(size: int) -> str:
    """A whole number that may be far too large for a float."""
    return f"{size:,}" if size < 10**9 else power_of_ten(size, 1)


def short(name: str, length: int) -> str:
    """The text, its middle left out where it is too long."""
    name = " ".join(name.split())
    if len(name) <= length:
        return name
    tail = (length - 1) // 3
    return f"{name[: length - 1 - tail]}{ELLIPSIS}{name[len(name) - tail :]}"


def value_text(value: Any) -> str:
    """One value of an assignment; letters, zeros and ones stand close together."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if not isinstance(value, list):
        return NOTHING if value is None else str(value)
    if value and not isinstance(value[0], list):
        shown = [value_text(item) for item in value]
        return "".join(shown) if all(len(item) == 1 for item in shown) else ", ".join(shown)
    return " / ".join(value_text(row) for row in value)


def assignment_text(assignment: Mapping[str, Any]) -> str:
    """A point in one line."""
    return ", ".join(f"{name} = {value_text(value)}" for name, value in assignment.items())
