"""Evolution as a strategy: a pure function of the history that proposes only what may be proposed."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import milbox.domain as md
from generators import histories, small_domains
from milbox.arrays import Point
from milbox.domain import Domain
from milbox.inner.evolution.mutators import Balanced, Pointwise
from milbox.strategies import (
    ConEvo,
    NNConEvo,
    NNRegEvo,
    NNRejSample,
    RegEvo,
    Strategy,
)
from milbox.surrogates import ReluLearner
from milbox.testing.answers import all_proposed, proposed
from milbox.trials import Finished, History, Proposal

QUICK = ReluLearner(hidden=(3,), steps=20)
STRATEGIES: dict[str, Strategy] = {
    "regevo": RegEvo(initial=2),
    "small": RegEvo(tournament=2, alive=3, mutator=Pointwise(0.5, 0.5), initial=0),
    "blind": RegEvo(mutator=Pointwise(0.1, 0.5, blind=True), initial=2),
    "conevo": ConEvo(initial=2),
    "nn+regevo": NNRegEvo(QUICK, initial=2),
    "nn+conevo": NNConEvo(QUICK, initial=2),
    "nn+rejsample": NNRejSample(QUICK, initial=2),
}


@pytest.mark.parametrize("name", STRATEGIES)
@given(data=st.data(), count=st.integers(1, 3), seed=st.integers(0, 99))
def test_law_7(name: str, data: st.DataObject, count: int, seed: int) -> None:
    strategy = STRATEGIES[name]
    domain = data.draw(small_domains(most=24, feasible=True))
    history = data.draw(histories(domain, most=30))
    proposals = all_proposed(strategy.propose(domain, history, count, np.random.default_rng(seed)))
    left = set(domain) - set(history.asked_points)
    points = [proposal.point for proposal in proposals]
    assert len(set(points)) == len(points) == min(count, len(left))
    assert set(points) <= left
    assert all_proposed(strategy.propose(domain, history, count, np.random.default_rng(seed))) == proposals


def measured(points: Sequence[Point], values: Sequence[float]) -> History:
    history = History().asked([Proposal(point, "random") for point in points])
    for number, value in enumerate(values):
        history = history.told(number, Finished(value))
    return history


def test_the_population_is_the_last_finished_trials() -> None:
    domain = Domain([md.integer("k", 0, 999, 4)])
    points = [(i, i, i, i) for i in range(30)]
    values = [1000.0] * 10 + [float(i) for i in range(20)]
    history = measured(points, values)
    # The ten best are too old; with all the rest in the tournament the parents are trials 29 and 28.
    strategy = RegEvo(tournament=50, alive=20, mutator=Pointwise(0.5, 0.0), initial=5)
    for seed in range(20):
        proposal = proposed(strategy.propose(domain, history, 1, np.random.default_rng(seed)))[0]
        assert set(proposal.point) == {28, 29}
        assert proposal.origin == "mutation of 29"


def test_the_papers_settings() -> None:
    assert RegEvo() == RegEvo(10, 100, Pointwise(0.1, 0.1), 50)
    assert ConEvo() == RegEvo(20, 100, Balanced(0.05), 50)
    inner = NNRegEvo().inner
    assert repr(inner) == (
        "Evolution(mutator=Pointwise(crossover=0.2, mutation=0.01, blind=False), evaluations=10000, "
        "batch=100, tournament=20, alive=1000)"
    )
    assert NNRegEvo().learner == ReluLearner()
    assert repr(NNRejSample().inner) == "Sample(points=10000, patience=200000)"


def test_pending_and_failed_points_are_no_parents_but_are_not_proposed_again() -> None:
    domain = Domain([md.binary("x", 3)])
    history = measured([(0, 0, 0), (0, 0, 1), (0, 1, 0), (1, 1, 1), (0, 1, 1)], [1.0, 2.0])
    for seed in range(10):
        found = proposed(RegEvo(initial=1).propose(domain, history, 9, np.random.default_rng(seed)))
        assert {proposal.point for proposal in found} == {(1, 0, 0), (1, 0, 1), (1, 1, 0)}
        parents = {proposal.origin for proposal in found}
        assert parents <= {"mutation of 0", "mutation of 1", "random"}


def test_evolution_climbs() -> None:
    domain = Domain([md.categorical("base", list("ACGT"), 10)])
    goal = np.array([0, 1, 2, 3, 0, 1, 2, 3, 0, 1])
    history = History()
    for number in range(400):
        proposal = proposed(RegEvo().propose(domain, history, 1, np.random.default_rng([3, number])))[0]
        value = float((np.array(proposal.point) == goal).sum())
        history = history.asked([proposal]).told(number, Finished(value))
    assert history.values[:50].max() <= 7
    assert history.values.max() >= 9
