"""The user's own data as trials that need no evaluation."""

import time
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from milbox.arrays import Point
from milbox.domain import Domain
from milbox.domain.assignments import plain
from milbox.trials.goal import ONE, Goal
from milbox.trials.history import History
from milbox.trials.origin import KNOWN
from milbox.trials.outside import anywhere, placed
from milbox.trials.trial import Proposal, Trial


def known_trials(
    domain: Domain, known: Iterable[tuple[Mapping[str, Any], Any]], goal: Goal = ONE
) -> list[Trial]:
    """The user's (assignment, value) pairs as finished trials, or an error that says which one is wrong.

    Points outside the domain are trials too; what is no point at all is an error. A point may come several
    times where measurements are noisy.
    """
    found: list[Trial] = []
    places: dict[Point, list[int]] = {}
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
        before = places.setdefault(point, [])
        if before and not goal.noise:
            raise ValueError(
                f"{label} is the same point as known[{before[0]}]; keep one of them, or say noise=True"
            )
        outcome = goal.told(value, f"the value of {label}", told_at=now)
        proposal = Proposal(point, KNOWN, repeat=len(before))
        before.append(place)
        found.append(Trial(place, proposal, outcome, asked_at=now))
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
    held = {(trial.point, trial.proposal.repeat): trial for trial in history if trial.state != "cancelled"}
    new: list[Trial] = []
    for trial in given:
        old = held.get((trial.point, trial.proposal.repeat))
        if old is None:
            new.append(replace(trial, number=len(history) + len(new)))
        elif old.values != trial.values:
            raise ValueError(
                f"the known point {dict(trial.assignment)} with {_shown(trial)} is trial "
                f"{old.number} of the journal, which "
                + (f"has {_shown(old)}" if old.values else f"is {old.state}")
            )
    return new


def _shown(trial: Trial) -> str:
    return ", ".join(f"{name} {value:g}" for name, value in trial.values.items())
