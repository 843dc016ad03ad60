"""The rows of a journal: headers, trials and changes as numbers, texts and JSON, and read back."""

import contextlib
import hashlib
import json
import math
import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any

from milbox.errors import JournalError
from milbox.milp.solution import Status
from milbox.trials.change import Change
from milbox.trials.goal import Goal, goal_of
from milbox.trials.header import Header
from milbox.trials.identity import recognised
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
    Trial,
)

HEADER = (
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
ASKED = ("number", "point", "origin", "certificate", "fit_seconds", "asked_at", "repeat")
OUTCOME = ("state", "value", "reason", "seconds", "told_at", "outputs", "error", "infeasible")
ENDED = (*OUTCOME, "earlier", "info", "asked_where")
TRIAL = (*ASKED, *ENDED)
CHANGE = ("number", "changed_at", "domain", "former")

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


def checksum(row: Sequence[Any]) -> str:
    """A checksum over the columns of a row, in the order and with the types that SQLite returns."""
    # Every number is a float but the first column of a trial, and JSON writes floats with all their digits.
    return hashlib.blake2b(json.dumps(list(row)).encode(), digest_size=16).hexdigest()


def header(row: tuple[Any, ...]) -> Header:
    """The header of a row."""
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


def header_row(header: Header) -> tuple[Any, ...]:
    """A header as a row."""
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


def change(row: tuple[Any, ...]) -> Change:
    """The change of a row."""
    number, changed_at, domain, former = row
    return Change(int(number), _real(changed_at), _dictionary(domain), _dictionary(former))


def change_row(change: Change) -> tuple[Any, ...]:
    """A change of the domain as a row."""
    domain, former = (json.dumps(each, allow_nan=False) for each in (change.before, change.former))
    return (change.number, _real(change.changed_at), domain, former)


def trial(row: tuple[Any, ...], expected: int) -> Trial:
    """The trial of a row; raises ValueError for anything that no trial has."""
    number, point, origin, certificate, fit_seconds, asked_at, repeat, *end = row
    earlier, info, where = end[len(OUTCOME) :]
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
        _outcome(*end[: len(OUTCOME)]),
        asked_at=_moment(asked_at),
        earlier=tuple(_told(*entry) for entry in _list(earlier)),
        info=_dictionary(info),
        where=tuple(map(_text, _list(where))),
    )


def trial_row(trial: Trial) -> tuple[Any, ...]:
    """A trial as a row."""
    certificate = trial.certificate
    return (
        trial.number,
        json.dumps(trial.point, separators=(",", ":")),
        trial.origin,
        None if certificate is None else json.dumps(_jsonable(certificate), allow_nan=False),
        _real(trial.proposal.fit_seconds),
        _moment(trial.asked_at),
        trial.proposal.repeat,
        *end_of(trial),
    )


def end_of(trial: Trial) -> tuple[Any, ...]:
    """The columns of a trial that may change once it was asked."""
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
        case Finished(value, seconds, told_at, outputs, error, errors):
            number = None if outputs and math.isnan(value) else _real(value)
            known = dict(errors)
            entries = {name: [output, known[name]] if name in known else output for name, output in outputs}
            named = json.dumps(entries, allow_nan=False) if outputs else None
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
            entries = {} if outputs is None else _dictionary(outputs)
            pairs = {name: entry for name, entry in entries.items() if isinstance(entry, list)}
            errors = tuple((name, _real(known)) for name, (_, known) in pairs.items())
            named = tuple(
                (name, _real(entry[0] if name in pairs else entry)) for name, entry in entries.items()
            )
            number = math.nan if named and value is None else _real(value)
            return Finished(number, _real(seconds), _moment(told_at), named, _moment(error), errors)
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
