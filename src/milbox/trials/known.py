"""The user's own data as trials that need no evaluation."""

import time
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from milbox.arrays import Point
from milbox.domain import Domain
from milbox.domain.assignments import plain
from milbox.trials.checks import measured
from milbox.trials.history import History
from milbox.trials.origin import KNOWN
from milbox.trials.outside import anywhere, placed
from milbox.trials.trial import Finished, Proposal, Trial


def known_trials(domain: Domain, known: Iterable[tuple[Mapping[str, Any], float]]) -> list[Trial]:
    """The user's (assignment, value) pairs as finished trials, or an error that says which one is wrong.

    Points outside the domain are trials too; what is no point at all is an error.
    """
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
            point = anywhere(domain, assignment)
        except ValueError as error:
            raise ValueError(f"{label}: {error}") from error
        if point in places:
            raise ValueError(f"{label} is the same point as known[{places[point]}]; keep one of them")
        places[point] = place
        outcome = Finished(measured(value, f"the value of {label}"), told_at=now)
        found.append(Trial(place, Proposal(point, KNOWN), outcome, asked_at=now))
    return list(placed(found, domain, {}))


def report(trials: Iterable[Trial]) -> None:
    """Say how many of the user's own points are outside the domain, and what the first of them breaks."""
    outside = [trial for trial in trials if trial.outside is not None]
    if outside:
        many = f"{len(outside)} known points lie" if len(outside) > 1 else "a known point lies"
        warnings.warn(
            f"{many} outside the domain, to train the model and never to be the best. The first is "
            f"{plain(outside[0].assignment)}: {outside[0].outside}",
            stacklevel=3,
        )


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
