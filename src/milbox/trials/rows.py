"""Tables of a journal and the conversion of their rows; numbers and JSON, nothing pickled."""

import contextlib
import hashlib
import json
import math
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from milbox.errors import JournalError
from milbox.milp.solution import Status
from milbox.trials.header import Header
from milbox.trials.identity import recognised
from milbox.trials.trial import Certificate, Failed, Finished, Outcome, Pending, Proposal, Trial

APPLICATION = int.from_bytes(b"mlbx")
FORMAT = 1

_SCHEMA = (
    f"PRAGMA application_id = {APPLICATION}",
    f"PRAGMA user_version = {FORMAT}",
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
        strategy_fingerprint TEXT NOT NULL,
        notes TEXT NOT NULL
    )
    """,
    """
    CREATE TABLE trials (
        number INTEGER PRIMARY KEY,
        point TEXT NOT NULL UNIQUE,
        origin TEXT NOT NULL,
        certificate TEXT,
        fit_seconds REAL NOT NULL,
        asked_at REAL,
        state TEXT NOT NULL CHECK (state IN ('pending', 'finished', 'failed')),
        value REAL, -- in the user's sense
        reason TEXT,
        seconds REAL,
        told_at REAL,
        CHECK ((state = 'finished') = (value IS NOT NULL)),
        CHECK ((state = 'failed') = (reason IS NOT NULL))
    )
    """,
)
_COLUMNS = "number, point, origin, certificate, fit_seconds, asked_at, state, value, reason, seconds, told_at"

INSERT = f"INSERT INTO trials ({_COLUMNS}) VALUES ({', '.join('?' * 11)})"
NOTE = "UPDATE header SET notes = ?"
UPDATE = (
    "UPDATE trials SET state = ?, value = ?, reason = ?, seconds = ?, told_at = ? "
    "WHERE number = ? AND state = 'pending'"
)


def create(connection: sqlite3.Connection, header: Header) -> None:
    """Write the tables and the header into an empty file."""
    for statement in _SCHEMA:
        connection.execute(statement)
    connection.execute(
        "INSERT INTO header VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            header.package,
            header.created_at,
            str(header.seed),
            header.sense,
            json.dumps(header.domain, allow_nan=False),
            header.domain_fingerprint,
            header.strategy,
            hashlib.sha256(header.strategy.encode()).hexdigest(),
            json.dumps(header.notes, allow_nan=False),
        ),
    )


def check(connection: sqlite3.Connection, path: Path) -> None:
    """Refuse a file of another program, of a newer milbox, or with damaged pages."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    if application != APPLICATION:
        raise JournalError(f"{path} is a database of another program, not a journal; choose another file")
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > FORMAT:
        raise JournalError(
            f"{path} was written by a newer milbox (format {version}, this one reads {FORMAT}); "
            f"run `pip install --upgrade milbox`"
        )
    (finding,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if finding != "ok":
        detail = finding.splitlines()[-1]  # the first line only names the database
        raise JournalError(f"{path} is damaged ({detail}); restore a copy, or choose another file")


def header(connection: sqlite3.Connection) -> Header:
    """The header row."""
    with _intact(connection, "its header"):
        found = connection.execute(
            "SELECT seed, sense, domain, domain_fingerprint, strategy, package, created_at, notes FROM header"
        ).fetchone()
        seed, sense, domain, domain_fingerprint, strategy, package, created_at, notes = found
        return Header(
            int(seed),
            sense,
            json.loads(domain),
            domain_fingerprint,
            recognised(strategy),
            package,
            created_at,
            json.loads(notes),
        )


def trials(connection: sqlite3.Connection) -> tuple[Trial, ...]:
    """Every trial, in order."""
    found = []
    for expected, row in enumerate(connection.execute(f"SELECT {_COLUMNS} FROM trials ORDER BY number")):
        with _intact(connection, f"trial {expected}"):
            number, point, origin, certificate, fit_seconds, asked_at, *end = row
            if number != expected:
                raise ValueError("missing")
            proposal = Proposal(
                tuple(int(code) for code in json.loads(point)),
                origin,
                None if certificate is None else _certificate(json.loads(certificate)),
                fit_seconds,
            )
            found.append(Trial(number, proposal, _outcome(*end), asked_at=asked_at))
    return tuple(found)


def row(trial: Trial) -> tuple[Any, ...]:
    """A trial as the arguments of INSERT."""
    certificate = trial.certificate
    return (
        trial.number,
        json.dumps(trial.point, separators=(",", ":")),
        trial.origin,
        None if certificate is None else json.dumps(_jsonable(certificate), allow_nan=False),
        trial.proposal.fit_seconds,
        trial.asked_at,
        *_end(trial.outcome),
    )


def ending(trial: Trial) -> tuple[Any, ...]:
    """A trial that has come to its end as the arguments of UPDATE."""
    return (*_end(trial.outcome), trial.number)


def _end(outcome: Outcome) -> tuple[Any, ...]:
    match outcome:
        case Pending():
            return ("pending", None, None, None, None)
        case Finished(value, seconds, told_at):
            return ("finished", value, None, seconds, told_at)
        case Failed(reason, seconds, told_at):
            return ("failed", None, reason, seconds, told_at)


def _outcome(
    state: str, value: float | None, reason: str | None, seconds: float, told_at: float | None
) -> Outcome:
    if state == "pending":
        return Pending()
    if value is not None:
        return Finished(value, seconds, told_at)
    return Failed(str(reason), seconds, told_at)


def _jsonable(certificate: Certificate) -> dict[str, Any]:
    return {
        "status": certificate.status.value,
        "value": _number(certificate.value),
        "bound": _number(certificate.bound),
        "residual": _number(certificate.residual),
        "no_goods": int(certificate.no_goods),
        "seconds": _number(certificate.seconds),
        "solver": certificate.solver,
    }


def _certificate(entry: dict[str, Any]) -> Certificate:
    return Certificate(
        status=Status(entry["status"]),
        value=float(entry["value"]),
        bound=float(entry["bound"]),
        residual=float(entry["residual"]),
        no_goods=int(entry["no_goods"]),
        seconds=float(entry["seconds"]),
        solver=str(entry["solver"]),
    )


def _number(number: float) -> float | str:
    """JSON has no infinities: they are written as text, which `float` reads back."""
    return float(number) if math.isfinite(number) else str(float(number))


@contextlib.contextmanager
def _intact(connection: sqlite3.Connection, what: str) -> Iterator[None]:
    """Report an entry that cannot be read as damage to the file."""
    try:
        yield
    except (ValueError, TypeError, KeyError, sqlite3.OperationalError) as error:
        (_, _, path) = connection.execute("PRAGMA database_list").fetchone()
        raise JournalError(
            f"{path} is damaged: {what} cannot be read ({error}); restore a copy, or choose another file"
        ) from error
