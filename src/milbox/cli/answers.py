"""Measurements that came back, matched with the trials that were asked.

Rows without a value are left pending, `failed` (or `failed: reason`) ends a trial without a value, and
variables, where they are given, must be what was asked.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from milbox.cli.output import InputError
from milbox.cli.rows import Row, read_rows
from milbox.cli.table import code_of, number_of

if TYPE_CHECKING:
    from milbox.domain import Domain
    from milbox.trials import Trial


@dataclass(frozen=True, slots=True)
class Answer:
    """What a row says about a trial: a value, or why there is none."""

    line: int
    trial: int
    value: float | None
    reason: str | None


@dataclass(frozen=True, slots=True)
class Answers:
    """What a file of results says: the answers, the rows left open, and what is wrong with the others."""

    given: list[Answer] = field(default_factory=list)
    open: list[int] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)


def known_data(path: Path, domain: "Domain") -> list[tuple[dict[str, Any], float]]:
    """The user's own measurements: a column for each scalar variable, and `value`."""
    found: list[tuple[dict[str, Any], float]] = []
    places: dict[tuple[int, ...], int] = {}
    for row in read_rows(path):
        where = f"{path}:{row.line}"
        missing = [v.name for v in domain.variables if row.entries.get(v.name, "") == ""]
        if missing:
            raise InputError(f"{where}: {missing[0]!r} is missing; a row needs every variable, and value")
        try:
            point = tuple(code_of(v, row.entries[v.name]) for v in domain.variables)
            value = number_of(row.entries.get("value", ""))
        except ValueError as error:
            raise InputError(f"{where}: {error}") from None
        broken = domain.violations(point)
        if broken:
            raise InputError(f"{where}: this point is not in the domain: it violates {broken[0]}")
        if point in places:
            raise InputError(f"{where}: the same point stands on line {places[point]}; keep one of them")
        places[point] = row.line
        found.append((domain.assignment(point), value))
    return found


def answers(rows: Sequence[Row], path: Path, domain: "Domain", trials: Sequence["Trial"]) -> Answers:
    """What the rows say about the trials that were asked."""
    result = Answers()
    seen: dict[int, int] = {}
    columns = {name for row in rows for name in row.entries}
    for needed in ("trial", "value"):
        if rows and needed not in columns:
            raise InputError(f"{path}:1: there is no column {needed!r}; the columns are {sorted(columns)}")
    for row in rows:
        try:
            number = trial_number(row.entries.get("trial", ""), len(trials))
            if number in seen:
                raise ValueError(f"trial {number} stands on line {seen[number]} already")
            seen[number] = row.line
            trial = trials[number]
            same_point(row, domain, trial)
            answer = answer_of(row, number)
            if answer is None:
                result.open.append(number)
            elif trial.state == "pending":
                result.given.append(answer)
            elif (trial.value, trial.state) != (answer.value, "failed" if answer.reason else "finished"):
                told = f"value {trial.value!r}" if trial.value is not None else "failed"
                raise ValueError(f"trial {number} has been told already: {told}")
        except ValueError as error:
            result.complaints.append(f"{path}:{row.line}: {error}")
    return result


def answer_of(row: Row, number: int) -> Answer | None:
    """The value of a row, or the reason why there is none; None when the row is still open."""
    value, reason = row.entries.get("value", ""), str(row.entries.get("reason") or "").strip()
    text = value.strip() if isinstance(value, str) else ""
    word, _, why = text.partition(":")
    if word.strip().lower() in ("failed", "fail") or row.entries.get("state") == "failed":
        return Answer(row.line, number, None, why.strip() or reason or "reported as failed")
    if value is None or (isinstance(value, str) and not text):
        return Answer(row.line, number, None, reason) if reason else None
    return Answer(row.line, number, number_of(value), None)


def trial_number(given: Any, count: int) -> int:
    """A number of a trial that was asked."""
    try:
        number = int(given) if not isinstance(given, bool | float) else int("")
    except (TypeError, ValueError):
        raise ValueError(f"{given!r} is not the number of a trial") from None
    if not 0 <= number < count:
        raise ValueError(f"there is no trial {number}; {count} have been asked, from 0")
    return number


def same_point(row: Row, domain: "Domain", trial: "Trial") -> None:
    """Refuse a row whose variables are not what was asked: rows or columns were mixed up."""
    for variable, code in zip(domain.variables, trial.point, strict=True):
        entry = row.entries.get(variable.name, "")
        if entry != "" and code_of(variable, entry) != code:
            raise ValueError(
                f"trial {trial.number} asked for {variable.name} = {variable.value(code)!r}, "
                f"and the file has {entry!r}; have rows been mixed up?"
            )
