"""Law 9: every exact inner solver returns an argmax of the prediction over the unseen points."""

import itertools

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import milbox as mb
from generators import relu_nets, small_domains
from milbox.arrays import FloatArray, Point
from milbox.domain import Domain
from milbox.embed.conflict import conflict, ensure_feasible
from milbox.inner import Auto, Branch, Enumerate, InnerSolver, Mip, PaperMip
from milbox.inner.climb import climbed
from milbox.inner.query import Query
from milbox.milp.solution import Limits, Status
from milbox.milp.solvers import Highs, Scip
from milbox.surrogates.linear import Linear
from milbox.surrogates.relu import ReluNet
from milbox.testing.answers import all_proposed, proposed
from milbox.trials import Proposal
from milbox.trials.points import Points

EXACT: dict[str, InnerSolver] = {
    "enumeration": Enumerate(),
    "branch and bound": Branch(),
    "program": Mip(),
    "program of the paper": PaperMip(),
    "program by HiGHS": Mip(Highs()),
    "auto": Auto(),
    "auto without enumeration": Auto(Enumerate(0)),
}


def check(
    proposals: list[Proposal], surrogate: ReluNet | Linear, domain: Domain, forbidden: list[Point], count: int
) -> None:
    """The proposals are the `count` best points left, and their certificates are true."""
    left = [point for point in domain if point not in set(forbidden)]
    values: FloatArray = surrogate.predict(domain.encode(left)) if left else np.zeros(0)
    best = np.sort(values)[::-1][:count]
    assert len(proposals) == len(best)
    scale = max(1.0, float(np.abs(values).max(initial=0.0)))
    points = [proposal.point for proposal in proposals]
    assert len(set(points)) == len(points)
    for proposal, target in zip(proposals, best, strict=True):
        assert proposal.point in left
        certificate = proposal.certificate
        assert certificate is not None
        assert certificate.status is Status.OPTIMAL
        assert surrogate.predict(domain.encode([proposal.point]))[0] == pytest.approx(
            target, abs=1e-5 * scale
        )
        assert certificate.value == pytest.approx(target, abs=1e-5 * scale)
        assert target - 1e-6 * scale <= certificate.bound <= target + 2e-5 * scale
        assert certificate.residual <= 1e-5 * scale


@pytest.mark.parametrize("name", EXACT)
@settings(max_examples=30)
@given(data=st.data())
def test_argmax_over_unseen_points(name: str, data: st.DataObject) -> None:
    domain = data.draw(small_domains())
    inner = EXACT[name]
    net = data.draw(relu_nets(domain.features))
    assume(not isinstance(inner, Branch) or inner.refusal(Query.of(net, domain)) is None)
    every = list(domain)
    keep = data.draw(st.integers(0, min(3, len(every))), label="points left")
    order = data.draw(st.permutations(range(len(every))))
    share = data.draw(st.sampled_from([0, len(every) // 2, len(every) - keep]))
    forbidden = [every[i] for i in order[:share]]
    count = data.draw(st.integers(1, 3))
    found = all_proposed(inner.solve(Query.of(net, domain, forbidden, count), np.random.default_rng(0)))
    check(list(found), net, domain, forbidden, count)


@pytest.mark.parametrize("size", [2.0**-80, 2.0**-20, 2.0**30])
@pytest.mark.parametrize("hidden", [(6,), (5, 4)])
@pytest.mark.parametrize("name", ["program", "program of the paper", "program by HiGHS"])
def test_neurons_of_any_size(name: str, hidden: tuple[int, ...], size: float) -> None:
    """Neurons far below a solver's tolerances, or far above, with outputs that make up for it."""
    rng = np.random.default_rng(8)
    x = mb.binary("x", 8)
    domain = mb.Domain([x], [x.sum() == 4])
    widths = (8, *hidden, 1)
    layers = [(rng.normal(size=(a, b)), rng.normal(size=b)) for a, b in itertools.pairwise(widths)]
    plain = ReluNet.of(layers)
    layers[0] = (layers[0][0] * size, layers[0][1] * size)
    layers[1] = (layers[1][0] / size, layers[1][1])
    net = ReluNet.of(layers)
    every = list(domain)
    np.testing.assert_allclose(net.predict(domain.encode(every)), plain.predict(domain.encode(every)))
    check(list(proposed(EXACT[name].solve(Query.of(net, domain, every[:9]), rng))), net, domain, every[:9], 1)


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
@pytest.mark.parametrize("name", ["enumeration", "branch and bound", "program", "auto"])
def test_any_scale_of_values(name: str, scale: float) -> None:
    rng = np.random.default_rng(7)
    x = mb.binary("x", 8)
    domain = mb.Domain([x], [x[:4].sum() == x[4:].sum()])
    net = ReluNet.of(
        [
            (rng.normal(size=(8, 6)), rng.normal(size=6)),
            (scale * rng.normal(size=(6, 1)), np.array([3.0 * scale])),
        ]
    )
    every = list(domain)
    values = net.predict(domain.encode(every))
    tried = [every[i] for i in np.argsort(-values)[:10]]
    found = proposed(EXACT[name].solve(Query.of(net, domain, tried), np.random.default_rng(0)))[0]
    target = np.sort(values)[::-1][10]
    assert net.predict(domain.encode([found.point]))[0] == pytest.approx(target, rel=1e-5)


def test_linear_surrogates_and_deep_networks() -> None:
    rng = np.random.default_rng(3)
    k, op = mb.integer("k", 0, 5, 2, encoding="integer"), mb.categorical("op", "abc", 2)
    domain = mb.Domain([k, op], [k.sum() <= 7, mb.implies(op[0] == "a", k[0] >= 2)])
    line = Linear(rng.normal(size=domain.features), 1.0)
    layers = [
        (rng.normal(size=(domain.features, 5)), rng.normal(size=5)),
        (rng.normal(size=(5, 5)), rng.normal(size=5)),
        (rng.normal(size=(5, 5)), rng.normal(size=5)),
        (rng.normal(size=(5, 1)), rng.normal(size=1)),
    ]
    two, three = ReluNet.of([*layers[:2], layers[-1]]), ReluNet.of(layers)
    assert "branch and bound: used" in Auto(Enumerate(0)).explain(Query.of(two, domain))
    assert "mixed-integer program: used" in Auto(Enumerate(0)).explain(Query.of(three, domain))
    tried = list(domain)[::3]
    for surrogate in (line, two, three):
        for inner in EXACT.values():
            if isinstance(inner, Branch) and inner.refusal(Query.of(surrogate, domain)) is not None:
                continue
            found = proposed(inner.solve(Query.of(surrogate, domain, tried, 2), np.random.default_rng(0)))
            check(list(found), surrogate, domain, tried, 2)


@pytest.mark.parametrize("inner", [Mip(), Auto()])
def test_variables_of_a_billion_codes(inner: InnerSolver) -> None:
    """Looking for blocks does not list their codes, which would take gigabytes."""
    k, j = mb.integer("k", 0, 10**9, encoding="integer"), mb.integer("j", 0, 10**9, encoding="integer")
    domain = Domain([k, j], [k + j <= 10**9, k >= 5])
    surrogate = Linear(np.array([-1.0, 1e-3]), 0.0)
    (proposal,) = proposed(inner.solve(Query.of(surrogate, domain), np.random.default_rng(0)))
    assert proposal.point == (5, 10**9 - 5)


def test_a_limit_gives_a_point_a_bound_and_an_honest_status() -> None:
    rng = np.random.default_rng(0)
    x = mb.binary("x", 40)
    domain = mb.Domain([x], [x.sum() == 20, x[::2].sum() <= 12, (np.arange(40) * x).sum() >= 300])
    net = ReluNet.of(
        [(rng.normal(size=(40, 24)), rng.normal(size=24)), (rng.normal(size=(24, 1)), np.zeros(1))]
    )
    first = proposed(Mip(limits=Limits(seconds=20.0)).solve(Query.of(net, domain), rng))[0]
    for limits in (Limits(seconds=0.0), Limits(nodes=1)):
        found = proposed(Mip(limits=limits).solve(Query.of(net, domain, [first.point]), rng))[0]
        assert found.certificate is not None
        assert domain.contains(found.point)
        assert found.point != first.point
        best_left = proposed(
            Mip(limits=Limits(seconds=60.0)).solve(Query.of(net, domain, [first.point]), rng)
        )[0].certificate
        assert best_left is not None
        assert found.certificate.bound >= best_left.value - 1e-6
        if found.certificate.status is Status.OPTIMAL:
            assert found.certificate.value == pytest.approx(best_left.value, abs=1e-4)


def test_a_program_takes_over_for_what_is_left_of_the_time() -> None:
    rng = np.random.default_rng(0)
    x = mb.binary("x", 30)
    domain = mb.Domain([x])
    net = ReluNet.of(
        [(rng.normal(size=(30, 24)), rng.normal(size=24)), (rng.normal(size=(24, 1)), np.zeros(1))]
    )
    branch = Branch(Limits(nodes=1))
    for seconds, proved in ((60.0, True), (1e-9, False)):  # branch and bound has taken longer than that
        inner = Auto(Enumerate(0), branch, Mip(limits=Limits(seconds=seconds)))
        certificate = proposed(inner.solve(Query.of(net, domain), np.random.default_rng(0)))[0].certificate
        assert certificate is not None
        assert (certificate.status is Status.OPTIMAL) == proved
        assert certificate.solver.startswith("SCIP" if proved else "branch and bound")


@settings(max_examples=40)
@given(data=st.data())
def test_climbs_meet_only_feasible_untried_points(data: st.DataObject) -> None:
    domain = data.draw(small_domains())
    every = list(domain)
    if not every:
        return
    net = data.draw(relu_nets(domain.features))
    tried = [every[i] for i in data.draw(st.sets(st.integers(0, len(every) - 1), min_size=1))]
    found = climbed(net, domain, Points(tried), np.random.default_rng(0))
    if found is not None:
        point, value = found
        assert domain.contains(point)
        assert point not in tried
        assert value == net.predict(domain.encode([point]))[0]


def neighbours(domain: Domain, point: Point) -> list[Point]:
    """The points that differ from one in a single variable."""
    return [
        (*point[:i], code, *point[i + 1 :])
        for i, variable in enumerate(domain.variables)
        for code in variable.codes
        if code != point[i]
    ]


@pytest.mark.parametrize("seed", range(8))
def test_climbs_end_where_no_single_change_is_better(seed: int) -> None:
    rng = np.random.default_rng(seed)
    domain = mb.Domain([mb.binary("x", 5), mb.integer("k", 0, 4), mb.categorical("op", "abcd", 2)])
    net = ReluNet.of(
        [(rng.normal(size=(domain.features, 7)), rng.normal(size=7)), (rng.normal(size=(7, 1)), np.zeros(1))]
    )
    start = next(iter(domain))
    found = climbed(net, domain, Points([start]), rng)
    assert found is not None
    point, value = found
    around = {end: net.predict(domain.encode(neighbours(domain, end))).max() for end in (start, point)}
    if net.predict(domain.encode([start]))[0] >= around[start]:
        assert value == pytest.approx(around[start]), "the start is the top, and this the best step from it"
    else:
        assert value >= around[point] - 1e-9


@settings(max_examples=30)
@given(domain=small_domains())
def test_an_infeasible_domain_is_refused_with_a_minimal_conflict(domain: Domain) -> None:
    if list(domain):
        ensure_feasible(domain, Scip())
        return
    with pytest.raises(mb.DomainError):
        ensure_feasible(domain, Scip())
    guilty = conflict(domain, Scip())
    assert not list(mb.Domain(domain.declared, guilty))
    for i in range(len(guilty)):
        assert list(mb.Domain(domain.declared, guilty[:i] + guilty[i + 1 :]))


@settings(max_examples=25)
@given(data=st.data())
def test_a_radius_keeps_its_distance_while_something_is_that_far(data: st.DataObject) -> None:
    domain = data.draw(small_domains())
    every = list(domain)
    if not every:
        return
    net = data.draw(relu_nets(domain.features))
    tried = [every[i] for i in data.draw(st.sets(st.integers(0, len(every) - 1), max_size=4))]
    radius = data.draw(st.integers(1, 3))
    found = all_proposed(Mip(radius=radius).solve(Query.of(net, domain, tried), np.random.default_rng(0)))

    def distance(point: Point) -> int:
        return min((sum(a != b for a, b in zip(point, other, strict=True)) for other in tried), default=99)

    far = max(map(distance, every))
    allowed = [point for point in every if distance(point) >= min(radius, far)]
    if far == 0:
        assert not found
        return
    assert distance(found[0].point) >= min(radius, far)
    values = net.predict(domain.encode(allowed))
    scale = max(1.0, float(np.abs(values).max()))
    assert net.predict(domain.encode([found[0].point]))[0] == pytest.approx(values.max(), abs=1e-5 * scale)


def test_many_variables_are_searched_and_not_listed() -> None:
    x = mb.binary("x", 200)
    domain = mb.Domain([x], [x.sum() == 2])
    assert domain.size == 19_900
    query = Query.of(Linear(np.linspace(0.0, 1.0, 200), 0.0), domain)
    (found,) = proposed(Auto().solve(query, np.random.default_rng(0)))
    assert found.origin == "branch and bound"
    assert "enumeration: no, its points have 3980000 values together" in Auto().explain(query)
