"""Measurements again: where values are noisy, the best point is measured again until it stands out."""

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator

from milbox.domain import Domain
from milbox.strategies.worth import drawn_weights, in_shares, measures, scalarised
from milbox.trials import Answer, Empty, Found, History, Proposal, Trial
from milbox.trials.goal import Goal
from milbox.trials.noise import MOST, Estimates, estimated, grouped, keeping


def repeats(domain: Domain, history: History, rng: Generator) -> list[Proposal]:
    """The best point once more, if its standard error exceeds its lead; else nothing.

    Of two points that cannot be told apart, the one with the larger error is measured. No two repeats follow
    each other, so that half of the evaluations at least go to new points. Of several objectives, the best
    point is that of weights drawn anew.
    """
    if not history.goal.noise or (len(history) and history.trials[-1].proposal.repeat):
        return []
    estimates = compared(domain, keeping(history.finished, history.goal), history.goal, rng)
    if len(estimates.groups) < 2:
        return []
    first, second = np.argsort(-estimates.means, kind="stable")[:2].tolist()
    lead = estimates.means[first] - estimates.means[second]
    if not estimates.errors[first] > lead:
        return []
    again = estimates.groups[first if estimates.errors[first] >= estimates.errors[second] else second].first
    if not domain.contains(again.point):
        return []
    return [_repeat(again, history)]


def where_none_is_new(answer: Answer, domain: Domain, history: History, count: int, rng: Generator) -> Answer:
    """An answer; where values are noisy and no point is left that is new, points to be measured again.

    They come in the order of what they may be worth: the estimate and one standard error.
    """
    if not (history.goal.noise and isinstance(answer, Empty)):
        return answer
    inside = [trial for trial in history.finished if domain.contains(trial.point)]
    kept = keeping(inside, history.goal) or inside
    if not kept:
        return answer
    estimates = compared(domain, kept, history.goal, rng)
    order = np.argsort(-(estimates.means + estimates.errors), kind="stable").tolist()
    return Found(tuple(_repeat(estimates.groups[place].first, history) for place in order[:count]))


def compared(domain: Domain, trials: Sequence[Trial], goal: Goal, rng: Generator) -> Estimates:
    """What is believed of the points measured; of several objectives, by weights that are drawn.

    The error of several is that of the objective that counts: the least of the weighted ones.
    """
    if not goal.several or not trials:
        return estimated(domain, trials, 1.0)
    weights = drawn_weights(goal, rng)
    groups = [grouped(trials, measure) for measure in measures(goal)]  # the same points in the same order
    measured = np.array([[group.mean for group in own] for own in groups]).T
    order = np.argsort(-scalarised(in_shares(measured), weights), kind="stable")[:MOST]
    points = {groups[0][place].first.point for place in order.tolist()}
    trials = [trial for trial in trials if trial.point in points]
    every = [estimated(domain, trials, 1.0, measure) for measure in measures(goal)]
    means = np.stack([each.means for each in every], axis=1)
    shares = in_shares(means)
    least = np.argmin(shares * weights, axis=1)
    ranges = np.ptp(means, axis=0)
    errors = np.stack([each.errors for each in every], axis=1) * weights / np.where(ranges > 0, ranges, 1.0)
    return Estimates(every[0].groups, scalarised(shares, weights), errors[np.arange(len(least)), least])


def _repeat(trial: Trial, history: History) -> Proposal:
    """The point of a trial once more."""
    alike = (other for other in history if other.point == trial.point and other.state != "cancelled")
    last = max((other.proposal.repeat for other in alike), default=-1)
    return Proposal(trial.point, f"repeat of {trial.number}", repeat=last + 1)
