"""Every learner obeys the learners' suite."""

import numpy as np

from milbox.surrogates.drawn import LinearDraw
from milbox.surrogates.ensemble import EnsembleLearner
from milbox.surrogates.hinges import Hinges
from milbox.surrogates.linear import LinearLearner
from milbox.surrogates.quadratic import QuadraticLearner
from milbox.surrogates.ranked import Ranked
from milbox.surrogates.relu import ReluLearner, ReluNet
from milbox.surrogates.several import Several
from milbox.surrogates.skip import LinearSkip
from milbox.surrogates.trees.learner import TreesLearner
from milbox.testing.surrogates import LearnerConformance


class TestReluLearner(LearnerConformance):
    learner = ReluLearner()


class TestDeepReluLearner(LearnerConformance):
    learner = ReluLearner(hidden=(8, 6), steps=200)


class TestRankedLearner(LearnerConformance):
    learner = Ranked()


class TestAlwaysRankedLearner(LearnerConformance):
    learner = Ranked(share=1.0)


class TestHinges(LearnerConformance):
    learner = Hinges()


class TestLinearSkip(LearnerConformance):
    learner = LinearSkip()


class TestExpectedImprovement(LearnerConformance):
    learner = Several(count=2)


class TestOptimism(LearnerConformance):
    learner = Several(count=2, say="optimism")


class TestLinearDraw(LearnerConformance):
    learner = LinearDraw()


class TestLinearLearner(LearnerConformance):
    learner = LinearLearner()


class TestPlainLinearLearner(LearnerConformance):
    learner = LinearLearner(bootstrap=False)


class TestQuadraticLearner(LearnerConformance):
    learner = QuadraticLearner()


class TestEnsembleLearner(LearnerConformance):
    """Its trees have no rows, which the suite says by skipping."""

    learner = EnsembleLearner()


def test_a_skip_is_linear_where_values_are() -> None:
    """What the linear part explains is left to it, however few steps the network has."""
    rng = np.random.default_rng(0)
    features = rng.integers(0, 2, (60, 8)).astype(np.float64)
    values = features @ np.arange(8.0) - 3.0
    surrogate = LinearSkip(ReluLearner(steps=10), ridge=1e-6).fit(features, values, rng)
    assert isinstance(surrogate, ReluNet)
    assert np.abs(surrogate.predict(features) - values).max() < 0.05 * np.ptp(values)


class TestTreesLearner(LearnerConformance):
    learner = TreesLearner()
