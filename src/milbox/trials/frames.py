"""Trials as a pandas or polars frame: one row each, one column for each scalar variable."""

import datetime
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from milbox.trials.columns import AFTER, BEFORE, COLUMNS, Kind
from milbox.trials.trial import Finished, Trial


def columns(trials: Iterable[Trial]) -> dict[str, list[Any]]:
    """The trials column by column; None where there is nothing.

    In order: number, state, value, origin; a column for each output with a name, and for the standard errors
    that such outputs were told with (`error:cost`); a column for each scalar variable, by its name (`x[0]`,
    `x[1]`, ...); a column for each entry of `info`; what is proved; durations, the standard error of the
    value, the reason of a failure, and dates. A variable that is called like one of the others is given as
    `value (variable)`.
    """
    listed = list(trials)
    table = {name: [column.read(trial) for trial in listed] for name, column in BEFORE.items()}
    outputs = [dict(trial.outcome.outputs) if isinstance(trial.outcome, Finished) else {} for trial in listed]
    for name in dict.fromkeys(name for each in outputs for name in each):
        table[f"{name} (output)" if name in COLUMNS else name] = [each.get(name) for each in outputs]
    for name in dict.fromkeys(name for trial in listed for name in trial.errors):
        table[f"error:{name}"] = [trial.errors.get(name) for trial in listed]
    points = [dict(scalars(trial.assignment)) for trial in listed]
    # An array that does not exist in one trial has its items in another.
    arrays = {name for t in listed for name, value in t.assignment.items() if isinstance(value, np.ndarray)}
    names = dict.fromkeys(name for point in points for name in point if name not in arrays)
    for name in names:
        table[f"{name} (variable)" if name in COLUMNS or name in table else name] = [
            point.get(name) for point in points
        ]
    for name in dict.fromkeys(name for trial in listed for name in trial.info if name not in COLUMNS):
        table[f"{name} (info)" if name in table else name] = [trial.info.get(name) for trial in listed]
    for name, column in AFTER.items():
        entries = [column.read(trial) for trial in listed]
        table[name] = list(map(moment, entries)) if column.kind == "time" else entries
    return table


def kind_of(name: str) -> Kind | None:
    """The kind of a column; None for a variable's."""
    return COLUMNS[name].kind if name in COLUMNS else None


def to_pandas(trials: Iterable[Trial]) -> Any:
    """The trials as a pandas DataFrame, as from `study.trials` or `result.trials`; needs pandas."""
    pandas = library("pandas")
    frame = {}
    for name, entries in columns(trials).items():
        match kind_of(name):
            case "number":
                frame[name] = pandas.Series([math.nan if e is None else e for e in entries], dtype="float64")
            case "whole":
                frame[name] = pandas.Series(entries, dtype="int64" if name == "number" else "Int64")
            case "truth":
                frame[name] = pandas.Series(entries, dtype="boolean")
            case "time":
                times = pandas.to_datetime(entries, utc=True)
                frame[name] = pandas.Series(times, dtype="datetime64[ns, UTC]")
            case _:
                frame[name] = pandas.Series(entries, dtype=dtype_of(entries))
    return pandas.DataFrame(frame)


def dtype_of(entries: Sequence[Any]) -> str | None:
    """The dtype of a variable's column: whole numbers stay whole beside empty entries."""
    kinds = set(map(type, entries))
    return "Int64" if kinds == {int, type(None)} else None if entries else "object"


def to_polars(trials: Iterable[Trial]) -> Any:
    """The trials as a polars DataFrame; needs polars. Choices of several types become texts."""
    polars = library("polars")
    dtypes = {
        "number": polars.Float64,
        "whole": polars.Int64,
        "time": polars.Datetime("us", "UTC"),
        "text": polars.String,
        "truth": polars.Boolean,
    }
    frame = {}
    for name, entries in columns(trials).items():
        kind = kind_of(name)
        if kind is None:
            types = {type(entry) for entry in entries if entry is not None}
            mixed = len(types) > 1 and types != {int, float}
            frame[name] = polars.Series(name, [str(e) for e in entries] if mixed else entries)
        else:
            frame[name] = polars.Series(name, entries, dtype=dtypes[kind])
    return polars.DataFrame(frame)


def scalars(assignment: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The scalar variables of an assignment by name, with values of Python's own types."""
    for name, value in assignment.items():
        if isinstance(value, np.ndarray):
            for place in np.ndindex(value.shape):
                entry = value[place]
                yield (
                    f"{name}[{', '.join(map(str, place))}]",
                    entry.item() if isinstance(entry, np.generic) else entry,
                )
        else:
            yield name, value.item() if isinstance(value, np.generic) else value


def moment(seconds: float | None) -> datetime.datetime | None:
    """Seconds since 1970 as a date."""
    return None if seconds is None else datetime.datetime.fromtimestamp(seconds, datetime.UTC)


def library(name: str) -> Any:
    """An optional library, or an error that says how to get it."""
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError:
        raise ImportError(f"a frame of {name} needs it: run `pip install {name}`") from None
