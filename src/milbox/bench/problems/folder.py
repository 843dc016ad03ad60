"""The folder of benchmark data, and checks of the files in it."""

import csv
import os
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from milbox.errors import DataError

Folders: TypeAlias = Sequence[Path]
"""Data folders, searched in order."""

VARIABLE = "MILBOX_DATA"
# Where `milbox data` writes when no folder is named.
OWN = Path("milbox-data")


def folders(data: Path | str | None = None) -> Folders:
    """The data folder: the argument, else MILBOX_DATA, else ./milbox-data where it exists.

    A folder that was named must exist. Without any, the problems that need no data remain.
    """
    named = data if data is not None else os.environ.get(VARIABLE)
    if named:
        folder = Path(named).expanduser()
        if not folder.is_dir():
            origin = "given as the data folder" if data is not None else f"named by {VARIABLE}"
            raise DataError(
                f"{folder}, {origin}, is not a folder; correct it or create it with `milbox data`"
            )
        return (folder,)
    return (OWN.resolve(),) if OWN.is_dir() else ()


def destination(data: Path | str | None = None) -> Path:
    """Where a download goes: the argument, else MILBOX_DATA, else ./milbox-data."""
    return Path(data or os.environ.get(VARIABLE) or OWN).expanduser()


def find(places: Folders, relative: str, remedy: str) -> Path:
    """The first file of that name in the folders, or a DataError with the remedy."""
    for place in places:
        if (place / relative).is_file():
            return place / relative
    where = ", ".join(str(place) for place in places) or f"any folder ({VARIABLE} is not set)"
    raise DataError(f"{relative} is not in {where}; {remedy}")


def listed(places: Folders, folder: str, *suffixes: str) -> dict[str, Path]:
    """Every file of a kind by its stem, the first folder and the first suffix taking precedence."""
    found: dict[str, Path] = {}
    for place in places:
        for suffix in suffixes:
            for path in sorted((place / folder).glob(f"*{suffix}")):
                found.setdefault(path.name.removesuffix(suffix), path)
    return dict(sorted(found.items()))


def arrays(path: Path, names: Sequence[str], remedy: str) -> dict[str, np.ndarray[Any, Any]]:
    """The named arrays of an .npz file, or a DataError that names the file and what is wrong with it."""
    try:
        # Our own handle, because NumPy leaves its own open when the file is no archive.
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            missing = [name for name in names if name not in archive.files]
            if missing:
                raise DataError(f"{path} has no array {missing[0]!r}; {remedy}")
            return {name: archive[name] for name in names}
    except (zipfile.BadZipFile, zlib.error, ValueError, EOFError, OSError, AttributeError) as reason:
        raise DataError(f"{path} is damaged or not an .npz file ({first_line(reason)}); {remedy}") from reason


def shaped(path: Path, name: str, array: np.ndarray[Any, Any], shape: tuple[int, ...], remedy: str) -> None:
    """Raise a DataError unless the array has this shape and holds finite numbers."""
    if array.shape != shape:
        raise DataError(f"{path}: array {name!r} has shape {array.shape}, expected {shape}; {remedy}")
    if array.dtype.kind not in "biuf" or not np.all(np.isfinite(array)):
        raise DataError(f"{path}: array {name!r} holds something that is not a finite number; {remedy}")


def index(places: Folders, folder: str) -> dict[str, dict[str, str]]:
    """The rows of a folder's index.csv by name; empty without the file."""
    rows: dict[str, dict[str, str]] = {}
    for place in reversed(places):
        path = place / folder / "index.csv"
        if path.is_file():
            try:
                with path.open(newline="", encoding="utf-8") as text:
                    rows |= {row["name"]: row for row in csv.DictReader(text)}
            except (KeyError, UnicodeDecodeError, csv.Error) as reason:
                raise DataError(
                    f"{path} is no index: it needs a CSV header with the column 'name' ({first_line(reason)})"
                ) from reason
    return rows


def first_line(reason: BaseException) -> str:
    """An exception as one short line."""
    return (str(reason).strip().splitlines() or [type(reason).__name__])[0][:120]
