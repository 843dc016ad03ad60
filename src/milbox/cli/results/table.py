"""Trials as CSV, or as plain entries for JSON, for people and programs to edit.

A batch has a column `trial`, one column for each scalar variable, columns that say where each point comes
from, and, as the last, an empty column `value` to fill in.
What a spreadsheet would take for a formula and run gets an apostrophe in front; readers take it off again.
"""

import csv
import io
import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from milbox.cli.console import InputError, iso_time, jsonable
from milbox.cli.problem.objective import text_of
from milbox.domain.assignments import own_code
from milbox.trials.checks import number_in
from milbox.trials.goal import ONE

if TYPE_CHECKING:
    from milbox.domain import Domain, Variable
    from milbox.trials import Trial
    from milbox.trials.goal import Goal


def fields(goal: "Goal") -> tuple[str, ...]:
    """Columns of a file of results that are no variables."""
    return ("trial", *goal.outputs, *goal.error_columns, "reason", "state")


# Texts that begin so are formulas to spreadsheets.
FORMULA = ("=", "+", "-", "@", "\t", "\r")
DECIMAL_COMMA = re.compile(r"[+-]?[0-9]+,[0-9]+(?:[eE][+-]?[0-9]+)?")


PROPOSED = {"origin": "origin", "prediction": "acquisition", "certificate": "status"}
"""Columns of a batch that say where a point comes from, and the entries of a trial that they show."""


def proposed_csv(domain: "Domain", trials: Iterable["Trial"], goal: "Goal" = ONE) -> str:
    """A batch to be measured: number, variables, where each point comes from, and an empty value."""
    taken = {*domain.index, *goal.outputs}
    shown = {name: entry for name, entry in PROPOSED.items() if name not in taken}
    return batch_csv(domain, trials, before=shown, goal=goal)


def batch_csv(
    domain: "Domain",
    trials: Iterable["Trial"],
    extra: Sequence[str] = (),
    before: Mapping[str, str] = MappingProxyType({}),
    goal: "Goal" = ONE,
) -> str:
    """Trials as CSV: number, variables, outputs, and further entries, before the outputs or after them."""
    refuse_columns(domain, (*fields(goal), *extra))
    extra = [name for name in extra if name not in goal.outputs]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    names = (v.name for v in domain.variables)
    outputs = map(goal.label, goal.outputs)
    trials = list(trials)
    kept = [
        name for name in info_names(trials) if name not in (*domain.index, *fields(goal), *before, *extra)
    ]
    errors = [name for name in goal.error_columns if name not in extra] if extra else []
    kept = kept if extra else []
    writer.writerow(map(harmless, ["trial", *names, *before, *outputs, *extra, *errors, *kept]))
    for trial in trials:
        texts = values_text(domain, trial)
        entry = trial_entry(trial)
        first = ["" if entry[name] is None else entry[name] for name in before.values()]
        rest = ["" if entry[name] is None else entry[name] for name in extra]
        values = [repr(trial.values[name]) if name in trial.values else "" for name in goal.outputs]
        known = [trial.errors.get(goal.error_columns[name], "") for name in errors]
        info = [trial.info.get(name, "") for name in kept]
        writer.writerow(map(harmless, [trial.number, *texts, *first, *values, *rest, *known, *info]))
    return out.getvalue()


def info_names(trials: Iterable["Trial"]) -> list[str]:
    """What users keep with their trials, besides notes: a column each."""
    return list(dict.fromkeys(name for trial in trials for name in trial.info if name != "note"))


def values_text(domain: "Domain", trial: "Trial") -> list[str]:
    """A trial's values in CSV, empty for variables that do not exist there."""
    from milbox.trials.frames import scalars
    from milbox.trials.outside import assignment_at

    values = dict(scalars(trial.assignment or assignment_at(domain, trial.point, {})))
    texts = []
    for variable, code in zip(domain.variables, trial.point, strict=True):
        value = values.get(variable.name)
        exists = value is not None or domain.index[variable.name] not in domain.conditions
        if exists and code in variable.codes:
            texts.append(choice_text(variable, code))
        else:
            texts.append("" if value is None else text_of(value))
    return texts


def refuse_columns(domain: "Domain", columns: Iterable[str]) -> None:
    """Refuse a domain with a variable that cannot be told from a column of the file."""
    clash = next((name for name in columns if name in domain.index), None)
    if clash is not None:
        raise InputError(
            f"the variable {clash!r} has the name of a column of such files, and cannot be told from it; "
            f"use --json, or `milbox tell --trial`, or give the variable another name"
        )


def harmless(entry: Any) -> Any:
    """The entry of a CSV file, with an apostrophe in front of what a spreadsheet would run."""
    runs = isinstance(entry, str) and entry.startswith(FORMULA) and _number_or_none(entry) is None
    return f"'{entry}" if runs else entry


def as_written(entry: str) -> str:
    """The entry of a CSV file without the apostrophe of `harmless`."""
    return entry[1:] if entry.startswith("'") and entry[1:].startswith(FORMULA) else entry


def trial_entry(trial: "Trial") -> dict[str, Any]:
    """Everything about a trial, plain: its columns and its assignment."""
    from milbox.trials.columns import COLUMNS

    entries = {
        name: iso_time(column.read(trial)) if column.kind == "time" else column.read(trial)
        for name, column in COLUMNS.items()
    }
    first = {"trial": entries.pop("number"), "state": trial.state, "value": trial.value}
    if trial.several:
        first["values"] = trial.values
    if trial.errors:
        entries["errors"] = trial.errors
    last = {"info": jsonable(trial.info)} if trial.info else {}
    return {**first, "assignment": jsonable(trial.assignment), **entries, **last}


def choice_text(variable: "Variable", code: int) -> str:
    """A value of a variable as text in CSV."""
    return choice_texts(variable)[code] if variable.kind == "categorical" else str(variable.value(code))


def choice_texts(variable: "Variable") -> list[str]:
    """The text of each choice in CSV; JSON where plain texts would be ambiguous."""
    values = [variable.value(code) for code in variable.codes]
    texts = [text_of(value) for value in values]
    # Spreadsheets trim spaces, and an empty entry means that nothing was entered.
    clear = len(set(texts)) == len(texts) and all(text and text == text.strip() for text in texts)
    return texts if clear else [json.dumps(value) for value in values]


def code_of(
    variable: "Variable",
    entry: Any,
    decimal_comma: bool = False,
    code: "Callable[[Variable, Any], int]" = own_code,
) -> int:
    """The code of a value that may have been through a spreadsheet; `code` reads what is no text."""
    if not isinstance(entry, str):
        return code(variable, entry)
    if variable.kind != "categorical":
        real = variable.kind == "real"
        number = _number_or_none(point_for_comma(entry, decimal_comma) if real else entry)
        if number is None:
            kind = "numbers" if real else "whole numbers"
            raise ValueError(f"{variable.name!r} takes {kind}, not {shortened(entry)}")
        return code(variable, number)
    texts = choice_texts(variable)
    if entry in texts:
        return texts.index(entry)
    # Spreadsheets write TRUE for true, and 2.5 as 2.50 or 2,5.
    same = [each for each, text in enumerate(texts) if text.casefold() == entry.casefold()]
    number = _number_or_none(point_for_comma(entry, decimal_comma))
    if not same and number is not None:
        same = [each for each in variable.codes if number == variable.value(each)]
    return same[0] if len(same) == 1 else variable.code(entry)


def number_of(entry: Any, decimal_comma: bool = False) -> float:
    """A measured value, or an error that says what it should be."""
    try:
        if isinstance(entry, str):
            number = number_in(point_for_comma(entry, decimal_comma))
        else:
            number = math.nan if isinstance(entry, bool) or entry is None else float(entry)
    except OverflowError:
        number = math.inf
    except (TypeError, ValueError):
        raise ValueError(
            f"the value {shortened(entry)} is not a number{_advice(entry, decimal_comma)}; "
            f"write failed if there is none"
        ) from None
    if not math.isfinite(number):
        raise ValueError(
            f"the value {shortened(entry)} is not a finite number; write failed if there is none"
        )
    return number


def point_for_comma(text: str, decimal_comma: bool) -> str:
    """The text with a decimal point in the place of a decimal comma, where there are such."""
    return text.replace(",", ".") if decimal_comma and DECIMAL_COMMA.fullmatch(text.strip()) else text


def shortened(entry: Any) -> str:
    """An entry as messages show it."""
    text = repr(entry)
    return text if len(text) <= 60 else text[:57] + "..."


def _number_or_none(text: str) -> float | None:
    try:
        return number_in(text)
    except ValueError:
        return None


def _advice(entry: Any, decimal_comma: bool) -> str:
    if not isinstance(entry, str):
        return ""
    if "_" in entry:
        return "; write it without underscores"
    if entry.count(",") == 1 and not decimal_comma:
        return "; write the decimal point as a point"
    return "; write the number alone, without a unit" if re.match("[+-]?[0-9]", entry) else ""
