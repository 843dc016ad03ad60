"""Trials as a pandas or polars frame: one row each, one column for each scalar variable."""

import datetime
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from milbox.trials.trial import Certificate, Pending, Trial

BEFORE: Mapping[str, Callable[[Trial], Any]] = {
    "number": lambda trial: trial.number,
    "state": lambda trial: trial.state,
    "value": lambda trial: trial.value,
    "origin": lambda trial: trial.origin,
}
PROVED: Mapping[str, Callable[[Certificate], Any]] = {
    "status": lambda certificate: certificate.status.value,
    "acquisition": lambda certificate: certificate.value,
    "bound": lambda certificate: certificate.bound,
    "gap": lambda certificate: certificate.gap,
    "residual": lambda certificate: certificate.residual,
    "no_goods": lambda certificate: certificate.no_goods,
    "solver": lambda certificate: certificate.solver,
    "solver_seconds": lambda certificate: certificate.seconds,
}
AFTER: Mapping[str, Callable[[Trial], Any]] = {
    "fit_seconds": lambda trial: trial.proposal.fit_seconds,
    "evaluation_seconds": lambda trial: None if isinstance(trial.outcome, Pending) else trial.outcome.seconds,
    "asked_at": lambda trial: moment(trial.asked_at),
    "told_at": lambda trial: None if isinstance(trial.outcome, Pending) else moment(trial.outcome.told_at),
    "reason": lambda trial: trial.reason,
}
NUMBERS = frozenset(
    [
        "value",
        "acquisition",
        "bound",
        "gap",
        "residual",
        "solver_seconds",
        "fit_seconds",
        "evaluation_seconds",
    ]
)
WHOLE = frozenset({"number", "no_goods"})
TIMES = frozenset({"asked_at", "told_at"})


def columns(trials: Iterable[Trial]) -> dict[str, list[Any]]:
    """The trials column by column; None where there is nothing.

    In order: number, state, value, origin; a column for each scalar variable, by its name (`x[0]`, `x[1]`,
    ...); what is proved; durations, dates, and the reason of a failure. A variable that is called like one of
    the others is given as `value (variable)`.
    """
    listed = list(trials)
    table = {name: [read(trial) for trial in listed] for name, read in BEFORE.items()}
    points = [dict(scalars(trial.assignment)) for trial in listed]
    names = dict.fromkeys(name for point in points for name in point)
    taken = {*BEFORE, *PROVED, *AFTER}
    for name in names:
        table[f"{name} (variable)" if name in taken else name] = [point.get(name) for point in points]
    for name, said in PROVED.items():
        table[name] = [None if t.certificate is None else said(t.certificate) for t in listed]
    table |= {name: [read(trial) for trial in listed] for name, read in AFTER.items()}
    return table


def to_pandas(trials: Iterable[Trial]) -> Any:
    """The trials as a pandas DataFrame, as from `study.trials` or `result.trials`; needs pandas."""
    pandas = library("pandas")
    frame = {}
    for name, entries in columns(trials).items():
        if name in NUMBERS:
            frame[name] = pandas.Series([math.nan if e is None else e for e in entries], dtype="float64")
        elif name in WHOLE:
            frame[name] = pandas.Series(entries, dtype="Int64" if name == "no_goods" else "int64")
        elif name in TIMES:
            frame[name] = pandas.Series(pandas.to_datetime(entries, utc=True), dtype="datetime64[ns, UTC]")
        else:
            frame[name] = pandas.Series(entries, dtype=None if entries else "object")
    return pandas.DataFrame(frame)


def to_polars(trials: Iterable[Trial]) -> Any:
    """The trials as a polars DataFrame; needs polars. Choices of several types become texts."""
    polars = library("polars")
    frame = {}
    for name, entries in columns(trials).items():
        if name in NUMBERS:
            frame[name] = polars.Series(name, entries, dtype=polars.Float64)
        elif name in WHOLE:
            frame[name] = polars.Series(name, entries, dtype=polars.Int64)
        elif name in TIMES:
            frame[name] = polars.Series(name, entries, dtype=polars.Datetime("us", "UTC"))
        elif name in BEFORE or name in PROVED or name in AFTER:
            frame[name] = polars.Series(name, entries, dtype=polars.String)
        else:
            kinds = {type(entry) for entry in entries if entry is not None}
            mixed = len(kinds) > 1 and kinds != {int, float}
            frame[name] = polars.Series(name, [str(e) for e in entries] if mixed else entries)
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
