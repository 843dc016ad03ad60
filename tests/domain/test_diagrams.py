"""Decision diagrams hold exactly the feasible joint codes; counting, drawing and locating agree."""

import itertools
import tracemalloc
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2

import milbox as mb
from claims import claims
from generators import box, by_name, small_domains
from milbox.arrays import IntArray, Point
from milbox.domain import Domain
from milbox.domain.diagrams.build import of_states
from milbox.domain.diagrams.machines import TooLarge, machine
from milbox.domain.diagrams.orders import candidates, frontier, narrow_order
from milbox.domain.diagrams.product import Component, Product, for_drawing, for_search


def listed(product: Product) -> set[Point]:
    """Every point of the parts and free variables at which ties and rest hold."""
    domain = product.domain
    groups: list[IntArray] = [part.listed() for part in product.parts]
    groups += [np.array(domain.variables[i].codes)[:, None] for i in product.free]
    order = np.concatenate([*(part.variables for part in product.parts), product.free]).astype(np.int64)
    assert sorted(order.tolist()) == list(range(len(domain.variables)))
    rows = [list(itertools.chain(*choice)) for choice in itertools.product(*(g.tolist() for g in groups))]
    points = np.array(rows, dtype=np.int64).reshape(-1, len(order))[:, np.argsort(order)]
    for constraint in (*product.ties, *product.rest):
        points = points[np.broadcast_to(constraint.holds(domain.columns(points)), len(points))]
    assert len({tuple(p) for p in points.tolist()}) == len(points)
    return {tuple(p) for p in points.tolist()}


@settings(max_examples=300)
@given(data=st.data())
def test_machines_accept_where_constraints_hold(data: st.DataObject) -> None:
    domain = data.draw(small_domains(most=100, max_claims=0))
    variables = data.draw(st.permutations(domain.variables))
    claim = data.draw(claims(domain.variables, 3))
    constraint = claim.build(by_name(domain.variables))
    place = {v.name: i for i, v in enumerate(variables)}
    compiled = machine(constraint, variables, place)
    points = np.array(box(domain))
    state, gone = np.zeros(len(points), dtype=np.int64), np.zeros(len(points), dtype=bool)
    for k, i in enumerate(compiled.places):
        variable = variables[i]
        state = compiled.steps[k][state, points[:, domain.index[variable.name]] - variable.codes[0]]
        gone |= state == compiled.dead[k + 1]
    holds = np.broadcast_to(constraint.holds(domain.columns(points)), len(points))
    assert compiled.accepts[state].tolist() == holds.tolist()
    assert not holds[gone].any()


@settings(max_examples=300)
@given(domain=small_domains(most=200, depth=3), edges=st.sampled_from([1, 4, 12, 40, 10_000]))
def test_parts_ties_and_rest_make_the_domain(domain: Domain, edges: int) -> None:
    product = for_search(domain, edges)
    every = set(domain)
    assert listed(product) == every
    points = np.array(box(domain))
    assert product.contains(points).tolist() == [tuple(p) in every for p in points.tolist()]
    if product.exact:
        assert product.count == len(every)
    whole = for_drawing(domain, product)
    assert whole is not None
    assert whole.count == len(every) == domain.size
    drawn = whole.draw(20, np.random.default_rng(0))
    assert len(drawn) == (20 if every else 0)
    assert {tuple(p) for p in drawn.tolist()} <= every


@settings(max_examples=200)
@given(data=st.data())
def test_passes_over_one_diagram(data: st.DataObject) -> None:
    domain = data.draw(small_domains(most=200, depth=3))
    members = tuple(range(len(domain.variables)))
    diagram = Component(domain, members, tuple(domain.constraints)).diagram(10_000)
    points = np.array(box(domain))
    every = {p for p in box(domain) if domain.contains(p)}
    inside = points[:, diagram.variables]
    rows = diagram.listed()
    assert [tuple(row) for row in rows.tolist()] == sorted(tuple(row) for row in rows.tolist())
    assert list(diagram) == [tuple(row) for row in rows.tolist()]
    assert diagram.count == len(rows) == len(every)
    assert {tuple(row) for row in rows[:, np.argsort(diagram.variables)].tolist()} == every
    edges = diagram.locate(inside)
    for point, path in zip(points.tolist(), edges.tolist(), strict=True):
        assert (path[-1] >= 0) == (tuple(point) in every)
        node = 0
        for layer, edge in enumerate(path):
            if edge < 0:
                break
            assert diagram.source[edge] == node
            assert diagram.letter[edge] + diagram.lows[layer] == point[diagram.variables[layer]]
            node = int(diagram.target[edge])
    outside = inside.copy()
    outside[:, 0] = 99
    assert not diagram.contains(outside).any()
    members = tuple(diagram.variables.tolist())
    sizes = [len(domain.variables[i].codes) for i in members]
    again = of_states(members, diagram.lows.tolist(), sizes, rows)
    assert again.listed().tolist() == rows.tolist()
    assert again.edges == diagram.edges, "both are reduced, and reduced diagrams of one order are the same"


def grid(size: int) -> Domain:
    """Paths from one corner of a grid to the other, right and down; arcs to the right are declared first."""
    right = [((i, j), (i, j + 1)) for i in range(size) for j in range(size - 1)]
    arcs = [*right, *(((j, i), (j + 1, i)) for i in range(size) for j in range(size - 1))]
    x = mb.binary("x", len(arcs))
    rows = []
    for v in [(i, j) for i in range(size) for j in range(size)]:
        out = sum(x[k] for k, arc in enumerate(arcs) if arc[0] == v)
        into = sum(x[k] for k, arc in enumerate(arcs) if arc[1] == v)
        rows.append(out - into == (v == (0, 0)) - (v == (size - 1, size - 1)))
    return Domain([x], rows)


def count_of(domain: Domain) -> int:
    whole = for_drawing(domain, for_search(domain))
    assert whole is not None
    return whole.count


def test_known_numbers() -> None:
    p = mb.integer("p", 1, 10, 10)
    assert count_of(Domain([p], [mb.permutation(p)])) == 3_628_800
    assert count_of(grid(8)) == 3432
    x = mb.binary("x", 60)
    assert count_of(Domain([x], [x.sum() == 30])) == 118264581564861424
    k = mb.integer("k", 0, 20, 5)
    assert count_of(Domain([k], [k.sum() == 20])) == 10626
    s = mb.categorical("s", "AB", 64)
    assert count_of(Domain([s], [mb.without(s, "AA")])) == 27777890035288  # a Fibonacci number
    assert count_of(Domain([mb.binary("y", 200)])) == 2**200


def test_what_is_too_large_for_one_diagram_keeps_sums_as_ties() -> None:
    b = mb.categorical("b", list("ACGT"), 60)
    gc = mb.share(b, "GC", 0.4, 0.6)
    domain = Domain([b], [mb.no_runs(b, 3), gc, mb.without(b, "GAATTC", "TATA")])
    product = for_search(domain)
    assert len(product.parts) == 1
    assert [str(tie) for tie in product.ties] == [str(gc)]
    assert product.edges < 5_000
    whole = for_drawing(domain, product)
    assert whole is not None
    assert whole.exact
    assert domain.feasible(whole.draw(200, np.random.default_rng(0))).all()
    x = mb.binary("x", 100)
    weights = np.random.default_rng(2).integers(1, 100, 100)
    knapsack = for_search(Domain([x], [(weights * x).sum() <= int(weights.sum()) // 3]))
    assert len(knapsack.ties) == 1
    assert len(knapsack.free) == 100
    wide = mb.integer("w", 0, 10**6, 2, encoding="integer")
    left = for_search(Domain([wide], [(wide[0] <= 9) | (wide[1] <= 9)]))
    assert len(left.rest) == 1


@pytest.mark.parametrize(
    "domain",
    [
        Domain([x := mb.binary("x", 8)], [x.sum() == 3]),
        Domain([p := mb.integer("p", 0, 4, 5)], [mb.all_different(p), p[0] < p[1]]),
        grid(4),
        Domain([b := mb.categorical("b", "ACG", 5), mb.integer("k", 2, 4)], [mb.without(b, "AC", "GG")]),
    ],
    ids=["count", "order", "paths", "words"],
)
def test_drawing_is_uniform(domain: Domain) -> None:
    whole = for_drawing(domain, for_search(domain))
    assert whole is not None
    size = whole.count
    drawn = whole.draw(200 * size, np.random.default_rng(3))
    seen = Counter(map(tuple, drawn.tolist()))
    assert set(seen) == set(domain)
    statistic = sum((n - 200) ** 2 / 200 for n in seen.values())
    assert chi2.ppf(1e-4, size - 1) < statistic < chi2.ppf(1 - 1e-4, size - 1)


def test_orders_keep_few_constraints_open() -> None:
    ladder = [(i, i + 50) for i in range(50)] + [(i, i + 1) for i in range(49)]
    order = narrow_order(100, ladder)
    assert sorted(order) == list(range(100))
    assert frontier(order, ladder) <= 3
    assert frontier(range(100), ladder) >= 50
    assert candidates(100, ladder, [])[0] == order
    assert [3, 1, 2, 0] in candidates(4, [(0, 1, 2, 3)], [(3, 1, 2, 0)])


@given(
    scopes=st.integers(1, 12).flatmap(
        lambda n: st.lists(st.lists(st.integers(0, n - 1), max_size=n + 2), max_size=6)
    )
)
def test_the_next_variable_opens_the_fewest_constraints_less_those_it_closes(scopes: list[list[int]]) -> None:
    order = narrow_order(12, scopes)
    assert sorted(order) == list(range(12))
    for place, chosen in enumerate(order):
        waiting = set(order[place:])
        begun = [set(scope) for scope in scopes if set(scope) - waiting]

        def cost(v: int, waiting: set[int] = waiting) -> tuple[int, int]:
            own = [set(scope) for scope in scopes if v in scope]
            return sum(scope <= waiting for scope in own) - sum(scope & waiting == {v} for scope in own), v

        assert chosen == min(waiting & set[int]().union(*begun) or waiting, key=cost)


def test_an_automaton_out_of_order_is_read_in_its_own() -> None:
    s = [mb.categorical(f"s{i}", "AB") for i in range(18)]
    turned = s[::-1]
    domain = Domain(s, [mb.containing(turned, "AAB")])
    product = for_search(domain)
    assert product.exact
    rng = np.random.default_rng(0)
    points = rng.integers(0, 2, (500, 18))
    assert (product.contains(points) == domain.feasible(points)).all()


def test_a_limit_on_edges_is_kept() -> None:
    x = mb.binary("x", 12)
    domain = Domain([x], [x.sum() == 6])
    component = Component(domain, tuple(range(12)), tuple(domain.constraints))
    exact = component.diagram(10_000).edges
    assert component.diagram(exact).edges == exact
    with pytest.raises(TooLarge):
        component.diagram(exact - 1)


def test_long_sums_are_set_aside_before_they_are_worked_out() -> None:
    """A knapsack with ten resources: the states of each sum alone would take more than 100 MB."""
    weights = np.random.default_rng(0).integers(1, 1000, (10, 250))
    x = mb.binary("x", 250)
    domain = Domain([x], [(row * x).sum() <= int(row.sum() // 2) for row in weights])
    tracemalloc.start()
    try:
        assert len(domain.product.ties) == 10
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 80e6
