"""What a model-based strategy believes before it proposes: an objective and requirements.

All of it is fitted to the history. With one objective and nothing else it is the learner's surrogate. Several
objectives get a surrogate each, and become one by augmented Chebyshev weights drawn for this proposal alone.
A limit on an output is a requirement on a surrogate of what is left to the limit; trials that failed make a
further requirement, a soft one, on a network that tells them from those that finished.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator

from milbox.arrays import FloatArray, IntArray
from milbox.domain import Domain
from milbox.inner import Auto, InnerSolver
from milbox.inner.query import AtLeast
from milbox.strategies.units import unit_of
from milbox.strategies.worth import AUGMENTED, drawn_weights, in_shares, left_to_limits, missed
from milbox.surrogates import Learner, Ranked, ReluLearner, Surrogate
from milbox.surrogates.acquisition import Sum, minimum, normal
from milbox.trials import Failed, History
from milbox.trials.front import objectives_of
from milbox.trials.goal import Limit
from milbox.trials.noise import grouped, output
from milbox.trials.points import Points

FIRM = 2.0
"""What missing a limit by all its range costs, in ranges of the objective."""
FAILING = 2.0
"""What certain failure costs, in ranges of the objective."""
IMAGES = 8
"""The most images of a point, itself among them, that a surrogate is fitted to."""
ROWS = 8
"""A mean with a small error counts as up to this many measurements."""

SAFE = 0.8
"""What the network of failures has to say of a point, from 0 for those that failed to 1 for the others: more
than half, since the best points often lie at the border of those that fail."""

GUARD = ReluLearner(hidden=(8,))
"""Learns failures."""
NODES = 300
"""The most that branch and bound spends on several networks at once, whose second layer makes its nodes
expensive; the program takes over from there."""


@dataclass(frozen=True, slots=True, eq=False)
class Belief:
    """An objective in `unit`s of the values, and what points have to meet besides."""

    objective: Surrogate
    requirements: tuple[AtLeast, ...] = ()
    unit: float = 1.0
    about: str = ""
    """What a certificate adds to the points that it is about."""

    def solver(self, inner: InnerSolver) -> InnerSolver:
        """The inner solver, with fewer nodes where several surrogates make the objective."""
        if not isinstance(inner, Auto) or (not self.requirements and not self.about):
            return inner
        limits = inner.branch.limits
        nodes = NODES if limits.nodes is None else min(NODES, limits.nodes)
        return replace(inner, branch=replace(inner.branch, limits=replace(limits, nodes=nodes)))


def believed(
    learner: Learner,
    domain: Domain,
    history: History,
    rng: Generator,
    fitted: IntArray | None = None,
) -> Belief:
    """The surrogates fitted to a history, as one objective with requirements.

    `fitted` says which of the finished trials surrogates of outputs see; None, all of them.
    """
    goal = history.goal
    several = lighter(learner) if goal.several or goal.limits else learner
    if goal.several:
        objective, unit = several_fitted(several, domain, history, rng, fitted), 1.0
        spread, about = 1.0, ", by the scalarised model"
    else:
        unit = unit_of(history.values)
        features, values = observed(domain, history, rng, fitted, history.values / unit, goal.name)
        objective = several.fit(features, values, rng)
        spread, about = float(np.ptp(values)) or 1.0, ""
    requirements = [limited(several, domain, history, limit, spread, rng, fitted) for limit in goal.limits]
    if goal.learn_failures:
        requirements += guarded(domain, history, spread, rng)
    return Belief(objective, tuple(requirements), unit, about)


def lighter(learner: Learner) -> Learner:
    """The learner with networks of half the width, since several of them are searched at once."""
    match learner:
        case Ranked():
            return replace(learner, learner=lighter(learner.learner))
        case ReluLearner():
            return replace(learner, hidden=tuple(max(1, width // 2) for width in learner.hidden))
        case _:
            return learner


def observed(
    domain: Domain, history: History, rng: Generator, fitted: IntArray | None, values: FloatArray, name: str
) -> tuple[FloatArray, FloatArray]:
    """Features and values of finished trials, which are an output's in some unit.

    With noise they are means, each as often as its weight says.
    """
    if not history.goal.noise:
        if fitted is not None:
            return history.points.features(domain)[fitted], values[fitted]
        features, owners = training_set(domain, history.points, rng)
        return features, values[owners]
    seen = range(len(values)) if fitted is None else fitted.tolist()
    own = {history.finished[place].number: float(values[place]) for place in seen}
    measure = replace(output(name, history.goal), value=lambda trial: own[trial.number])
    groups = grouped((history.finished[place] for place in seen), measure)
    weights = np.array([group.count for group in groups], dtype=np.float64)
    if all(group.variance is not None for group in groups):
        weights = 1.0 / np.array([group.variance for group in groups], dtype=np.float64)
        weights /= np.median(weights)
    rows = np.clip(np.rint(weights), 1, ROWS).astype(np.int64)
    features, owners = training_set(domain, Points(group.first.point for group in groups), rng)
    means = np.array([group.mean for group in groups])
    return np.repeat(features, rows[owners], axis=0), np.repeat(means[owners], rows[owners])


def training_set(domain: Domain, points: Points, rng: Generator) -> tuple[FloatArray, IntArray]:
    """The points as features, with a few of their images under the symmetries; and whose each row is."""
    if not domain.symmetries:
        return points.features(domain), np.arange(len(points))
    owners = points.owners(domain)
    # The images of each point in random order after the point itself, which is the first of its orbit.
    is_own = np.diff(owners, prepend=-1) > 0
    order = np.lexsort((np.where(is_own, -1.0, rng.random(len(owners))), owners))
    rank = np.arange(len(owners)) - np.searchsorted(owners, owners)
    kept = order[rank < IMAGES]
    return points.orbits(domain).features(domain)[kept], owners[kept]


def several_fitted(
    learner: Learner,
    domain: Domain,
    history: History,
    rng: Generator,
    fitted: IntArray | None,
) -> Surrogate:
    """A surrogate of each objective, in shares of its range, as one: the least weighted one, and a sum."""
    weights = drawn_weights(history.goal, rng)
    columns = in_shares(objectives_of(history.finished, history.goal)).T
    parts = [
        learner.fit(*observed(domain, history, rng, fitted, column, name), rng)
        for (name, _), column in zip(history.goal.objectives, columns, strict=True)
    ]
    least = minimum([Sum(((float(w), part),)) for w, part in zip(weights, parts, strict=True)])
    shares = tuple((AUGMENTED * float(w), part) for w, part in zip(weights, parts, strict=True))
    return normal(Sum(((1.0, least), *shares)))


def limited(
    learner: Learner,
    domain: Domain,
    history: History,
    limit: Limit,
    spread: float,
    rng: Generator,
    fitted: IntArray | None = None,
) -> AtLeast:
    """A limit as a requirement: that something is left to it.

    While no trial keeps all limits, it is enough to halve what the least bad trial misses.
    """
    left = left_to_limits(history)
    own = left[:, history.goal.limits.index(limit)]
    unit = unit_of(own)
    level = 0.0
    if not (left >= 0).all(axis=1).any():
        nearest = int(np.argmin(missed(left)))
        level = 0.5 * min(0.0, float(own[nearest] / unit))
    values_alone = learner.learner if isinstance(learner, Ranked) else learner  # ranks would move the limit
    seen = observed(domain, history, rng, fitted, own / unit, limit.output)
    surrogate = values_alone.fit(*seen, rng)
    return AtLeast(surrogate, level, FIRM * spread / (float(np.ptp(own / unit)) or 1.0), name=str(limit))


def guarded(domain: Domain, history: History, spread: float, rng: Generator) -> list[AtLeast]:
    """The requirement that a point does not look like those that failed; none before both are known."""
    blamed = (t for t in history if isinstance(t.outcome, Failed) and t.outcome.infeasible)
    failed = [trial.point for trial in blamed if trial.outside is None]
    if not failed or not history.finished:
        return []
    good = history.points.features(domain)
    features = np.concatenate([good, domain.encode(failed)])
    labels = np.concatenate([np.ones(len(good)), np.zeros(len(failed))])
    surrogate = GUARD.fit(features, labels, rng)
    return [AtLeast(surrogate, SAFE, FAILING / SAFE * spread, hard=False, name="failures")]
