"""The columns of a table of trials: the one list behind frames, `milbox trials` and `milbox export`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from milbox.trials.trial import Certificate, Failed, Finished, Trial

Kind: TypeAlias = Literal["text", "number", "whole", "truth", "time"]
"""Times are seconds since 1970."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column, and its entry for a trial: None where there is nothing."""

    kind: Kind
    read: Callable[[Trial], Any]


def _proved(kind: Kind, read: Callable[[Certificate], Any]) -> Column:
    return Column(kind, lambda trial: None if trial.certificate is None else read(trial.certificate))


def _ended(kind: Kind, read: Callable[[Finished | Failed], Any]) -> Column:
    return Column(
        kind, lambda trial: read(trial.outcome) if isinstance(trial.outcome, Finished | Failed) else None
    )


BEFORE: Mapping[str, Column] = {
    "number": Column("whole", lambda trial: trial.number),
    "state": Column("text", lambda trial: trial.state),
    "value": Column("number", lambda trial: trial.value),
    "origin": Column("text", lambda trial: str(trial.origin)),
}
"""Those that stand before the variables in a table."""

AFTER: Mapping[str, Column] = {
    "status": _proved("text", lambda certificate: certificate.status.value),
    "about": _proved("text", lambda certificate: certificate.about),
    "surrogate": _proved("text", lambda certificate: certificate.surrogate or None),
    "acquisition": _proved("number", lambda certificate: certificate.value),
    "bound": _proved("number", lambda certificate: certificate.bound),
    "gap": _proved("number", lambda certificate: certificate.gap),
    "residual": _proved("number", lambda certificate: certificate.residual),
    "no_goods": _proved("whole", lambda certificate: certificate.no_goods),
    "solver": _proved("text", lambda certificate: certificate.solver),
    "solver_seconds": _proved("number", lambda certificate: certificate.seconds),
    "fit_seconds": Column("number", lambda trial: trial.proposal.fit_seconds),
    "error": Column("number", lambda trial: getattr(trial.outcome, "error", None)),
    "evaluation_seconds": _ended("number", lambda outcome: outcome.seconds),
    "reason": Column("text", lambda trial: trial.reason),
    "infeasible": Column("truth", lambda trial: getattr(trial.outcome, "infeasible", None)),
    "note": Column("text", lambda trial: trial.info.get("note")),
    "asked_at": Column("time", lambda trial: trial.asked_at),
    "told_at": _ended("time", lambda outcome: outcome.told_at),
}
"""Those that stand behind them."""

COLUMNS: Mapping[str, Column] = {**BEFORE, **AFTER}
