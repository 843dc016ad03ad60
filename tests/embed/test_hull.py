"""Rows of a neuron's hull: every point satisfies them, and all of them together are the hull."""

import gc
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

import milbox as mb
from generators import relu_nets, small_domains
from milbox.arrays import FloatArray
from milbox.domain import Domain
from milbox.embed.relu.bounds import SMALL, Bounded, one_hot_groups, product_bounds, thinned
from milbox.embed.relu.hull import WORTHWHILE, Hull, hull
from milbox.inner import Enumerate, Mip
from milbox.inner.query import Query
from milbox.milp.program import Cuts, Milp
from milbox.milp.solution import Limits, Status
from milbox.milp.solvers import Scip, Settings
from milbox.surrogates.relu import ReluNet, glorot
from milbox.testing.answers import proposed

seeds = st.integers(0, 2**32 - 1)


def some_layer(rng: np.random.Generator, neurons: int) -> tuple[Hull, FloatArray]:
    """Neurons over groups and boxes, and every x, y and a that there is, a row each."""
    groups, boxes = rng.integers(1, 4, rng.integers(0, 3)), int(rng.integers(1, 3))
    inputs = int(groups.sum()) + boxes
    parts = np.split(np.arange(int(groups.sum())), np.cumsum(groups)[:-1]) if len(groups) else []
    low = np.append(np.zeros(inputs - boxes), rng.integers(-2, 1, boxes).astype(float))
    high = np.append(np.ones(inputs - boxes), low[inputs - boxes :] + rng.integers(0, 3, boxes))
    choices = [np.eye(len(part)) for part in parts]
    choices += [np.arange(low[j], high[j] + 1)[:, None] for j in range(inputs - boxes, inputs)]
    points = np.zeros((1, 0))
    for choice in choices:
        points = np.hstack([np.repeat(points, len(choice), axis=0), np.tile(choice, (len(points), 1))])
    weights, bias = rng.normal(size=(inputs, neurons)), rng.normal(size=neurons)
    z = points @ weights + bias
    whole = np.hstack([points, np.maximum(z, 0.0), z > 0.0])
    columns = np.split(np.arange(whole.shape[1]), [inputs, inputs + neurons])
    return hull((columns[0], columns[1], columns[2]), weights, bias, (low, high), parts), whole


@given(seeds)
def test_every_point_satisfies_what_a_fractional_one_violates(seed: int) -> None:
    rng = np.random.default_rng(seed)
    layer, points = some_layer(rng, 3)
    for _ in range(5):
        x = rng.dirichlet(np.ones(len(points))) @ points
        x[-6:-3] += rng.random(3)  # outputs that are too large
        cuts = layer(x)
        assert (cuts.matrix @ points[:, cuts.columns].T <= cuts.upper[:, None] + 1e-9).all()
        assert (cuts.matrix @ x[cuts.columns] > cuts.upper).all()


@settings(max_examples=30)
@given(seeds)
def test_all_rows_together_are_the_hull(seed: int) -> None:
    rng = np.random.default_rng(seed)
    layer, points = some_layer(rng, 1)
    inputs = points.shape[1] - 2
    cost = np.append(rng.normal(size=inputs), [1.0, rng.normal()])
    # The points of the inputs and of the switch as they are; the output from above by the hull alone.
    count = len(points)
    mixture = np.hstack([points[:, :inputs].T, -np.eye(inputs), np.zeros((inputs, 2))])
    equal = np.vstack([mixture, np.append(np.ones(count), np.zeros(inputs + 2))])
    on = points[:, -1] > 0
    equal = np.vstack([equal, np.concatenate([on.astype(float), np.zeros(inputs + 1), [-1.0]])])
    right = np.append(np.zeros(inputs), [1.0, 0.0])
    rows, sides = np.zeros((0, count + inputs + 2)), np.zeros(0)
    bounds = [(0, None)] * count + [(None, None)] * inputs + [(0, 100), (0, 1)]
    for _ in range(50):
        found = linprog(np.append(np.zeros(count), -cost), rows, sides, equal, right, bounds, method="highs")
        cuts = layer(found.x[count:])
        if not len(cuts.upper):
            break
        rows = np.vstack([rows, np.hstack([np.zeros((len(cuts.upper), count)), cuts.matrix])])
        sides = np.append(sides, cuts.upper)
    best = (points @ cost).max()
    assert best - 1e-7 <= -found.fun <= best + 0.01 * (1.0 + abs(best)) + 20 * WORTHWHILE


def rows_of_letters() -> Domain:
    """Four letters of three kinds, and three of six; twelve of 18 features are in groups."""
    word, picked = mb.categorical("word", "abc", 4), mb.binary("picked", 6)
    return mb.Domain([word, picked], [picked.sum() == 3, mb.at_most(2, [word[i] == "b" for i in range(4)])])


def many_switches() -> tuple[Domain, ReluNet, Milp]:
    """A program that asks for rows of hulls."""
    domain = rows_of_letters()
    net = ReluNet.of(glorot((domain.features, 30, 1), np.random.default_rng(0)))
    return domain, net, Mip().program(net, domain, [])[0].build()


def test_groups_are_letters_and_blocks_of_which_one_is_one() -> None:
    part, alone = mb.binary("part", (2, 3)), mb.binary("alone", 2)
    domain = mb.Domain(
        [mb.categorical("c", "abc"), part, alone, mb.integer("k", 0, 4, encoding="integer")],
        [part[0].sum() == 1, part[1].sum() == 2],
    )
    assert [group.tolist() for group in one_hot_groups(domain)] == [[0, 1, 2], [3, 4, 5]]


@pytest.mark.parametrize("hidden", [(40,), (14, 9)])
def test_programs_with_hulls_agree_with_enumeration(hidden: tuple[int, ...]) -> None:
    domain = rows_of_letters()
    for seed in range(4):
        rng = np.random.default_rng(seed)
        net = ReluNet.of(glorot((domain.features, *hidden, 1), rng))
        tried = [point for point in domain if rng.random() < 0.3]
        milp, _ = Mip().program(net, domain, tried)
        assert len(milp.build().cutters) == len(hidden)
        (found,) = proposed(Mip().solve(Query.of(net, domain, tried), rng))
        (best,) = proposed(Enumerate().solve(Query.of(net, domain, tried), rng))
        assert found.certificate is not None
        assert best.certificate is not None
        assert found.certificate.status is Status.OPTIMAL
        assert found.certificate.value == pytest.approx(best.certificate.value, abs=1e-6)


@pytest.mark.parametrize("kind", Settings)
def test_only_the_tuned_settings_ask(kind: Settings) -> None:
    domain, net, milp = many_switches()
    asked = []

    def spy(x: FloatArray) -> Cuts:
        cuts = milp.cutters[0](x)
        asked.append(len(cuts.upper))
        return cuts

    solution = Scip(kind).solve(replace(milp, cutters=(spy,)), Limits())
    assert solution.objective == pytest.approx(net.predict(domain.encode(list(domain))).max())
    assert (sum(asked) > 0) == (kind is Settings.TUNED)


@settings(max_examples=25)
@given(st.data())
def test_hulls_of_few_switches_are_true_as_well(data: st.DataObject) -> None:
    domain = data.draw(small_domains(most=48, feasible=True))
    net = data.draw(relu_nets(domain.features))
    (found,) = proposed(Mip(hulls=True).solve(Query.of(net, domain), np.random.default_rng(0)))
    values = net.predict(domain.encode(list(domain)))
    assert found.certificate is not None
    assert found.certificate.status is Status.OPTIMAL
    assert found.certificate.value == pytest.approx(values.max(), rel=1e-6, abs=1e-6)


@given(st.data())
def test_groups_have_one_one_at_every_point(data: st.DataObject) -> None:
    domain = data.draw(small_domains(most=48, feasible=True))
    groups = one_hot_groups(domain)
    listed = [feature for group in groups for feature in group.tolist()]
    assert len(set(listed)) == len(listed)
    features = domain.encode(list(domain))
    for group in groups:
        assert np.isin(features[:, group], (0.0, 1.0)).all()
        assert (features[:, group].sum(axis=1) == 1.0).all()


@settings(max_examples=50)
@given(st.data(), st.sampled_from([1e-7, 1.0, 1e7]), st.booleans())
def test_every_point_of_a_domain_satisfies_what_its_program_is_told(
    data: st.DataObject, size: float, one_sided: bool
) -> None:
    domain = data.draw(small_domains(most=24, feasible=True))
    drawn = data.draw(relu_nets(domain.features))
    net = ReluNet.of([(layer.weights * size, layer.bias * size) for layer in drawn.layers])
    builder, formulation = Mip(one_sided=one_sided, hulls=True).program(net, domain, [])
    milp = builder.build()
    whole = np.array([builder.completed(formulation.inputs, domain.encode([point])[0]) for point in domain])
    rng = np.random.default_rng(0)
    for cutter in milp.cutters:
        for _ in range(5):
            x = milp.lower + rng.random(milp.columns) * (milp.upper - milp.lower)
            cuts = cutter(x)
            scale = np.abs(cuts.matrix) @ np.abs(whole[:, cuts.columns]).max(axis=0) + np.abs(cuts.upper)
            excess = cuts.matrix @ whole[:, cuts.columns].T - cuts.upper[:, None]
            assert (excess <= 1e-9 * scale[:, None]).all()


@settings(max_examples=50)
@given(st.data())
def test_a_thinned_network_is_the_same_at_every_point(data: st.DataObject) -> None:
    domain = data.draw(small_domains(most=48, feasible=True))
    net = data.draw(relu_nets(domain.features))
    groups = one_hot_groups(domain)
    thin = thinned(Bounded(net, product_bounds(net, domain), groups=groups)).net
    features = domain.encode(list(domain))
    np.testing.assert_allclose(thin.predict(features), net.predict(features), rtol=1e-9, atol=1e-9)
    for group in groups:
        assert (len(group) > SMALL) or (thin.layers[0].weights[group] == 0.0).any(axis=0).all()


def test_a_model_is_gone_when_it_is_solved() -> None:
    *_, milp = many_switches()
    gc.collect()
    gc.disable()
    try:
        Scip().solve(milp, Limits())
        assert not [thing for thing in gc.get_objects() if type(thing).__name__ in {"Model", "Separator"}]
    finally:
        gc.enable()


def test_what_goes_wrong_in_a_cutter_is_said() -> None:
    *_, milp = many_switches()

    def broken(x: FloatArray) -> Cuts:
        raise MemoryError("no room")

    with pytest.raises(MemoryError, match="no room"):
        Scip().solve(replace(milp, cutters=(broken,)), Limits())


def test_a_relaxation_has_no_cutters() -> None:
    *_, milp = many_switches()
    assert milp.cutters
    assert not milp.relaxed().cutters


def test_few_switches_or_few_groups_ask_for_nothing() -> None:
    domain = rows_of_letters()
    rng = np.random.default_rng(0)
    few = ReluNet.of(glorot((domain.features, 6, 1), rng))
    assert not Mip().program(few, domain, [])[0].build().cutters
    picked = mb.binary("picked", 8)
    many = ReluNet.of(glorot((8, 40, 1), rng))
    assert not Mip().program(many, mb.Domain([picked], [picked.sum() == 3]), [])[0].build().cutters


def test_a_sum_of_nothing_that_is_to_be_one_is_no_group() -> None:
    x = mb.binary("x", 3)
    assert one_hot_groups(Domain([x], [x.sum() - x.sum() == 1])) == ()
