"""Measurements that came back, matched with the trials that were asked.

Rows without a value are left pending, `failed` (or `failed: reason`) ends a trial without a value, and
variables, where they are given, must be what was asked.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from milbox.cli.console import InputError, plural, say
from milbox.cli.problem.objective import text_of
from milbox.cli.results.rows import Row, read_rows
from milbox.cli.results.table import PROPOSED, code_of, fields, number_of, refuse_columns, shortened
from milbox.errors import nearest
from milbox.trials.goal import ERROR, ONE

if TYPE_CHECKING:
    from milbox.domain import Domain
    from milbox.trials import Trial
    from milbox.trials.goal import Goal

MOST_LISTED = 12
"""How many columns a message lists."""


YES, NO = ("true", "yes", "1"), ("false", "no", "0")


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of a row to a trial: a value, or the reason why there is none."""

    line: int
    trial: int
    value: float | dict[str, Any] | None
    """A number, or several by name, with their standard errors as `error`."""
    reason: str | None
    info: dict[str, Any] = field(default_factory=dict)
    """What else the row says of the measurement: a note, the batch, the operator."""
    infeasible: bool = True
    """Whether the point is to blame for a failure."""


@dataclass(frozen=True, slots=True)
class Answers:
    """The content of a file of results: answers, rows left open, and the errors of the others."""

    given: list[Answer] = field(default_factory=list)
    open: list[int] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)


def known_data(path: Path, domain: "Domain", goal: "Goal" = ONE) -> list[tuple[dict[str, Any], Any]]:
    """The user's own measurements: a column for each scalar variable, and `value` or each output.

    Trials that failed, or that nobody has measured yet, as `milbox export` writes them, are left out.
    """
    from milbox.trials.outside import assignment_at

    found: list[tuple[dict[str, Any], Any]] = []
    places: dict[tuple[int, ...], int] = {}
    complaints: list[str] = []
    without = 0
    rows = with_fields(read_rows(path), domain, goal)
    needed = (v.name for i, v in enumerate(domain.variables) if i not in domain.conditions)
    check_columns(rows, path, (*needed, *goal.outputs))
    check_errors(rows, path, domain, goal)
    for row in rows:
        try:
            if unmeasured(row, goal):
                without += 1
                continue
            point = point_of(row, domain)
            value = outputs_in(row, goal)
            if point in places and not goal.noise:
                raise ValueError(f"the same point stands on line {places[point]}; keep one of them")
            places[point] = row.line
            found.append((assignment_at(domain, point, {}), value))
        except ValueError as error:
            complaints.append(f"{path}:{row.line}: {error}")
    if complaints:
        listing = "\n".join(complaints)
        raise InputError(f"{plural(len(complaints), 'row')} of {path} cannot be used:\n{listing}")
    if without:
        say(f"{path}: {plural(without, 'row')} without a value left out (failed, or not measured yet)")
    return found


def unmeasured(row: Row, goal: "Goal") -> bool:
    """Whether a row says itself that there is no value."""
    values = [row.entries.get(name) for name in goal.outputs]
    said = str(row.entries.get("state") or "").strip().lower()
    return (all(map(is_empty, values)) and said in ("failed", "pending")) or any(map(is_failure, values))


def is_empty(entry: Any) -> bool:
    """Whether nothing was entered."""
    return entry is None or (isinstance(entry, str) and not entry.strip())


def outputs_in(row: Row, goal: "Goal") -> Any:
    """The numbers of a row: one, or by name where there are several outputs or a standard error."""
    found = {name: number_of(row.entries.get(name, ""), row.decimal_comma) for name in goal.outputs}
    errors = {
        name: number_of(row.entries[column], row.decimal_comma)
        for column, name in goal.error_columns.items()
        if not is_empty(row.entries.get(column))
    }
    if errors:
        return found | {ERROR: errors}
    return found["value"] if list(found) == ["value"] else found


def is_failure(value: Any) -> bool:
    """Whether an entry is `failed`, or `failed: reason`."""
    return isinstance(value, str) and value.partition(":")[0].strip().lower() in ("failed", "fail")


def point_of(row: Row, domain: "Domain") -> tuple[int, ...]:
    """The point that a row spells out, inside the domain or not; conditional variables may be empty."""
    from milbox.domain.assignments import point_of_values
    from milbox.trials import outside

    values: list[Any] = []
    for place, variable in enumerate(domain.variables):
        entry = row.entries.get(variable.name, "")
        if entry in ("", None) and place in domain.conditions:
            values.append(None)
        elif entry == "":
            raise ValueError(f"{variable.name!r} is missing; a row needs every variable, and value")
        else:
            code = code_of(variable, entry, row.decimal_comma, outside.code_of)
            values.append(outside.value_at(variable, code, {}))
    return point_of_values(domain, values, outside.code_of)


def with_fields(rows: Sequence[Row], domain: "Domain", goal: "Goal" = ONE) -> list[Row]:
    """The rows with `Trial` and `yield (%)` as trial and yield, unless a variable has that very name."""
    refuse_columns(domain, fields(goal))
    meant = {columns: meant_by(columns, domain, goal) for columns in {frozenset(row.entries) for row in rows}}
    return [row.renamed(meant[frozenset(row.entries)]) for row in rows]


def meant_by(columns: frozenset[str], domain: "Domain", goal: "Goal") -> dict[str, str]:
    """The columns that stand for a field under another form of its name, and that field."""
    names: dict[str, str] = {}
    for field_name in fields(goal):
        forms = [field_name, goal.label(field_name)]
        if goal.error_columns.get(field_name) == goal.name:
            forms.append(f"{ERROR}:{goal.name}")  # as other outputs have it
        forms = [form.casefold() for form in forms]
        alike = [c for c in columns if c.casefold() in forms and c not in domain.index]
        if field_name not in columns and len(alike) == 1:
            names[alike[0]] = field_name
    return names


def check_columns(rows: Sequence[Row], path: Path, needed: Iterable[str]) -> None:
    """Refuse a file in which a column is missing throughout."""
    columns = {name for row in rows for name in row.entries}
    for name in needed:
        if rows and name not in columns:
            listed = ", ".join(map(repr, sorted(columns)[:MOST_LISTED]))
            more = ", ..." if len(columns) > MOST_LISTED else ""
            raise InputError(f"{path}:1: there is no column {name!r}; the columns are {listed}{more}")


def check_errors(rows: Sequence[Row], path: Path, domain: "Domain", goal: "Goal") -> None:
    """Refuse a file with standard errors of what is no output."""
    for column in {name for row in rows for name in row.entries} if goal.tells_errors else ():
        kind, colon, name = column.partition(":")
        if kind == ERROR and colon and name not in goal.outputs and column not in domain.index:
            close = nearest(name, goal.outputs)
            raise InputError(
                f"{path}:1: {column!r} has standard errors of {name!r}, which is no output{close}"
            )


def answers(
    rows: Sequence[Row], path: Path, domain: "Domain", trials: Sequence["Trial"], goal: "Goal" = ONE
) -> Answers:
    """The rows matched with the trials that were asked."""
    result = Answers()
    seen: dict[int, int] = {}
    rows = with_fields(rows, domain, goal)
    check_columns(rows, path, ("trial", *goal.outputs))
    check_errors(rows, path, domain, goal)
    for row in rows:
        try:
            number = trial_number(row.entries.get("trial", ""), len(trials))
            if number in seen:
                raise ValueError(f"trial {number} stands on line {seen[number]} already")
            seen[number] = row.line
            trial = trials[number]
            same_point(row, domain, trial)
            answer = answer_of(row, number, goal)
            if answer is None:
                result.open.append(number)
            elif trial.state == "pending":
                result.given.append(replace(answer, info=info_in(row, domain, goal)))
            elif not told_so(trial, answer, goal):
                told = f"value {trial.value!r}" if trial.value is not None else trial.shown
                raise ValueError(f"trial {number} has been told already: {told}; `milbox amend` corrects it")
        except ValueError as error:
            result.complaints.append(f"{path}:{row.line}: {error}")
    return result


def info_in(row: Row, domain: "Domain", goal: "Goal") -> dict[str, Any]:
    """The entries of columns that are neither the study's nor variables: what a lab keeps beside a value."""
    from milbox.trials.columns import COLUMNS

    ours = {*fields(goal), *PROPOSED, *COLUMNS, "info"} - {"note"}
    whole = {name.partition("[")[0] for name in domain.index}
    found = {
        name: entry
        for name, entry in row.entries.items()
        if name and name not in ours and name not in domain.index and name not in whole
        if isinstance(entry, str | int | float) and not is_empty(entry)
    }
    own = row.entries.get("info")
    return {**(own if isinstance(own, dict) else {}), **found}


def told_so(trial: "Trial", answer: Answer, goal: "Goal") -> bool:
    """Whether a trial has ended with this very answer."""
    if answer.value is None:
        return trial.state == "failed"
    first = goal.outputs[0]
    given = answer.value if isinstance(answer.value, dict) else {first: answer.value}
    error = given.get("error") if "error" not in goal.outputs else None
    errors = error if isinstance(error, dict) else {} if error is None else {first: error}
    known = {**trial.errors, **({} if trial.error is None else {first: trial.error})}
    return trial.values == {name: value for name, value in given.items() if name in goal.outputs} and all(
        known.get(name) == value for name, value in errors.items()
    )


def answer_of(row: Row, number: int, goal: "Goal" = ONE) -> Answer | None:
    """The outputs of a row, or the reason why there are none; None when the row is still open."""
    entries = [row.entries.get(name, "") for name in goal.outputs]
    reason = str(row.entries.get("reason") or "").strip()
    failure = next(filter(is_failure, entries), None)
    if failure is not None or row.entries.get("state") == "failed":
        said = str(failure or "").partition(":")[2].strip()
        return Answer(
            row.line, number, None, said or reason or "reported as failed", infeasible=to_blame(row)
        )
    if all(map(is_empty, entries)):
        return Answer(row.line, number, None, reason, infeasible=to_blame(row)) if reason else None
    missing = [name for name, entry in zip(goal.outputs, entries, strict=True) if is_empty(entry)]
    if missing:
        raise ValueError(f"{missing[0]!r} is empty; a trial has a value of every output, or of none")
    return Answer(row.line, number, outputs_in(row, goal), None)


def to_blame(row: Row) -> bool:
    """Whether a row that failed blames its point; it does where it has no such column, or an empty one."""
    said = row.entries.get("infeasible")
    if is_empty(said) or isinstance(said, bool):
        return said is not False
    text = str(said).strip().lower()
    if text not in YES + NO:
        raise ValueError(f"'infeasible' is {said!r}; it must be true or false")
    return text in YES


def trial_number(given: Any, count: int) -> int:
    """A number of a trial that was asked."""
    if isinstance(given, str) and re.fullmatch(r"\s*[0-9]{1,18}\s*", given, re.ASCII):
        given = int(given)
    if not isinstance(given, int) or isinstance(given, bool):
        raise ValueError(f"{shortened(given)} is not the number of a trial")
    if not 0 <= given < count:
        raise ValueError(f"there is no trial {given}; {count} have been asked, from 0")
    return given


def same_point(row: Row, domain: "Domain", trial: "Trial") -> None:
    """Refuse a row whose variables are not what was asked: rows or columns were mixed up."""
    from milbox.trials.frames import scalars
    from milbox.trials.outside import assignment_at

    values = dict(scalars(trial.assignment or assignment_at(domain, trial.point, {})))
    for place, (variable, code) in enumerate(zip(domain.variables, trial.point, strict=True)):
        entry = row.entries.get(variable.name, "")
        gone = place in domain.conditions and values.get(variable.name) is None
        if entry == "" or (gone and entry is None):
            continue
        if code not in variable.codes and str(entry) == text_of(values[variable.name]):
            continue  # a value of an earlier domain
        if gone or code not in variable.codes or code_of(variable, entry, row.decimal_comma) != code:
            asked = f"did not ask for {variable.name}, which does not exist there"
            raise ValueError(
                f"trial {trial.number} "
                + (asked if gone else f"asked for {variable.name} = {values[variable.name]!r}")
                + f", and the file has {entry!r}; have rows been mixed up?"
            )
