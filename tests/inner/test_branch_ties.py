"""Law 9 for branch and bound where sums tie diagrams together."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import milbox as mb
from generators import relu_nets, small_domains
from milbox.arrays import FloatArray, Point
from milbox.domain import Domain
from milbox.domain.diagrams.product import EDGES, for_search
from milbox.inner import Auto, Branch, Enumerate, Mip
from milbox.inner.climb import climbed
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


@settings(max_examples=200)
@given(data=st.data())
def test_any_domain_that_falls_apart(data: st.DataObject) -> None:
    domain = data.draw(small_domains(most=100))
    hidden = data.draw(st.lists(st.integers(1, 6), min_size=1, max_size=2))
    net = data.draw(relu_nets(domain.features, hidden=hidden))
    inner = Branch(edges=data.draw(st.integers(1, 30)))
    assume(inner.refusal(Query.of(net, domain)) is None)
    every = list(domain)
    order = data.draw(st.permutations(range(len(every))))
    tried = [every[i] for i in order[: data.draw(st.integers(0, len(every)))]]
    left = [point for point in every if point not in set(tried)]
    count = data.draw(st.integers(1, 3))
    found = all_proposed(inner.solve(Query.of(net, domain, tried, count), np.random.default_rng(0)))
    values: FloatArray = net.predict(domain.encode(left)) if left else np.zeros(0)
    best = np.sort(values)[::-1][:count]
    assert len(found) == len(best)
    # With two layers rounding is allowed for in proportion to products of weights.
    scale = 1e-9 * max(1.0, float(np.abs(values).max(initial=0.0)))
    for proposal, target in zip(found, best, strict=True):
        assert proposal.certificate is not None
        assert proposal.certificate.status is Status.OPTIMAL
        assert proposal.certificate.value == pytest.approx(target, abs=scale)
        assert target <= proposal.certificate.bound <= target + scale
        assert proposal.point in left


def planned(tasks: int, machines: int, rng: np.random.Generator) -> Domain:
    """Tasks on machines with no more room than one plan takes."""
    size = rng.integers(20, 60, (tasks, machines))
    task = mb.integer("task", 0, machines - 1, tasks)
    plan = np.arange(tasks) % machines
    loads = [sum(int(size[t, m]) * (task[t] == m) for t in range(tasks)) for m in range(machines)]
    return Domain([task], [load <= int(size[plan == m, m].sum()) for m, load in enumerate(loads)])


def test_a_climb_where_the_first_nodes_meet_no_point(monkeypatch: pytest.MonkeyPatch) -> None:
    climbs = []

    def seen(*given: Any) -> Any:
        climbs.append(climbed(*given))
        return climbs[-1]

    monkeypatch.setattr("milbox.inner.search.branch.climbed", seen)
    for seed in (4, 5, 8):
        rng = np.random.default_rng(seed)
        domain = planned(9, 4, rng)
        net = untrained(domain.features, 16, seed)
        every = list(domain)
        tried, left = every[::2], every[1::2]
        best = net.predict(domain.encode(left)).max()
        # With a gap to look for, the first slice is one node.
        for inner in (Branch(edges=50), Branch(Limits(gap=1e-12), edges=50)):
            (found,) = proposed(inner.solve(Query.of(net, domain, tried), rng))
            assert found.point in left
            assert net.predict(domain.encode([found.point]))[0] == pytest.approx(best)
    assert any(climb is not None for climb in climbs)


def assignment(size: int) -> Domain:
    x = mb.binary("x", (size, size))
    rows = [x[i].sum() == 1 for i in range(size)]
    return Domain([x], [*rows, *(x[:, j].sum() == 1 for j in range(size))])


def permutation(size: int) -> Domain:
    p = mb.integer("p", 1, size, size)
    return Domain([p], [mb.all_different(p)])


def capacities() -> Domain:
    task = mb.categorical("task", "abc", 7)
    size = np.array([3, 1, 4, 1, 5, 2, 6])
    return Domain([task], [sum(s * (t == c) for s, t in zip(size, task, strict=True)) <= 9 for c in "abc"])


@pytest.mark.parametrize("domain", [assignment(6), permutation(6), capacities()], ids=str)
@pytest.mark.parametrize("tried", [0, 1, 60])
def test_assignments_permutations_and_capacities(domain: Domain, tried: int) -> None:
    inner, net = Branch(edges=16), untrained(domain.features, 8, tried)
    assert for_search(domain, 16).ties
    every = list(domain)
    values = net.predict(domain.encode(every))
    order = np.argsort(-values)
    seen: list[Point] = [every[i] for i in order[:tried]]
    found = proposed(inner.solve(Query.of(net, domain, seen, 3), np.random.default_rng(0)))
    assert [proposal.point for proposal in found] == [every[i] for i in order[tried : tried + 3]]
    line = Linear(np.random.default_rng(tried).normal(size=domain.features), 1.0)
    best = proposed(inner.solve(Query.of(line, domain), np.random.default_rng(0)))[0]
    assert best.certificate is not None
    assert best.certificate.value == pytest.approx(line.predict(domain.encode(every)).max(), abs=1e-12)


def test_nothing_left() -> None:
    domain = assignment(4)
    net = untrained(16, 4, 0)
    inner = Branch(edges=16)
    assert inner.solve(Query.of(net, domain, list(domain)), np.random.default_rng(0)) == Empty()
    (last,) = proposed(inner.solve(Query.of(net, domain, list(domain)[1:], 2), np.random.default_rng(0)))
    assert last.point == next(iter(domain))
    x = mb.binary("x", (2, 6))
    odd = Domain([x], [(2 * x[0]).sum() + (2 * x[1]).sum() == 6, (x[0] + x[1]).sum() == 4])
    assert inner.solve(Query.of(untrained(12, 4, 0), odd), np.random.default_rng(0)) == Empty()


def test_sums_that_a_solver_cannot_tell_apart_are_exact() -> None:
    """With coefficients of 1e9 a solver may see points where there are none; sums here are whole numbers."""
    x = mb.binary("x", 14)
    domain = Domain([x], [(10**9 * np.arange(1, 14) * x[:13]).sum() + 3 * x[13] <= 10**10 + 1])
    every, net = list(domain), untrained(14, 4, 0)
    assert for_search(domain, 16).ties
    for inner in (Branch(), Branch(edges=16)):
        best = proposed(inner.solve(Query.of(net, domain), np.random.default_rng(0)))[0].certificate
        assert best is not None
        assert best.status is Status.OPTIMAL
        assert best.value == pytest.approx(net.predict(domain.encode(every)).max(), abs=1e-9)


@pytest.mark.parametrize("seed", range(8))
def test_sums_of_fourteen_digits_are_exact(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = mb.binary("x", 9)
    weights, point = rng.integers(-(2**45), 2**45, (2, 9)), rng.integers(0, 2, 9)
    sides = (weights @ point).tolist()
    sums = [sum(w * x[i] for i, w in enumerate(row)) for row in weights.tolist()]
    domain = Domain([x], [sums[0] <= sides[0] - seed % 2, sums[1] >= sides[1]])
    every, net = list(domain), untrained(9, 5, seed)
    found = Branch(edges=16).solve(Query.of(net, domain), rng)
    if not every:
        assert found == Empty()
        return
    best = proposed(found)[0].certificate
    assert best is not None
    assert best.status is Status.OPTIMAL
    assert best.value == pytest.approx(net.predict(domain.encode(every)).max(), abs=1e-9)


def test_forbidden_points_outside_the_domain_change_nothing() -> None:
    domain, net, inner = assignment(6), untrained(36, 8, 1), Branch(edges=16)
    every = list(domain)
    seen = every[:50]
    one = proposed(inner.solve(Query.of(net, domain, seen), np.random.default_rng(0)))
    other = proposed(
        inner.solve(Query.of(net, domain, [*seen, (7,) * 36, (-1,) * 36]), np.random.default_rng(0))
    )
    assert one[0].point == other[0].point


def test_counting_is_a_tie_too() -> None:
    x = mb.binary("x", (5, 5))
    domain = Domain([x], [mb.exactly(1, list(line)) for line in (*x, *x.T)])
    product = for_search(domain, 16)
    assert len(product.ties) == 5
    assert [part.count for part in product.parts] == [5] * 5


@pytest.mark.parametrize("seed", range(8))
def test_auto_where_both_methods_stop_early(seed: int) -> None:
    """No point twice, and each bound holds for all points but those before it."""
    domain, net = assignment(6), untrained(36, 8, seed)
    inner = Auto(Enumerate(0), Branch(Limits(nodes=1), edges=16), Mip(limits=Limits(nodes=1)))
    every = list(domain)
    values = dict(zip(every, net.predict(domain.encode(every)).tolist(), strict=True))
    seen = every[:40]
    for proposal in proposed(inner.solve(Query.of(net, domain, seen, 3), np.random.default_rng(seed))):
        assert proposal.certificate is not None
        assert proposal.point not in seen
        best = max(value for point, value in values.items() if point not in seen)
        assert proposal.certificate.bound >= best - 1e-6
        if proposal.certificate.status is Status.OPTIMAL:
            assert values[proposal.point] == pytest.approx(best)
        seen = [*seen, proposal.point]


def test_a_limit_gives_a_point_and_a_valid_bound() -> None:
    domain, net = assignment(7), untrained(49, 24, 3)
    inner = Branch(edges=16)
    exact = proposed(inner.solve(Query.of(net, domain), np.random.default_rng(0)))[0].certificate
    limited = proposed(
        replace(inner, limits=Limits(nodes=1)).solve(Query.of(net, domain), np.random.default_rng(0))
    )[0]
    assert exact is not None
    assert limited.certificate is not None
    assert domain.contains(limited.point)
    assert limited.certificate.value <= exact.value <= limited.certificate.bound
    assert limited.certificate.status is Status.FEASIBLE


def test_an_equality_is_one_tie_and_a_range_is_two() -> None:
    x = mb.binary("x", (9, 9))
    weights = np.random.default_rng(0).integers(100, 999, 81)
    load = sum(int(w) * x[i // 9, i % 9] for i, w in enumerate(weights))
    domain = mb.Domain([x], [x.sum(axis=0) == 1, x.sum(axis=1) == 1, load <= 5000, load >= 3000])
    paths = as_paths(domain, EDGES)
    assert paths is not None
    assert paths.tie_equal.tolist().count(True) == 9  # the other nine are diagrams
    assert paths.tie_equal.tolist().count(False) == 2


def test_searches_with_equalities_do_not_depend_on_slices() -> None:
    """Rows leave a node and return with others: a search cut into single nodes is the same search."""
    x = mb.binary("x", (9, 9))
    domain = mb.Domain([x], [x.sum(axis=0) == 1, x.sum(axis=1) == 1])
    paths = as_paths(domain, 500)
    assert paths is not None
    task = task_of(layered(untrained(81, 32, seed=4), paths), paths)
    tried = np.zeros((0, 81), dtype=np.int64)
    whole = maximise(task, tried, 3, np.random.default_rng(0))
    sliced = maximise(task, tried, 3, np.random.default_rng(0), gap=1e-300)
    assert whole.complete
    assert sliced.complete
    assert whole.nodes > 8
    assert (whole.nodes, whole.values.tolist()) == (sliced.nodes, sliced.values.tolist())
