"""Checks of measured values, of whole-number arguments, of texts and of what a user keeps with a trial."""

import json
import math
import numbers
import operator
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

_NUMBER = re.compile(
    r"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|inf(?:inity)?|nan)", re.IGNORECASE
)


def measured(value: Any, label: str) -> float:
    """The value as a float; `label` begins the sentence of the error when it is not a finite number."""
    if getattr(value, "shape", None) == () and hasattr(value, "item"):  # NumPy scalars, arrays without axes
        value = value.item()
    # A bool is a number to Python, and a comparison returned by mistake to everybody else.
    if isinstance(value, bool) or not isinstance(value, numbers.Real | Decimal):
        raise TypeError(f"{label} is {_shown(value)}; it must be a single finite number")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ValueError(f"{label} is {number}; it must be finite")
    # -0.0 becomes 0.0, because SQLite does not keep the sign of a zero.
    return number + 0.0


def number_in(text: str) -> float:
    """The number that a text spells, with a decimal point or an exponent or neither; else a ValueError.

    Python reads `1_000` as a thousand, and digits of any script; elsewhere they are mistakes, and refused.
    """
    if not _NUMBER.fullmatch(text.strip()):
        raise ValueError(f"{text!r} is not a number")
    return float(text)


def storable(text: str) -> str:
    """The text as a file can hold it: half characters (lone surrogates) are written as escapes."""
    return text.encode(errors="backslashreplace").decode()


def whole(name: str, value: Any, least: int) -> int:
    """The value as an int that is at least `least`; the error says what `name` is."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} must be a whole number, not {value!r}")
    number = operator.index(value)
    if number < least:
        raise ValueError(f"{name} must be {least} or more, not {number}")
    return number


def noted(note: str | None, info: Mapping[str, Any] | None) -> dict[str, Any]:
    """A note and further information about a trial as one JSON object."""
    if note is not None and not isinstance(note, str):
        raise TypeError(f"a note must be a string, not {note!r}")
    kept = {**(info or {}), **({} if note is None else {"note": note})}
    try:
        return dict(json.loads(json.dumps(kept, allow_nan=False)))
    except (TypeError, ValueError) as error:
        raise TypeError(f"info must be JSON, with texts as keys: {error}") from None


def _shown(value: Any) -> str:
    if value is None:
        return "None"
    text = repr(value)
    return f"{text if len(text) <= 60 else text[:57] + '...'}, of type {type(value).__name__}"
