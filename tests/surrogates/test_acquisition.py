"""Composite acquisitions: their normal form says the same, and every exact method finds its best point."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import milbox as mb
from generators import relu_nets, small_domains
from milbox.domain import Domain
from milbox.inner import Auto, Branch, Enumerate, InnerSolver, Mip
from milbox.inner.query import AtLeast, Query, Region
from milbox.inner.requirements import solve
from milbox.milp.solution import Status
from milbox.surrogates import Linear, Quadratic, ReluNet, Surrogate
from milbox.surrogates.acquisition import (
    Positive,
    Sum,
    improvement,
    mean,
    minimum,
    normal,
    optimism,
    shortfall,
)
from milbox.surrogates.relu import glorot
from milbox.testing.answers import proposed
from milbox.trials import Empty


def net(domain: Domain, seed: int, hidden: tuple[int, ...] = (5,)) -> ReluNet:
    """A network whose weights and biases are random."""
    rng = np.random.default_rng(seed)
    layers = glorot((domain.features, *hidden, 1), rng)
    return ReluNet.of([(weights, rng.normal(0, 0.3, bias.shape)) for weights, bias in layers])


def line(domain: Domain, seed: int) -> Linear:
    return Linear(np.random.default_rng(seed).normal(size=domain.features), 0.3)


def composites(domain: Domain) -> dict[str, tuple[Surrogate, int]]:
    """Acquisitions and how many hidden layers their networks have."""
    a, b, c, d = (net(domain, seed) for seed in range(4))
    deep, straight = net(domain, 9, (4, 3)), line(domain, 1)
    return {
        "a sum": (Sum(((2.0, a), (-0.5, b)), 0.25), 1),
        "a sum of lines": (Sum(((2.0, straight), (-0.5, line(domain, 2))), 0.25), 0),
        "a mean with a line": (mean([a, straight, b]), 1),
        "the less of two": (minimum([a, b]), 2),
        "the less of two lines": (minimum([straight, line(domain, 2)]), 1),
        "a line or a network": (minimum([straight, b]), 2),
        "the expected improvement of two and a line": (improvement([a, b, straight], 0.1), 2),
        "the optimism of two": (optimism([a, b], 0.7), 2),
        "the least of four": (minimum([a, b, c, d]), 3),
        "deep and shallow": (Sum(((1.0, deep), (1.0, a), (1.0, straight))), 2),
        "a positive part": (Positive(a), 2),
        "a soft requirement": (Sum(((1.0, a), (-3.0, shortfall(b, 0.4)))), 2),
        "augmented Chebyshev": (
            Sum(((1.0, minimum([Sum(((0.7, a),), -0.1), Sum(((0.3, b),), 0.2)])), (0.05, a), (0.05, b))),
            2,
        ),
        "all at once": (
            Sum(((1.0, minimum([a, b])), (-2.0, shortfall(c, 0.1)), (-3.0, shortfall(straight, 0.1)))),
            2,
        ),
    }


def some_domain() -> Domain:
    x, k, colour = mb.binary("x", 4), mb.integer("k", -2, 2), mb.categorical("colour", ["r", "g", "b"])
    return Domain([x, k, colour], [x.sum() <= 3])


@pytest.mark.parametrize("name", composites(some_domain()))
def test_the_normal_form_is_one_network_that_says_the_same(name: str) -> None:
    domain = some_domain()
    surrogate, depth = composites(domain)[name]
    lowered = normal(surrogate)
    assert isinstance(lowered, ReluNet)
    assert len(lowered.hidden) == depth
    # Also between the points of the domain, and outside it.
    features = np.random.default_rng(0).uniform(-2, 2, (500, domain.features))
    assert lowered.predict(features) == pytest.approx(surrogate.predict(features), rel=1e-12, abs=1e-12)


@given(st.data())
def test_any_tree_of_sums_minima_and_positive_parts_has_a_normal_form(data: st.DataObject) -> None:
    domain = data.draw(small_domains())
    leaf = st.builds(lambda s, k: net(domain, s) if k else line(domain, s), st.integers(0, 3), st.booleans())
    number = st.floats(-2, 2)
    tree: st.SearchStrategy[Surrogate] = st.recursive(
        leaf,
        lambda part: (
            st.builds(Positive, part)
            | st.lists(part, min_size=1, max_size=3).map(minimum)
            | st.builds(Sum, st.lists(st.tuples(number, part), min_size=1, max_size=3).map(tuple), number)
        ),
        max_leaves=5,
    )
    surrogate = data.draw(tree)
    features = domain.encode(list(domain))
    if len(features):
        assert normal(surrogate).predict(features) == pytest.approx(
            surrogate.predict(features), rel=1e-9, abs=1e-9
        )


def test_a_part_that_is_used_twice_is_written_once() -> None:
    domain = some_domain()
    a, b = net(domain, 0), net(domain, 1)
    lowered = normal(Sum(((1.0, minimum([a, b])), (0.1, a), (0.1, b))))
    assert isinstance(lowered, ReluNet)
    assert [len(layer.bias) for layer in lowered.hidden] == [10, 5]  # a - b; a and b handed on, two each


def test_what_is_no_network_stays_as_it_is() -> None:
    domain = some_domain()
    other = Quadratic(np.zeros(domain.features), np.zeros((domain.features, domain.features)), 0.0)
    surrogate = Sum(((1.0, net(domain, 0)), (1.0, other)))
    assert normal(surrogate) is surrogate
    assert normal(other) is other


@pytest.mark.parametrize(
    "inner", [Enumerate(), Branch(), Mip(), Auto()], ids=lambda inner: type(inner).__name__
)
@pytest.mark.parametrize(
    "name", ["the less of two", "augmented Chebyshev", "all at once", "a line or a network"]
)
def test_every_exact_method_finds_the_best_point_of_a_composite(inner: InnerSolver, name: str) -> None:
    domain = some_domain()
    surrogate, _ = composites(domain)[name]
    every = list(domain)
    values = surrogate.predict(domain.encode(every))
    order = np.argsort(-values)
    for tried in (0, 7):
        query = Query.of(normal(surrogate), domain, [every[i] for i in order[:tried]])
        (found,) = proposed(inner.solve(query, np.random.default_rng(0)))
        assert found.certificate is not None
        assert found.certificate.status is Status.OPTIMAL
        assert found.certificate.value == pytest.approx(values[order[tried]], abs=1e-6)


@given(st.data())
def test_the_best_point_that_meets_requirements_is_that_of_enumeration(data: st.DataObject) -> None:
    domain = data.draw(small_domains())
    every = list(domain)
    if not every:
        return
    f, g, h = (data.draw(relu_nets(domain.features)) for _ in range(3))
    features = domain.encode(every)
    asked, soft = g.predict(features), h.predict(features)
    level = float(np.quantile(asked, data.draw(st.sampled_from([0.0, 0.5, 1.0]))))
    spread = float(np.ptp(f.predict(features))) + 1e-6
    query = Query(
        f,
        Region(domain),
        requirements=(
            AtLeast(g, level, 10 * spread / (float(np.ptp(asked)) + 1e-6), name="g"),
            AtLeast(h, float(np.median(soft)), 0.5, hard=False, name="h"),
        ),
    )
    (found,) = proposed(solve(Enumerate(), query, np.random.default_rng(0)))
    value = f.predict(features) - 0.5 * np.maximum(0.0, np.median(soft) - soft)
    certificate = found.certificate
    assert certificate is not None
    scale = max(1.0, float(np.abs(value).max()))
    if query.meets(found.point):
        assert certificate.about == "all untried points that keep g in the model, less a penalty for h"
        assert certificate.value == pytest.approx(value[asked >= level].max(), abs=1e-6 * scale)
    else:
        assert certificate.about == "all untried points, less a penalty for g and h"
        assert certificate.value <= value.max() + 1e-6 * scale


def test_penalties_grow_until_a_requirement_is_met() -> None:
    x = mb.binary("x", 6)
    domain = Domain([x])
    gain, need = Linear(np.full(6, 100.0), 0.0), Linear(np.full(6, -1.0), 0.0)
    query = Query(gain, Region(domain), requirements=(AtLeast(need, -2.0, 10.0, name="few"),))
    for inner in (Enumerate(), Auto(enumerate=Enumerate(limit=0))):
        (found,) = proposed(solve(inner, query, np.random.default_rng(0)))
        assert sum(found.point) == 6  # the penalty cannot grow that far
        assert found.certificate is not None
        assert found.certificate.about.endswith("less a penalty for few")
    query = Query(gain, Region(domain), requirements=(AtLeast(need, -2.0, 60.0, name="few"),))
    (found,) = proposed(solve(Auto(), query, np.random.default_rng(0)))
    assert sum(found.point) == 2
    assert found.certificate is not None
    assert found.certificate.status is Status.OPTIMAL
    assert found.certificate.value == pytest.approx(200.0)


def test_where_nothing_is_left_that_is_said_with_requirements_too() -> None:
    x = mb.binary("x", 2)
    domain = Domain([x])
    line_ = Linear(np.ones(2), 0.0)
    region = Region(domain).without(list(domain))
    query = Query(line_, region, requirements=(AtLeast(line_, 5.0, 1.0),))
    assert solve(Auto(), query, np.random.default_rng(0)) == Empty()
