"""The default: which steps it takes on which domain, under which identity, and what journals make of that."""

import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import milbox as mb
from milbox.cli.summary import proofs_text
from milbox.domain import Domain
from milbox.errors import JournalMismatch
from milbox.inner import Evolution
from milbox.strategies import ModelBased
from milbox.strategies.by_domain import MOST_MOVES, ByDomain, pairs_pay
from milbox.strategies.identity import identity
from milbox.strategies.local import Local
from milbox.strategies.named import NAMED
from milbox.strategies.pairwise import Pairwise
from milbox.surrogates import Ranked, ReluLearner
from milbox.trials.goal import goal_of


def free() -> Domain:
    """Six binaries."""
    return Domain([mb.binary("x", 6)])


def chosen(count: int = 24, of: int = 12) -> Domain:
    """So many of some binaries."""
    x = mb.binary("x", count)
    return Domain([x], [x.sum() == of])


def real() -> Domain:
    """Two reals under a sum."""
    t = mb.real("t", 0, 1, 2)
    return Domain([t], [t.sum() <= 1])


def test_the_domain_decides() -> None:
    steps = ByDomain()
    assert steps.steps(free()) is None
    assert not steps.applies(free())
    assert isinstance(steps.steps(real()), Local)
    assert isinstance(steps.steps(chosen()), Pairwise)
    assert steps.steps(chosen(24, 3)) is None  # 2024 points, which are listed
    assert not pairs_pay(chosen(MOST_MOVES + 1))
    assert pairs_pay(chosen(MOST_MOVES))


def test_fixed_values_do_not_change_what_pays() -> None:
    """The identity in a journal's header is that of the whole domain."""
    for others, pays in ((MOST_MOVES // 40, True), (MOST_MOVES // 40 + 1, False)):
        machine = mb.categorical("machine", list(range(others + 1)), 40)
        domain = Domain([machine], [(machine == 0).sum() <= 3])
        assert pairs_pay(domain) == pays
        assert pairs_pay(domain.narrowed([machine[i] == i % 10 for i in range(20)])) == pays


def test_half_of_the_steps_are_by_pairs_and_every_one_is_proved() -> None:
    weights = np.arange(24.0)
    with mb.Study(chosen(), mb.NNMILP(initial=5), seed=0) as study:
        for _ in range(60):
            trial = study.ask()
            study.tell(trial.number, float(weights @ trial.point))
        proofs = [trial.certificate for trial in study.trials if trial.certificate]
        summed = study.record.proofs
    by_pairs = [proof for proof in proofs if proof.surrogate.startswith("pairs")]
    assert 15 <= len(by_pairs) <= 40
    assert all(proof.status == "optimal" for proof in proofs)
    assert (summed.optimal, summed.qualified) == (len(proofs), len(by_pairs))
    others = len(proofs) - len(by_pairs)
    said = f"surrogate's best: {others} among all untried points, {len(by_pairs)} among a part of them or"
    assert said in proofs_text(summed)
    assert all("variables away from" in proof.about for proof in by_pairs)
    assert {proof.about for proof in proofs if proof not in by_pairs} == {"all untried points"}


def test_the_same_proposals_as_by_name() -> None:
    """What the default does is what the two named strategies do, each where it was confirmed."""
    for domain, name in ((free(), "nn+milp/network"), (chosen(), "nn+milp/mixed")):
        points = []
        for strategy in (mb.NNMILP(initial=4), NAMED[name].make(4)):
            with mb.Study(domain, strategy, seed=3) as study:
                for _ in range(12):
                    trial = study.ask()
                    study.tell(trial.number, float(np.dot(trial.point, range(len(trial.point)))))
                points.append([trial.point for trial in study.trials])
        assert points[0] == points[1]


@pytest.mark.parametrize(("made", "version"), [(free, 2), (chosen, 7), (real, 4)])
def test_it_has_a_version_for_each_kind_of_domain(made, version: int) -> None:  # type: ignore[no-untyped-def]
    domain = made()
    limited = goal_of(objectives={"a": "maximize"}, limits={"b": ("<=", 1.0)})
    assert identity(mb.NNMILP(initial=50), domain) == f"nn+milp@{version}"
    assert identity(mb.NNMILP(initial=7), domain) == f"nn+milp@{version}(initial=7)"
    assert identity(mb.NNMILP(initial=50), domain, limited) == f"nn+milp@{version + 1}"
    former = NAMED["nn+milp/network"].make(50)
    assert identity(former, domain) == f"nn+milp/network@{4 if made is real else 2}"


def test_a_learner_of_ones_own_is_what_it_was() -> None:
    narrow = ReluLearner(hidden=(8,))
    assert identity(mb.NNMILP(narrow, initial=50), free()).endswith("@2(learner=ReluLearner(hidden=(8,)))")
    assert identity(mb.NNMILP(narrow, initial=50), chosen()).endswith("@2(learner=ReluLearner(hidden=(8,)))")
    assert identity(ModelBased(Ranked(), initial=50), chosen()) == "nn+milp/network@2"
    assert identity(mb.NNMILP(inner=Evolution(), initial=50), chosen()) == "nn+regevo/ranked@2"
    assert identity(mb.NNMILP(initial=50), chosen(24, 3)) == "nn+milp@2"
    assert identity(NAMED["nn+milp/mixed"].make(5), chosen()) == "nn+milp/mixed@6(initial=5)"


def test_journals_of_the_former_default_go_on_with_either(tmp_path: Path) -> None:
    path, domain = tmp_path / "run.db", chosen()
    former = NAMED["nn+milp/network"].make(3)
    with mb.Study(domain, former, journal=path) as study:
        study.tell(study.ask().number, 1.0)
    with (
        pytest.warns(UserWarning, match=r"nn.milp/network@2.initial=3. and goes on with nn.milp@7"),
        mb.Study(domain, mb.NNMILP(initial=3), journal=path) as study,
    ):
        study.tell(study.ask().number, 2.0)
    with warnings.catch_warnings(), mb.Study(domain, former, journal=path):
        warnings.simplefilter("error")
    with pytest.raises(JournalMismatch):
        mb.Study(domain, NAMED["nn+milp/mixed"].make(3), journal=path)


def test_numbers_that_are_ranges_are_searched_without_pairs() -> None:
    x, k = mb.binary("x", 14), mb.integer("k", 0, 30, 2, encoding="integer")
    domain = mb.Domain([x, k], [x.sum() + k.sum() <= 20])
    assert not pairs_pay(domain)
    assert NAMED["nn+milp/mixed"].refusal(domain) is not None
    with mb.Study(domain, mb.NNMILP(initial=10), seed=0) as study:
        for _ in range(14):
            trial = study.ask()
            study.tell(trial.number, float(np.sin(np.dot(trial.point, range(1, 17))) + sum(trial.point)))
        assert study.record.header.strategy == "nn+milp@2(initial=10)"
        assert {trial.certificate.about for trial in study.trials if trial.certificate} == {
            "all untried points"
        }


def test_what_is_fixed_for_one_proposal_is_no_constraint_of_the_domain() -> None:
    with mb.Study(Domain([mb.binary("x", 24)]), mb.NNMILP(initial=5), seed=0) as study:
        for _ in range(15):
            trial = study.ask(fix={"x[0]": 1})
            study.tell(trial.number, float(np.dot(trial.point, range(24))))
        assert {trial.certificate.surrogate for trial in study.trials if trial.certificate} == {""}


def test_fronts_are_searched_as_before() -> None:
    front = goal_of(objectives={"a": "maximize", "b": "minimize"})
    assert identity(mb.NNMILP(initial=50), chosen(), front) == "nn+milp@2"


def test_points_of_a_batch_keep_their_distance_or_are_as_near_as_they_were() -> None:
    y, k = mb.binary("y", 14), mb.integer("k", 0, 9, 2, encoding="integer")
    domain = mb.Domain([y, k], [y.sum() + k.sum() <= 12])
    with mb.Study(domain, replace(mb.NNMILP(initial=20), apart=0.2), seed=0) as study:
        for _ in range(10):
            for trial in study.ask_many(4):
                point = trial.point
                value = 3 * point[14] * point[15] + 2 * (point[0] - point[3]) * point[15]
                study.tell(trial.number, float(value))
        assert any("away from the others" in t.certificate.about for t in study.trials if t.certificate)
