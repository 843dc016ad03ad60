"""Certificates say which points they are about, and are made in one place."""

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import milbox as mb
from generators import relu_nets, small_domains
from milbox.domain import Domain
from milbox.inner import Branch, Enumerate, Evolution, InnerSolver, Mip, Sample
from milbox.inner.certify import Claim, certify
from milbox.inner.query import Query, Region
from milbox.milp.solution import Status
from milbox.strategies import ModelBased
from milbox.surrogates.linear import Linear, LinearLearner
from milbox.testing.answers import proposed
from milbox.trials.points import Points

FAR = "untried points that differ from every tried one in at least 2 variables"


def distance(point: tuple[int, ...], others: list[tuple[int, ...]]) -> int:
    return min((sum(a != b for a, b in zip(point, other, strict=True)) for other in others), default=99)


@given(st.data())
def test_a_region_has_the_points_that_are_new_and_far_enough(data: st.DataObject) -> None:
    domain = data.draw(small_domains())
    every = list(domain)
    tried = data.draw(st.lists(st.sampled_from(every), max_size=4)) if every else []
    radius = data.draw(st.integers(1, 3))
    region = Region(domain, Points(tried), radius)
    assert [point in region for point in every] == [distance(point, tried) >= radius for point in every]
    assert all(point not in region.without(every) for point in every)


def test_rows_for_one_proposal_are_in_its_certificate() -> None:
    x = mb.binary("x", 4)
    known = [({"x": np.full(4, code)}, float(code)) for code in (0, 1)]
    study = mb.Study(Domain([x]), ModelBased(LinearLearner(), initial=2), known=known)
    narrowed, plain = study.ask(fix={"x[1]": 0}, where=[x.sum() >= 2]), study.ask()
    assert narrowed.certificate is not None
    assert plain.certificate is not None
    assert narrowed.certificate.about == "all untried points with " + " and ".join(narrowed.where)
    assert plain.certificate.about == "all untried points"


@pytest.mark.parametrize("inner", [Enumerate(), Mip()])
def test_a_radius_is_kept_and_named(inner: InnerSolver) -> None:
    x = mb.binary("x", 4)
    region = Region(Domain([x]), Points([(1, 1, 1, 1), (1, 1, 0, 0)]), radius=2)
    (found,) = proposed(
        inner.solve(Query(Linear(np.array([4.0, 3, 2, 1]), 0.0), region), np.random.default_rng(0))
    )
    assert found.point == (1, 0, 1, 0)
    assert found.certificate is not None
    assert (
        found.certificate.about == "untried points that differ from every tried one in at least 2 variables"
    )


@pytest.mark.parametrize("inner", [Branch(), Sample(), Evolution()])
def test_who_keeps_no_distance_refuses_a_radius(inner: InnerSolver) -> None:
    region = Region(Domain([mb.binary("x", 4)]), Points([(1, 1, 1, 1)]), radius=2)
    assert inner.refusal(Query(Linear(np.ones(4), 0.0), region)) == "it keeps no distance from tried points"


def test_a_shrunken_radius_is_the_one_that_is_named_and_kept(tmp_path: Path) -> None:
    x = mb.binary("x", 4)
    known = [({"x": np.full(4, code)}, float(code)) for code in (0, 1)]  # nothing is three away from both
    strategy = ModelBased(LinearLearner(), Mip(radius=3), initial=2)
    with mb.Study(Domain([x]), strategy, journal=tmp_path / "run.db", known=known) as study:
        certificate = study.ask().certificate
    assert certificate is not None
    assert certificate.about == FAR
    with mb.Study(Domain([x]), strategy, journal=tmp_path / "run.db") as study:
        assert study.trials[2].certificate == certificate


@given(st.data())
def test_a_claim_that_the_objective_contradicts_proves_nothing(data: st.DataObject) -> None:
    domain = data.draw(small_domains())
    every = list(domain)
    if not every:
        return
    net = data.draw(relu_nets(domain.features))
    point = data.draw(st.sampled_from(every))
    query = Query.of(net, domain)
    value = query.predicted(point)
    claim = Claim(point, "test", value, "test", 0.0, 0, bound=value, proved=True, rounding=1e-9)
    true = certify(query, claim).certificate
    wrong = certify(
        query, Claim(point, "test", value + 1.0, "t", 0.0, 0, value + 1.0, True, 1e-9)
    ).certificate
    assert true is not None
    assert wrong is not None
    assert (true.status, true.bound, true.residual) == (Status.OPTIMAL, value, 0.0)
    assert (wrong.status, wrong.bound) == (Status.FEASIBLE, math.inf)
    with pytest.raises(AssertionError, match="outside the region"):
        certify(Query.of(net, domain, [point]), claim)
