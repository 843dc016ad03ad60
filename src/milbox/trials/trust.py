"""How well the model has predicted what was measured at the points it chose."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from milbox.arrays import FloatArray, ranks
from milbox.trials.trial import Trial

WINDOW = 30
"""The correlation is over so many of the latest predictions."""

FEWEST = 15
"""Predictions that are needed before anything is said about the model."""


@dataclass(frozen=True, slots=True)
class Trust:
    """Predictions, made before each measurement, compared with what was measured."""

    predictions: int
    correlation: float | None
    """Spearman's rank correlation of the latest `WINDOW`; None where there are too few or all are equal."""
    error: float
    """The mean distance of the latest predictions from what was measured."""
    mean_error: float
    """The same for a model that always predicts the mean of the values known before."""

    @property
    def doubtful(self) -> bool:
        """Whether the model has predicted no better than the mean of the values known before."""
        return self.predictions >= FEWEST and self.error >= self.mean_error


ADVICE = (
    "measure the best point again to see how large the noise is; if it is small, try another surrogate "
    "(strategy nn+milp/fc32, or a linear one), or give the model features that matter; until then the points "
    "are hardly better chosen than at random"
)


def trust(trials: Iterable[Trial]) -> Trust:
    """What the predictions of these trials were worth; values and predictions in the same sense."""
    pairs = predicted_and_measured(trials)
    latest = pairs[-WINDOW:]
    predicted, measured, means = np.array(latest, dtype=np.float64).reshape(-1, 3).T
    return Trust(
        len(pairs),
        rank_correlation(predicted, measured),
        float(np.abs(predicted - measured).mean()) if latest else math.nan,
        float(np.abs(means - measured).mean()) if latest else math.nan,
    )


def predicted_and_measured(trials: Iterable[Trial]) -> list[tuple[float, float, float]]:
    """Of each measured trial that a model chose: prediction, value, and the mean of the values before it."""
    found, total, count = [], 0.0, 0
    for trial in trials:
        if trial.value is None:
            continue
        proof = trial.certificate
        if proof is not None and math.isfinite(proof.value) and count:
            found.append((proof.value, trial.value, total / count))
        total, count = total + trial.value, count + 1
    return found


def sentence(found: Trust) -> str:
    """The trust in the model in words; empty where there is too little to say."""
    if found.predictions < FEWEST:
        return ""
    rho = "" if found.correlation is None else f" (rank correlation {found.correlation:.2f})"
    latest = min(found.predictions, WINDOW)
    if not found.doubtful:
        return f"The latest {latest} predictions were off by {found.error:.3g} on average{rho}."
    return (
        f"The model predicts no better than the mean: its latest {latest} predictions were off by "
        f"{found.error:.3g} on average, the mean of the values known before by {found.mean_error:.3g}{rho}. "
        f"What to do: {ADVICE}."
    )


def rank_correlation(one: FloatArray, other: FloatArray) -> float | None:
    """Spearman's correlation; None when there are fewer than three pairs or one side is constant."""
    if len(one) < 3 or np.ptp(one) == 0 or np.ptp(other) == 0:
        return None
    return float(np.corrcoef(ranks(one), ranks(other))[0, 1])


def running_correlation(trials: Iterable[Trial]) -> list[float | None]:
    """After each prediction that was measured, the rank correlation of the latest `WINDOW`."""
    pairs = np.array(predicted_and_measured(trials), dtype=np.float64).reshape(-1, 3)
    return [
        rank_correlation(pairs[max(0, end - WINDOW) : end, 0], pairs[max(0, end - WINDOW) : end, 1])
        for end in range(1, len(pairs) + 1)
    ]
