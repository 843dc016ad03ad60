"""Rows of a file of results (CSV, JSON or JSON lines), each with its line number."""

import csv
import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from milbox.cli.output import InputError


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a file of results, and where it stands."""

    line: int
    entries: Mapping[str, Any]
    """As read: texts from CSV, values from JSON; nested assignments spread over scalar variables."""


def read_rows(path: Path) -> list[Row]:
    """The rows of a CSV, JSON or JSON lines file, told apart by their first character."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = path.read_bytes()[: error.start].count(b"\n") + 1
        raise InputError(f"{path}:{line}: this is not text in UTF-8; save the file as UTF-8 CSV") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from None
    if text.lstrip()[:1] in ("{", "["):
        return list(_json_rows(text, path))
    return list(_csv_rows(text, path))


def _csv_rows(text: str, path: Path) -> Iterator[Row]:
    first = text.lstrip().partition("\n")[0]
    # Spreadsheets in countries with a decimal comma write semicolons.
    delimiter = max(",;\t", key=first.count)
    reader = csv.reader(io.StringIO(text), delimiter=delimiter, strict=True)
    names: list[str] = []
    try:
        for entries in reader:
            if not any(entry.strip() for entry in entries):
                continue
            if not names:
                names = [entry.strip() for entry in entries]
                twice = next((name for name in names if name and names.count(name) > 1), None)
                if twice is not None:
                    raise InputError(f"{path}:{reader.line_num}: there are two columns {twice!r}")
                continue
            if len(entries) > len(names):
                raise InputError(
                    f"{path}:{reader.line_num}: {len(entries)} entries for {len(names)} columns; "
                    f"an entry that contains a {delimiter!r} must stand in quotes"
                )
            yield Row(reader.line_num, {n: e.strip() for n, e in zip(names, entries, strict=False)})
    except csv.Error as error:
        raise InputError(f"{path}:{reader.line_num}: {error}") from None
    if not names:
        raise InputError(f"{path}: the file is empty; its first line must name the columns")


def _json_rows(text: str, path: Path) -> Iterator[Row]:
    """A list of objects, an object with such a list under "trials", or one object a line."""
    try:
        whole = json.loads(text)
    except ValueError:
        for number, each in enumerate(text.splitlines(), start=1):
            if each.strip():
                try:
                    yield Row(number, _object(json.loads(each), path, number))
                except ValueError as error:
                    raise InputError(f"{path}:{number}: this is not JSON: {error}") from None
        return
    items = whole.get("trials", [whole]) if isinstance(whole, dict) else whole
    if not isinstance(items, list):
        raise InputError(f'{path}:1: expected a list of objects such as {{"trial": 0, "value": 1.5}}')
    at = 0
    for item in items:
        # The n-th object opens at the n-th brace of its level, which only a parser knows: give the line of
        # its trial number, the one thing a person would look for.
        found = text.find('"trial"', at)
        at = found + 1 if found >= 0 else at
        line = text.count("\n", 0, max(found, 0)) + 1
        yield Row(line, _object(item, path, line))


def _object(item: Any, path: Path, line: int) -> dict[str, Any]:
    """A JSON object with nested assignments spread over scalar variables."""
    if not isinstance(item, dict):
        raise InputError(f'{path}:{line}: expected an object such as {{"trial": 0, "value": 1.5}}')
    spread = {key: value for key, value in item.items() if key != "assignment"}
    assignment = item.get("assignment")
    if isinstance(assignment, dict):
        for name, value in assignment.items():
            spread.update(_scalars(name, value))
    return spread


def _scalars(name: str, value: Any, index: tuple[int, ...] = ()) -> Iterator[tuple[str, Any]]:
    if isinstance(value, list):
        for place, item in enumerate(value):
            yield from _scalars(name, item, (*index, place))
    else:
        yield (f"{name}[{', '.join(map(str, index))}]" if index else name), value
