"""A strategy that leaves the constraints for its surrogate to guess still proposes only feasible points."""

from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.random import Generator

import milbox.domain as md
from generators import histories, small_domains
from milbox.arrays import FloatArray
from milbox.domain import Domain
from milbox.inner import Evolution
from milbox.inner.evolution.mutators import Pointwise
from milbox.inner.untried import sample
from milbox.strategies import EnsembleRegEvo, Penalised
from milbox.surrogates.linear import Linear, LinearLearner
from milbox.testing.answers import all_proposed, proposed
from milbox.trials import Finished, History, Proposal

INNER = Evolution(Pointwise(0.2, 0.1, blind=True), evaluations=60, batch=20)


@dataclass
class Watched:
    """A linear learner that remembers what it was shown."""

    shown: list[tuple[FloatArray, FloatArray]] = field(default_factory=list)

    def fit(self, features: FloatArray, values: FloatArray, rng: Generator) -> Linear:
        self.shown.append((features, values))
        return LinearLearner().fit(features, values, rng)


@given(data=st.data(), count=st.integers(1, 2), seed=st.integers(0, 99))
def test_law_7(data: st.DataObject, count: int, seed: int) -> None:
    strategy = Penalised(LinearLearner(), INNER, initial=2)
    domain = data.draw(small_domains(most=24, feasible=True))
    history = data.draw(histories(domain, most=30))
    proposals = all_proposed(strategy.propose(domain, history, count, np.random.default_rng(seed)))
    left = set(domain) - set(history.asked_points)
    points = [proposal.point for proposal in proposals]
    assert len(set(points)) == len(points) == min(count, len(left))
    assert set(points) <= left
    assert all_proposed(strategy.propose(domain, history, count, np.random.default_rng(seed))) == proposals


def history_of(domain: Domain, count: int) -> History:
    points = list(dict.fromkeys(map(tuple, sample(domain, count, np.random.default_rng(1)).tolist())))
    history = History().asked([Proposal(point, "random") for point in points])
    for number, point in enumerate(points):
        history = history.told(number, Finished(float(sum(point) % 7)))
    return history


def test_the_learner_is_shown_infeasible_points_with_a_value_below_all_others() -> None:
    x = md.binary("x", 20)
    domain = Domain([x], [x[0:5].sum() == x[5:10].sum(), x[10:15].sum() == x[15:20].sum()])
    history = history_of(domain, 40)
    learner = Watched()
    Penalised(learner, INNER).propose(domain, history, 1, np.random.default_rng(0))
    assert not learner.shown  # fewer than 50 measured: random points first
    Penalised(learner, INNER, initial=10).propose(domain, history, 1, np.random.default_rng(0))
    ((features, values),) = learner.shown
    real = len(history.finished)
    np.testing.assert_array_equal(values[:real], history.values)
    assert len(values) == 2 * real
    worst, best = history.values.min(), history.values.max()
    assert best > worst
    assert (values[real:] == worst - (best - worst)).all()  # as far below the worst as the best is above it
    assert not domain.feasible(features[real:].astype(np.int64)).any()


def test_without_constraints_it_is_algorithm_1() -> None:
    domain = Domain([md.categorical("c", list("abcd"), 5)])
    history = history_of(domain, 30)
    learner = Watched()
    (found,) = proposed(
        Penalised(learner, INNER, initial=10).propose(domain, history, 1, np.random.default_rng(0))
    )
    ((features, values),) = learner.shown
    np.testing.assert_array_equal(features, domain.encode(history.points))
    np.testing.assert_array_equal(values, history.values)
    assert found.fit_seconds > 0
    assert found.origin == "evolution"


def test_the_papers_settings() -> None:
    pytest.importorskip("sklearn", reason="pip install milbox[trees]")
    pytest.importorskip("lightgbm", reason="pip install milbox[trees]")
    strategy = EnsembleRegEvo(initial=20)
    assert repr(strategy.inner) == (
        "Evolution(mutator=Pointwise(crossover=0.2, mutation=0.01, blind=True), evaluations=12500, "
        "batch=25, tournament=20, alive=1000)"
    )
    x = md.binary("x", 10)
    domain = Domain([x], [x[0:5].sum() == x[5:10].sum()])
    history = history_of(domain, 30)
    (found,) = proposed(strategy.propose(domain, history, 1, np.random.default_rng(0)))
    assert domain.contains(found.point)
    assert found.point not in history.asked_points
