"""Law 9 for branch and bound over domains: diagrams built, points decoded, certificates true."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import milbox as mb
from generators import relu_nets, small_domains
from milbox.arrays import FloatArray, Point
from milbox.domain import Domain
from milbox.errors import UnsupportedProgram
from milbox.inner import Auto, Branch, Enumerate, InnerSolver
from milbox.inner.certify import certify
from milbox.inner.query import Query
from milbox.inner.search.branch import as_paths
from milbox.inner.search.maximise import maximise
from milbox.inner.search.network import layered, task_of
from milbox.milp.solution import Limits, Status
from milbox.surrogates.linear import Linear
from milbox.surrogates.relu import ReluNet
from milbox.testing.answers import all_proposed, proposed
from milbox.trials import Empty


def untrained(features: int, units: int, seed: int) -> ReluNet:
    rng = np.random.default_rng(seed)
    return ReluNet.of(
        [
            (rng.normal(size=(features, units)), rng.normal(size=units)),
            (rng.normal(size=(units, 1)), rng.normal(size=1)),
        ]
    )


def paired_subsets(pairs: int) -> Domain:
    """Two subsets of three of equal size, several times: blocks of 20 states."""
    x = mb.binary("x", (pairs, 6))
    return Domain([x], [x[p, :3].sum() == x[p, 3:].sum() for p in range(pairs)])


def left_over(domain: Domain, tried: list[Point]) -> list[Point]:
    seen = set(tried)
    return [point for point in domain if point not in seen]


@settings(max_examples=200)
@given(data=st.data())
def test_the_best_points_left_with_true_certificates(data: st.DataObject) -> None:
    domain = data.draw(small_domains(most=200))
    hidden = data.draw(st.lists(st.integers(1, 8), min_size=1, max_size=2))
    net = data.draw(relu_nets(domain.features, hidden=hidden))
    every = list(domain)
    order = data.draw(st.permutations(range(len(every))))
    share = data.draw(st.sampled_from([0, len(every) // 2, len(every) - 1, len(every)]))
    tried = [every[i] for i in order[: max(0, share)]]
    count = data.draw(st.integers(1, 4))
    found = all_proposed(
        Branch().solve(
            Query.of(net, domain, tried, count), np.random.default_rng(data.draw(st.integers(0, 9)))
        )
    )

    left = left_over(domain, tried)
    values: FloatArray = net.predict(domain.encode(left)) if left else np.zeros(0)
    best = np.sort(values)[::-1][:count]
    assert len(found) == len(best)
    assert len({proposal.point for proposal in found}) == len(found)
    scale = 1e-10 * max(1.0, float(np.abs(values).max(initial=0.0)))
    for proposal, target in zip(found, best, strict=True):
        certificate = proposal.certificate
        assert certificate is not None
        assert proposal.point in left
        assert certificate.status is Status.OPTIMAL
        assert certificate.value == pytest.approx(target, abs=scale)
        assert target <= certificate.bound <= target + scale
        assert certificate.residual <= scale
        assert certificate.no_goods == len(tried)


@pytest.mark.parametrize("seed", range(3))
def test_blocks_of_constraints(seed: int) -> None:
    domain = paired_subsets(3)
    net = untrained(18, 10, seed)
    every = np.array(list(domain))
    values = net.predict(domain.encode(every))
    tried = [tuple(row) for row in every[np.argsort(-values)[:500]].tolist()]
    (found,) = proposed(Branch().solve(Query.of(net, domain, tried), np.random.default_rng(seed)))
    assert found.certificate is not None
    assert found.certificate.value == pytest.approx(np.sort(values)[::-1][500], abs=1e-12)


def test_linear_surrogates() -> None:
    domain = paired_subsets(2)
    line = Linear(np.random.default_rng(0).normal(size=12), -2.0)
    flat = ReluNet.of([(line.weights[:, None], np.array([line.bias]))])
    values = np.sort(line.predict(domain.encode(list(domain))))[::-1]
    for surrogate in (line, flat):
        found = proposed(Branch().solve(Query.of(surrogate, domain, [], 5), np.random.default_rng(0)))
        assert [p.certificate.value for p in found if p.certificate] == pytest.approx(values[:5], abs=1e-12)


def test_nothing_left() -> None:
    domain = paired_subsets(1)
    net = untrained(6, 4, 0)
    assert Branch().solve(Query.of(net, domain, list(domain), 3), np.random.default_rng(0)) == Empty()
    x = mb.binary("x", 3)
    empty = Domain([x], [x.sum() >= 4])
    assert Branch().solve(Query.of(untrained(3, 4, 0), empty), np.random.default_rng(0)) == Empty()


def test_points_outside_the_domain_forbid_nothing() -> None:
    k = mb.integer("k", -2, 5, 2)
    domain = Domain([k], [k[0] + k[1] <= 1])
    net = untrained(domain.features, 6, 1)
    strangers = [(9, 0), (-7, -2), (300, 1), (5, 5)]
    free = proposed(Branch().solve(Query.of(net, domain), np.random.default_rng(0)))[0]
    found = proposed(Branch().solve(Query.of(net, domain, strangers), np.random.default_rng(0)))[0]
    assert found.point == free.point
    assert found.certificate is not None
    assert found.certificate.no_goods == 0


def test_few_states_of_wide_variables() -> None:
    k = mb.integer("k", 0, 127, 3, encoding="integer")
    domain = Domain([k], [k[0] + k[1] == 127, k[1] + k[2] == 127])
    net = untrained(3, 5, 2)
    every = [(a, 127 - a, a) for a in range(128)]
    assert domain.size == 128
    values = net.predict(domain.encode(every))
    order = np.argsort(-values)
    found = proposed(
        Branch().solve(Query.of(net, domain, [every[i] for i in order[:5]], 4), np.random.default_rng(0))
    )
    assert [p.point for p in found] == [every[i] for i in order[5:9]]


@pytest.mark.filterwarnings("ignore:(overflow|invalid value) encountered")
def test_what_is_no_number_proves_nothing() -> None:
    """A unit that overflows is not heard and left out of the search, but the network's word is no number."""
    net = ReluNet.of(
        [
            (np.ones((6, 2)), np.ones(2)),
            (np.array([[1.0, 1e308], [1.0, 1e308]]), np.ones(2)),
            (np.array([[1.0], [0.0]]), np.ones(1)),
        ]
    )
    (found,) = proposed(Branch().solve(Query.of(net, paired_subsets(1)), np.random.default_rng(0)))
    assert found.certificate is not None
    assert found.certificate.status is Status.FEASIBLE
    assert found.certificate.bound == math.inf


def test_what_it_cannot_do_is_refused_with_a_reason() -> None:
    domain = paired_subsets(1)
    between = (np.ones((2, 2)), np.ones(2))
    deep = ReluNet.of([(np.ones((6, 2)), np.ones(2)), between, between, (np.ones((2, 1)), np.ones(1))])
    assert "3 hidden layers" in str(Branch().refusal(Query.of(deep, domain)))
    x = mb.binary("x", 6)
    alternatives = Domain([x], [mb.any_of(x[:3].sum() == 3, x[3:].sum() == 3)])
    assert "no decision diagram" in str(Branch(edges=3).refusal(Query.of(untrained(6, 3, 0), alternatives)))
    huge = Domain([x], [x.sum() <= 4, (10**15 * x[:2]).sum() + x[2:].sum() <= 10**15 + 2])
    assert "too large" in str(Branch(edges=3).refusal(Query.of(untrained(6, 3, 0), huge)))
    wide = Domain([mb.integer("w", 1, 20_000, encoding="onehot")])
    assert "'w' has 20000 values" in str(Branch().refusal(Query.of(untrained(20_000, 3, 0), wide)))
    with pytest.raises(UnsupportedProgram, match="3 hidden layers"):
        Branch().solve(Query.of(deep, domain), np.random.default_rng(0))


def test_the_seed_breaks_ties_and_nothing_else_does() -> None:
    domain = paired_subsets(2)
    constant = ReluNet.of([(np.zeros((12, 3)), np.ones(3)), (np.ones((3, 1)), np.zeros(1))])
    found = [
        proposed(Branch().solve(Query.of(constant, domain), np.random.default_rng(s)))[0].point
        for s in range(20)
    ]
    again = [
        proposed(Branch().solve(Query.of(constant, domain), np.random.default_rng(s)))[0].point
        for s in range(20)
    ]
    assert found == again
    assert len(set(found)) > 10


@pytest.mark.parametrize("limits", [Limits(seconds=0.0), Limits(nodes=0), Limits(nodes=5), Limits(gap=0.5)])
def test_a_limit_gives_points_and_valid_bounds(limits: Limits) -> None:
    domain = Domain([mb.categorical("c", "abcd", 12)])
    net = untrained(48, 24, 5)
    exact = proposed(Branch().solve(Query.of(net, domain, [], 2), np.random.default_rng(0)))
    found = proposed(Branch(limits).solve(Query.of(net, domain, [], 2), np.random.default_rng(0)))
    assert len(found) == 2
    for proposal, best in zip(found, exact, strict=True):
        assert proposal.certificate is not None
        assert best.certificate is not None
        assert best.certificate.status is Status.OPTIMAL
        assert proposal.certificate.value <= best.certificate.value + 1e-9
        assert proposal.certificate.bound >= best.certificate.value - 1e-9
        if proposal.certificate.status is Status.OPTIMAL:
            assert proposal.certificate.gap <= 1e-11
    if limits.gap == 0.0 and limits.nodes != 5:
        assert [p.certificate.status for p in found if p.certificate] == [Status.FEASIBLE] * 2


@pytest.mark.parametrize("inner", [Branch(Limits(gap=0.5)), Auto(Enumerate(0), Branch(Limits(gap=0.5)))])
def test_what_stops_at_a_gap_that_was_asked_for_is_not_called_optimal(inner: InnerSolver) -> None:
    domain, net = Domain([mb.categorical("c", "abcd", 40)]), untrained(160, 24, 5)
    (found,) = proposed(inner.solve(Query.of(net, domain), np.random.default_rng(0)))
    assert found.certificate is not None
    assert found.certificate.status is Status.FEASIBLE
    assert 0.0 < found.certificate.gap <= 0.5
    assert found.origin == "branch and bound"


def test_a_certificate_that_the_surrogate_contradicts_proves_nothing() -> None:
    domain = paired_subsets(1)
    net = untrained(6, 4, 0)
    paths, rng = as_paths(domain, 10_000), np.random.default_rng(0)
    assert paths is not None
    task = task_of(layered(net, paths), paths)
    found = maximise(task, np.zeros((0, 6), dtype=np.int64), 1, rng)
    first, *hidden = net.layers
    shifted = ReluNet((first, *hidden[:-1], replace(net.output, bias=net.output.bias + 1e-6)))
    true = certify(Query.of(net, domain), Branch().claim(found, 0, 0, 0.0)).certificate
    wrong = certify(Query.of(shifted, domain), Branch(Limits(gap=0.1)).claim(found, 0, 0, 0.0)).certificate
    assert true is not None
    assert wrong is not None
    assert (true.status, wrong.status) == (Status.OPTIMAL, Status.FEASIBLE)
    assert wrong.bound == math.inf
    assert wrong.residual == pytest.approx(1e-6)
