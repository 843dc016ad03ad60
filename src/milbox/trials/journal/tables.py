"""The inside of a journal: two tables of numbers, texts and JSON, and a checksum for each row.

Format 2 added the checksums; format 3 added cancelled trials, amended outcomes, what users note about a
trial, and rules for one proposal alone; format 4 added the goal, several outputs, standard errors, repeated
points, and whether a failure is the point's own. Journals of earlier formats are read as they are, and become
format 4 when they are opened to be written.
"""

import contextlib
import hashlib
import json
import math
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from milbox.errors import JournalError
from milbox.milp.solution import Status
from milbox.trials.change import Change
from milbox.trials.goal import Goal, goal_of
from milbox.trials.header import Header
from milbox.trials.identity import recognised
from milbox.trials.journal import dialect
from milbox.trials.journal.place import Place
from milbox.trials.trial import (
    EVERYWHERE,
    Cancelled,
    Certificate,
    Failed,
    Finished,
    Outcome,
    Pending,
    Proposal,
    State,
    Trial,
)

APPLICATION = int.from_bytes(b"mlbx")
FORMAT = 4

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
        checksum TEXT NOT NULL -- of all other columns, see `checksum` in tables.py
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
        outputs TEXT, -- by name, in the user's sense, as JSON; NULL where there is only the value
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
# What parsing an entry may raise that holds something else than it should.
_UNREADABLE = (
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    ArithmeticError,
    RecursionError,
    sqlite3.OperationalError,
)
_HEADER = (
    "package",
    "created_at",
    "seed",
    "sense",
    "domain",
    "domain_fingerprint",
    "strategy",
    "goal",
    "notes",
)
_ASKED = ("number", "point", "origin", "certificate", "fit_seconds", "asked_at", "repeat")
_OUTCOME = ("state", "value", "reason", "seconds", "told_at", "outputs", "error", "infeasible")
_ENDED = (*_OUTCOME, "earlier", "info", "asked_where")
_TRIAL = (*_ASKED, *_ENDED)
_CHANGE = ("number", "changed_at", "domain", "former")
_SINCE = {"earlier": 3, "info": 3, "asked_where": 3} | dict.fromkeys(
    ("goal", "repeat", "outputs", "error", "infeasible"), 4
)
"""The format that added a column, for those of later ones than the first."""
_WITHOUT = {"earlier": "[]", "info": "{}", "asked_where": "[]", "repeat": 0, "infeasible": 0.0}
"""What a column says in a journal that has none; else nothing. Failures taught nothing before format 4."""


def create(connection: sqlite3.Connection, header: Header) -> None:
    """Write the tables and the header into an empty file."""
    for statement in _SCHEMA:
        connection.execute(statement)
    dialect.mark(connection, APPLICATION, FORMAT)
    _insert(connection, "header", _HEADER, _header_row(header))


def upgrade(connection: sqlite3.Connection, path: Place, history: Sequence[Trial]) -> None:
    """Make a journal of an earlier format one of today's; to be called within a transaction."""
    if _format(connection) == FORMAT:
        return
    kept = header(connection, path)
    connection.execute("DROP TABLE trials")
    connection.execute("DROP TABLE header")
    create(connection, kept)
    for trial in history:
        insert(connection, trial)


def check(connection: sqlite3.Connection, path: Place) -> None:
    """Refuse a file of another program, of a newer milbox, or with damaged pages."""
    application, version = dialect.marks(connection)
    if application != APPLICATION:
        raise JournalError(f"{path} is a database of another program, not a journal; choose another file")
    if version > FORMAT:
        raise JournalError(
            f"{path} was written by a newer milbox (format {version}, this one reads {FORMAT}); "
            f"run `pip install --upgrade milbox`"
        )
    if version < 1:
        raise JournalError(f"{path} is damaged: there is no format {version}; restore a copy")
    detail = dialect.damage(connection)
    if detail is not None:
        raise JournalError(f"{path} is damaged ({detail}); restore a copy, or choose another file")


def header(connection: sqlite3.Connection, path: Place) -> Header:
    """The header row."""
    with intact(path, "its header"):
        row = _header(connection)
        package, created_at, seed, sense, domain, domain_fingerprint, strategy, goal, notes = row
        if sense not in ("maximize", "minimize"):
            raise ValueError(f"the sense is {sense!r}")
        return Header(
            int(_text(seed)),
            sense,
            _dictionary(domain),
            _text(domain_fingerprint),
            recognised(_text(strategy)),
            _text(package),
            _real(created_at),
            _dictionary(notes),
            goal=goal_of(minimize=sense == "minimize") if goal is None else Goal.from_json(_dictionary(goal)),
        )


def trials(connection: sqlite3.Connection, path: Place) -> tuple[Trial, ...]:
    """Every trial, in order."""
    return _trials(connection, path, enumerate(_select(connection, "trials", _columns(connection), _ORDER)))


def some_trials(
    connection: sqlite3.Connection, path: Place, which: str, given: Sequence[Any]
) -> tuple[Trial, ...]:
    """The trials that a condition selects, in order."""
    rows = _select(connection, "trials", _columns(connection), f"WHERE {which} {_ORDER}", given)
    return _trials(connection, path, ((row[0], row) for row in rows))


_ORDER = "ORDER BY number"


def _columns(connection: sqlite3.Connection) -> tuple[str, ...]:
    return _present(connection, _TRIAL)


def _trials(
    connection: sqlite3.Connection, path: Place, rows: Iterable[tuple[int, tuple[Any, ...]]]
) -> tuple[Trial, ...]:
    """The trials of rows, each with the number that it must have."""
    found, columns = [], _columns(connection)
    for expected, row in rows:
        with intact(path, f"trial {expected}"):
            found.append(_trial(_completed(_verified(row, columns), columns, _TRIAL), expected))
    return tuple(found)


def changes(connection: sqlite3.Connection, path: Place) -> tuple[Change, ...]:
    """Every change of the domain, in order."""
    found = []
    if _format(connection) >= 4:
        for row in _select(connection, "changes", _CHANGE, "ORDER BY changed_at, number"):
            with intact(path, "a change of its domain"):
                number, changed_at, domain, former = _verified(row, _CHANGE)
                found.append(Change(int(number), _real(changed_at), _dictionary(domain), _dictionary(former)))
    return tuple(found)


def move(
    connection: sqlite3.Connection, path: Place, header: Header, change: Change, trials: Sequence[Trial]
) -> None:
    """Write another domain, what the change was, and every trial as it is there; within a transaction."""
    with intact(path, "its header"):
        notes = _header(connection)[-1]
    row = (*_header_row(header)[:-1], notes)
    names = ", ".join(f"{name} = ?" for name in (*_HEADER, "checksum"))
    connection.execute(f"UPDATE header SET {names}", (*row, checksum(row)))
    domain, former = (json.dumps(each, allow_nan=False) for each in (change.before, change.former))
    _insert(connection, "changes", _CHANGE, (change.number, _real(change.changed_at), domain, former))
    connection.execute("DELETE FROM trials")
    for trial in trials:
        insert(connection, trial)


def ended(connection: sqlite3.Connection) -> tuple[int, float]:
    """The number of trials that have finished or failed, and the seconds that their evaluations took."""
    query = "SELECT count(*), coalesce(sum(seconds), 0) FROM trials WHERE state IN ('finished', 'failed')"
    count, seconds = connection.execute(query).fetchone()
    return int(count), float(seconds)


def insert(connection: sqlite3.Connection, trial: Trial) -> None:
    """Add a trial."""
    _insert(connection, "trials", _TRIAL, _trial_row(trial))


def change(connection: sqlite3.Connection, path: Place, trial: Trial, was: State) -> None:
    """Record what has become of a trial that the journal has in another state, or with another value."""
    known, given = "WHERE number = ? AND state = ?", (trial.number, was)
    for row in _select(connection, "trials", _TRIAL, known, given):
        with intact(path, f"trial {trial.number}"):
            asked = _verified(row, _TRIAL)[: len(_ASKED)]
        ended = _end(trial)
        names = ", ".join(f"{name} = ?" for name in (*_ENDED, "checksum"))
        arguments = (*ended, checksum((*asked, *ended)), *given)
        connection.execute(f"UPDATE trials SET {names} {known}", arguments)
        return
    raise JournalError(f"{path} has no {was} trial {trial.number}; open it again")


def note(connection: sqlite3.Connection, path: Place, notes: dict[str, Any]) -> None:
    """Change the notes of the header."""
    with intact(path, "its header"):
        kept = _header(connection)
    changed = (*kept[:-1], json.dumps(notes, allow_nan=False))
    connection.execute("UPDATE header SET notes = ?, checksum = ?", (changed[-1], checksum(changed)))


def text(stored: bytes) -> str:
    """A text as it is stored; bytes that are none become lone surrogates, which no checksum agrees with."""
    return stored.decode(errors="surrogateescape")


def checksum(row: Sequence[Any]) -> str:
    """A checksum over the columns of a row, in the order and with the types that SQLite returns."""
    # Every number is a float but the first column of a trial, and JSON writes floats with all their digits.
    return hashlib.blake2b(json.dumps(list(row)).encode(), digest_size=16).hexdigest()


def _format(connection: sqlite3.Connection) -> int:
    return dialect.marks(connection)[1]


def _select(
    connection: sqlite3.Connection,
    table: str,
    names: Sequence[str],
    rest: str = "",
    given: Sequence[Any] = (),
) -> list[tuple[Any, ...]]:
    """The rows of a table; where the journal has checksums, they come last."""
    columns = names if _format(connection) == 1 else (*names, "checksum")
    return connection.execute(f"SELECT {', '.join(columns)} FROM {table} {rest}", given).fetchall()


def _header(connection: sqlite3.Connection) -> tuple[Any, ...]:
    """The columns of the only row of the header."""
    columns = _present(connection, _HEADER)
    rows = _select(connection, "header", columns)
    if len(rows) != 1:
        raise ValueError(f"there are {len(rows)}")
    return _completed(_verified(rows[0], columns), columns, _HEADER)


def _present(connection: sqlite3.Connection, names: Sequence[str]) -> tuple[str, ...]:
    """The columns that a journal of its format has."""
    version = _format(connection)
    return tuple(name for name in names if version >= _SINCE.get(name, 1))


def _completed(row: tuple[Any, ...], columns: Sequence[str], names: Sequence[str]) -> tuple[Any, ...]:
    """The row with what columns say that its journal does not have."""
    if len(columns) == len(names):
        return row
    found = dict(zip(columns, row, strict=True))
    return tuple(found[name] if name in found else _WITHOUT.get(name) for name in names)


def _insert(connection: sqlite3.Connection, table: str, names: Sequence[str], row: tuple[Any, ...]) -> None:
    columns = (*names, "checksum")
    places = ", ".join("?" * len(columns))
    connection.execute(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({places})", (*row, checksum(row)))


def _verified(row: tuple[Any, ...], names: Sequence[str]) -> tuple[Any, ...]:
    """The columns of a row that agree with its checksum, where it has one."""
    columns, rest = row[: len(names)], row[len(names) :]
    if rest and rest[0] != checksum(columns):
        raise ValueError("its checksum is wrong")
    return columns


def _header_row(header: Header) -> tuple[Any, ...]:
    return (
        header.package,
        _real(header.created_at),
        str(header.seed),
        header.sense,
        json.dumps(header.domain, allow_nan=False),
        header.domain_fingerprint,
        header.strategy,
        json.dumps(header.goal.to_json()),
        json.dumps(header.notes, allow_nan=False),
    )


def _trial(row: tuple[Any, ...], expected: int) -> Trial:
    """The trial of a row; raises ValueError for anything that no trial has."""
    number, point, origin, certificate, fit_seconds, asked_at, repeat, *end = row
    earlier, info, where = end[len(_OUTCOME) :]
    if number != expected:
        raise ValueError("missing")
    codes = json.loads(_text(point))
    if not (isinstance(codes, list) and all(type(code) is int for code in codes)):
        raise ValueError(f"the point is {point[:60]}")
    proposal = Proposal(
        tuple(codes),
        _text(origin),
        None if certificate is None else _certificate(_dictionary(certificate)),
        _real(fit_seconds),
        int(repeat),
    )
    return Trial(
        number,
        proposal,
        _outcome(*end[: len(_OUTCOME)]),
        asked_at=_moment(asked_at),
        earlier=tuple(_told(*entry) for entry in _list(earlier)),
        info=_dictionary(info),
        where=tuple(map(_text, _list(where))),
    )


def _trial_row(trial: Trial) -> tuple[Any, ...]:
    certificate = trial.certificate
    return (
        trial.number,
        json.dumps(trial.point, separators=(",", ":")),
        trial.origin,
        None if certificate is None else json.dumps(_jsonable(certificate), allow_nan=False),
        _real(trial.proposal.fit_seconds),
        _moment(trial.asked_at),
        trial.proposal.repeat,
        *_end(trial),
    )


def _end(trial: Trial) -> tuple[Any, ...]:
    return (
        *_outcome_row(trial.outcome),
        json.dumps([_outcome_row(outcome) for outcome in trial.earlier], allow_nan=False),
        json.dumps(dict(trial.info), allow_nan=False),
        json.dumps(trial.where),
    )


def _outcome_row(outcome: Outcome) -> tuple[Any, ...]:
    match outcome:
        case Pending():
            return ("pending", None, None, None, None, None, None, None)
        case Finished(value, seconds, told_at, outputs, error):
            number = None if outputs and math.isnan(value) else _real(value)
            named = json.dumps(dict(outputs), allow_nan=False) if outputs else None
            return ("finished", number, None, _real(seconds), _moment(told_at), named, _moment(error), None)
        case Failed(reason, seconds, told_at, infeasible):
            blamed = float(infeasible)
            return ("failed", None, reason, _real(seconds), _moment(told_at), None, None, blamed)
        case Cancelled(told_at):
            return ("cancelled", None, None, None, _moment(told_at), None, None, None)


def _outcome(
    state: Any,
    value: Any,
    reason: Any,
    seconds: Any,
    told_at: Any,
    outputs: Any = None,
    error: Any = None,
    infeasible: Any = 0.0,
) -> Outcome:
    match state:
        case "pending":
            return Pending()
        case "finished":
            named = tuple(
                (name, _real(output))
                for name, output in ({} if outputs is None else _dictionary(outputs)).items()
            )
            number = math.nan if named and value is None else _real(value)
            return Finished(number, _real(seconds), _moment(told_at), named, _moment(error))
        case "failed":
            return Failed(_text(reason), _real(seconds), _moment(told_at), bool(_real(infeasible)))
        case "cancelled":
            return Cancelled(_moment(told_at))
        case _:
            raise ValueError(f"the state is {state!r}")


def _told(*columns: Any) -> Finished | Failed:
    """An outcome that was told."""
    outcome = _outcome(*columns)
    if not isinstance(outcome, Finished | Failed):
        raise ValueError(f"an earlier outcome is {columns[0]!r}")
    return outcome


def _moment(seconds: Any) -> float | None:
    return None if seconds is None else _real(seconds)


def _real(number: Any) -> float:
    """A finite number of a REAL column."""
    if not isinstance(number, float | int) or not math.isfinite(number):
        raise ValueError(f"{str(number)[:60]!r} is no finite number")
    return float(number) + 0.0  # SQLite does not keep the sign of a zero


def _text(entry: Any) -> str:
    """The text of a TEXT column."""
    if not isinstance(entry, str):
        raise ValueError(f"{str(entry)[:60]!r} is no text")
    entry.encode()  # refuses lone surrogates
    return entry


def _dictionary(entry: Any) -> dict[str, Any]:
    """The JSON object of a TEXT column."""
    found = json.loads(_text(entry))
    if not isinstance(found, dict):
        raise ValueError(f"{entry[:60]} is no JSON object")
    return found


def _list(entry: Any) -> list[Any]:
    """The JSON list of a TEXT column."""
    found = json.loads(_text(entry))
    if not isinstance(found, list):
        raise ValueError(f"{entry[:60]} is no JSON list")
    return found


def _jsonable(certificate: Certificate) -> dict[str, Any]:
    about = {} if certificate.about == EVERYWHERE else {"about": certificate.about}
    surrogate = {"surrogate": certificate.surrogate} if certificate.surrogate else {}
    return (
        about
        | surrogate
        | {
            "status": certificate.status.value,
            "value": _number(certificate.value),
            "bound": _number(certificate.bound),
            "residual": _number(certificate.residual),
            "no_goods": int(certificate.no_goods),
            "seconds": _number(certificate.seconds),
            "solver": certificate.solver,
        }
    )


def _certificate(entry: dict[str, Any]) -> Certificate:
    return Certificate(
        status=Status(entry["status"]),
        value=float(entry["value"]),
        bound=float(entry["bound"]),
        residual=float(entry["residual"]),
        no_goods=int(entry["no_goods"]),
        seconds=float(entry["seconds"]),
        solver=str(entry["solver"]),
        about=str(entry.get("about", EVERYWHERE)),
        surrogate=str(entry.get("surrogate", "")),
    )


def _number(number: float) -> float | str:
    """JSON has no infinities: they are written as text, which `float` reads back."""
    return float(number) if math.isfinite(number) else str(float(number))


@contextlib.contextmanager
def intact(path: Place, what: str) -> Iterator[None]:
    """Report an entry that cannot be read as damage to the file."""
    try:
        yield
    except _UNREADABLE as error:
        why = str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
        why = " ".join(why.split())
        raise JournalError(
            f"{path} is damaged: {what} cannot be read ({why}); restore a copy, or choose another file"
        ) from error
