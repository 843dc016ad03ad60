"""Rows of a file of results (CSV, JSON or JSON lines), each with its line number."""

import codecs
import csv
import io
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from typing import Any

from milbox.cli.console import InputError, say
from milbox.cli.results.table import DECIMAL_COMMA, as_written

_THOUSANDS = re.compile(r"[-+]?\d{1,3}(\.\d{3})+")

# NumPy's arrays have no more axes than this.
DEEPEST = 64


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a file of results, and where it stands."""

    line: int
    entries: Mapping[str, Any]
    """As read: texts from CSV, values from JSON; nested assignments spread over scalar variables."""
    decimal_comma: bool = False
    """Whether 1,5 is one and a half here: semicolons separate the entries."""

    def renamed(self, names: Mapping[str, str]) -> "Row":
        """The row with some of its columns under other names."""
        return replace(self, entries={names.get(name, name): entry for name, entry in self.entries.items()})


def read_rows(path: Path) -> list[Row]:
    """The rows of a CSV, JSON or JSON lines file, told apart by their first character."""
    try:
        text = _decoded(path.read_bytes(), path)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from None
    if text.lstrip()[:1] in ("{", "["):
        return list(_json_rows(text, path))
    rows = list(_csv_rows(text, path))
    _check_points(rows, path)
    return rows


def _check_points(rows: list[Row], path: Path) -> None:
    """Refuse 1.500 in a column that has 2,5 too: it may be one and a half, or fifteen hundred."""
    with_comma = {
        name
        for row in rows
        if row.decimal_comma
        for name, entry in row.entries.items()
        if DECIMAL_COMMA.fullmatch(entry)
    }
    for row in rows:
        for name in with_comma & row.entries.keys():
            entry = row.entries[name]
            if _THOUSANDS.fullmatch(entry):
                plain = entry.replace(".", "")
                raise InputError(
                    f"{path}:{row.line}: {name} is {entry} in a column with decimal commas; "
                    f"write {plain}, or {entry.replace('.', ',', 1)} if that is meant"
                )


def _decoded(data: bytes, path: Path) -> str:
    """The text of a file: UTF-8 with or without a byte-order mark, or what else Excel writes."""
    if data.startswith(b"PK\x03\x04"):
        raise InputError(f"{path} is a workbook, not text; in the spreadsheet, save the sheet as CSV")
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):  # Excel's "Unicode text"
        encoding = "utf-16"
    else:
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = data[: error.start].count(b"\n") + 1
            say(f"{path}:{line}: this is not UTF-8, so the file is read as Windows-1252, as Excel writes it")
        encoding = "cp1252"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise InputError(f"{path}:{line}: this is not text in UTF-8; save the file as UTF-8 CSV") from None


def _csv_rows(text: str, path: Path) -> Iterator[Row]:
    first = text.lstrip().partition("\n")[0].strip()
    # Spreadsheets in countries with a decimal comma write semicolons; Excel may say so in a line of its own.
    declared = re.fullmatch("sep=(.)", first, re.IGNORECASE)
    delimiter = declared[1] if declared else max(",;\t", key=first.count)
    reader = csv.reader(io.StringIO(text), delimiter=delimiter, strict=True)
    names: list[str] = []
    try:
        for entries in reader:
            if not any(entry.strip() for entry in entries) or (declared and reader.line_num == 1):
                continue
            if not names:
                names = [as_written(entry.strip()) for entry in entries]
                twice = next((name for name in names if name and names.count(name) > 1), None)
                if twice is not None:
                    raise InputError(f"{path}:{reader.line_num}: there are two columns {twice!r}")
                continue
            if len(entries) > len(names):
                raise InputError(
                    f"{path}:{reader.line_num}: {len(entries)} entries for {len(names)} columns; "
                    f"an entry that contains a {delimiter!r} must stand in quotes"
                )
            # Entries that a row leaves out at its end are empty ones.
            row = {n: as_written(e.strip()) for n, e in zip_longest(names, entries, fillvalue="")}
            yield Row(reader.line_num, row, decimal_comma=delimiter == ";")
    except csv.Error as error:
        raise InputError(f"{path}:{reader.line_num}: {error}") from None
    if not names:
        raise InputError(f"{path}: the file is empty; its first line must name the columns")


def _json_rows(text: str, path: Path) -> Iterator[Row]:
    """A list of objects, an object with such a list under "trials", or one object a line."""
    try:
        whole = _loaded(text)
    except ValueError:
        for number, each in enumerate(text.splitlines(), start=1):
            if each.strip():
                try:
                    yield Row(number, _object(_loaded(each), path, number))
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


def _loaded(text: str) -> Any:
    """JSON, or a ValueError that says what is wrong with it."""
    try:
        return json.loads(text, object_pairs_hook=_once)
    except RecursionError:
        raise ValueError("lists are nested too deep") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose keys are all different; which of two equal ones counts, nobody could tell."""
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"an object has the key {twice!r} twice")
    return found


def _object(item: Any, path: Path, line: int) -> dict[str, Any]:
    """A JSON object with nested assignments spread over scalar variables."""
    if not isinstance(item, dict):
        raise InputError(f'{path}:{line}: expected an object such as {{"trial": 0, "value": 1.5}}')
    spread = {key: value for key, value in item.items() if key != "assignment"}
    outputs = spread.pop("values", None)
    if isinstance(outputs, dict):
        spread.update(outputs)
    elif outputs is not None:
        spread["values"] = outputs
    for key in ("error", "errors"):  # one for all, as `tell` takes them, or those of named outputs
        if isinstance(spread.get(key), dict):
            spread.update({f"error:{name}": known for name, known in spread.pop(key).items()})
    assignment = item.get("assignment")
    if isinstance(assignment, dict):
        for name, value in assignment.items():
            try:
                spread.update(_scalars(name, value))
            except RecursionError:
                raise InputError(f"{path}:{line}: {name!r} is a list nested too deep") from None
    return spread


def _scalars(name: str, value: Any, index: tuple[int, ...] = ()) -> Iterator[tuple[str, Any]]:
    if len(index) > DEEPEST:
        raise RecursionError
    if isinstance(value, list):
        for place, item in enumerate(value):
            yield from _scalars(name, item, (*index, place))
    else:
        yield (f"{name}[{', '.join(map(str, index))}]" if index else name), value
