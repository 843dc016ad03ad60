"""Branch and bound on arrays against enumeration, on thousands of small cases of every nasty kind."""

import itertools
from typing import Any

import numpy as np
import pytest
from numpy.random import Generator

from milbox.arrays import FloatArray, IntArray
from milbox.inner import branch_search, branch_sum
from milbox.inner.branch_node import Stack
from milbox.inner.branch_points import Network
from milbox.inner.branch_search import Found, maximise
from milbox.inner.branch_sum import Layered, Sum

KINDS = ["untrained", "whole", "constant", "zero", "scaled", "uneven", "duplicated", "unsigned", "rare"]


def random_sum(kind: str, rng: Generator, layers: int = 1) -> Sum:
    """A network of up to seven units a layer over up to five blocks, at most 400 points."""
    sizes = rng.integers(1, 6, rng.integers(1, 6))
    while np.prod(sizes) > 400:
        sizes = rng.integers(1, 5, len(sizes))
    letters, units = int(sizes.sum()), int(rng.integers(0, 8))
    above = units if layers == 1 else int(rng.integers(0, 8))
    table, bias, weight, upper_bias = (
        rng.normal(size=(letters, units + 1)),
        rng.normal(size=units + 1),
        rng.normal(size=above),
        rng.normal(size=above),
    )
    between = rng.normal(size=(units, above))
    match kind:
        case "whole":  # many exact ties
            table = rng.integers(-2, 3, table.shape).astype(float)
            bias = rng.integers(-2, 3, bias.shape).astype(float)
            weight = rng.integers(-2, 3, weight.shape).astype(float)
            between, upper_bias = np.round(between), np.round(upper_bias)
        case "constant":
            table[:] = 0.0
        case "zero":
            table[:], bias[:], weight[:], upper_bias[:] = 0.0, 0.0, 0.0, 0.0
        case "scaled":
            table *= 10.0 ** rng.integers(-150, 100)
            bias *= 10.0 ** rng.integers(-150, 100)
        case "uneven":
            table *= 10.0 ** rng.integers(-4, 4, units + 1)
            weight *= 10.0 ** rng.integers(-4, 4, above)
            between *= 10.0 ** rng.integers(-4, 4, between.shape)
        case "duplicated":  # few different letters
            table = np.where(rng.random((letters, 1)) < 0.3, table, table[:1])
        case "unsigned":
            weight = np.abs(weight)
        case "rare":  # units that are active at a few points only
            bias[:-1] -= 0.8 * np.abs(table[:, :-1]).sum(axis=0) / 2
            upper_bias -= 1.0
    if layers == 2 or rng.random() < 0.3:
        table[:, -1] = 0.0
    if layers == 2 and rng.random() < 0.3:  # silence between some units
        between[rng.random(between.shape) < 0.5] = 0.0
    first = np.concatenate([[0], np.cumsum(sizes)])
    return Sum(table, first, bias, weight if layers == 1 else Layered(between, upper_bias, weight))


def enumerated(f: Sum) -> tuple[IntArray, FloatArray]:
    points = np.array(list(itertools.product(*(range(n) for n in np.diff(f.first)))))
    h = f.bias + f.table[points + f.first[:-1]].sum(axis=1)
    outputs, weight = np.maximum(h[:, :-1], 0.0), f.weight
    if isinstance(weight, Layered):
        outputs, weight = np.maximum(outputs @ weight.above + weight.bias, 0.0), weight.weight
    return points, h[:, -1] + outputs @ weight


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


def check(
    found: Found, points: IntArray, values: FloatArray, tried: IntArray, count: int, complete: bool
) -> None:
    left = np.ones(len(points), dtype=bool)
    left[tried] = False
    row = {tuple(point): i for i, point in enumerate(points.tolist())}
    chosen = [row[tuple(point)] for point in found.points.tolist()]
    assert len(chosen) == min(count, left.sum())
    assert len(set(chosen)) == len(chosen)
    assert left[chosen].all()
    slack = 2.0 * found.slack
    assert slack <= 1e-12 * found.scale
    np.testing.assert_allclose(found.values, values[chosen], rtol=0.0, atol=slack)
    left[chosen] = False
    assert found.rest >= values[left].max(initial=-np.inf) - slack
    if complete:
        worst = found.values.min(initial=np.inf)
        assert values[left].max(initial=-np.inf) <= worst + slack
        assert found.rest == -np.inf if len(chosen) < count else found.rest <= worst + slack


@pytest.fixture(params=[0, 8, 512], ids=lambda few: f"few={few}")
def few(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """Nodes with so few points are enumerated; without, small cases go all the way down the tree."""
    monkeypatch.setattr(branch_search, "FEW", float(request.param))
    return int(request.param)


@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("kind", KINDS)
def test_the_best_untried_points(kind: str, few: int, layers: int) -> None:
    rng = np.random.default_rng([KINDS.index(kind), few])
    for _ in range(300):
        f = random_sum(kind, rng, layers)
        points, values = enumerated(f)
        tried = random_tried(values, rng)
        count = int(rng.integers(1, 6)) if rng.random() < 0.5 else 1
        found = maximise(f, points[tried], count, np.random.default_rng(rng.integers(100)))
        check(found, points, values, tried, count, complete=True)


@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("kind", KINDS)
def test_every_stop_has_a_valid_bound(kind: str, few: int, layers: int) -> None:
    rng = np.random.default_rng([100, KINDS.index(kind), few])
    for _ in range(15):
        f = random_sum(kind, rng, layers)
        points, values = enumerated(f)
        tried = random_tried(values, rng)
        rest = np.inf
        for nodes in range(12):
            found = maximise(f, points[tried], 2, np.random.default_rng(1), nodes=nodes)
            check(found, points, values, tried, 2, complete=False)
            assert found.rest <= rest + found.slack
            rest = found.rest


def wide_sum(rng: Generator, layers: int) -> Sum:
    """Ten units a layer over three blocks of about twenty letters."""
    first = np.concatenate([[0], np.cumsum(rng.integers(17, 23, 3))])
    table, bias, weight = rng.normal(size=(first[-1], 11)), rng.normal(size=11), rng.normal(size=10)
    if layers == 1:
        return Sum(table, first, bias, weight)
    table[:, -1] = 0.0
    return Sum(table, first, bias, Layered(rng.normal(size=(10, 10)), rng.normal(size=10), weight))


@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("seed", range(20))
def test_wide_blocks(seed: int, layers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(branch_search, "FEW", 0.0)
    rng = np.random.default_rng(seed)
    f = wide_sum(rng, layers)
    points, values = enumerated(f)
    order = np.argsort(-values)
    tried = np.concatenate([points[order[:seed]], points[rng.integers(0, len(points), 50)]])
    left = values[~(points[:, None, :] == tried).all(axis=2).any(axis=1)]
    found = maximise(f, tried, 3, rng)
    np.testing.assert_allclose(found.values, np.sort(left)[::-1][:3], rtol=0.0, atol=2.0 * found.slack)


@pytest.mark.parametrize("layers", [1, 2])
def test_slices_and_stops_change_nothing(layers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(branch_search, "FEW", 0.0)
    f = wide_sum(np.random.default_rng(3), layers)
    points, _ = enumerated(f)
    found = []
    for seconds in (1e-9, 1e9):
        monkeypatch.setattr(branch_search, "SLICE", seconds)
        found.append(
            maximise(f, points[:5], 3, np.random.default_rng(0), seconds=1e9, nodes=10**9, gap=1e-15)
        )
    np.testing.assert_array_equal(found[0].points, found[1].points)
    assert (found[0].nodes, found[0].rest) == (found[1].nodes, found[1].rest)
    assert found[0].nodes > 10


@pytest.mark.parametrize("units", [16, 32])
def test_a_domain_of_65536_points(units: int) -> None:
    rng = np.random.default_rng(units)
    f = Sum(
        rng.normal(size=(32, units + 1)), np.arange(9) * 4, rng.normal(size=units + 1), rng.normal(size=units)
    )
    points, values = enumerated(f)
    order = np.argsort(-values)
    found = maximise(f, points[order[:1000]], 3, np.random.default_rng(0))
    np.testing.assert_allclose(found.values, values[order[1000:1003]], rtol=0.0, atol=2.0 * found.slack)


def test_ties_in_a_domain_too_large_to_enumerate() -> None:
    rng = np.random.default_rng(0)
    blocks, size = 60, 4
    table = np.zeros((blocks * size, 3))
    table[0] = 1.0  # one letter of the first block is better than the others, and nothing else matters
    f = Sum(table, np.arange(blocks + 1) * size, np.zeros(3), np.array([1.0, -0.5]))
    tried = rng.integers(0, size, (2000, blocks))
    tried[:, 0] = 0
    found = maximise(f, tried, 5, rng)
    np.testing.assert_array_equal(found.values, np.full(5, 1.5))
    assert found.nodes < 10


def test_all_but_one_point_tried_where_all_are_equal() -> None:
    f = Sum(np.zeros((40, 3)), np.arange(5) * 10, np.ones(3), np.ones(2))
    points, _ = enumerated(f)
    keep = 7777
    found = maximise(f, np.delete(points, keep, axis=0), 2, np.random.default_rng(0))
    np.testing.assert_array_equal(found.points, points[keep : keep + 1])
    assert found.rest == -np.inf


def test_points_with_equal_keys_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = branch_sum.shuffled

    def colliding(f: Sum, rng: Generator) -> tuple[Network, IntArray, int]:
        net, order, exponent = honest(f, rng)
        return net._replace(key=np.zeros_like(net.key)), order, exponent

    monkeypatch.setattr(branch_search, "shuffled", colliding)
    monkeypatch.setattr(branch_search, "FEW", 0.0)
    rng = np.random.default_rng(9)
    for kind in ("untrained", "whole", "zero"):
        for _ in range(20):
            f = random_sum(kind, rng)
            points, values = enumerated(f)
            tried = random_tried(values, rng)
            found = maximise(f, points[tried], 3, np.random.default_rng(0))
            check(found, points, values, tried, 3, complete=True)


@pytest.mark.parametrize("layers", [1, 2])
def test_a_stack_that_is_too_small_grows(layers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(branch_search, "FEW", 0.0)
    f = wide_sum(np.random.default_rng(11), layers)
    points, _ = enumerated(f)
    expected = maximise(f, points[:9], 4, np.random.default_rng(0))
    assert len(expected.points) == 4
    assert expected.nodes > 10
    roomy, grow, grown = branch_search.root, branch_search.larger, []

    def tight(net: Network) -> Stack:
        stack = roomy(net)

        def short(array: Any, rows: int | None) -> Any:
            return array if rows is None else np.ascontiguousarray(array[:rows])

        rows = [None, 1, 1, 1, 1, 1, 1, 2, len(net.key)]
        return Stack(*(short(array, n) for array, n in zip(stack, rows, strict=True)))

    def larger(stack: Stack) -> Stack:
        grown.append(len(stack.bound))
        return grow(stack)

    monkeypatch.setattr(branch_search, "root", tight)
    monkeypatch.setattr(branch_search, "larger", larger)
    found = maximise(f, points[:9], 4, np.random.default_rng(0))
    assert grown[:2] == [1, 2]
    np.testing.assert_array_equal(found.points, expected.points)
    assert found.rest == expected.rest


def test_only_what_is_full_grows() -> None:
    f = random_sum("untrained", np.random.default_rng(1))
    net, _, _ = branch_sum.shuffled(f, np.random.default_rng(0))
    stack = branch_search.root(net)
    more_letters = branch_search.larger(stack)
    assert len(more_letters.letter) == 2 * len(stack.letter)
    assert more_letters.letter[: len(stack.letter)].tolist() == stack.letter.tolist()
    for name in set(Stack._fields) - {"letter"}:
        assert getattr(more_letters, name) is getattr(stack, name), name

    stack.counts[0] = len(stack.bound)
    more_nodes = branch_search.larger(stack)
    assert more_nodes.letter is stack.letter
    for name in set(Stack._fields) - {"letter", "counts"}:
        before, after = getattr(stack, name), getattr(more_nodes, name)
        assert len(after) == 2 * len(before)
        assert after[: len(before)].tolist() == before.tolist()


def test_two_layers_over_more_points_than_can_be_listed() -> None:
    """Bounds that were loose, or prices that did not move, would take far more nodes than this."""
    rng = np.random.default_rng(4)
    first = np.arange(21) * 4
    table, above = rng.normal(size=(80, 9)), rng.normal(size=(8, 8))
    table[:, -1] = 0.0
    f = Sum(table, first, rng.normal(size=9), Layered(above, rng.normal(size=8), rng.normal(size=8)))
    tried = rng.integers(0, 4, (500, 20))
    found = [maximise(f, tried, 1, np.random.default_rng(seed)) for seed in range(5)]
    assert max(result.nodes for result in found) < 300
    for result in found:
        assert result.values[0] == pytest.approx(found[0].values[0], abs=2.0 * result.slack)
        assert result.rest <= result.values[0] + 2.0 * result.slack


def test_prices_get_time_before_a_node_falls_apart() -> None:
    """With no more steps where no chord is left than elsewhere it takes 400 to 1900 nodes, not 80 to 170."""
    rng = np.random.default_rng(17)
    first = np.arange(81) * 8
    table, above = rng.normal(size=(640, 9)), rng.normal(size=(8, 8))
    table[:, -1] = 0.0
    f = Sum(table, first, rng.normal(size=9) - 2.0, Layered(above, rng.normal(size=8), rng.normal(size=8)))
    found = [maximise(f, np.zeros((0, 80), np.int64), 1, np.random.default_rng(seed)) for seed in range(3)]
    assert max(result.nodes for result in found) < 300
    for result in found:
        assert result.values[0] == pytest.approx(found[0].values[0], abs=2.0 * result.slack)
        assert result.rest <= result.values[0] + 2.0 * result.slack


def test_weights_whose_product_is_below_the_smallest_number() -> None:
    """In the first unit it is lost, unless inputs are taken into account, which make up for it."""
    table = np.zeros((8, 3))
    table[1, 0], table[3, 1] = 1e160, 1e-3
    layer = Layered(np.array([[1e-170], [1.0]]), np.zeros(1), np.array([1e-160]))
    f = Sum(table, np.arange(5) * 2, np.zeros(3), layer)
    found = maximise(f, np.zeros((0, 4), dtype=np.int64), 1, np.random.default_rng(0))
    assert found.points[0, :2].tolist() == [1, 1]


def test_nothing_goes_past_a_second_layer() -> None:
    layer = Layered(np.ones((1, 1)), np.zeros(1), np.ones(1))
    with pytest.raises(ValueError, match="straight to the output"):
        Sum(np.ones((2, 2)), np.array([0, 2]), np.zeros(2), layer)


@pytest.mark.filterwarnings("error")
def test_weights_that_overflow_together_are_refused() -> None:
    table = np.array([[1e200, 0.0], [0.0, 0.0]])
    layer = Layered(np.array([[1e200]]), np.zeros(1), np.ones(1))
    f = Sum(table, np.array([0, 2]), np.zeros(2), layer)
    with pytest.raises(ValueError, match="overflow"):
        maximise(f, np.zeros((0, 1), dtype=np.int64), 1, np.random.default_rng(0))


def test_weights_that_are_not_numbers_are_refused() -> None:
    f = Sum(np.array([[np.nan, 0.0], [1.0, 0.0]]), np.array([0, 2]), np.zeros(2), np.ones(1))
    with pytest.raises(ValueError, match="infinite or undefined"):
        maximise(f, np.zeros((0, 1), dtype=np.int64), 1, np.random.default_rng(0))
