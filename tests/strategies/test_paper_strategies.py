"""The paper's methods as published, and strategies by name."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import milbox as mb
from milbox.bench.problems import load
from milbox.domain import Domain
from milbox.inner import Branch, Evolution, Mip, PaperMip, Sample
from milbox.inner.query import Query
from milbox.inner.sample import undrawable
from milbox.strategies import PaperLinearMILP, PaperNNMILP, PaperStart, RandomSearch
from milbox.strategies.evolution import NNRegEvo
from milbox.strategies.identity import identity
from milbox.strategies.named import NAMED
from milbox.strategies.penalised import EnsembleRegEvo
from milbox.surrogates import PAPER
from milbox.surrogates.linear import Linear
from milbox.testing.answers import proposed
from milbox.testing.strategies import StrategyConformance
from milbox.trials import History

SHORT = replace(PAPER, epochs=50)


class TestPaperNNMILP(StrategyConformance):
    strategy = PaperNNMILP(initial=10, learner=SHORT)


class TestPaperLinearMILP(StrategyConformance):
    strategy = PaperLinearMILP(initial=10)


class TestPaperStart(StrategyConformance):
    strategy = PaperStart()


def permutations(size: int) -> Domain:
    m = mb.binary("m", (size, size))
    return Domain([m], [m.sum(axis=0) == 1, m.sum(axis=1) == 1])


def partition(vertices: int) -> Domain:
    """Graph partitioning: each vertex is in one of three parts, written as binaries."""
    part = mb.binary("part", (vertices, 3))
    return Domain([part], [part.sum(axis=1) == 1])


def test_the_system_as_published() -> None:
    strategy = mb.PaperNNMILP(initial=50)
    assert strategy.learner == PAPER
    assert strategy.inner == PaperMip()
    assert strategy.initial == 50
    assert NAMED["nn+milp/scip"].make(50) == strategy
    assert NAMED["nn+regevo/paper"].make(50).learner == PAPER  # type: ignore[attr-defined]
    assert NAMED["linear+milp/scip"].make(50).inner == PaperMip()  # type: ignore[attr-defined]


@pytest.mark.parametrize("domain", [permutations(6), partition(14)])
def test_first_points_are_optima_of_random_objectives_where_rejection_fails(domain: Domain) -> None:
    proposals = proposed(PaperNNMILP().propose(domain, History(), 3, np.random.default_rng(0)))
    assert [proposal.origin for proposal in proposals] == ["random objective"] * 3
    assert len({proposal.point for proposal in proposals}) == 3
    assert all(domain.contains(proposal.point) for proposal in proposals)
    direction = np.random.default_rng(0).standard_normal(domain.features)
    others = proposed(RandomSearch().propose(domain, History(), 50, np.random.default_rng(1)))
    every = domain.encode([proposal.point for proposal in others])
    (first,) = domain.encode([proposals[0].point])
    assert first @ direction >= (every @ direction).max()


@pytest.mark.parametrize("name", ["bbob/sphere", "ising/100/0"])
def test_first_points_are_uniform_where_the_paper_draws_them(name: str) -> None:
    domain = load(name).domain
    one = PaperNNMILP().propose(domain, History(), 5, np.random.default_rng(0))
    other = RandomSearch().propose(domain, History(), 5, np.random.default_rng(0))
    assert one == other


def test_journals_know_the_published_system_by_its_name() -> None:
    assert identity(mb.PaperNNMILP()).startswith("nn+milp/scip@")
    assert identity(PaperLinearMILP(initial=20)).startswith("linear+milp/scip@")
    assert "first" not in identity(mb.NNMILP())


def test_rejection_sampling_refuses_where_nothing_can_be_drawn() -> None:
    """It used to propose an arbitrary point, worse than a random one."""
    domain = permutations(16)
    surrogate = Linear(np.zeros(domain.features), 0.0)
    complaint = "cannot be drawn uniformly: none of 20,000 random points"
    with pytest.raises(mb.UnsupportedProgram, match=complaint):
        Sample(patience=20_000).solve(Query.of(surrogate, domain), np.random.default_rng(0))
    assert complaint in str(undrawable(domain, 20_000))
    assert NAMED["nn+rejsample"].besides is undrawable
    assert NAMED["nn+rejsample"].refusal(partition(14)) is None
    assert NAMED["nn+rejsample"].refusal(load("ising/100/0").domain) is None


def test_rejection_sampling_takes_what_is_left_of_a_domain_that_can_be_listed() -> None:
    domain = permutations(3)
    every = list(domain)
    surrogate = Linear(np.zeros(9), 0.0)
    (last,) = proposed(Sample().solve(Query.of(surrogate, domain, every[1:]), np.random.default_rng(0)))
    assert last.point == every[0]


def test_rejection_sampling_draws_where_feasible_points_are_rare() -> None:
    domain = permutations(7)  # 5040 of 5.6e14 points of the box
    weights = np.random.default_rng(3).normal(size=domain.features)
    surrogate = Linear(weights, 0.0)
    (best,) = proposed(Sample().solve(Query.of(surrogate, domain), np.random.default_rng(0)))
    values = np.sort(surrogate.predict(domain.encode(list(domain))))
    assert best.certificate is not None
    assert best.certificate.value >= values[-10], "10,000 uniform draws of 5040 points meet the best ten"


@pytest.mark.parametrize("name", NAMED)
def test_a_strategy_refuses_a_domain_with_reals_at_once_or_goes_on_after_its_first_points(name: str) -> None:
    """Some used to stop after the random points, with the evaluations spent."""
    domain = Domain([mb.real("r", 0, 1), mb.binary("x", 4)])
    named = NAMED[name]
    if named.refusal(domain) is not None:
        assert named.refusal(Domain([mb.binary("x", 4)])) is None
        return
    study = mb.Study(domain, named.make(4), seed=0)
    for _ in range(6):
        trial = study.ask()
        study.tell(trial.number, float(sum(trial.point[1:])))


def test_strategies_whose_inner_solver_takes_no_ranges_are_refused_before_the_first_evaluation(
    tmp_path: Path,
) -> None:
    t, x = mb.real("t", 0, 1), mb.binary("x", 3)
    domain, sentence = (
        mb.Domain([t, x]),
        "cannot be used here: it is for discrete variables, and some are real",
    )
    for name in ("nn+milp/scip", "linear+milp/scip"):
        with pytest.raises(ValueError, match=f"the strategy {re.escape(name)}@1.* {sentence}"):
            mb.Study(domain, NAMED[name].make(2), journal=tmp_path / "run.db")
        assert str(NAMED[name].refusal(domain)) in f"{sentence} or wide; use nn+milp"
    assert not (tmp_path / "run.db").exists()
    for strategy in (NNRegEvo(initial=2), EnsembleRegEvo(2), mb.NNMILP(inner=Evolution())):
        with pytest.raises(ValueError, match=r"cannot be used here: 't' has .* values, and it lists at most"):
            mb.maximize(lambda t, x: t + x.sum(), domain, 5, strategy=strategy)
    broken = mb.Domain([t, x], [mb.implies(x[0] == 1, t <= 0.5)])
    with pytest.raises(ValueError, match="cannot be used here: some variables are ranges, and"):
        mb.Study(broken, mb.NNMILP(inner=Branch()))
    for strategy in (mb.NNMILP(), mb.NNMILP(inner=Branch()), mb.NNMILP(inner=Mip())):
        mb.Study(domain, strategy)
    discrete = mb.Study(mb.Domain([x]), mb.PaperNNMILP(2))
    with pytest.raises(ValueError, match=sentence):
        discrete.change(domain, {"t": 0.0})
