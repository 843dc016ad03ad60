"""Every learner obeys the learners' suite."""

from milbox.surrogates.ensemble import EnsembleLearner
from milbox.surrogates.hinges import Hinges
from milbox.surrogates.linear import LinearLearner
from milbox.surrogates.quadratic import QuadraticLearner
from milbox.surrogates.ranked import Ranked
from milbox.surrogates.relu import ReluLearner
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


class TestLinearLearner(LearnerConformance):
    learner = LinearLearner()


class TestPlainLinearLearner(LearnerConformance):
    learner = LinearLearner(bootstrap=False)


class TestQuadraticLearner(LearnerConformance):
    learner = QuadraticLearner()


class TestEnsembleLearner(LearnerConformance):
    """Its trees have no rows, which the suite says by skipping."""

    learner = EnsembleLearner()
