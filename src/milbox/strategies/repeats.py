"""Measurements again: where values are noisy, the best point is measured again until it stands out."""

import numpy as np

from milbox.domain import Domain
from milbox.trials import History, Proposal
from milbox.trials.noise import estimated


def repeats(domain: Domain, history: History) -> list[Proposal]:
    """The best point once more, if its standard error exceeds its lead; else nothing.

    Of two points that cannot be told apart, the one with the larger error is measured. No two repeats follow
    each other, so that half of the evaluations at least go to new points.
    """
    if not history.goal.noise or (len(history) and history.trials[-1].proposal.repeat):
        return []
    kept = [trial for trial in history.finished if history.goal.keeps(trial)]
    estimates = estimated(domain, kept, 1.0)
    if len(estimates.groups) < 2:
        return []
    first, second = np.argsort(-estimates.means, kind="stable")[:2].tolist()
    lead = estimates.means[first] - estimates.means[second]
    if not estimates.errors[first] > lead:
        return []
    again = estimates.groups[first if estimates.errors[first] >= estimates.errors[second] else second].first
    if not domain.contains(again.point):
        return []
    times = sum(trial.point == again.point and trial.state != "cancelled" for trial in history)
    return [Proposal(again.point, f"repeat of {again.number}", repeat=times)]
