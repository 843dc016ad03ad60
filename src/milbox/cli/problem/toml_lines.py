"""Line numbers of keys in a TOML file, which `tomllib` does not report."""

import re
import tomllib
from collections.abc import Sequence
from typing import Any, TypeAlias

Path: TypeAlias = tuple[str | int, ...]
"""Keys from the top of a file; a number counts the tables of an array of tables."""

_KEY = r"""(?:[A-Za-z0-9_-]+|"(?:[^"\\]|\\.)*"|'[^']*')"""
_KEYS = rf"{_KEY}(?:\s*\.\s*{_KEY})*"
_TABLE = re.compile(rf"\s*(\[\[?)\s*({_KEYS})\s*\]\]?\s*(?:#.*)?")
_ENTRY = re.compile(rf"\s*({_KEYS})\s*=(.*)")


def line_of(text: str, path: Sequence[str | int]) -> int:
    """The line (from 1) of the key at `path`, or of the nearest table around it."""
    wanted = tuple(path)
    best, depth = 1, 0
    for number, place in _places(text):
        shared = _shared(place, wanted)
        # A deeper place that is not on the way, say `[variables.y]` for x, tells no more than its parent.
        if shared > depth and (shared == len(place) or len(place) > len(wanted) == shared):
            best, depth = number, shared
    return best


def rule_line(text: str, path: Sequence[str | int], line: int) -> int:
    """The line in the file of the `line`-th line of a text that is the value at `path`."""
    start = line_of(text, path)
    opening = re.search("=\\s*(\"\"\"|''')(.*)", text.splitlines()[start - 1])
    if opening is None:
        return start
    # TOML drops a line break that follows the opening quotes at once.
    return start + line - (0 if not opening[2].strip() else 1)


def syntax_error_line(text: str, error: tomllib.TOMLDecodeError) -> int:
    """The line that `tomllib` complains about."""
    found = re.search(r"at line (\d+)", str(error))
    return int(found[1]) if found else max(1, len(text.splitlines()))


def _places(text: str) -> list[tuple[int, Path]]:
    """Every line that opens a table or gives a key, with the key's path."""
    places: list[tuple[int, Path]] = []
    table: Path = ()
    counts: dict[Path, int] = {}
    inside = ""  # the quotes of a text of several lines that is open
    for number, line in enumerate(text.splitlines(), start=1):
        if not inside:
            if opened := _TABLE.fullmatch(line):
                table = _keys(opened[2])
                if opened[1] == "[[":
                    counts[table] = counts.get(table, -1) + 1
                    table = (*table, counts[table])
                else:
                    table = _counted(table, counts)
                places.append((number, table))
            elif entry := _ENTRY.fullmatch(line):
                places.append((number, (*table, *_keys(entry[1]))))
        for quotes in re.findall("\"\"\"|'''", line):
            if not inside or inside == quotes:
                inside = "" if inside else quotes
    return places


def _counted(table: Path, counts: dict[Path, int]) -> Path:
    """The path of a table below the latest of an array of tables."""
    for length in range(len(table), 0, -1):
        if table[:length] in counts:
            return (*table[:length], counts[table[:length]], *table[length:])
    return table


def _keys(dotted: str) -> Path:
    """`a."b c".d` as three keys, by asking TOML itself."""
    found: list[str] = []
    step: Any = tomllib.loads(f"{dotted} = 0")
    while isinstance(step, dict):
        ((key, step),) = step.items()
        found.append(key)
    return tuple(found)


def _shared(one: Path, other: Path) -> int:
    """The number of keys that two paths share from the top."""
    count = 0
    for mine, yours in zip(one, other, strict=False):
        if mine != yours:
            break
        count += 1
    return count
