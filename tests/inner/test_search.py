"""The search over diagrams against enumeration, on thousands of small cases of every nasty kind."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from numpy.random import Generator

import milbox as mb
from milbox.arrays import FloatArray, IntArray
from milbox.domain import Domain
from milbox.domain.diagrams.product import for_search
from milbox.inner.search import maximise as module
from milbox.inner.search.maximise import DEEP, EFFORT, Found, maximise
from milbox.inner.search.network import Layered, task_of
from milbox.inner.search.paths import Paths, paths_of
from milbox.inner.search.state import Settings
from milbox.inner.search.tree import advance

KINDS = ["untrained", "whole", "constant", "zero", "scaled", "uneven", "duplicated", "unsigned", "rare"]
SHAPES = ["free", "chain", "count", "budget", "paths", "permutation", "assignment", "rows", "nested"]


def paths_for(sizes: IntArray) -> Paths:
    """Free variables of so many codes each."""
    return paths_from(Domain([mb.integer(f"k{i}", 0, int(n) - 1) for i, n in enumerate(sizes)]))


def paths_from(domain: Domain, edges: int = 100_000) -> Paths:
    """A feasible domain, in diagrams of at most so many edges each."""
    product = for_search(domain, edges)
    assert not product.rest
    paths = paths_of(product)
    assert paths is not None
    return paths


def random_net(kind: str, options: int, rng: Generator, layers: int = 1) -> Layered:
    """A network of up to seven units a layer."""
    units = int(rng.integers(0, 8))
    above = 0 if layers == 1 else int(rng.integers(0, 8))
    table, bias, straight = (
        rng.normal(size=(options, units)),
        rng.normal(size=units),
        rng.normal(size=options),
    )
    weight, upper_weight = rng.normal(size=units), rng.normal(size=above)
    between, upper_bias, constant = rng.normal(size=(units, above)), rng.normal(size=above), rng.normal()
    match kind:
        case "whole":  # many exact ties
            table, bias = (rng.integers(-2, 3, part.shape).astype(float) for part in (table, bias))
            weight, upper_weight = np.round(weight), np.round(upper_weight)
            between, upper_bias, straight = np.round(between), np.round(upper_bias), np.round(straight)
        case "constant":
            table[:], straight[:] = 0.0, 0.0
        case "zero":
            table[:], bias[:], weight[:], upper_weight[:] = 0.0, 0.0, 0.0, 0.0
            straight[:], constant = 0.0, 0.0
        case "scaled":
            size = 10.0 ** rng.integers(-150, 100)
            table, straight, bias = table * size, straight * size, bias * 10.0 ** rng.integers(-150, 100)
        case "uneven":
            table *= 10.0 ** rng.integers(-4, 4, units)
            weight *= 10.0 ** rng.integers(-4, 4, units)
            between *= 10.0 ** rng.integers(-4, 4, between.shape)
        case "duplicated":  # few different letters
            table = np.where(rng.random((options, 1)) < 0.3, table, table[:1])
        case "unsigned":
            weight, upper_weight = np.abs(weight), np.abs(upper_weight)
        case "rare":  # units that are active at a few points only
            bias -= 0.8 * np.abs(table).sum(axis=0) / 2
            upper_bias -= 1.0
    if layers == 2:
        weight[:] = 0.0
        if rng.random() < 0.3:  # silence between some units
            between[rng.random(between.shape) < 0.5] = 0.0
    if layers == 2 or rng.random() < 0.7:
        straight[:] = 0.0
    return Layered(table, bias, weight, between, upper_bias, upper_weight, straight, float(constant))


def valued(net: Layered, paths: Paths, points: IntArray) -> FloatArray:
    """The values of points, one a row."""
    options = paths.start + points - paths.code[paths.start]
    outputs = np.maximum(net.bias + net.table[options].sum(axis=1), 0.0)
    upper = np.maximum(outputs @ net.above + net.upper_bias, 0.0)
    straight = net.straight[options].sum(axis=1)
    values: FloatArray = net.constant + straight + outputs @ net.weight + upper @ net.upper_weight
    return values


def random_tried(values: FloatArray, rng: Generator) -> IntArray:
    """From none of the points to all of them: at random, the best, or a corner of the domain."""
    size = len(values)
    count = int(
        rng.choice(np.array([0, size, size - 1, max(0, size - 3), size // 2, rng.integers(size + 1)]))
    )
    order = rng.choice(3)
    if order == 0:
        return rng.permutation(size)[:count]
    return np.argsort(-values, kind="stable")[:count] if order == 1 else np.arange(count)


def searched(
    net: Layered,
    paths: Paths,
    tried: IntArray,
    count: int,
    seed: int,
    effort: Settings | None = None,
    **limits: float,
) -> Found:
    rng = np.random.default_rng(seed)
    return maximise(task_of(net, paths), tried, count, rng, settings=effort, **limits)  # type: ignore[arg-type]


def check(
    found: Found, points: IntArray, values: FloatArray, tried: IntArray, count: int, complete: bool
) -> None:
    left = np.ones(len(points), dtype=bool)
    left[tried] = False
    row = {tuple(point): i for i, point in enumerate(points.tolist())}
    chosen = [row[tuple(point)] for point in found.points.tolist()]
    assert len(set(chosen)) == len(chosen)
    assert left[chosen].all()
    slack = 2.0 * found.slack
    assert slack <= 1e-11 * found.scale
    np.testing.assert_allclose(found.values, values[chosen], rtol=0.0, atol=slack)
    number = min(count, int(left.sum()))
    assert len(chosen) == number if complete else len(chosen) <= number
    left[chosen] = False
    assert found.rest >= values[left].max(initial=-np.inf) - slack
    if complete:
        assert found.complete
        worst = found.values.min(initial=np.inf)
        assert values[left].max(initial=-np.inf) <= worst + slack
        assert found.rest == -np.inf if len(chosen) < count else found.rest <= worst + slack


def random_effort(rng: Generator, layers: int, few: float) -> Settings:
    """Any effort must give the same answer."""
    return (EFFORT if layers == 1 else DEEP)._replace(
        few=few,
        checks=float(rng.choice([0, 50, 10_000])),
        steps=int(rng.integers(1, 6)),
        root_steps=int(rng.integers(1, 12)),
        stuck_steps=int(rng.choice([5, 40])),
        sweeps=int(rng.integers(0, 3)),
        root_rounds=int(rng.integers(1, 4)),
    )


@pytest.mark.parametrize("few", [0.0, 8.0, 1000.0])
@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("kind", KINDS)
def test_the_best_untried_points(kind: str, few: float, layers: int) -> None:
    rng = np.random.default_rng([KINDS.index(kind), int(few)])
    for _ in range(60):
        sizes = rng.integers(1, 6, rng.integers(1, 6))
        while np.prod(sizes) > 400:
            sizes = rng.integers(1, 5, len(sizes))
        paths = paths_for(sizes)
        points = np.array(list(itertools.product(*(range(n) for n in sizes))))
        net = random_net(kind, int(sizes.sum()), rng, layers)
        values = valued(net, paths, points)
        tried = random_tried(values, rng)
        count = int(rng.integers(1, 6)) if rng.random() < 0.5 else 1
        effort = random_effort(rng, layers, few)
        found = searched(net, paths, points[tried], count, int(rng.integers(100)), effort)
        check(found, points, values, tried, count, complete=True)
        nodes = int(rng.integers(0, 8))
        stopped = searched(net, paths, points[tried], count, 1, effort, nodes=nodes)
        check(stopped, points, values, tried, count, complete=stopped.complete)


def random_domain(shape: str, rng: Generator) -> Domain:
    """A domain of at most a few hundred points."""
    n = int(rng.integers(3, 7))
    match shape:
        case "chain":
            letters = int(rng.integers(2, 4))
            s = mb.integer("s", 0, letters - 1, n)
            pairs = [(i, j) for i in range(letters) for j in range(letters) if i == j or rng.random() < 0.6]
            return Domain([s], [mb.table([s[i], s[i + 1]], pairs) for i in range(n - 1)])
        case "count":
            x = mb.binary("x", n + 3)
            return Domain([x], [x.sum() == int(rng.integers(1, n + 2))])
        case "budget":
            x, w = mb.binary("x", n + 2), rng.integers(1, 20, n + 2)
            return Domain([x], [(w * x).sum() <= int(w.sum()) // 2])
        case "paths":
            size = int(rng.integers(3, 5))
            arcs = [((i, j), (i, j + 1)) for i in range(size) for j in range(size - 1)]
            arcs += [((j, i), (j + 1, i)) for i in range(size) for j in range(size - 1)]
            x = mb.binary("x", len(arcs))
            flows = []
            for v in itertools.product(range(size), repeat=2):
                out = sum(x[k] for k, arc in enumerate(arcs) if arc[0] == v)
                into = sum(x[k] for k, arc in enumerate(arcs) if arc[1] == v)
                flows.append(out - into == (v == (0, 0)) - (v == (size - 1, size - 1)))
            return Domain([x], flows)
        case "permutation":
            p = mb.integer("p", 0, 4, int(rng.integers(3, 6)))
            return Domain([p], [mb.all_different(p)])
        case "assignment":
            a = mb.binary("a", (3, 4))
            return Domain(
                [a], [*(a[i].sum() == 1 for i in range(3)), *(a[:, j].sum() <= 1 for j in range(4))]
            )
        case "rows":
            x = mb.binary("x", n + 2)
            sums = ((rng.integers(-5, 9, n + 2), int(rng.integers(-3, 12))) for _ in range(3))
            return Domain([x], [(w * x).sum() <= limit for w, limit in sums])
        case "nested":
            x, k = mb.binary("x", 4), mb.integer("k", 0, 3, 2, encoding="integer")
            rules = [mb.implies(x[0] == 1, k[0] + k[1] <= 3), x[1] + x[2] + k[0] <= 3]
            return Domain([x, k], [*rules, ~((x[3] == 1) & (k[1] == 2))])
        case _:
            return Domain([mb.integer(f"k{i}", -1, int(rng.integers(0, 3))) for i in range(n)])


def check_domain(shape: str, rng: Generator, kind: str, layers: int) -> None:
    """One random network on one random domain, in diagrams or tied, with random effort."""
    domain = random_domain(shape, rng)
    points = np.array(list(domain), dtype=np.int64).reshape(-1, len(domain.variables))
    product = for_search(domain, int(rng.choice([1, 8, 30, 100_000])))
    paths = paths_of(product)
    if product.rest or paths is None:
        assert product.rest or not len(points)
        return
    net = random_net(kind, len(paths.code), rng, layers)
    values = valued(net, paths, points)
    tried = random_tried(values, rng) if len(points) else np.zeros(0, dtype=np.int64)
    count = int(rng.choice([1, 1, 2, 3]))
    effort = random_effort(rng, layers, float(rng.choice([0, 0, 10, 1000])))
    found = searched(net, paths, points[tried], count, int(rng.integers(100)), effort)
    check(found, points, values, tried, count, complete=True)


@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("shape", SHAPES)
def test_diagrams_and_ties(shape: str, layers: int) -> None:
    rng = np.random.default_rng([SHAPES.index(shape), layers])
    for _ in range(40):
        check_domain(shape, rng, str(rng.choice(["untrained", "whole", "uneven", "rare"])), layers)


@pytest.mark.parametrize("few", [50.0, 200.0, 1000.0])
def test_enumeration_below_ranges_that_have_shrunk(few: float) -> None:
    """A line above a unit is valid only for the phase that its range leaves."""
    rng = np.random.default_rng(int(few))
    p = mb.integer("p", 0, 5, 6)
    domain = Domain([p], [mb.all_different(p)])
    paths, points = paths_from(domain, 1), np.array(list(domain))
    assert len(paths.tie_bias)
    for _ in range(60):
        table, bias, weight = rng.normal(size=(36, 14)), rng.normal(size=14), rng.normal(size=14)
        net = network_of(table, bias, weight)
        values = valued(net, paths, points)
        tried = rng.permutation(len(points))[:40]
        found = searched(net, paths, points[tried], 1, 0, EFFORT._replace(few=few))
        check(found, points, values, tried, 1, complete=True)


@pytest.mark.full
def test_tens_of_thousands_of_diagrams() -> None:
    rng = np.random.default_rng(16)
    for _ in range(20_000):
        check_domain(str(rng.choice(SHAPES)), rng, str(rng.choice(KINDS)), int(rng.choice([1, 1, 1, 2])))


def wide_net(rng: Generator, layers: int) -> tuple[Layered, Paths, IntArray]:
    """Ten units a layer over three variables of about twenty codes."""
    sizes = rng.integers(17, 23, 3)
    net = random_net("zero", int(sizes.sum()), rng)
    table, bias = rng.normal(size=(int(sizes.sum()), 10)), rng.normal(size=10)
    net = replace(net, table=table, bias=bias, weight=rng.normal(size=10), above=np.zeros((10, 0)))
    if layers == 2:
        above, upper = rng.normal(size=(10, 10)), rng.normal(size=(2, 10))
        net = replace(net, weight=np.zeros(10), above=above, upper_bias=upper[0], upper_weight=upper[1])
    return net, paths_for(sizes), np.array(list(itertools.product(*(range(n) for n in sizes))))


@pytest.mark.parametrize("layers", [1, 2])
def test_slices_change_nothing(layers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    net, paths, points = wide_net(np.random.default_rng(3), layers)
    effort = (EFFORT if layers == 1 else DEEP)._replace(few=0.0, checks=0.0)
    found = []
    for seconds in (1e-9, 1e9):
        monkeypatch.setattr(module, "SLICE", seconds)
        found.append(searched(net, paths, points[:5], 3, 0, effort, seconds=1e9, nodes=10**9, gap=1e-15))
    np.testing.assert_array_equal(found[0].points, found[1].points)
    assert (found[0].nodes, found[0].rest) == (found[1].nodes, found[1].rest)
    values = valued(net, paths, points)
    check(found[0], points, values, np.arange(5), 3, complete=True)


def test_points_with_equal_keys_are_told_apart() -> None:
    rng = np.random.default_rng(9)
    for shape in ("free", "count", "paths", "assignment"):
        for kind in ("untrained", "whole", "zero"):
            domain = random_domain(shape, rng)
            paths, points = paths_from(domain), np.array(list(domain))
            net = random_net(kind, len(paths.code), rng)
            values = valued(net, paths, points)
            tried = random_tried(values, rng)
            task = task_of(net, paths)
            alike = np.zeros_like(task.beginning.option_key)
            colliding = replace(
                task,
                problem=task.problem._replace(key=np.zeros_like(task.problem.key)),
                beginning=task.beginning._replace(option_key=alike),
            )
            found = maximise(colliding, points[tried], 3, rng, settings=EFFORT._replace(few=0.0))
            check(found, points, values, tried, 3, complete=True)


@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("kind", ["untrained", "whole", "uneven", "rare"])
def test_every_stop_has_a_valid_bound_and_more_nodes_do_not_raise_it(kind: str, layers: int) -> None:
    rng = np.random.default_rng([100, KINDS.index(kind), layers])
    for _ in range(15):
        sizes = rng.integers(2, 5, 4)
        paths, points = paths_for(sizes), np.array(list(itertools.product(*(range(n) for n in sizes))))
        net = random_net(kind, int(sizes.sum()), rng, layers)
        values = valued(net, paths, points)
        tried = random_tried(values, rng)
        effort = random_effort(rng, layers, 0.0)
        stops = []
        for nodes in range(12):
            found = searched(net, paths, points[tried], 2, 1, effort, nodes=nodes)
            check(found, points, values, tried, 2, complete=found.complete)
            # A limit does not count before there are two points, and where that takes long all are looked at.
            if found.nodes <= nodes:
                stops.append((found.nodes, -found.rest))
        assert all(b[1] >= a[1] - found.slack for a, b in itertools.pairwise(sorted(stops)))


@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("seed", range(6))
def test_wide_variables_and_tried_points_that_repeat(seed: int, layers: int) -> None:
    rng = np.random.default_rng(seed)
    net, paths, points = wide_net(rng, layers)
    values = valued(net, paths, points)
    tried = np.concatenate([np.argsort(-values)[:seed], rng.integers(0, len(points), 50)])
    found = searched(net, paths, points[tried], 3, seed, (EFFORT if layers == 1 else DEEP)._replace(few=0.0))
    check(found, points, values, tried, 3, complete=True)


@pytest.mark.parametrize("units", [16, 32])
def test_a_domain_of_65536_points(units: int) -> None:
    rng = np.random.default_rng(units)
    paths, points = paths_for(np.full(8, 4)), np.array(list(itertools.product(range(4), repeat=8)))
    net = network_of(rng.normal(size=(32, units)), rng.normal(size=units), rng.normal(size=units))
    values = valued(net, paths, points)
    tried = np.argsort(-values)[:1000]
    check(searched(net, paths, points[tried], 3, 0), points, values, tried, 3, complete=True)


def network_of(table: FloatArray, bias: FloatArray, weight: FloatArray) -> Layered:
    """One hidden layer."""
    none = np.zeros(0)
    return Layered(table, bias, weight, np.zeros((len(bias), 0)), none, none, np.zeros(len(table)), 0.0)


@pytest.mark.parametrize(("variables", "codes", "shift", "seed"), [(20, 4, 0.0, 1), (80, 8, -2.0, 4)])
def test_two_layers_over_more_points_than_can_be_listed(
    variables: int, codes: int, shift: float, seed: int
) -> None:
    """Bounds that were loose, or prices that did not move, would take far more nodes than this."""
    rng = np.random.default_rng(seed)
    table, bias = rng.normal(size=(variables * codes, 8)), rng.normal(size=8) + shift
    net = replace(
        network_of(table, bias, np.zeros(8)),
        above=rng.normal(size=(8, 8)),
        upper_bias=rng.normal(size=8),
        upper_weight=rng.normal(size=8),
    )
    tried = rng.integers(0, codes, (500, variables))
    paths = paths_for(np.full(variables, codes))
    found = [searched(net, paths, tried, 1, seed) for seed in range(4)]
    assert max(result.nodes for result in found) < 300
    for result in found:
        assert result.complete
        assert result.values[0] == pytest.approx(found[0].values[0], abs=2.0 * result.slack)
        assert result.rest <= result.values[0] + 2.0 * result.slack


def test_a_small_arena_grows_and_a_limit_on_it_stops_the_search() -> None:
    net, paths, points = wide_net(np.random.default_rng(11), 1)
    values = valued(net, paths, points)
    effort = EFFORT._replace(
        few=0.0, checks=0.0, root_rounds=1, rounds=1, sweeps=0, root_steps=1, stuck_steps=1
    )
    tried = np.argsort(-values)[:40]
    free = searched(net, paths, points[tried], 2, 0, effort)
    check(free, points, values, tried, 2, complete=True)
    tight = searched(net, paths, points[tried], 2, 0, effort, cells=1)
    assert not tight.complete
    check(tight, points, values, tried, 2, complete=False)


def test_equal_values_in_a_domain_too_large_to_enumerate() -> None:
    rng = np.random.default_rng(0)
    variables, size = 60, 4
    paths = paths_for(np.full(variables, size))
    net = random_net("zero", variables * size, rng)
    table = np.zeros((variables * size, 2))
    table[0] = 1.0  # one code of the first variable is better than the others, and nothing else matters
    net = replace(net, table=table, bias=np.zeros(2), weight=np.array([1.5, -0.5]), above=np.zeros((2, 0)))
    tried = rng.integers(0, size, (2000, variables))
    tried[:, 0] = 0
    found = searched(net, paths, tried, 5, 0)
    np.testing.assert_array_equal(found.values, np.full(5, 1.0))
    assert found.nodes < 20


def test_all_but_one_point_tried_where_all_are_equal() -> None:
    paths = paths_for(np.full(4, 10))
    points = np.array(list(itertools.product(range(10), repeat=4)))
    net = random_net("zero", 40, np.random.default_rng(0))
    found = searched(net, paths, np.delete(points, 7777, axis=0), 2, 0)
    np.testing.assert_array_equal(found.points, points[7777:7778])
    assert found.rest == -np.inf


def test_weights_whose_product_is_below_the_smallest_number() -> None:
    """In the first unit it is lost, unless inputs are taken into account, which make up for it."""
    table = np.zeros((8, 2))
    table[1, 0], table[3, 1] = 1e160, 1e-3
    above = np.array([[1e-170], [1.0]])
    net = Layered(table, np.zeros(2), np.zeros(2), above, np.zeros(1), np.array([1e-160]), np.zeros(8), 0.0)
    found = searched(net, paths_for(np.full(4, 2)), np.zeros((0, 4), dtype=np.int64), 1, 0)
    assert found.points[0, :2].tolist() == [1, 1]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("weight", [1e200, np.nan, np.inf])
def test_weights_that_overflow_or_are_no_numbers_are_refused(weight: float) -> None:
    table = np.array([[weight], [0.0]])
    above = np.array([[1e200]])
    net = Layered(table, np.zeros(1), np.zeros(1), above, np.zeros(1), np.ones(1), np.zeros(2), 0.0)
    with pytest.raises(ValueError, match="infinite or undefined"):
        task_of(net, paths_for(np.array([2])))


def test_arcs_of_flows_become_a_graph_and_one_of_n_becomes_parallel_edges() -> None:
    rng = np.random.default_rng(0)
    x = mb.binary("x", 12)
    one = paths_from(Domain([x], [x.sum() == 1]))
    assert (one.nodes, len(one.source), one.letters, one.longest) == (2, 12, 12, 1)
    flows = paths_from(random_domain("paths", rng))
    assert len(flows.source) <= 24
    plain = paths_from(Domain([x], [x.sum() <= 6]))
    assert not plain.joined
    assert plain.letters == 24


def test_one_form_of_compiled_code_for_all_problems() -> None:
    """Another form would be compiled anew, which takes half a minute."""
    rng = np.random.default_rng(5)
    for layers in (1, 2):
        for shape in ("free", "paths", "rows"):
            check_domain(shape, rng, "untrained", layers)
    assert len(advance.signatures) == 1  # type: ignore[attr-defined]
