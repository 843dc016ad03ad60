"""Summary of a run: counts, the best trial, what is proved, and where the time went."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from milbox.cli.output import plural, seconds_text
from milbox.cli.table import trial_entry

if TYPE_CHECKING:
    from milbox.trials import Trial


@dataclass(frozen=True, slots=True)
class Proofs:
    """What the certificates of many proposals say together."""

    certified: int
    optimal: int
    largest_gap: float
    largest_residual: float

    def __str__(self) -> str:
        if not self.certified:
            return "no proposal was chosen by a model yet, so nothing is proved"
        which = f"{self.optimal} of {plural(self.certified, 'model-based proposal')}"
        if self.certified == self.optimal:
            which = "the one" if self.optimal == 1 else f"all {self.optimal:,}"
            which += " model-based proposal" + ("" if self.optimal == 1 else "s")
        gap = f"; the largest gap is {self.largest_gap:.2%}" if self.optimal < self.certified else ""
        return (
            f"{which} proved to be the best untried point of the surrogate{gap} "
            f"(solver and surrogate agree to {self.largest_residual:.1g})"
        )


def proofs(trials: Iterable["Trial"]) -> Proofs:
    """The certificates of the trials, in one."""
    found = [trial.certificate for trial in trials if trial.certificate is not None]
    return Proofs(
        len(found),
        sum(certificate.status == "optimal" for certificate in found),
        max((certificate.gap for certificate in found), default=math.nan),
        max((certificate.residual for certificate in found), default=math.nan),
    )


@dataclass(frozen=True, slots=True)
class Spent:
    """Seconds spent on fitting surrogates, on solving for proposals, and on evaluating them."""

    model: float
    solver: float
    evaluation: float

    def __str__(self) -> str:
        parts = (("model", self.model), ("solver", self.solver), ("evaluation", self.evaluation))
        return ", ".join(f"{name} {seconds_text(seconds)}" for name, seconds in parts)


def spent(trials: Iterable["Trial"]) -> Spent:
    """Where the time of the trials went."""
    trials = list(trials)
    return Spent(
        sum(trial.proposal.fit_seconds for trial in trials),
        sum(trial.certificate.seconds for trial in trials if trial.certificate is not None),
        sum(getattr(trial.outcome, "seconds", 0.0) for trial in trials),
    )


def best_trials(trials: Sequence["Trial"], sense: str) -> list["Trial"]:
    """The finished trials, best first, the earlier of equals first."""
    sign = 1.0 if sense == "minimize" else -1.0
    finished = [(sign * trial.value, trial.number) for trial in trials if trial.value is not None]
    return [trials[number] for _, number in sorted(finished)]


def summary(
    trials: Sequence["Trial"], sense: str, size: int | None, journal: Path | None, budget: int | None
) -> dict[str, Any]:
    """Everything above as plain entries, for `--json`; `size` is the number of points, where it is known."""
    best = best_trials(trials, sense)
    states = [trial.state for trial in trials]
    known, times = proofs(trials), spent(trials)
    return {
        "journal": None if journal is None else str(journal),
        "sense": sense,
        "budget": budget,
        "trials": len(trials),
        **{state: states.count(state) for state in ("finished", "failed", "pending")},
        "best": trial_entry(best[0]) if best else None,
        "proved": size is not None and len(best) == size,
        "proposals": {
            "certified": known.certified,
            "optimal": known.optimal,
            "largest_gap": known.largest_gap,
            "largest_residual": known.largest_residual,
        },
        "seconds": {"model": times.model, "solver": times.solver, "evaluation": times.evaluation},
    }


def assignment_lines(assignment: Mapping[str, Any]) -> list[str]:
    """One line for each variable, arrays in brackets however long they are."""
    return [f"  {name} = {value_text(value)}" for name, value in assignment.items()]


def value_text(value: Any) -> str:
    """A value as a person reads it; zeros and ones, and single letters, stand close together."""
    if hasattr(value, "tolist"):
        value = value.tolist()
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


def outcome_lines(trials: Sequence["Trial"], sense: str, size: int | None) -> list[str]:
    """The end of a run in a few lines: the best point, and what is proved and what is not."""
    best = best_trials(trials, sense)
    states = [trial.state for trial in trials]
    rest = "".join(f", {states.count(s)} {s}" for s in ("failed", "pending") if s in states)
    count = plural(len(trials), "trial") + rest
    if not best:
        return [f"no trial has finished ({count})"]
    lines = [f"best value {best[0].value:g} in trial {best[0].number} ({count})"]
    lines += assignment_lines(best[0].assignment)
    lines.append(f"{proofs(trials)}.")
    if size is not None and len(best) == size:
        lines.append(f"Every one of the {size:,} points has been measured: this is the proved optimum.")
    return lines
