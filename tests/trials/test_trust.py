"""Trust in the model: what its predictions were worth."""

import numpy as np
import pytest

from milbox.milp.solution import Status
from milbox.trials import Certificate, Finished, Proposal, Trial
from milbox.trials.trust import FEWEST, running_correlation, sentence, trust


def trials(predictions: list[float], values: list[float]) -> list[Trial]:
    """Five random trials, then those that a model chose."""
    made = [Trial(k, Proposal((k,), "random"), Finished(float(k))) for k in range(5)]
    for number, (predicted, value) in enumerate(zip(predictions, values, strict=True), 5):
        proof = Certificate(Status.OPTIMAL, predicted, predicted, 0.0, 0, 0.0, "test")
        made.append(Trial(number, Proposal((number,), "milp", proof), Finished(value)))
    return made


def test_good_predictions_are_trusted() -> None:
    values = [float(v) for v in np.random.default_rng(0).normal(10, 1, 40)]
    found = trust(trials([v + 0.01 for v in values], values))
    assert (found.predictions, found.doubtful) == (40, False)
    assert found.correlation == pytest.approx(1.0)
    assert found.error == pytest.approx(0.01)
    assert "off by 0.01 on average" in sentence(found)


def test_predictions_no_better_than_the_mean_are_not() -> None:
    rng = np.random.default_rng(1)
    values = [float(v) for v in rng.normal(2, 1, 40)]
    found = trust(trials([float(v) for v in rng.normal(8, 1, 40)], values))
    assert found.doubtful
    assert "no better than the mean" in sentence(found)
    assert "What to do" in sentence(found)


def test_little_is_said_of_few() -> None:
    found = trust(trials([9.0] * (FEWEST - 1), [1.0] * (FEWEST - 1)))
    assert not found.doubtful
    assert sentence(found) == ""
    assert trust([]).correlation is None


def test_the_correlation_runs_over_a_window() -> None:
    values = [float(k) for k in range(70)]
    running = running_correlation(trials([-v for v in values[:40]] + values[40:], values))
    assert running[39] == pytest.approx(-1.0)
    assert running[69] == pytest.approx(1.0)
