"""Summary of a run: counts, the best trial, what is proved, and where the time went."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from milbox.cli.console import plural
from milbox.cli.results.table import trial_entry
from milbox.display import duration
from milbox.trials.trust import sentence

if TYPE_CHECKING:
    from milbox.trials import Trial
    from milbox.trials.record import Proofs, Record, Spent
    from milbox.trials.trial import State


def proofs_text(proofs: "Proofs") -> str:
    """All certificates in short, as the end of a sentence."""
    if not proofs.certified:
        return "no proposal was chosen by a model yet, so nothing is proved"
    which = f"{proofs.optimal} of {plural(proofs.certified, 'model-based proposal')}"
    if proofs.certified == proofs.optimal:
        which = "the one" if proofs.optimal == 1 else f"all {proofs.optimal:,}"
        which += " model-based proposal" + ("" if proofs.optimal == 1 else "s")
    gap = ""
    if proofs.optimal < proofs.certified:
        known = f"the largest gap is {proofs.largest_gap:.2%}"
        gap = f"; {'nothing is proved about some' if math.isinf(proofs.largest_gap) else known}"
    return (
        f"{which} proved to be the surrogate's best{proofs.among}{gap} "
        f"(solver and surrogate agree to {proofs.largest_residual:.1g})"
    )


def spent_text(spent: "Spent") -> str:
    """The time spent on model, solver and evaluation, as text."""
    return ", ".join(f"{name} {duration(seconds)}" for name, seconds in asdict(spent).items())


def summary(record: "Record", budget: int | None) -> dict[str, Any]:
    """A study as plain entries, for `--json`."""
    return {
        "journal": None if record.path is None else str(record.path),
        "sense": record.sense,
        **({"units": dict(record.goal.units)} if record.goal.units else {}),
        "budget": budget,
        "trials": len(record.trials),
        "finished": record.having("finished"),
        "failed": record.having("failed"),
        "pending": record.having("pending"),
        "cancelled": record.having("cancelled"),
        "best": None if record.best is None else entry_of(record, record.best),
        **({"front": [entry_of(record, trial) for trial in record.front]} if record.goal.several else {}),
        "proved": record.proved,
        "proposals": asdict(record.proofs),
        "seconds": asdict(record.spent),
        "trust": {**asdict(record.trust), "doubtful": record.trust.doubtful},
    }


def entry_of(record: "Record", trial: "Trial") -> dict[str, Any]:
    """A ranked trial, or one of the front, as plain entries; with noise, also what is believed of its point.

    A trial of the front has that in place of its values.
    """
    if record.goal.front_estimated:
        return {**trial_entry(trial), "estimated": True}
    found = record.estimated(trial)
    if found is None:
        return trial_entry(trial)
    return {**trial_entry(trial), "estimate": {"mean": found[0], "standard_error": found[1]}}


def value_of(record: "Record", trial: "Trial") -> str:
    """The value of a ranked trial, or one of the front, in words; with noise, an estimate of its point."""
    if record.goal.front_estimated:
        return f"{measured_text(record, trial)}, estimated,"
    found = record.estimated(trial)
    if found is None:
        return measured_text(record, trial)
    return f"{estimate_text(record, found)}, estimated,"


def measured_text(record: "Record", trial: "Trial") -> str:
    """The outputs of a finished trial, each with its unit; the value alone has no name."""
    unit = record.goal.unit
    if not trial.several:
        return f"{trial.value:g}{unit(record.goal.name)}"
    return ", ".join(f"{name} {value:g}{unit(name)}" for name, value in trial.values.items())


def estimate_text(record: "Record", estimate: tuple[float, float]) -> str:
    """What is believed of a point, with its standard error."""
    mean, error = estimate
    return f"{mean:g}{record.goal.unit(record.goal.name)} (standard error {error:.2g})"


def assignment_lines(assignment: Mapping[str, Any]) -> list[str]:
    """One line for each variable, arrays in brackets however long they are."""
    return [f"  {name} = {value_text(value)}" for name, value in assignment.items()]


def value_text(value: Any) -> str:
    """A value as a person reads it; zeros and ones, and single letters, stand close together."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if value is None:
        return "-"
    if not isinstance(value, list):
        return str(value) if value != "" else "''"
    if value and all(short(item) for item in flat(value)):
        if isinstance(value[0], list):
            return "[" + " ".join(value_text(row) for row in value) + "]"
        return "".join(str(item) for item in value)
    return "[" + " ".join(value_text(item) for item in value) + "]"


def short(item: Any) -> bool:
    """Whether an item is one character wide: a bit, or a letter."""
    return (isinstance(item, str) and len(item) == 1) or (type(item) is int and item in (0, 1))


def flat(values: Iterable[Any]) -> Iterable[Any]:
    """The items of nested lists."""
    for value in values:
        if isinstance(value, list):
            yield from flat(value)
        else:
            yield value


def outcome_lines(record: "Record") -> list[str]:
    """The end of a run in a few lines: the best point, and what is proved and what is not."""
    unmeasured: tuple[State, ...] = ("failed", "pending", "cancelled")
    rest = "".join(f", {record.having(state)} {state}" for state in unmeasured if record.having(state))
    count = plural(len(record.trials), "trial") + rest
    best = record.best
    if not record.finished:
        return [f"no trial has finished ({count})"]
    if best is not None:
        shown = f"{best.value:g}{record.goal.unit(record.goal.name)}"
        if record.estimate is not None:
            shown = value_of(record, best)
        found = f"best {record.goal.name} {shown} in trial {best.number} ({count})"
        lines = [found, *assignment_lines(best.assignment)]
    elif record.front:
        estimated = ", estimated" if record.goal.front_estimated else ""
        lines = [f"a front of {plural(len(record.front), 'trial')}{estimated} ({count})"]
        lines += [f"  trial {trial.number}: {measured_text(record, trial)}" for trial in record.front]
    else:
        lines = [f"no trial keeps {' and '.join(map(str, record.goal.limits))} ({count})"]
    lines.append(f"{proofs_text(record.proofs)}.")
    if record.trust.doubtful:
        lines.append(sentence(record.trust))
    if record.proved:
        lines.append(proved_text(record))
    return lines


def proved_text(record: "Record") -> str:
    """What it means that every point has been measured, as a sentence."""
    what = "this is proved" if record.best is None else "this is the proved optimum"
    return f"Every one of the {len(record.finished):,} points has been measured: {what}."
