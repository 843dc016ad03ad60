"""Solvers that search boxes find the best point of a box and certify what they are about."""

import itertools

import numpy as np
import pytest
from numpy.random import Generator

import milbox as mb
from milbox.domain.box import Box
from milbox.inner import Auto, Branch, Enumerate, Evolution, InnerSolver, Mip, Sample
from milbox.inner.query import Query, Region
from milbox.inner.spacing import near
from milbox.milp.solution import Status
from milbox.surrogates.relu import ReluNet
from milbox.testing.answers import proposed
from milbox.trials.answer import Empty
from milbox.trials.points import Points


def network(rng: Generator, features: int, hidden: int = 6) -> ReluNet:
    first = rng.standard_normal((features, hidden)) * 2, rng.standard_normal(hidden)
    return ReluNet.of([first, (rng.standard_normal((hidden, 1)), rng.standard_normal(1))])


def mixed() -> mb.Domain:
    x, on = mb.real("x", -0.5, 0.5, 2, step=0.02), mb.binary("on", 3)
    colour = mb.categorical("colour", ["red", "green", "blue"])
    level = mb.integer("level", 0, 5, encoding="integer")
    return mb.Domain(
        [x, on, colour, level],
        [x[0] + 2 * x[1] <= 0.7, mb.implies(on[0], x[0] >= 0.1), on.sum() <= 2, (level >= 1) | on[2]],
    )


def every(domain: mb.Domain) -> np.ndarray:
    points = np.array(list(itertools.product(*(v.codes for v in domain.variables))), dtype=np.int64)
    return points[domain.feasible(points)]


@pytest.fixture(scope="module")
def listed() -> tuple[mb.Domain, np.ndarray]:
    domain = mixed()
    return domain, every(domain)


@pytest.mark.parametrize("inner", [Mip(), Auto(), Enumerate(limit=10**7)], ids=["mip", "auto", "enumerate"])
@pytest.mark.parametrize("side", [0.8, 0.2])
def test_the_best_point_of_a_box_is_the_one_that_listing_finds(
    inner: InnerSolver, side: float, listed: tuple[mb.Domain, np.ndarray]
) -> None:
    domain, points = listed
    for seed in range(2 if isinstance(inner, Auto) else 4):
        rng = np.random.default_rng(seed)
        net = network(rng, domain.features)
        tried = list(map(tuple, points[rng.integers(len(points), size=30)].tolist()))
        box = Box.around(domain, tried[0], side)
        region = Region(domain, Points(tried), box=box)
        (found,) = proposed(inner.solve(Query(net, region), rng))
        apart = next(region.distances())
        inside = points[box.holds(points)]
        left = inside[~near(inside, tried, apart)]
        best = float(net.predict(domain.encode(left)).max())
        certificate = found.certificate
        assert certificate is not None
        assert box.holds(np.array([found.point]))[0]
        assert certificate.value == pytest.approx(best, rel=1e-9, abs=1e-9)
        assert certificate.bound >= best - 1e-9
        assert certificate.status is Status.OPTIMAL
        assert certificate.about.endswith(f", in a box of {side:g} of each range round the best one")


def test_a_box_has_few_changes_and_at_least_one_step(listed: tuple[mb.Domain, np.ndarray]) -> None:
    domain, points = listed
    centre = tuple(points[1000].tolist())
    box = Box.around(domain, centre, 0.01)
    inside = points[box.holds(points)]
    assert box.changes == 1
    assert ((inside != np.array(centre))[:, 2:6].sum(axis=1) <= 1).all()
    assert set(np.abs(inside[:, [0, 1, 6]] - np.array(centre)[[0, 1, 6]]).ravel()) == {0, 1}


def test_a_limit_on_nodes_leaves_a_true_bound() -> None:
    domain = mb.Domain([mb.real("x", 0, 1, 8)])
    rng = np.random.default_rng(5)
    net = network(rng, 8, hidden=24)
    tried = list(map(tuple, rng.integers(0, 10**6, (20, 8)).tolist()))
    region = Region(domain, Points(tried), box=Box.around(domain, tried[0], 0.8))
    (hurried,) = proposed(Auto().solve(Query(net, region, nodes=1), np.random.default_rng(0)))
    (patient,) = proposed(Auto().solve(Query(net, region), np.random.default_rng(0)))
    assert hurried.certificate is not None
    assert patient.certificate is not None
    assert hurried.certificate.status is Status.FEASIBLE
    assert patient.certificate.status is Status.OPTIMAL
    assert hurried.certificate.bound >= patient.certificate.value - 1e-9 >= hurried.certificate.value - 1e-8


def test_a_box_without_untried_points_is_empty() -> None:
    domain = mb.Domain([mb.real("x", 0, 1, step=0.01)])
    box = Box.around(domain, (50,), 0.02)
    region = Region(domain, Points([(49,), (50,), (51,)]), box=box)
    for inner in (Mip(), Enumerate()):
        answer = inner.solve(Query(network(np.random.default_rng(0), 1), region), np.random.default_rng(0))
        assert isinstance(answer, Empty)


@pytest.mark.parametrize("inner", [Branch(), Sample(), Evolution()])
def test_who_searches_no_box_refuses_it(inner: InnerSolver) -> None:
    domain = mb.Domain([mb.integer("k", 0, 3, 4)])
    region = Region(domain, box=Box.around(domain, (0, 0, 0, 0), 0.4))
    query = Query(network(np.random.default_rng(0), 16), region)
    refusal = inner.refusal(query)
    assert refusal in ("it searches no part of a domain", "it searches balls, not boxes")


@pytest.mark.parametrize("changes", [1, 2, 5])
@pytest.mark.parametrize("inner", [Branch(), Mip(), Enumerate()])
def test_the_best_of_a_ball_is_found_by_every_exact_method(inner: InnerSolver, changes: int) -> None:
    x, s = mb.binary("x", 6), mb.categorical("s", list("abc"), 3)
    domain = mb.Domain([x, s], [x.sum() == 3, mb.no_runs(s, 2)])
    everything = list(domain)
    rng = np.random.default_rng(changes)
    for seed in range(4):
        net = network(rng, domain.features)
        centre = everything[int(rng.integers(len(everything)))]
        ball = Box.ball(domain, centre, changes)
        left = [p for p in everything if p != centre and ball.holds(np.array([p]))[0]]
        region = Region(domain, Points([centre]), box=ball)
        answer = inner.solve(Query(net, region), np.random.default_rng(seed))
        if not left:
            assert isinstance(answer, Empty)
            continue
        (proposal,) = proposed(answer)
        assert proposal.point in left
        certificate = proposal.certificate
        assert certificate is not None
        assert certificate.status is Status.OPTIMAL
        assert certificate.value == pytest.approx(net.predict(domain.encode(left)).max(), abs=1e-6)
        assert f"at most {changes} variable" in certificate.about
