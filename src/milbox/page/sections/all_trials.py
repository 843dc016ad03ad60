"""The sections on all trials, in a table to sort and to filter, and on those that are still out."""

from collections.abc import Sequence
from typing import Any

from milbox.domain import Array
from milbox.page.formats import NOTHING, assignment_text, count, moment, number, short, value_text
from milbox.page.svg.charts import scrolled, table
from milbox.page.svg.markup import Markup, joined, tag, text
from milbox.trials import Trial
from milbox.trials.origin import Source
from milbox.trials.record import Record
from milbox.trials.trial import EVERYWHERE

MOST = 1000
"""The latest trials that the table holds: a page of more would take long to open."""

COLUMNS = 8
"""Up to so many scalar variables have columns of their own."""

LONGEST = 160
NUMERIC = ("trial", "predicted")


def pending(record: Record) -> Markup | None:
    """The trials that were asked and not told; None where there are none."""
    out = [trial for trial in record.trials if trial.state == "pending"]
    if not out:
        return None
    rows = [
        [
            text(trial.number),
            text(short(trial.origin, 40)),
            text(moment(trial.asked_at)),
            *([text(short(" and ".join(trial.where), LONGEST) or NOTHING)] if narrowed(out) else []),
            tag("span", text(short(assignment_text(trial.assignment), LONGEST)), class_="wrap"),
        ]
        for trial in out[:MOST]
    ]
    words = f"{count(len(out), 'trial')} asked and not told yet."
    head = ("trial", "chosen by", "asked", *(["asked with"] if narrowed(out) else []), "point")
    return joined([tag("p", text(words)), table(head, rows, "Trials that are out", [0])])


def narrowed(trials: Sequence[Trial]) -> bool:
    """Whether some were asked with fixed values or rules of their own."""
    return any(trial.where for trial in trials)


def all_trials(record: Record) -> Markup | None:
    """Every trial, to be sorted by any column and filtered by any text."""
    if not record.trials:
        return None
    declared = [thing for thing in record.domain.declared if not isinstance(thing, Array)]
    apart = [str(thing.name) for thing in declared] if len(declared) <= COLUMNS else []
    rest = len(apart) < len(record.domain.declared)
    noted = any(trial.info for trial in record.trials)
    shown = record.trials[-MOST:]
    outputs = list(map(record.goal.label, record.goal.outputs))
    asked, choosing = narrowed(shown), chooses(shown)
    head = ["trial", "state", *outputs, "chosen by", *(["why"] if choosing else []), "predicted", *apart]
    head += ["asked with"] if asked else []
    head += ["point"] if rest else []
    head += ["notes"] if noted else []
    body = [row(record, trial, apart, choosing, asked, rest, noted) for trial in shown]
    buttons = [
        tag(
            "th",
            tag("button", text(name), type="button"),
            scope="col",
            aria_sort="none",
            class_="n" if name in NUMERIC or name in outputs else None,
        )
        for name in head
    ]
    more = len(record.trials) - len(shown)
    words = f"The latest {len(shown):,}; {more:,} before them are in `milbox trials`." if more else ""
    return joined(
        [
            tag(
                "p",
                tag("label", text("Show trials with "), Markup('<input type="search" class="filter">')),
                tag("output", text(count(len(shown), "trial")), class_="shown"),
            ),
            scrolled(
                tag(
                    "table",
                    tag("caption", text("All trials; the buttons in the head sort them"), class_="unseen"),
                    tag("thead", tag("tr", *buttons)),
                    tag("tbody", *body),
                    class_="sortable",
                ),
                "all trials, to be sorted by the buttons in the head",
                "scroll tall",
            ),
            tag("p", text(words), class_="caption"),
        ]
    )


def row(
    record: Record, trial: Trial, apart: list[str], choosing: bool, asked: bool, rest: bool, noted: bool
) -> Markup:
    """One trial."""
    proof = trial.certificate
    cells = [
        cell(trial.number, trial.number),
        cell(trial.state),
        *(output_cell(record, trial, name) for name in record.goal.outputs),
        cell(chosen_by(trial)),
        *([cell(why(trial) or NOTHING)] if choosing else []),
        cell(NOTHING, kind="n") if proof is None else cell(number(proof.value, 5), proof.value),
    ]
    cells += [own_cell(trial.assignment[name]) for name in apart]
    if asked:
        cells.append(cell(short(" and ".join(trial.where), LONGEST) or NOTHING))
    if rest:
        others = {name: value for name, value in trial.assignment.items() if name not in apart}
        cells.append(cell(short(assignment_text(others), LONGEST), kind="long"))
    if noted:
        cells.append(cell(short(", ".join(f"{k}: {v}" for k, v in trial.info.items()), LONGEST), kind="long"))
    return tag("tr", *cells)


def output_cell(record: Record, trial: Trial, name: str) -> Markup:
    """The value of an output, with its standard error where that was told."""
    value = trial.values.get(name)
    if value is None:
        return cell(NOTHING, kind="n")
    error = record.goal.errors_of(trial.outcome).get(name)
    return cell(number(value, 6) + ("" if error is None else f" ± {number(error, 3)}"), value, "n")


def chosen_by(trial: Trial) -> str:
    """Who chose the point, in a word or two."""
    match trial.origin.source:
        case Source.RANDOM:
            return "random"
        case Source.KNOWN:
            return "known"
        case _:
            return short(trial.origin, 30)


def chooses(trials: Sequence[Trial]) -> bool:
    """Whether a strategy chose among surrogates or regions."""
    return any(why(trial) for trial in trials)


def why(trial: Trial) -> str:
    """The surrogate that chose the point and where it looked, as far as there was a choice."""
    proof = trial.certificate
    if proof is None:
        return ""
    where = "" if proof.about == EVERYWHERE else proof.about
    return "; ".join(filter(None, (proof.surrogate, where)))


def own_cell(value: Any) -> Markup:
    """The value of a variable with a column of its own."""
    numeric = isinstance(value, int | float) and not isinstance(value, bool)
    return cell(value_text(value), float(value) if numeric else None)


def cell(shown: object, key: float | None = None, kind: str | None = None) -> Markup:
    """An entry; numbers are sorted by their `key`."""
    held = None if key is None else repr(key)
    return tag("td", text(shown), class_=kind if key is None else "n", data_key=held)
