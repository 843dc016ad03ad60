"""What measured trials are worth, as one number: what a box is put round, and what is measured again.

With one exact objective that is its value. A noisy one counts by its estimate; a trial that breaks a limit is
worth less than any that keeps them all, and the less the more it misses. Several objectives become one by
augmented Chebyshev weights that are drawn for one proposal.
"""

from dataclasses import replace

import numpy as np
from numpy.random import Generator

from milbox.arrays import FloatArray, Point
from milbox.domain import Domain
from milbox.strategies.units import LARGEST, unit_of
from milbox.trials import Finished, History
from milbox.trials.goal import Goal
from milbox.trials.history import Measured
from milbox.trials.noise import Measure, estimated, mean_of, output, value_of

AUGMENTED = 0.05
"""The weight of the sum of objectives beside the least of them."""
FAR = 1e300
"""More than this is never left to a limit, so that no difference is too large for a float."""
LEAST = 0.05
"""The least share of an objective in a direction, so that no weight is infinite."""


def drawn_weights(goal: Goal, rng: Generator) -> FloatArray:
    """Weights of several objectives for one proposal.

    A direction is uniform on the sphere, and an objective counts the more the less its share of it: the mean
    over directions of what `scalarised` gives is the hypervolume (Zhang and Golovin, 2020).
    """
    direction = np.abs(rng.standard_normal(len(goal.objectives)))
    direction = np.maximum(direction / np.linalg.norm(direction), LEAST)
    weights: FloatArray = direction.min() / direction
    return weights


def scalarised(values: FloatArray, weights: FloatArray) -> FloatArray:
    """The least of the weighted objectives, one a column, and a share of all of them."""
    weighted = values * weights
    total: FloatArray = weighted.min(axis=1) + AUGMENTED * weighted.sum(axis=1)
    return total


def measures(goal: Goal) -> list[Measure]:
    """Several objectives of a finished trial, in the sense in which large is good."""
    signed = zip(goal.objectives, goal.signs, strict=True)
    return [output(name, goal).divided(sign) for (name, _), sign in signed]


def in_shares(values: FloatArray) -> FloatArray:
    """Objectives, one a column, as shares of the way from the worst value to the best."""
    largest = np.abs(values).max(axis=0)
    values = values / np.where(largest > LARGEST, largest, 1.0)
    worst, best = values.min(axis=0), values.max(axis=0)
    shares: FloatArray = (values - worst) / np.where(best > worst, best - worst, 1.0)
    return shares


def left_to_limits(history: History) -> FloatArray:
    """What is left to each limit in the finished trials, one a row; with noise by the mean of the point."""
    trials, limits = history.finished, history.goal.limits
    left = np.array(
        [[limit.slack(trial.values[limit.output]) for limit in limits] for trial in trials]
    ).reshape(len(trials), len(limits))
    left = np.clip(left, -FAR, FAR)
    if history.goal.noise:
        errors = [history.goal.errors_of(trial.outcome) for trial in trials]
        places: dict[Point, list[int]] = {}
        for place, trial in enumerate(trials):
            places.setdefault(trial.point, []).append(place)
        for own in places.values():
            left[own] = [
                mean_of(column, [errors[place].get(limit.output) for place in own])
                for column, limit in zip(left[own].T.tolist(), limits, strict=True)
            ]
    return left


def missed(left: FloatArray) -> FloatArray:
    """How much each trial misses of the limits, in ranges of what is left to them."""
    ranges, largest = np.ptp(left, axis=0), np.abs(left).max(axis=0)
    scale = np.where(ranges > 0.0, ranges, np.where(largest > 0.0, largest, 1.0))
    total: FloatArray = (np.maximum(-left, 0.0) / scale).sum(axis=1)
    return total


def worth(domain: Domain, history: History) -> History:
    """The history of one objective with what each finished trial is worth as its value."""
    goal = history.goal
    if not (goal.limits or goal.noise) or not history.finished:
        return history
    total = _estimates(domain, history) if goal.noise else history.values
    total = total / unit_of(total)
    if goal.limits:
        left = left_to_limits(history)
        lost = (float(np.ptp(total)) or 1.0) * (1.0 + missed(left))
        total = np.where((left >= 0.0).all(axis=1), total, total.min() - lost)
    return _with_values(history, total)


def _estimates(domain: Domain, history: History) -> FloatArray:
    """For each finished trial what is believed of its point; what it measured outside the domain."""
    found = estimated(domain, history.inside, 1.0)
    means = dict(zip((group.first.point for group in found.groups), found.means.tolist(), strict=True))
    return np.array([means.get(trial.point, value_of(trial)) for trial in history.finished])


def _with_values(history: History, values: FloatArray) -> History:
    """The history with other values of the finished trials."""
    given = iter(values.tolist())
    trials = tuple(
        replace(trial, outcome=replace(trial.outcome, value=next(given)))
        if isinstance(trial.outcome, Finished)
        else trial
        for trial in history
    )
    other = replace(history, trials=trials)
    finished = tuple(trial for trial in trials if isinstance(trial.outcome, Finished))
    vars(other)["measured"] = Measured(finished, history.points, values)
    return other
