"""Measurements again: where values are noisy, the best point is measured again until it stands out."""

import numpy as np

from milbox.domain import Domain
from milbox.trials import Answer, Empty, Found, History, Proposal, Trial
from milbox.trials.noise import estimated, keeping


def repeats(domain: Domain, history: History) -> list[Proposal]:
    """The best point once more, if its standard error exceeds its lead; else nothing.

    Of two points that cannot be told apart, the one with the larger error is measured. No two repeats follow
    each other, so that half of the evaluations at least go to new points.
    """
    if not history.goal.noise or (len(history) and history.trials[-1].proposal.repeat):
        return []
    estimates = estimated(domain, keeping(history.finished, history.goal), 1.0)
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


def where_none_is_new(answer: Answer, domain: Domain, history: History, count: int) -> Answer:
    """An answer; where values are noisy and no point is left that is new, points to be measured again.

    They come in the order of what they may be worth: the estimate and one standard error.
    """
    if not (history.goal.noise and isinstance(answer, Empty)):
        return answer
    inside = [trial for trial in history.finished if domain.contains(trial.point)]
    kept = keeping(inside, history.goal) or inside
    if not kept:
        return answer
    estimates = estimated(domain, kept, 1.0)
    order = np.argsort(-(estimates.means + estimates.errors), kind="stable").tolist()
    return Found(tuple(_repeat(estimates.groups[place].first, history) for place in order[:count]))


def _repeat(trial: Trial, history: History) -> Proposal:
    """The point of a trial once more."""
    times = sum(other.point == trial.point and other.state != "cancelled" for other in history)
    return Proposal(trial.point, f"repeat of {trial.number}", repeat=times)
