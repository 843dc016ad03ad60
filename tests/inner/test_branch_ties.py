"""Law 9 for branch and bound where sums tie blocks together: on arrays, and over domains."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.random import Generator

import milbox as mb
from generators import relu_nets, small_domains
from milbox.arrays import BoolArray, FloatArray, IntArray, Point
from milbox.domain import Domain
from milbox.domain.blocks import tied_blocks
from milbox.inner import Auto, Enumerate, Mip, branch_search
from milbox.inner.branch import Branch
from milbox.inner.branch_letters import Ties, letters
from milbox.inner.branch_search import maximise
from milbox.inner.branch_sum import Layered, Sum
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


def random_case(rng: Generator) -> tuple[Sum, IntArray, FloatArray, BoolArray]:
    """A tied sum of at most 400 combinations of letters: them, their values, and which satisfy the ties."""
    sizes = rng.integers(1, 6, rng.integers(1, 6))
    while np.prod(sizes) > 400:
        sizes = rng.integers(1, 5, len(sizes))
    first = np.concatenate([[0], np.cumsum(sizes)])
    units, count = int(rng.integers(0, 7)), int(rng.integers(1, 5))
    table, bias = rng.normal(size=(first[-1], units + 1)), rng.normal(size=units + 1)
    weight = rng.normal(size=units)
    above = int(rng.integers(0, 6))
    layer = Layered(rng.normal(size=(units, above)), rng.normal(size=above), rng.normal(size=above))
    if rng.random() < 0.3:  # many equal values
        table, bias, weight = np.round(table), np.round(bias), np.round(weight)
        layer = Layered(np.round(layer.above), np.round(layer.bias), np.round(layer.weight))
    points = np.array(list(itertools.product(*(range(n) for n in sizes))))
    deep = rng.random() < 0.5
    if deep:
        table[:, -1] = 0.0
    h = bias + table[points + first[:-1]].sum(axis=1)
    outputs = np.maximum(h[:, :-1], 0.0)
    upper = np.maximum(outputs @ layer.above + layer.bias, 0.0)
    values = h[:, -1] + (upper @ layer.weight if deep else outputs @ weight)

    size = int(rng.choice([1, 1, 3, 10_000]))
    adds = rng.integers(-size, size + 1, (first[-1], count)).astype(float)
    if rng.random() < 0.4:  # as in an assignment
        adds = (rng.random(adds.shape) < 0.4).astype(float)
    sums = adds[points + first[:-1]].sum(axis=1)
    level = rng.random(count) < 0.5
    # Some combination satisfies all ties, the inequalities with or without something to spare.
    limit = sums[rng.integers(len(points))] + np.where(level, 0, rng.integers(0, 2, count))
    holds: BoolArray = ((sums <= limit) & (~level | (sums == limit))).all(axis=1)
    ties = Ties(adds, -limit, level)
    return Sum(table, first, bias, layer if deep else weight, ties), points, values, holds


@pytest.mark.parametrize("few", [0, 4, 512])
def test_the_best_untried_points_that_satisfy_the_ties(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(branch_search, "FEW", float(few))
    rng = np.random.default_rng([11, few])
    for _ in range(700):
        f, points, values, holds = random_case(rng)
        good = np.flatnonzero(holds)[np.argsort(-values[holds], kind="stable")]
        tried = good[: rng.integers(0, len(good) + 1)] if rng.random() < 0.7 else np.arange(len(points))[::2]
        left = holds.copy()
        left[tried] = False
        start = points[rng.choice(np.flatnonzero(left))] if left.any() and rng.random() < 0.7 else None
        count = 1 if start is not None else int(rng.integers(1, 4))
        found = maximise(f, points[tried], count, rng, start=start)
        best = np.sort(values[left])[::-1][:count]
        np.testing.assert_allclose(found.values, best, rtol=0.0, atol=1e-12 * found.scale)
        number = {tuple(point): i for i, point in enumerate(points.tolist())}
        chosen = [number[tuple(point)] for point in found.points.tolist()]
        assert len(set(chosen)) == len(chosen)
        assert left[chosen].all()
        left[chosen] = False
        assert found.rest >= values[left].max(initial=-np.inf) - 2.0 * found.slack


def test_every_stop_has_a_valid_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(branch_search, "FEW", 0.0)
    rng = np.random.default_rng(12)
    for _ in range(60):
        f, points, values, holds = random_case(rng)
        worst = points[holds][np.argmin(values[holds])]
        for nodes in range(8):
            found = maximise(f, points[:0], 1, np.random.default_rng(0), nodes=nodes, start=worst)
            assert max(found.values[0], found.rest) >= values[holds].max() - 2.0 * found.slack


@settings(max_examples=200)
@given(data=st.data())
def test_any_domain_that_falls_apart(data: st.DataObject) -> None:
    domain = data.draw(small_domains(most=100))
    hidden = data.draw(st.lists(st.integers(1, 6), min_size=1, max_size=2))
    net = data.draw(relu_nets(domain.features, hidden=hidden))
    inner = Branch(states=data.draw(st.integers(2, 8)))
    assume(inner.refusal(net, domain) is None)
    every = list(domain)
    order = data.draw(st.permutations(range(len(every))))
    tried = [every[i] for i in order[: data.draw(st.integers(0, len(every)))]]
    left = [point for point in every if point not in set(tried)]
    count = data.draw(st.integers(1, 3))
    found = all_proposed(inner.best(net, domain, tried, count, np.random.default_rng(0)))
    values: FloatArray = net.predict(domain.encode(left)) if left else np.zeros(0)
    best = np.sort(values)[::-1][:count]
    assert len(found) == len(best)
    scale = 1e-10 * max(1.0, float(np.abs(values).max(initial=0.0)))
    for proposal, target in zip(found, best, strict=True):
        assert proposal.certificate is not None
        assert proposal.certificate.status is Status.OPTIMAL
        assert proposal.certificate.value == pytest.approx(target, abs=scale)
        assert target <= proposal.certificate.bound <= target + scale
        assert proposal.point in left


@settings(max_examples=200)
@given(domain=small_domains(most=100), limit=st.integers(2, 8))
def test_blocks_and_ties_make_the_domain(domain: Domain, limit: int) -> None:
    tied = tied_blocks(domain, limit)
    assume(tied is not None)
    assert tied is not None
    order = [i for block in tied.blocks for i in block.variables]
    assert sorted(order) == list(range(len(domain.variables)))
    assert all(len(block.states) <= limit for block in tied.blocks)
    states = [[tuple(state) for state in block.states.tolist()] for block in tied.blocks]
    combined = np.array([list(itertools.chain(*each)) for each in itertools.product(*states)], dtype=np.int64)
    points = combined.reshape(-1, len(order))[:, np.argsort(order)]
    for tie in tied.ties:
        points = points[np.broadcast_to(tie.holds(domain.columns(points)), len(points))]
    assert {tuple(point) for point in points.tolist()} == set(domain)


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
    inner, net = Branch(states=16), untrained(domain.features, 8, tried)
    listed = letters(domain, 16)
    assert listed is not None
    assert listed.ties is not None
    every = list(domain)
    values = net.predict(domain.encode(every))
    order = np.argsort(-values)
    seen: list[Point] = [every[i] for i in order[:tried]]
    found = proposed(inner.best(net, domain, seen, 3, np.random.default_rng(0)))
    assert [proposal.point for proposal in found] == [every[i] for i in order[tried : tried + 3]]
    line = Linear(np.random.default_rng(tried).normal(size=domain.features), 1.0)
    best = proposed(inner.best(line, domain, [], 1, np.random.default_rng(0)))[0]
    assert best.certificate is not None
    assert best.certificate.value == pytest.approx(line.predict(domain.encode(every)).max(), abs=1e-12)


def test_nothing_left() -> None:
    domain = assignment(4)
    net = untrained(16, 4, 0)
    inner = Branch(states=8)
    assert inner.best(net, domain, list(domain), 1, np.random.default_rng(0)) == Empty()
    (last,) = proposed(inner.best(net, domain, list(domain)[1:], 2, np.random.default_rng(0)))
    assert last.point == next(iter(domain))
    x = mb.binary("x", (2, 6))
    odd = Domain([x], [(2 * x[0]).sum() + (2 * x[1]).sum() == 6, (x[0] + x[1]).sum() == 4])
    assert inner.best(untrained(12, 4, 0), odd, [], 1, np.random.default_rng(0)) == Empty()


def test_sums_that_a_solver_cannot_tell_apart_are_refused() -> None:
    """With coefficients of 1e9 a solver may see points where there are none."""
    x = mb.binary("x", 26)
    domain = Domain([x], [(10**8 * np.arange(1, 26) * x[:25]).sum() + 3 * x[25] <= 10**10 + 1])
    assert "too large" in str(Branch().refusal(untrained(26, 4, 0), domain))


def test_forbidden_points_outside_the_domain_change_nothing() -> None:
    domain, net, inner = assignment(6), untrained(36, 8, 1), Branch(states=16)
    every = list(domain)
    seen = every[:50]
    one = proposed(inner.best(net, domain, seen, 1, np.random.default_rng(0)))
    other = proposed(inner.best(net, domain, [*seen, (7,) * 36, (-1,) * 36], 1, np.random.default_rng(0)))
    assert one[0].point == other[0].point


def test_counting_is_a_tie_too() -> None:
    x = mb.binary("x", (5, 5))
    domain = Domain([x], [mb.exactly(1, list(line)) for line in (*x, *x.T)])
    listed = letters(domain, 8)
    assert listed is not None
    assert listed.ties is not None
    assert [len(block.states) for block in listed.blocks] == [5] * 5


@pytest.mark.parametrize("seed", range(8))
def test_auto_where_both_methods_stop_early(seed: int) -> None:
    """No point twice, and each bound holds for all points but those before it."""
    domain, net = assignment(6), untrained(36, 8, seed)
    inner = Auto(Enumerate(0), Branch(Limits(nodes=1), states=16), Mip(limits=Limits(nodes=1)))
    every = list(domain)
    values = dict(zip(every, net.predict(domain.encode(every)).tolist(), strict=True))
    seen = every[:40]
    for proposal in proposed(inner.best(net, domain, seen, 3, np.random.default_rng(seed))):
        assert proposal.certificate is not None
        assert proposal.point not in seen
        best = max(value for point, value in values.items() if point not in seen)
        assert proposal.certificate.bound >= best - 1e-6
        if proposal.certificate.status is Status.OPTIMAL:
            assert values[proposal.point] == pytest.approx(best)
        seen = [*seen, proposal.point]


def test_a_limit_gives_a_point_and_a_valid_bound() -> None:
    domain, net = assignment(7), untrained(49, 24, 3)
    inner = Branch(states=16)
    exact = proposed(inner.best(net, domain, [], 1, np.random.default_rng(0)))[0].certificate
    limited = proposed(
        replace(inner, limits=Limits(nodes=1)).best(net, domain, [], 1, np.random.default_rng(0))
    )[0]
    assert exact is not None
    assert limited.certificate is not None
    assert domain.contains(limited.point)
    assert limited.certificate.value <= exact.value <= limited.certificate.bound
    assert limited.certificate.status is Status.FEASIBLE
