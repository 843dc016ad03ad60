"""The conformance suite of learners: raw units, by their arguments alone, exact embeddings."""

# ruff: noqa: D102 - a test's name is its sentence

from typing import ClassVar

import numpy as np
import pytest

from milbox.arrays import FloatArray
from milbox.embed import embed, embeddable
from milbox.milp.program import MilpBuilder
from milbox.milp.solution import Limits, Status
from milbox.milp.solvers import Highs
from milbox.surrogates.base import Learner
from milbox.testing.strategies import small_domain


def data(seed: int = 0) -> tuple[FloatArray, FloatArray]:
    """The features of every point of a small domain, and values that are no straight line."""
    features = small_domain().encode(list(small_domain()))
    weights = np.random.default_rng(seed).normal(size=(features.shape[1], 2))
    return features, np.abs(features @ weights[:, 0]) + features @ weights[:, 1]


class LearnerConformance:
    """Inherit, set `learner`, and run with pytest."""

    learner: ClassVar[Learner]

    def test_same_arguments_same_surrogate(self) -> None:
        features, values = data()
        one, other = (
            self.learner.fit(features, values, np.random.default_rng(3)).predict(features) for _ in range(2)
        )
        np.testing.assert_array_equal(one, other)

    def test_predictions_have_the_units_of_the_values(self) -> None:
        features, values = data()
        plain = self.learner.fit(features, values, np.random.default_rng(4)).predict(features)
        scaled = self.learner.fit(features, 1e6 + 1e3 * values, np.random.default_rng(4)).predict(features)
        # Rounding may send training another way, by far less than the values differ among themselves.
        np.testing.assert_allclose((scaled - 1e6) / 1e3, plain, rtol=0, atol=0.1 * values.std())

    def test_data_that_teach_nothing_are_taken(self) -> None:
        features, values = data()
        for count in (1, 2):
            few = self.learner.fit(features[:count], values[:count], np.random.default_rng(0))
            assert np.isfinite(few.predict(features)).all()
        flat = self.learner.fit(features, np.full(len(values), 7.0), np.random.default_rng(0))
        np.testing.assert_allclose(flat.predict(features), 7.0, atol=0.5)

    def test_the_embedding_equals_the_prediction(self) -> None:
        """Law 3, with the inputs fixed to points."""
        features, values = data()
        surrogate = self.learner.fit(features, values, np.random.default_rng(1))
        if not embeddable(surrogate):
            pytest.skip(f"milbox.embed knows no rows for {type(surrogate).__name__}")
        for row in features[:: max(1, len(features) // 8)]:
            milp = MilpBuilder()
            inputs = milp.columns(np.zeros(len(row)), 1, integer=True)
            milp.maximize(embed(surrogate, milp, inputs))
            solution = Highs().solve(milp.build().fixed(inputs, row), Limits())
            assert solution.status is Status.OPTIMAL
            np.testing.assert_allclose(solution.objective, surrogate.predict(row[None])[0], atol=1e-5)


SurrogateConformance = LearnerConformance
"""The same suite, by the name of what a learner fits."""
