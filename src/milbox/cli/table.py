"""Trials as CSV, or as plain entries for JSON, for people and programs to edit.

A batch has a column `trial`, one column for each scalar variable, and an empty column `value` to fill in.
"""

import csv
import io
import json
import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from milbox.cli.objective import text_of
from milbox.cli.output import jsonable

if TYPE_CHECKING:
    from milbox.domain import Domain, Variable
    from milbox.trials import Trial


def batch_csv(domain: "Domain", trials: Iterable["Trial"], extra: Sequence[str] = ()) -> str:
    """Trials as CSV: number, variables, value, and further columns of `trial_entry` by name."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["trial", *(v.name for v in domain.variables), "value", *extra])
    for trial in trials:
        codes = zip(domain.variables, trial.point, strict=True)
        values = [choice_texts(v)[code - v.codes[0]] for v, code in codes]
        entry = trial_entry(trial)
        rest = ["" if entry[name] is None else entry[name] for name in extra]
        writer.writerow([trial.number, *values, "" if trial.value is None else repr(trial.value), *rest])
    return out.getvalue()


def trial_entry(trial: "Trial") -> dict[str, Any]:
    """Everything about a trial, flat and plain."""
    certificate = trial.certificate
    return {
        "trial": trial.number,
        "state": trial.state,
        "value": trial.value,
        "assignment": jsonable(trial.assignment),
        "origin": trial.origin,
        "reason": trial.reason,
        "status": None if certificate is None else str(certificate.status),
        "acquisition": None if certificate is None else certificate.value,
        "bound": None if certificate is None else certificate.bound,
        "gap": None if certificate is None else certificate.gap,
        "residual": None if certificate is None else certificate.residual,
        "no_goods": None if certificate is None else certificate.no_goods,
        "solver": None if certificate is None else certificate.solver,
        "solver_seconds": None if certificate is None else certificate.seconds,
        "fit_seconds": trial.proposal.fit_seconds,
        "evaluation_seconds": getattr(trial.outcome, "seconds", None),
        "asked_at": trial.asked_at,
        "told_at": getattr(trial.outcome, "told_at", None),
    }


def choice_texts(variable: "Variable") -> list[str]:
    """How each value of a variable is written in CSV; as JSON where plain texts would be ambiguous."""
    values = [variable.value(code) for code in variable.codes]
    texts = [text_of(value) for value in values]
    # Spreadsheets trim spaces, and an empty entry means that nothing was entered.
    clear = len(set(texts)) == len(texts) and all(text and text == text.strip() for text in texts)
    return texts if clear else [json.dumps(value) for value in values]


def code_of(variable: "Variable", entry: Any) -> int:
    """The code of a value that may have been through a spreadsheet."""
    texts = choice_texts(variable)
    if isinstance(entry, str) and entry in texts:
        return variable.codes[0] + texts.index(entry)
    if variable.kind != "categorical" and isinstance(entry, str):
        try:
            entry = float(entry)
        except ValueError:
            raise ValueError(f"{variable.name!r} takes whole numbers, not {entry!r}") from None
    return variable.code(entry)


def number_of(entry: Any) -> float:
    """A measured value, or an error that says what it should be."""
    try:
        number = float(entry) if not isinstance(entry, bool) and entry is not None else math.nan
    except (TypeError, ValueError):
        comma = isinstance(entry, str) and entry.count(",") == 1
        hint = "; write the decimal point as a point" if comma else ""
        raise ValueError(
            f"the value {entry!r} is not a number{hint}; write failed if there is none"
        ) from None
    if not math.isfinite(number):
        raise ValueError(f"the value {entry!r} is not a finite number; write failed if there is none")
    return number
