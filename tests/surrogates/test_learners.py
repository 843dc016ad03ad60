"""Every learner obeys the surrogates' suite."""

from milbox.surrogates.linear import LinearLearner
from milbox.surrogates.quadratic import QuadraticLearner
from milbox.surrogates.ranked import Ranked
from milbox.surrogates.relu import ReluLearner
from milbox.testing.surrogates import SurrogateConformance


class TestReluLearner(SurrogateConformance):
    learner = ReluLearner()


class TestDeepReluLearner(SurrogateConformance):
    learner = ReluLearner(hidden=(8, 6), steps=200)


class TestRankedLearner(SurrogateConformance):
    learner = Ranked()


class TestAlwaysRankedLearner(SurrogateConformance):
    learner = Ranked(share=1.0)


class TestLinearLearner(SurrogateConformance):
    learner = LinearLearner()


class TestPlainLinearLearner(SurrogateConformance):
    learner = LinearLearner(bootstrap=False)


class TestQuadraticLearner(SurrogateConformance):
    learner = QuadraticLearner()
