"""The built-in strategies obey law 7; random points are feasible and diverse under any constraints."""

import numpy as np
import pytest
from scipy.stats import chisquare

import milbox as mb
from milbox.inner import Enumerate, Mip
from milbox.strategies import NNMILP, LinearMILP, ModelBased, RandomSearch
from milbox.strategies.model_based import rounded
from milbox.strategies.named import NAMED
from milbox.surrogates.linear import LinearLearner
from milbox.surrogates.relu import ReluLearner
from milbox.testing.answers import proposed
from milbox.testing.strategies import StrategyConformance, history_of, small_domain
from milbox.trials import History


class TestRandomSearch(StrategyConformance):
    strategy = RandomSearch()


class TestNNMILP(StrategyConformance):
    strategy = NNMILP(initial=10)


class TestLinearMILP(StrategyConformance):
    strategy = LinearMILP(initial=10)


class TestPairs(StrategyConformance):
    strategy = NAMED["nn+milp/pairs"].make(10)


class TestMixed(StrategyConformance):
    strategy = NAMED["nn+milp/mixed"].make(10)


class TestNear(StrategyConformance):
    strategy = NAMED["nn+milp/near"].make(10)


class TestByProgram(StrategyConformance):
    strategy = ModelBased(ReluLearner(hidden=(6, 4), steps=100), Mip(), initial=10)


def test_a_batch_has_a_surrogate_per_point() -> None:
    domain = small_domain()
    batch = proposed(NNMILP(initial=10).propose(domain, history_of(domain, 30), 3, np.random.default_rng(0)))
    assert len({p.certificate.value for p in batch if p.certificate}) == 3
    assert all(p.fit_seconds > 0 for p in batch)


def test_random_points_where_rejection_is_hopeless() -> None:
    # A permutation matrix of 8: one in 4.6e14 points of the box.
    m = mb.binary("m", (8, 8))
    domain = mb.Domain([m], [m.sum(axis=0) == 1, m.sum(axis=1) == 1])
    proposals = proposed(RandomSearch().propose(domain, History(), 12, np.random.default_rng(0)))
    points = {p.point for p in proposals}
    assert len(points) == 12
    assert all(domain.contains(point) for point in points)
    ones = np.array(sorted(points)).reshape(12, 8, 8).argmax(axis=2)
    assert all(len(set(column)) >= 4 for column in ones.T), "every row of the matrix varies"


def test_random_points_of_blocks_are_uniform() -> None:
    x = mb.binary("x", 10)
    domain = mb.Domain([x], [x[:5].sum() == x[5:].sum()])
    assert domain.size == 252
    rng = np.random.default_rng(1)
    points = [
        proposal.point
        for _ in range(100)
        for proposal in proposed(RandomSearch().propose(domain, History(), 25, rng))
    ]
    # How many of the first five are one, as often as there are such points.
    counts = np.bincount(np.array(points)[:, :5].sum(axis=1), minlength=6)
    expected = np.array([1, 25, 100, 100, 25, 1]) / 252
    assert chisquare(counts, expected * len(points)).pvalue > 1e-3
    # And every point about ten times.
    often = np.bincount(np.unique(points, axis=0, return_inverse=True)[1].ravel(), minlength=252)
    assert chisquare(often).pvalue > 1e-3


def test_no_initial_points_still_starts() -> None:
    result = mb.maximize(lambda k: -((k - 3) ** 2), mb.Domain([mb.integer("k", 0, 9)]), budget=6, initial=0)
    assert [t.origin == "random" for t in result.trials] == [True] + [False] * 5, "one to learn from"
    assert all(t.certificate is not None for t in result.trials[1:])


@pytest.mark.parametrize("inner", [Enumerate(), Mip()])
def test_explains_itself(inner: Enumerate | Mip) -> None:
    study = mb.Study(small_domain(), ModelBased(LinearLearner(), inner))
    text = study.explain()
    assert "variables: 7, of which 3 one-hot; 14 features" in text
    assert f"points: {len(list(small_domain()))}\n" in text
    assert type(inner).__name__ in text


def test_sizes_are_rounded() -> None:
    assert rounded(10**15 - 1) == "999999999999999"
    assert rounded(94_165 * 10**59) == "9.42e63"
    assert rounded(9_996 * 10**5000) == "1.00e5004"


def test_the_whole_loop_finds_and_proves_the_optimum() -> None:
    """The acceptance test: an enumerable problem, proved step by step until nothing is left."""
    x, k = mb.binary("x", 6), mb.integer("k", 1, 4)
    domain = mb.Domain([x, k], [x[:3].sum() == x[3:].sum(), mb.implies(x[0], k <= 2)])
    weights = np.random.default_rng(0).normal(size=6)

    def objective(x: np.ndarray, k: int) -> float:
        return float(weights @ x) * k - abs(k - 2.5)

    every = {point: objective(**domain.assignment(point)) for point in domain}
    result = mb.maximize(objective, domain, budget=len(every) + 5, initial=8, seed=3)
    assert result.proved
    assert {t.point: t.value for t in result.trials} == every
    assert result.best is not None
    assert result.best.value == max(every.values())
    assert [t.certificate is None for t in result.trials] == [True] * 8 + [False] * (len(every) - 8)
    proofs = [t.certificate for t in result.trials if t.certificate is not None]
    assert all(proof.status == "optimal" for proof in proofs)
    assert all(0 <= proof.bound - proof.value <= 1e-4 * max(1, abs(proof.value)) for proof in proofs)
    reached = next(t.number for t in result.trials if t.value == max(every.values()))
    assert reached < len(every) // 2


def test_explains_how_a_domain_was_taken_apart() -> None:
    b = mb.categorical("b", list("ACGT"), 60)
    rules = [mb.no_runs(b, 3), mb.share(b, "GC", 0.4, 0.6), mb.without(b, "GAATTC", "TATA")]
    text = mb.Study(mb.Domain([b, mb.binary("y", 3)], rules), mb.NNMILP()).explain()
    assert "decision diagrams: 1, of 60 variables and 3735 edges, up to 18 nodes wide" in text
    assert "free variables: 3\nties: 1 (24 <= (b[0] == 'G')" in text
    assert "branch and bound: used" in text
    wide = mb.integer("w", 0, 10**6, 2, encoding="integer")
    text = mb.Study(mb.Domain([wide], [(wide[0] <= 9) | (wide[1] <= 9)]), mb.NNMILP()).explain()
    assert "in no diagram: 1 (w[0] <= 9 or w[1] <= 9)" in text
    assert "branch and bound: no, 'w[0]' has 1000001 values" in text
