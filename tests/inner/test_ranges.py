"""Branch and bound over ranges against enumeration, on thousands of small cases of every nasty kind."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.random import Generator

import milbox as mb
from milbox.arrays import FloatArray, IntArray
from milbox.domain import Domain
from milbox.domain.box import Box
from milbox.inner import Auto, Branch, Mip
from milbox.inner.query import Query, Region
from milbox.inner.ranges.columns import columns_of
from milbox.inner.ranges.maximise import RESOLUTION, maximise, task_of
from milbox.inner.spacing import distances, near
from milbox.milp.solution import Limits, Status
from milbox.surrogates.linear import Linear
from milbox.surrogates.relu import ReluNet
from milbox.testing.answers import proposed
from milbox.trials import Empty
from milbox.trials.points import Points

KINDS = ["untrained", "whole", "constant", "scaled", "uneven", "unsigned", "rare", "linear"]


def random_net(kind: str, features: int, rng: Generator) -> ReluNet | Linear:
    """A network of up to seven units, or a line."""
    if kind == "linear":
        return Linear(rng.normal(size=features), float(rng.normal()))
    units = int(rng.integers(1, 8))
    table, bias = rng.normal(size=(features, units)), rng.normal(size=units)
    weight, constant = rng.normal(size=units), rng.normal(size=1)
    match kind:
        case "whole":  # many exact ties
            table, bias, weight = (np.round(part) for part in (table, bias, weight))
        case "constant":
            table[:] = 0.0
        case "scaled":
            table, bias = table * 10.0 ** rng.integers(-20, 20), bias * 10.0 ** rng.integers(-20, 20)
        case "uneven":
            table *= 10.0 ** rng.integers(-4, 4, units)
            weight *= 10.0 ** rng.integers(-4, 4, units)
        case "unsigned":
            weight = np.abs(weight)
        case "rare":
            bias -= 0.4 * np.abs(table).sum(axis=0)
    return ReluNet.of([(table, bias), (weight[:, None], constant)])


def random_domain(rng: Generator) -> Domain:
    """Ranges of a few codes, binaries and choices, under up to three sums."""
    variables: list[Any] = [
        mb.real(f"x{i}", 0, int(steps), step=1)
        if rng.random() < 0.5
        else mb.integer(f"x{i}", -1, int(steps) - 1, encoding="integer")
        for i, steps in enumerate(rng.integers(1, 9, rng.integers(1, 4)))
    ]
    variables += [mb.binary(f"b{i}") for i in range(rng.integers(0, 4))]
    rules: list[Any] = []
    if rng.random() < 0.4:
        letter = mb.categorical("c", "abc", 2)
        variables.append(letter)
        if rng.random() < 0.5:
            rules.append((letter[0] == "a") + (letter[1] == "b") + variables[0] <= 4)
    for _ in range(rng.integers(0, 3)):
        terms = [int(rng.integers(-3, 4)) * v for v in variables[: len(variables) - 1]]
        total = sum(terms[1:], terms[0] + 0) if terms else None
        if total is not None:
            limit = int(rng.integers(-3, 9))
            rules.append(total <= limit)
            if rng.random() < 0.3:
                rules.append(total >= limit)
    return Domain(variables, rules)


def left(domain: Domain, every: IntArray, tried: IntArray, apart: IntArray) -> IntArray:
    """The points that are near no tried one."""
    return every[~near(every, tried, apart)]


def check(domain: Domain, every: IntArray, net: ReluNet | Linear, rng: Generator, fine: int) -> None:
    """Compare with every point."""
    columns = columns_of(domain)
    assert not isinstance(columns, str)
    share = rng.choice([0.0, 0.1, 0.5, 0.9, 1.0]) * (1.0 if len(every) <= 3000 else 40 / len(every))
    tried = every[rng.random(len(every)) < share]
    real = np.array([v.kind == "real" for v in domain.variables])
    apart = np.where(real, rng.integers(1, 4), 1)
    centre = tuple(every[rng.integers(len(every))].tolist())
    box = Box.around(domain, centre, float(rng.choice([0.2, 0.5, 1.0]))) if rng.random() < 0.3 else None
    possible = left(domain, every, tried, apart)
    possible = possible if box is None else possible[box.holds(possible)]
    task = task_of(net, columns, tried, apart, box)
    found = maximise(replace(task, problem=task.problem._replace(fine=fine)))
    if not len(possible):
        assert found.point is None
        assert found.bound == -math.inf
        return
    values: FloatArray = net.predict(domain.encode(possible))
    top, scale = float(values.max()), 1e-9 * max(found.scale, 1e-300)
    assert found.point is not None
    point = np.array([columns.point(found.point)])
    assert (possible == point).all(axis=1).any()
    assert found.value == pytest.approx(top, abs=scale)
    assert found.bound >= top - scale * 1e-4
    # What is closer than the resolution may stay open after the last nodes; it is then said to be.
    assert found.bound <= found.value + 2.0 * found.slack + 2.0 * RESOLUTION * found.scale


def many(cases: int, seed: int) -> None:
    """Random domains and networks."""
    rng = np.random.default_rng(seed)
    done = 0
    while done < cases:
        domain = random_domain(rng)
        every = np.array(list(domain), dtype=np.int64).reshape(-1, len(domain.variables))
        if not 1 <= len(every) <= 3000 or isinstance(columns_of(domain), str):
            continue
        for kind in KINDS:
            check(domain, every, random_net(kind, domain.features, rng), rng, int(rng.choice([2, 5, 1000])))
            done += 1


def test_the_best_point_of_small_domains() -> None:
    many(400, 0)


@pytest.mark.full
def test_the_best_point_of_many_small_domains() -> None:
    many(20_000, 1)


def trained(features: int, seed: int, units: int = 16) -> ReluNet:
    rng = np.random.default_rng(seed)
    return ReluNet.of(
        [
            (rng.normal(size=(features, units)), rng.normal(size=units)),
            (rng.normal(size=(units, 1)), rng.normal(size=1)),
        ]
    )


@pytest.mark.parametrize("seed", range(6))
def test_ranges_of_thousands_of_codes(seed: int) -> None:
    """The optimum lies at kinks, beside the tried points, and is exact on the grid."""
    rng = np.random.default_rng(seed)
    t, on = mb.real("t", 0, 1, 2, step=0.01), mb.binary("on", 2)
    domain = Domain([t, on], [t[0] + 0.5 * t[1] + 0.25 * on.sum() <= 1.25])
    codes = np.stack(np.meshgrid(*(np.array(v.codes) for v in domain.variables), indexing="ij"), axis=-1)
    every = codes.reshape(-1, 4)
    every = every[domain.feasible(every)]
    net = trained(4, seed)
    values = net.predict(domain.encode(every))
    for _ in range(10):
        check(domain, every, trained(4, int(rng.integers(1 << 30))), rng, 1000)
    top = [tuple(row) for row in every[np.argsort(-values)[:30]].tolist()]
    (found,) = proposed(Branch().solve(Query.of(net, domain, top), rng))
    apart = next(iter(distances(domain, len(top))))
    possible = left(domain, every, np.array(top), apart)
    assert found.certificate is not None
    assert found.certificate.status is Status.OPTIMAL
    assert found.certificate.value == pytest.approx(net.predict(domain.encode(possible)).max(), abs=1e-12)
    assert found.certificate.about == "untried points at a distance from every tried one"


@pytest.mark.parametrize("most", [10**6, 10**9])
def test_wide_integers_under_a_sum_agree_with_the_program(most: int) -> None:
    k = mb.integer("k", 0, most, 4, encoding="integer")
    domain = Domain([k], [k.sum() <= 2 * most])
    net = trained(4, most % 7, 8)
    tried = Points([(0,) * 4, (most,) * 2 + (0,) * 2])
    ours, theirs = (
        proposed(inner.solve(Query(net, Region(domain, tried)), np.random.default_rng(0)))[0].certificate
        for inner in (Branch(), Mip())
    )
    assert ours is not None
    assert theirs is not None
    assert ours.value >= theirs.value - 1e-6 * abs(theirs.value)
    assert ours.value <= theirs.bound + 1e-6 * abs(theirs.bound)
    assert ours.gap < 1e-9


def test_amounts_that_add_up_to_one() -> None:
    mix = mb.real("mix", 0, 1, 5)
    domain = Domain([mix], [mix.sum() == 1])
    rng = np.random.default_rng(1)
    found = proposed(Auto().solve(Query.of(trained(5, 4), domain, [], 4), rng))
    assert len({proposal.point for proposal in found}) == 4
    for proposal in found:
        assert sum(domain.assignment(proposal.point)["mix"]) == pytest.approx(1)
        assert proposal.certificate is not None
        assert proposal.certificate.gap < 1e-6
        assert proposal.certificate.solver.startswith("branch and bound")


def test_what_stops_at_a_gap_or_a_limit_is_not_called_optimal() -> None:
    x, b = mb.real("x", 0, 1, 8), mb.binary("b", 12)
    domain = Domain([x, b], [x.sum() + 0.5 * b.sum() <= 5])
    net, rng = trained(20, 3), np.random.default_rng(0)
    (best,) = proposed(Branch().solve(Query.of(net, domain), rng))
    assert best.certificate is not None
    assert best.certificate.gap < 1e-9
    for limits in (Limits(gap=0.5), Limits(nodes=2)):
        (found,) = proposed(Branch(limits).solve(Query.of(net, domain), rng))
        assert found.certificate is not None
        assert found.certificate.status is Status.FEASIBLE
        assert found.certificate.value <= best.certificate.value + 1e-9
        assert best.certificate.value <= found.certificate.bound + 1e-9


def test_what_is_no_sum_goes_to_the_program() -> None:
    x, on = mb.real("x", 0, 1, 2), mb.binary("on")
    query = Query.of(trained(3, 0), Domain([x, on], [mb.implies(on == 1, x[0] + x[1] <= 0.5)]))
    assert "is no sum with whole coefficients" in str(Branch().refusal(query))
    (found,) = proposed(Auto().solve(query, np.random.default_rng(0)))
    assert found.origin == "milp"
    deep = ReluNet.of(
        [(np.ones((2, 3)), np.ones(3)), (np.ones((3, 3)), np.ones(3)), (np.ones((3, 1)), np.ones(1))]
    )
    two = Query.of(deep, Domain([mb.real("x", 0, 1, 2)]))
    assert "more than one hidden layer" in str(Branch().refusal(two))


def test_two_hidden_layers_are_searched_over_diagrams_where_values_can_be_listed() -> None:
    k = mb.integer("k", 0, 30, 2, encoding="integer")
    domain = Domain([k], [k.sum() <= 40])
    rng = np.random.default_rng(5)
    sizes = ((2, 4), (4, 4), (4, 1))
    deep = ReluNet.of([(rng.normal(size=size), rng.normal(size=size[1])) for size in sizes])
    (found,) = proposed(Branch().solve(Query.of(deep, domain), rng))
    assert found.certificate is not None
    assert found.certificate.value == pytest.approx(deep.predict(domain.encode(list(domain))).max())


def test_a_range_without_points_left_is_empty() -> None:
    x = mb.real("x", 0, 1, step=0.05)
    domain = Domain([x])
    every = [(code,) for code in x.codes]
    rng = np.random.default_rng(0)
    assert Branch().solve(Query.of(trained(1, 0), domain, every), rng) == Empty()
    (found,) = proposed(Branch().solve(Query.of(trained(1, 0), domain, every[:-1]), rng))
    assert found.point == every[-1]
    none = Domain([x, mb.real("y", 0, 1)], [x + mb.real("y", 0, 1) >= 3])
    assert Branch().solve(Query.of(trained(2, 0), none), rng) == Empty()
