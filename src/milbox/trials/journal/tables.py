"""The inside of a journal: two tables of numbers, texts and JSON, and a checksum for each row.

Format 2 added the checksums; format 3 added cancelled trials, amended outcomes, what users note about a
trial, and rules for one proposal alone; format 4 added the goal, several outputs, standard errors, repeated
points, and whether a failure is the point's own. Journals of earlier formats are read as they are, and become
format 4 when they are opened to be written. Format 5 has the same tables: a journal of format 4 becomes one
when the first standard error of an output by name is written, so that earlier versions say what it is.
"""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from milbox.errors import JournalError
from milbox.trials.change import Change
from milbox.trials.header import Header
from milbox.trials.journal import rows
from milbox.trials.journal.connection import Connection
from milbox.trials.journal.place import Place
from milbox.trials.trial import Finished, State, Trial

APPLICATION = int.from_bytes(b"mlbx")
FORMAT = 4
"""Of the tables."""
NAMED_ERRORS = 5
"""Of the same tables, where outputs have standard errors of their own; the latest that is read."""

_SCHEMA = (
    """
    CREATE TABLE header (
        one INTEGER PRIMARY KEY CHECK (one = 1),
        package TEXT NOT NULL,
        created_at REAL NOT NULL,
        seed TEXT NOT NULL, -- as text, since it may exceed 64 bits
        sense TEXT NOT NULL CHECK (sense IN ('maximize', 'minimize')),
        domain TEXT NOT NULL,
        domain_fingerprint TEXT NOT NULL,
        strategy TEXT NOT NULL,
        notes TEXT NOT NULL,
        goal TEXT NOT NULL, -- objectives, limits, noise and failures, as JSON
        checksum TEXT NOT NULL -- of all other columns, see `checksum` in rows.py
    )
    """,
    """
    CREATE TABLE trials (
        number INTEGER PRIMARY KEY,
        point TEXT NOT NULL, -- with its repeat, of one trial only that is not cancelled
        origin TEXT NOT NULL,
        certificate TEXT,
        fit_seconds REAL NOT NULL,
        asked_at REAL,
        repeat INTEGER NOT NULL, -- how often the point was asked before
        state TEXT NOT NULL CHECK (state IN ('pending', 'finished', 'failed', 'cancelled')),
        value REAL, -- in the user's sense
        reason TEXT,
        seconds REAL,
        told_at REAL,
        outputs TEXT, -- by name, in the user's sense, as JSON; NULL where there is only the value; an output
                      -- with a standard error of its own is a pair
        error REAL, -- the value's standard error
        infeasible REAL, -- 1 where the point is to blame for a failure, 0 where it is not
        earlier TEXT NOT NULL, -- outcomes amended since, oldest first, as JSON
        info TEXT NOT NULL, -- what the user keeps with the trial, as JSON
        asked_where TEXT NOT NULL, -- rules for this proposal alone, as JSON
        checksum TEXT NOT NULL,
        CHECK ((state = 'finished') = (value IS NOT NULL OR outputs IS NOT NULL)),
        CHECK ((state = 'failed') = (reason IS NOT NULL))
    )
    """,
    "CREATE UNIQUE INDEX once ON trials (point, repeat) WHERE state != 'cancelled'",
    """
    CREATE TABLE changes (
        number INTEGER NOT NULL, -- of trials asked before the domain changed
        changed_at REAL NOT NULL,
        domain TEXT NOT NULL, -- until then
        former TEXT NOT NULL, -- choices that trials have and the domain has not, as JSON
        checksum TEXT NOT NULL
    )
    """,
)
_SINCE = {"earlier": 3, "info": 3, "asked_where": 3} | dict.fromkeys(
    ("goal", "repeat", "outputs", "error", "infeasible"), 4
)
"""The format that added a column, for those of later ones than the first."""
_WITHOUT = {"earlier": "[]", "info": "{}", "asked_where": "[]", "repeat": 0, "infeasible": 0.0}
"""What a column says in a journal that has none; else nothing. Failures taught nothing before format 4."""


def create(connection: Connection, header: Header) -> None:
    """Write the tables and the header into an empty file."""
    for statement in _SCHEMA:
        connection.execute(statement)
    connection.mark(APPLICATION, FORMAT)
    _insert(connection, "header", rows.HEADER, rows.header_row(header))


def upgrade(connection: Connection, path: Place, history: Sequence[Trial]) -> None:
    """Make a journal of an earlier format one of today's; to be called within a transaction."""
    if _format(connection) >= FORMAT:
        return
    kept = header(connection, path)
    connection.execute("DROP TABLE trials")
    connection.execute("DROP TABLE header")
    create(connection, kept)
    for trial in history:
        insert(connection, trial)


def check(connection: Connection, path: Place) -> None:
    """Refuse a file of another program, of a newer milbox, or with damaged pages."""
    application, version = connection.marks()
    if application != APPLICATION:
        raise JournalError(f"{path} is a database of another program, not a journal; choose another file")
    if version > NAMED_ERRORS:
        raise JournalError(
            f"{path} was written by a newer milbox (format {version}, this one reads {NAMED_ERRORS}); "
            f"run `pip install --upgrade milbox`"
        )
    if version < 1:
        raise JournalError(f"{path} is damaged: there is no format {version}; restore a copy")
    detail = connection.damage()
    if detail is not None:
        raise JournalError(f"{path} is damaged ({detail}); restore a copy, or choose another file")


def header(connection: Connection, path: Place) -> Header:
    """The header row."""
    with rows.intact(path, "its header"):
        return rows.header(_header(connection))


def trials(connection: Connection, path: Place) -> tuple[Trial, ...]:
    """Every trial, in order."""
    return _trials(connection, path, enumerate(_select(connection, "trials", _columns(connection), _ORDER)))


def some_trials(connection: Connection, path: Place, which: str, given: Sequence[Any]) -> tuple[Trial, ...]:
    """The trials that a condition selects, in order."""
    found = _select(connection, "trials", _columns(connection), f"WHERE {which} {_ORDER}", given)
    return _trials(connection, path, ((row[0], row) for row in found))


_ORDER = "ORDER BY number"


def _columns(connection: Connection) -> tuple[str, ...]:
    return _present(connection, rows.TRIAL)


def _trials(
    connection: Connection, path: Place, numbered: Iterable[tuple[int, tuple[Any, ...]]]
) -> tuple[Trial, ...]:
    """The trials of rows, each with the number that it must have."""
    found, columns = [], _columns(connection)
    for expected, row in numbered:
        with rows.intact(path, f"trial {expected}"):
            found.append(rows.trial(_completed(_verified(row, columns), columns, rows.TRIAL), expected))
    return tuple(found)


def changes(connection: Connection, path: Place) -> tuple[Change, ...]:
    """Every change of the domain, in order."""
    found = []
    if _format(connection) >= 4:
        for row in _select(connection, "changes", rows.CHANGE, "ORDER BY changed_at, number"):
            with rows.intact(path, "a change of its domain"):
                found.append(rows.change(_verified(row, rows.CHANGE)))
    return tuple(found)


def move(
    connection: Connection, path: Place, header: Header, change: Change, trials: Sequence[Trial]
) -> None:
    """Write another domain, what the change was, and every trial as it is there; within a transaction."""
    with rows.intact(path, "its header"):
        notes = _header(connection)[-1]
    row = (*rows.header_row(header)[:-1], notes)
    names = ", ".join(f"{name} = ?" for name in (*rows.HEADER, "checksum"))
    connection.execute(f"UPDATE header SET {names}", (*row, rows.checksum(row)))
    _insert(connection, "changes", rows.CHANGE, rows.change_row(change))
    connection.execute("DELETE FROM trials")
    for trial in trials:
        insert(connection, trial)


def fill(connection: Connection, changes: Sequence[Change], trials: Sequence[Trial]) -> None:
    """Write what another journal has into tables that have nothing but a header; within a transaction."""
    for change in changes:
        _insert(connection, "changes", rows.CHANGE, rows.change_row(change))
    for trial in trials:
        insert(connection, trial)


def ended(connection: Connection) -> tuple[int, float]:
    """The number of trials that have finished or failed, and the seconds that their evaluations took."""
    query = "SELECT count(*), coalesce(sum(seconds), 0) FROM trials WHERE state IN ('finished', 'failed')"
    count, seconds = connection.execute(query).fetchone()
    return int(count), float(seconds)


def insert(connection: Connection, trial: Trial) -> None:
    """Add a trial."""
    _mark(connection, trial)
    _insert(connection, "trials", rows.TRIAL, rows.trial_row(trial))


def change(connection: Connection, path: Place, trial: Trial, was: State) -> None:
    """Record what has become of a trial that the journal has in another state, or with another value."""
    known, given = "WHERE number = ? AND state = ?", (trial.number, was)
    for row in _select(connection, "trials", rows.TRIAL, known, given):
        with rows.intact(path, f"trial {trial.number}"):
            asked = _verified(row, rows.TRIAL)[: len(rows.ASKED)]
        _mark(connection, trial)
        ended = rows.end_of(trial)
        names = ", ".join(f"{name} = ?" for name in (*rows.ENDED, "checksum"))
        arguments = (*ended, rows.checksum((*asked, *ended)), *given)
        connection.execute(f"UPDATE trials SET {names} {known}", arguments)
        return
    raise JournalError(f"{path} has no {was} trial {trial.number}; open it again")


def note(connection: Connection, path: Place, notes: dict[str, Any]) -> None:
    """Change the notes of the header."""
    with rows.intact(path, "its header"):
        kept = _header(connection)
    changed = (*kept[:-1], json.dumps(notes, allow_nan=False))
    connection.execute("UPDATE header SET notes = ?, checksum = ?", (changed[-1], rows.checksum(changed)))


def _format(connection: Connection) -> int:
    return connection.marks()[1]


def _mark(connection: Connection, trial: Trial) -> None:
    """Say that the journal has what format 4 has not, before such a trial is written."""
    outcomes = (trial.outcome, *trial.earlier)
    named = any(isinstance(each, Finished) and each.errors for each in outcomes)
    if named and _format(connection) < NAMED_ERRORS:
        connection.mark(APPLICATION, NAMED_ERRORS)


def _select(
    connection: Connection,
    table: str,
    names: Sequence[str],
    rest: str = "",
    given: Sequence[Any] = (),
) -> list[tuple[Any, ...]]:
    """The rows of a table; where the journal has checksums, they come last."""
    columns = names if _format(connection) == 1 else (*names, "checksum")
    found: list[tuple[Any, ...]] = connection.execute(
        f"SELECT {', '.join(columns)} FROM {table} {rest}", given
    ).fetchall()
    return found


def _header(connection: Connection) -> tuple[Any, ...]:
    """The columns of the only row of the header."""
    columns = _present(connection, rows.HEADER)
    found = _select(connection, "header", columns)
    if len(found) != 1:
        raise ValueError(f"there are {len(found)}")
    return _completed(_verified(found[0], columns), columns, rows.HEADER)


def _present(connection: Connection, names: Sequence[str]) -> tuple[str, ...]:
    """The columns that a journal of its format has."""
    version = _format(connection)
    return tuple(name for name in names if version >= _SINCE.get(name, 1))


def _completed(row: tuple[Any, ...], columns: Sequence[str], names: Sequence[str]) -> tuple[Any, ...]:
    """The row with what columns say that its journal does not have."""
    if len(columns) == len(names):
        return row
    found = dict(zip(columns, row, strict=True))
    return tuple(found[name] if name in found else _WITHOUT.get(name) for name in names)


def _insert(connection: Connection, table: str, names: Sequence[str], row: tuple[Any, ...]) -> None:
    columns = (*names, "checksum")
    places = ", ".join("?" * len(columns))
    connection.execute(
        f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({places})", (*row, rows.checksum(row))
    )


def _verified(row: tuple[Any, ...], names: Sequence[str]) -> tuple[Any, ...]:
    """The columns of a row that agree with its checksum, where it has one."""
    columns, rest = row[: len(names)], row[len(names) :]
    if rest and rest[0] != rows.checksum(columns):
        raise ValueError("its checksum is wrong")
    return columns
