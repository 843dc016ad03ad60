"""What noisy measurements say about the points measured: a mean and its standard error for each.

A point's own measurements are averaged, and joined with what its neighbours say: the means are a Gaussian
process over the features. The width of its kernel, and the share of noise where errors are not known, are
those of the largest evidence on a small grid. That is a function of the trials alone, so everybody who reads
a study finds the same best point.
"""

import math
import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from milbox.arrays import FloatArray, Point
from milbox.domain import Domain
from milbox.system.blas import one_thread
from milbox.trials.goal import Goal
from milbox.trials.trial import Finished, Trial

MOST = 500
"""More points than this are not estimated: the others are those with the best means."""
SQUARED = (1e-100, 1e100)
"""Numbers whose squares are floats. Measurements beyond are counted in units of the largest, and errors that
are still beyond are not known."""
WIDTHS = (0.1, 0.3, 1.0, 3.0, 10.0)
"""Of the kernel, as shares of the median squared distance."""
NOISE = (0.01, 0.03, 0.1, 0.2, 0.4, 0.6, 0.8, 0.95)
"""Shares of the variance that may be noise."""


@dataclass(frozen=True, slots=True)
class Group:
    """The measurements of one point."""

    first: Trial
    """The first of them."""
    mean: float
    """Weighted by known errors."""
    count: int
    squares: float
    """The sum of squared differences from the mean."""
    variance: float | None
    """Of the mean, where every error is known."""


@dataclass(frozen=True, slots=True, eq=False)
class Estimates:
    """The points measured, each with what is believed of it."""

    groups: tuple[Group, ...]
    means: FloatArray
    errors: FloatArray
    """Standard errors of the means."""

    def place(self, point: Point) -> int | None:
        """Where a point stands."""
        return next((i for i, group in enumerate(self.groups) if group.first.point == point), None)


def value_of(trial: Trial) -> float:
    """The value of a finished trial."""
    assert isinstance(trial.outcome, Finished), "only finished trials are grouped"
    return trial.outcome.value


@dataclass(frozen=True, slots=True)
class Measure:
    """A number of each finished trial, and its standard error where that is known."""

    value: Callable[[Trial], float]
    error: Callable[[Trial], float | None]

    def divided(self, unit: float) -> "Measure":
        """The measure in other units."""

        def error(trial: Trial) -> float | None:
            known = self.error(trial)
            return None if known is None else known / abs(unit)

        return Measure(lambda trial: self.value(trial) / unit, error)


VALUES = Measure(value_of, lambda trial: trial.error)
"""The values of trials."""


def output(name: str, goal: Goal) -> Measure:
    """The measure that is an output by name, as it was told."""
    return Measure(lambda trial: trial.values[name], lambda trial: goal.errors_of(trial.outcome).get(name))


def grouped(trials: Iterable[Trial], measure: Measure = VALUES) -> list[Group]:
    """The finished trials by point, in the order of their first measurement, with means of a measure."""
    return [_group(members, measure) for members in by_point(trials).values()]


def by_point(trials: Iterable[Trial]) -> dict[Point, list[Trial]]:
    """The finished trials of each point, in the order of their first measurement."""
    found: dict[Point, list[Trial]] = {}
    for trial in trials:
        if isinstance(trial.outcome, Finished):
            found.setdefault(trial.point, []).append(trial)
    return found


def mean_of(values: Sequence[float], errors: Sequence[float | None]) -> float:
    """The mean, weighted where every error is known: a limit that every value keeps, the mean keeps too."""
    if len(values) == 1:
        return values[0]
    known = [error for error in errors if error is not None]
    if len(known) < len(values):
        return statistics.mean(values)  # which rounds once
    least = min(known)
    weights = [(least / error) ** 2 for error in known]
    total = math.fsum(
        weight / math.fsum(weights) * value for weight, value in zip(weights, values, strict=True)
    )
    return min(max(total, min(values)), max(values))


def keeping(trials: Iterable[Trial], goal: Goal) -> list[Trial]:
    """The finished trials of points that keep the limits by the means of their outputs, not by luck."""
    finished = [trial for trial in trials if isinstance(trial.outcome, Finished)]
    if not goal.limits:
        return [trial for trial in finished if goal.keeps(trial)]
    kept = set()
    for point, members in by_point(finished).items():
        errors = [goal.errors_of(trial.outcome) for trial in members]
        means = {
            name: mean_of(
                [trial.values.get(name, math.nan) for trial in members], [each.get(name) for each in errors]
            )
            for name in {limit.output for limit in goal.limits}
        }
        if all(limit.slack(means[limit.output]) >= 0 for limit in goal.limits):
            kept.add(point)
    return [trial for trial in finished if trial.point in kept and trial.outside is None]


def believed(domain: Domain, trials: Iterable[Trial], goal: Goal) -> tuple[Trial, ...]:
    """The first finished trial of each point of the domain, with what is believed in place of its outputs.

    That is the estimate of each objective, and the mean of the measurements of every other output.
    """
    finished = [trial for trial in trials if isinstance(trial.outcome, Finished) and trial.outside is None]
    found: dict[int, dict[str, float]] = {}
    objectives = {name for name, _ in goal.objectives}
    for name in dict.fromkeys(name for trial in finished for name in trial.values):
        having = [trial for trial in finished if name in trial.values]
        measure, points = output(name, goal), by_point(having)
        if name in objectives and len(points) <= MOST:
            estimates = estimated(domain, having, 1.0, measure)
            means = estimates.means.tolist()
        else:
            means = [
                mean_of([*map(measure.value, own)], [*map(measure.error, own)]) for own in points.values()
            ]
        for own, mean in zip(points.values(), means, strict=True):
            found.setdefault(own[0].number, {})[name] = mean
    return tuple(
        replace(trial, outcome=replace(trial.outcome, outputs=tuple(found[trial.number].items()), errors=()))
        for trial in finished
        if isinstance(trial.outcome, Finished) and trial.number in found
    )


def _group(members: list[Trial], measure: Measure) -> Group:
    values = np.array([measure.value(trial) for trial in members])
    errors = [measure.error(trial) for trial in members]
    weights, variance = np.ones(len(values)), None
    if all(error is not None and SQUARED[0] <= error <= SQUARED[1] for error in errors):
        weights = np.array([1.0 / float(error or 1.0) ** 2 for error in errors])
        variance = 1.0 / float(weights.sum())
    mean = float((weights / weights.sum()) @ values)
    with np.errstate(over="ignore"):  # of values whose squares are no floats, `estimated` makes small ones
        squares = float(((values - mean) ** 2).sum())
    return Group(members[0], mean, len(values), squares, variance)


@one_thread
def estimated(
    domain: Domain,
    trials: Iterable[Trial],
    sign: float,
    measure: Measure = VALUES,
) -> Estimates:
    """Means and errors at the points measured, in the sense of the trials; `sign` says which are good."""
    trials = [trial for trial in trials if isinstance(trial.outcome, Finished)]
    largest = max((abs(measure.value(trial)) for trial in trials), default=0.0)
    if largest and not SQUARED[0] <= largest <= SQUARED[1]:
        small = estimated(domain, trials, sign, measure.divided(largest))
        groups = [replace(group, mean=group.mean * largest) for group in small.groups]
        return Estimates(tuple(groups), small.means * largest, small.errors * largest)
    groups = grouped(trials, measure)
    if len(groups) > MOST:
        groups = sorted(groups, key=lambda group: -sign * group.mean)[:MOST]
    means = np.array([group.mean for group in groups])
    if len(groups) < 3 or float(np.ptp(means)) == 0.0:
        raw = [group.variance if group.variance is not None else _own_variance(group) for group in groups]
        return Estimates(tuple(groups), means, np.sqrt(np.array(raw, dtype=np.float64)))
    counts = np.array([group.count for group in groups], dtype=np.float64)
    squares = sum(group.squares for group in groups)
    extra = float(counts.sum()) - len(groups)
    spread = max(float(means.var()), 1e-300)
    known = [group.variance for group in groups]
    told = None if any(v is None for v in known) else np.array(known, dtype=np.float64)
    features = domain.encode([group.first.point for group in groups])
    lengths = (features**2).sum(axis=1)
    distance = np.maximum(lengths[:, None] + lengths - 2 * features @ features.T, 0.0)
    middle = max(float(np.median(distance[distance > 0])) if (distance > 0).any() else 1.0, 1e-12)
    best: tuple[float, FloatArray, FloatArray] | None = None
    for width in WIDTHS:
        kernel = np.exp(-distance / (width * middle))
        for share in NOISE:
            noise = spread * share
            own = noise / counts if told is None else told
            signal = spread * (1.0 - share)
            evidence, mean, variance = _posterior(signal * kernel, own, means)
            if told is None:
                evidence -= 0.5 * (extra * math.log(noise) + squares / noise)
            if best is None or evidence > best[0]:
                best = (evidence, mean, variance)
    assert best is not None, "there are widths and shares"
    return Estimates(tuple(groups), best[1], np.sqrt(best[2]))


def _own_variance(group: Group) -> float:
    """The variance of a mean, from its own measurements alone; infinite with one of them."""
    return group.squares / (group.count - 1) / group.count if group.count > 1 else math.inf


def _posterior(
    kernel: FloatArray, noise: FloatArray, means: FloatArray
) -> tuple[float, FloatArray, FloatArray]:
    """The logarithm of the evidence, and means and variances after the measurements."""
    from scipy.linalg import cho_factor, cho_solve

    total = kernel + np.diag(noise + 1e-9 * kernel[0, 0])
    factor = cho_factor(total, lower=True)
    ones = cho_solve(factor, np.ones(len(means)))
    level = float(ones @ means / ones.sum())
    rest = means - level
    solved = cho_solve(factor, rest)
    evidence = -0.5 * float(rest @ solved) - float(np.log(np.diag(factor[0])).sum())
    variance = np.diag(kernel) - np.einsum("ij,ji->i", kernel, cho_solve(factor, kernel))
    return evidence, level + kernel @ solved, np.maximum(variance, 0.0)
