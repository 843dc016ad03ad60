"""The events of a run, told to the logger "milbox".

A record says in its message what happened, and in its attributes `event`, `trial`, `value` and the like what
a program wants to know. Nothing is shown until the user configures logging: milbox adds no handler that
writes. Messages name a journal as the user may show it to others, without a password.
"""

import logging
from collections.abc import Mapping
from typing import Any

LOG = logging.getLogger("milbox")
LOG.addHandler(logging.NullHandler())


def run_begins(budget: int, trials: int) -> None:
    """A run starts; its study may hold some trials of the budget already."""
    _say(
        logging.INFO,
        "run begins",
        "%d of %s so far",
        trials,
        _count(budget, "trial"),
        trials=trials,
        budget=budget,
    )


def run_ends(why: str, evaluations: int) -> None:
    """A run is over: the reason in words, and the number of its own evaluations."""
    _say(
        logging.INFO,
        "run ends",
        "%s (%s)",
        why,
        _count(evaluations, "evaluation"),
        why=why,
        evaluations=evaluations,
    )


def resumed(journal: str, trials: int, pending: int) -> None:
    """A study goes on from its journal."""
    numbers = {"trials": trials, "pending": pending}
    _say(logging.INFO, "resumed", "%s, %s, %d pending", journal, _count(trials, "trial"), pending, **numbers)


def proposed(trial: int, origin: str) -> None:
    """A point was handed out."""
    _say(logging.DEBUG, "proposed", "trial %d, %s", trial, origin, trial=trial, origin=origin)


def told(trial: int, values: Mapping[str, float]) -> None:
    """A trial has its value, or its outputs by name."""
    shown = ", ".join(f"{name} {value:g}" for name, value in values.items())
    _say(logging.INFO, "told", "trial %d, %s", trial, shown, trial=trial, **_value(values))


def failed(trial: int, reason: str) -> None:
    """A trial could not be measured; the first line of the reason is told."""
    summary = reason.partition("\n")[0]
    _say(logging.WARNING, "failed", "trial %d, %s", trial, summary, trial=trial, reason=summary)


def amended(trial: int, values: Mapping[str, float]) -> None:
    """The value of a trial, or its outputs, were corrected."""
    shown = ", ".join(f"{name} {value:g}" for name, value in values.items())
    _say(logging.INFO, "amended", "trial %d, %s", trial, shown, trial=trial, **_value(values))


def cancelled(trial: int) -> None:
    """A pending trial was given up, and its point may be proposed again."""
    _say(logging.INFO, "cancelled", "trial %d", trial, trial=trial)


def changed(trials: int, outside: int) -> None:
    """The study goes on with another domain, which some of its trials are outside of."""
    text = "the domain, after %s, %d of them outside it now"
    _say(logging.INFO, "changed", text, _count(trials, "trial"), outside, trials=trials, outside=outside)


def worker_died(trial: int, deaths: int) -> None:
    """A worker died in the middle of a trial; `deaths` counts them so far."""
    _say(
        logging.WARNING, "worker died", "during trial %d, death %d", trial, deaths, trial=trial, deaths=deaths
    )


def exhausted(trials: int) -> None:
    """It is proved that no point is left to propose."""
    _say(logging.INFO, "exhausted", "no point is left after %s", _count(trials, "trial"), trials=trials)


def _say(level: int, event: str, message: str, *values: Any, **attributes: Any) -> None:
    LOG.log(level, f"{event}: {message}", *values, extra={"event": event, **attributes})


def _value(values: Mapping[str, float]) -> dict[str, Any]:
    """The only value, or all of them."""
    return {"value": next(iter(values.values()))} if len(values) == 1 else {"values": dict(values)}


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
