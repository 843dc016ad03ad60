"""Laws 3 and 4: an embedded network equals its prediction, and bounds contain its pre-activations."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import milbox.domain as mb
from generators import Case, box, points, relu_nets, small_cases, small_domains
from milbox.arrays import FloatArray
from milbox.domain import Domain
from milbox.domain.box import Box
from milbox.embed import embed, embeddable
from milbox.embed.domain import formulate
from milbox.embed.nogood import forbid
from milbox.embed.relu.bounds import Bounded, Bounds, interval_bounds, product_bounds
from milbox.embed.relu.tighten import tighten
from milbox.milp.program import Milp, MilpBuilder
from milbox.milp.solution import Limits, Status
from milbox.milp.solvers import Highs
from milbox.milp.verify import satisfies
from milbox.surrogates.linear import Linear
from milbox.surrogates.relu import Layer, ReluNet

SURE = 1e-9


def pre_activations(net: ReluNet, features: FloatArray) -> list[FloatArray]:
    """What enters each hidden ReLU, by the definition of a network."""
    found, signals = [], features
    for layer in net.hidden:
        found.append(signals @ layer.weights + layer.bias)
        signals = np.maximum(found[-1], 0.0)
    return found


def extremes(milp: Milp) -> tuple[float, float]:
    """The least and the most the objective can be."""
    flipped = Milp(
        -milp.cost,
        -milp.offset,
        milp.matrix,
        milp.row_lower,
        milp.row_upper,
        milp.lower,
        milp.upper,
        milp.integer,
    )
    most, least = Highs().solve(milp, Limits()), Highs().solve(flipped, Limits())
    assert most.status is least.status is Status.OPTIMAL
    return -least.objective, most.objective


def with_bounds(data: st.DataObject, net: ReluNet, domain: Domain) -> ReluNet | Bounded:
    """The network, with any of the kinds of bounds it may be embedded with."""
    kind = data.draw(st.sampled_from(["plain", "parts", "tight"]))
    if kind == "plain":
        return net
    return Bounded(net, product_bounds(net, domain)) if kind == "parts" else tighten(net, domain)


@given(st.data())
def test_law_3_the_embedded_output_is_the_prediction(data: st.DataObject) -> None:
    domain = data.draw(small_domains(most=32, max_claims=1, feasible=True))
    net = data.draw(relu_nets(domain.features))
    surrogate = with_bounds(data, net, domain)
    builder = MilpBuilder()
    formulation = formulate(domain, builder)
    output = embed(surrogate, builder, formulation.inputs)
    builder.maximize(output)
    milp = builder.build()
    for point in data.draw(st.lists(points(domain), min_size=1, max_size=4, unique=True)):
        features = domain.encode([point])
        (predicted,) = net.predict(features)
        assert surrogate.predict(features) == [predicted]
        least, most = extremes(milp.fixed(formulation.inputs, features[0]))
        assert least == pytest.approx(predicted, abs=1e-5)
        assert most == pytest.approx(predicted, abs=1e-5)
        x = builder.completed(formulation.inputs, features[0])
        assert satisfies(milp, x)
        assert output.at(x) == pytest.approx(predicted, abs=1e-9)


@given(st.data())
def test_one_sided_rows_hold_the_output_at_the_prediction_from_above(data: st.DataObject) -> None:
    domain = data.draw(small_domains(most=32, max_claims=1, feasible=True))
    net = data.draw(relu_nets(domain.features))
    bounds = data.draw(st.sampled_from([product_bounds(net, domain), tighten(net, domain).bounds]))
    builder = MilpBuilder()
    formulation = formulate(domain, builder)
    output = embed(Bounded(net, bounds, one_sided=True), builder, formulation.inputs)
    builder.maximize(output)
    milp = builder.build()
    for point in data.draw(st.lists(points(domain), min_size=1, max_size=4, unique=True)):
        features = domain.encode([point])
        (predicted,) = net.predict(features)
        solution = Highs().solve(milp.fixed(formulation.inputs, features[0]), Limits())
        assert solution.objective == pytest.approx(predicted, abs=1e-5)
        x = builder.completed(formulation.inputs, features[0])
        assert satisfies(milp, x)
        assert output.at(x) == pytest.approx(predicted, abs=1e-9)


@given(st.data())
def test_the_optimum_of_the_program_is_the_best_point(data: st.DataObject) -> None:
    domain = data.draw(small_domains(most=48, feasible=True))
    net = data.draw(relu_nets(domain.features))
    builder = MilpBuilder()
    formulation = formulate(domain, builder)
    builder.maximize(embed(with_bounds(data, net, domain), builder, formulation.inputs))
    solution = Highs().solve(builder.build(), Limits())
    best = net.predict(domain.encode(list(domain))).max()
    assert solution.status is Status.OPTIMAL
    assert solution.objective == pytest.approx(best, abs=1e-5)
    assert solution.x is not None
    chosen = domain.decode(solution.x[formulation.inputs])
    assert domain.contains(chosen)
    assert net.predict(domain.encode([chosen]))[0] == pytest.approx(best, abs=1e-5)


def feature_names(domain: Domain) -> list[str]:
    """What each feature says, whatever the order of variables and choices."""
    found = []
    for i, variable in enumerate(domain.variables):
        onehot = domain.coding.onehot[i]
        found += (
            [f"{variable.name}={variable.value(k)!r}" for k in variable.codes] if onehot else [variable.name]
        )
    return found


@given(small_cases(most=32), st.data())
def test_law_10_permuted_variables_and_choices_permute_the_optimum(case: Case, data: st.DataObject) -> None:
    # The code of an integer-encoded choice is its place, so only one-hot choices may change theirs.
    plain = case.encoded("onehot")
    orders = {d.choices: tuple(data.draw(st.permutations(d.choices))) for d in plain.declarations}
    shuffled = [replace(d, choices=orders[d.choices]) for d in data.draw(st.permutations(plain.declarations))]
    domain, permuted = plain.domain, Case(tuple(shuffled), plain.claims).domain
    net = data.draw(relu_nets(domain.features, hidden=(3,)))
    places = [feature_names(domain).index(name) for name in feature_names(permuted)]
    moved = replace(net, layers=(Layer(net.layers[0].weights[places], net.layers[0].bias), *net.layers[1:]))
    best = []
    for each, surrogate in ((domain, net), (permuted, moved)):
        milp = MilpBuilder()
        milp.maximize(embed(surrogate, milp, formulate(each, milp).inputs))
        best.append(Highs().solve(milp.build(), Limits()))
    assert best[0].status is best[1].status
    assert best[0].objective == pytest.approx(best[1].objective, abs=1e-5)


def contained(net: ReluNet, features: FloatArray, bounds: Bounds) -> None:
    assert len(bounds) == len(net.hidden)
    for z, (low, high) in zip(pre_activations(net, features), bounds, strict=True):
        assert (z >= low - SURE).all()
        assert (z <= high + SURE).all()


def within(inner: Bounds, outer: Bounds) -> None:
    for (low, high), (lowest, highest) in zip(inner, outer, strict=True):
        assert (low >= lowest - SURE).all()
        assert (high <= highest + SURE).all()


@given(st.data())
def test_law_4_pre_activations_lie_within_their_bounds(data: st.DataObject) -> None:
    domain = data.draw(small_domains(most=32, feasible=True))
    net = data.draw(relu_nets(domain.features))
    everywhere, feasible = domain.encode(box(domain)), domain.encode(list(domain))
    plain = interval_bounds(net, everywhere.min(axis=0), everywhere.max(axis=0))
    parts = product_bounds(net, domain)
    tight = tighten(net, domain).bounds
    contained(net, everywhere, plain)
    for bounds in (parts, tight):
        contained(net, feasible, bounds)
    within(parts, plain)
    within(tight, parts)


@given(st.data())
def test_law_4_bounds_may_know_the_no_goods(data: st.DataObject) -> None:
    domain = data.draw(small_domains(most=16, max_claims=1, feasible=True))
    net = data.draw(relu_nets(domain.features))
    known = list(domain)
    tried = data.draw(st.lists(st.sampled_from(known), max_size=len(known) - 1))
    left = [point for point in known if point not in tried]
    tight = tighten(net, domain, lambda formulation: forbid(tried, formulation))
    contained(net, domain.encode(left), tight.bounds)
    within(tight.bounds, product_bounds(net, domain))


@given(st.data())
def test_law_4_bounds_over_a_box(data: st.DataObject) -> None:
    domain = data.draw(small_domains(most=32, feasible=True))
    net = data.draw(relu_nets(domain.features))
    centre, side = data.draw(st.sampled_from(box(domain))), data.draw(st.floats(0.1, 2.0))
    near = Box.around(domain, centre, side)
    inside = [point for point in domain if near.holds(np.array([point]))[0]]
    contained(net, domain.encode(inside), product_bounds(net, domain, near))
    within(product_bounds(net, domain, near), product_bounds(net, domain))


def test_product_bounds_are_reached_without_constraints() -> None:
    rng = np.random.default_rng(5)
    domain = Domain(
        [mb.binary("x", 3), mb.categorical("c", "abc", 2), mb.integer("k", -2, 2, encoding="integer")]
    )
    net = ReluNet.of([(rng.normal(size=(10, 6)), rng.normal(size=6)), (rng.normal(size=(6, 1)), np.zeros(1))])
    ((low, high),) = product_bounds(net, domain)
    (z,) = pre_activations(net, domain.encode(box(domain)))
    np.testing.assert_allclose(z.min(axis=0), low)
    np.testing.assert_allclose(z.max(axis=0), high)


def test_product_bounds_are_reached_where_parts_are_independent() -> None:
    rng = np.random.default_rng(6)
    x, c, k = mb.binary("x", 6), mb.categorical("c", "abc"), mb.integer("k", -2, 2, encoding="integer")
    domain = Domain([x, c, k], [x[:3].sum() == x[3:].sum(), mb.implies(c == "b", k >= 1)])
    net = ReluNet.of([(rng.normal(size=(10, 6)), rng.normal(size=6)), (rng.normal(size=(6, 1)), np.zeros(1))])
    ((low, high),) = product_bounds(net, domain)
    (z,) = pre_activations(net, domain.encode(list(domain)))
    np.testing.assert_allclose(z.min(axis=0), low)
    np.testing.assert_allclose(z.max(axis=0), high)


def test_product_bounds_are_reached_over_more_states_than_can_be_listed() -> None:
    x, k = mb.binary("x", 40), mb.integer("k", -9, 9, encoding="integer")
    domain = Domain([x, k], [mb.any_of(x.sum() == 7, k == 2)])
    net = ReluNet.of([(np.ones((41, 1)), np.array([0.5])), (np.ones((1, 1)), np.zeros(1))])
    ((low, high),) = product_bounds(net, domain)
    assert (low[0], high[0]) == (7 - 9 + 0.5, 40 + 2 + 0.5)


def test_product_bounds_take_each_variable_of_a_part_without_a_point() -> None:
    x, k = mb.binary("x", 14), mb.integer("k", -9, 9, encoding="integer")
    domain = Domain([x, k], [mb.all_of(x[0] == 0, x[0] == 1)])
    net = ReluNet.of([(np.ones((15, 1)), np.array([0.5])), (np.ones((1, 1)), np.zeros(1))])
    ((low, high),) = product_bounds(net, domain)
    assert (low[0], high[0]) == (-8.5, 23.5)


def test_linear_programs_use_what_ties_parts_together() -> None:
    x = mb.binary("x", (14, 14))  # an assignment: rows are parts, columns tie them together
    domain = Domain([x], [*(x[i].sum() == 1 for i in range(14)), *(x[:, i].sum() == 1 for i in range(14))])
    assert domain.product.ties
    first_column = (np.arange(14 * 14) % 14 == 0).astype(float)
    net = ReluNet.of([(first_column[:, None], np.array([-1.5])), (np.ones((1, 1)), np.zeros(1))])
    ((low, high),) = product_bounds(net, domain)
    ((tight_low, tight_high),) = tighten(net, domain).bounds
    assert (low[0], high[0]) == (-1.5, 12.5)
    assert tight_low[0] == pytest.approx(-0.5, abs=1e-4)
    assert tight_high[0] == pytest.approx(-0.5, abs=1e-4)
    assert tight_high[0] >= -0.5


@pytest.mark.parametrize("bias", [-1.0, 0.0, 1.0])
def test_a_neuron_that_never_changes_has_no_column(bias: float) -> None:
    domain = Domain([mb.binary("x", 2)])
    net = ReluNet.of([(np.zeros((2, 1)), np.array([bias])), (np.array([[2.0]]), np.array([0.5]))])
    builder = MilpBuilder()
    inputs = formulate(domain, builder).inputs
    output = embed(net, builder, inputs)
    assert builder.width == 2
    for features in domain.encode(list(domain)):
        assert output.at(features) == max(bias, 0.0) * 2 + 0.5


def test_a_network_without_hidden_layers_is_linear() -> None:
    domain = Domain([mb.integer("k", -3, 3, 2, encoding="integer")])
    net = ReluNet.of([(np.array([[2.0], [-1.0]]), np.array([0.25]))])
    builder = MilpBuilder()
    inputs = formulate(domain, builder).inputs
    assert builder.width == 2
    assert embed(net, builder, inputs).at(np.array([3.0, -2.0])) == 8.25
    assert tighten(net, domain).bounds == ()
    assert product_bounds(net, domain) == interval_bounds(net, -3 * np.ones(2), 3 * np.ones(2)) == ()


@given(st.data())
def test_a_linear_surrogate_is_an_expression(data: st.DataObject) -> None:
    domain = data.draw(small_domains(most=16, max_claims=0))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    surrogate = Linear(rng.normal(size=domain.features), float(rng.normal()))
    builder = MilpBuilder()
    inputs = formulate(domain, builder).inputs
    before = builder.width
    output = embed(surrogate, builder, inputs)
    assert builder.width == before
    features = domain.encode(box(domain))
    assert [output.at(row) for row in features] == pytest.approx(surrogate.predict(features).tolist())


def test_what_has_no_embedding_says_so() -> None:
    class Guess:
        def predict(self, features: FloatArray) -> FloatArray:
            return np.full(len(features), math.pi)

    assert not embeddable(Guess())
    assert embeddable(Linear(np.ones(1), 0.0))
    with pytest.raises(TypeError, match="Guess has no embedding; register one"):
        embed(Guess(), MilpBuilder(), np.zeros(1, dtype=np.int64))
