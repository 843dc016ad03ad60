"""The user's own data as trials that need no evaluation."""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from milbox.arrays import Point
from milbox.domain import Domain
from milbox.trials.checks import measured
from milbox.trials.history import History
from milbox.trials.origin import KNOWN
from milbox.trials.trial import Finished, Proposal, Trial


def known_trials(domain: Domain, known: Iterable[tuple[Mapping[str, Any], float]]) -> list[Trial]:
    """The user's (assignment, value) pairs as finished trials, or an error that says which one is wrong."""
    found: list[Trial] = []
    places: dict[Point, int] = {}
    now = time.time()
    if isinstance(known, Mapping) or not isinstance(known, Iterable):
        raise TypeError(f"known must be a list of pairs (assignment, value), not {known!r}")
    for place, pair in enumerate(known):
        label = f"known[{place}]"
        if not (isinstance(pair, Sequence) and len(pair) == 2 and isinstance(pair[0], Mapping)):
            raise TypeError(f"{label} must be a pair (assignment, value), not {pair!r}")
        assignment, value = pair
        try:
            point = domain.point(assignment)
        except ValueError as error:
            raise ValueError(f"{label}: {error}") from error
        broken = domain.violations(point)
        if broken:
            raise ValueError(
                f"{label} is not in the domain: {dict(assignment)} violates "
                + ", ".join(rule.in_short() for rule in domain.rules_of(broken))
            )
        if point in places:
            raise ValueError(f"{label} is the same point as known[{places[point]}]; keep one of them")
        places[point] = place
        outcome = Finished(measured(value, f"the value of {label}"), told_at=now)
        found.append(Trial(place, Proposal(point, KNOWN), outcome, domain.assignment(point), now))
    return found


def not_held(given: Iterable[Trial], history: History) -> list[Trial]:
    """The given trials that the history does not hold, numbered on from its own.

    Raises:
        ValueError: the history holds a given point with another value or without one.
    """
    held = {trial.point: trial for trial in history if trial.state != "cancelled"}
    new: list[Trial] = []
    for trial in given:
        old = held.get(trial.point)
        if old is None:
            new.append(replace(trial, number=len(history) + len(new)))
        elif old.value != trial.value:
            raise ValueError(
                f"the known point {dict(trial.assignment)} with value {trial.value:g} is trial "
                f"{old.number} of the journal, which "
                + (f"has value {old.value:g}" if old.value is not None else f"is {old.state}")
            )
    return new
