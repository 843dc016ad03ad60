"""Reals are exact decimals everywhere, and the best untried point at a distance is found."""

import itertools
import json
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.random import Generator

import milbox as mb
from milbox.arrays import Point
from milbox.cli.problem.file import parse_problem
from milbox.domain import Real
from milbox.domain.rules.read import rule
from milbox.domain.rules.write import rule_text
from milbox.inner import Auto, Enumerate, Evolution, InnerSolver, Mip
from milbox.inner.query import Query, Region
from milbox.inner.spacing import distances, near
from milbox.inner.untried import untried
from milbox.milp.solution import Status
from milbox.surrogates.relu import ReluNet
from milbox.trials.answer import Empty, Found
from milbox.trials.points import Points


def network(rng: Generator, features: int, hidden: int = 6) -> ReluNet:
    """A random network with one hidden layer."""
    first = rng.standard_normal((features, hidden)) * 2, rng.standard_normal(hidden)
    return ReluNet.of([first, (rng.standard_normal((hidden, 1)), rng.standard_normal(1))])


def best_by_listing(net: ReluNet, domain: mb.Domain, tried: list[Point]) -> float:
    """The best prediction at a distance from tried points, over every point there is."""
    points = np.array(list(itertools.product(*(v.codes for v in domain.variables))))
    held = [all(c.holds(domain.columns(row[None])).all() for c in domain.constraints) for row in points]
    points = points[held]
    for apart in distances(domain, len(tried)):
        far = points[~near(points, tried, apart)]
        if len(far):
            return float(net.predict(domain.encode(far)).max())
    raise AssertionError("nothing is left")


def lattice(step: float) -> mb.Domain:
    x, on = mb.real("x", -0.5, 0.5, 2, step=step), mb.binary("on")
    return mb.Domain([x, on], [x[0] + 2 * x[1] <= 0.7, mb.implies(on, x[0] >= 0.1), (x[1] > 0) | on])


def mixture(step: float | None = 0.001) -> mb.Domain:
    mix = mb.real("mix", 0, 1, 4, step=step)
    return mb.Domain([mix], [mix.sum() == 1, mb.at_most(2, mix > 0), mb.implies(mix[0] > 0, mix[0] >= 0.05)])


@pytest.mark.parametrize(
    ("low", "high", "step"),
    [
        (20.0, 80.0, "0.00001"),
        (0, 1, "0.000001"),
        (0.1, 0.7, "0.0000001"),
        (0, 0.05, "0.00000001"),
        (0, 2e9, "1000"),
    ],
)
def test_the_default_step_is_a_power_of_ten_at_most_a_millionth(low: float, high: float, step: str) -> None:
    assert mb.real("t", low, high).step == Fraction(step)


def test_values_are_the_floats_that_print_as_the_decimals() -> None:
    x = mb.real("x", 0, 1, step=0.1)
    assert [x.value(code) for code in x.codes] == [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]
    assert (
        x.code(0.1 + 0.2) == x.code(Decimal("0.3")) == x.code(Fraction(3, 10)) == x.code(np.float64(0.3)) == 3
    )
    assert mb.real("ph", 5, 7.5, step=0.5).value(1) == 5.5


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: mb.real("ph", 5, 7.3, step=0.5), "nearest is 7.5"),
        (lambda: mb.real("ph", 5, 7.5, step=0), "more than zero"),
        (lambda: mb.real("ph", 7, 5), "empty range"),
        (lambda: mb.real("ph", 0, 1, step=1e-17), "too small"),
        (lambda: mb.real("ph", 5, 7.5, step=0.5).code(6.1), "nearest is 6.0"),
        (lambda: mb.real("ph", 5, 7.5, step=0.5) == 6.2, "nearest is 6.0"),
        (lambda: mb.real("ph", 5, 7.5, step=0.5).code(8), "takes 5.0 to 7.5"),
        (lambda: mb.real("ph", 5, 7.5, step=0.5).code(float("nan")), "takes numbers"),
        (lambda: mb.real("m", 0, 1, 3, step=0.01).sum() == 1.005, "steps lead to 1 and 1.01"),
        (lambda: mb.real("m", 0, 1, step=0.5) == mb.real("n", 0.25, 1.25, step=0.5), "no value of m, n"),
    ],
)
def test_what_is_off_the_grid_is_refused_by_name(make: Any, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        make()


def test_a_limit_that_is_no_number_is_refused() -> None:
    with pytest.raises(TypeError, match="high of real 'ph'"):
        mb.real("ph", 5, "7")  # type: ignore[call-overload]


def test_constraints_are_exact_in_decimals() -> None:
    domain = mixture(0.25)
    for point in itertools.product(range(5), repeat=4):
        amounts = [Fraction(code, 4) for code in point]
        used = sum(amount > 0 for amount in amounts)
        held = sum(amounts) == 1 and used <= 2 and (amounts[0] == 0 or amounts[0] >= Fraction(5, 100))
        assert domain.contains(point) == held
        if held:
            assert domain.point(domain.assignment(point)) == point


def test_a_list_of_thresholds_is_an_array_of_them() -> None:
    mix = mb.real("mix", 0, 1, 3, step=0.25)
    array = mb.Domain([mix], [mb.at_most(1, mix > 0)])
    assert array == mb.Domain([mix], [mb.at_most(1, [mix[i] > 0 for i in range(3)])])
    assert str(array.constraints[0]) == "at_most(1, mix[0] >= 0.25, mix[1] >= 0.25, mix[2] >= 0.25)"


def test_plain_forms_and_rules_say_the_same() -> None:
    t, third = mb.real("t", 20.0, 80.0), mb.real("third", 0, 1, step=Fraction(1, 3))  # type: ignore[call-overload]
    ph = mb.real("ph", 5, 7.5, step=0.5, encoding="onehot")
    domain = mb.Domain([t, third, ph], [t + 10 * ph <= 130.5, (ph != 5.5) | (third > 0.5), t * 0.5 >= 10.25])
    again = mb.Domain.from_json(json.loads(json.dumps(domain.to_json())))
    assert again == domain
    assert str(domain.constraints[0]) == "2*t + 20*ph <= 261" or "t + 10*ph <= 130.5" in str(
        domain.constraints[0]
    )
    named = {"t": t, "third": third, "ph": ph}
    rules = [c for each in domain.constraints for c in rule(rule_text(each), named)]
    assert mb.Domain([t, third, ph], rules) == domain


def test_features_are_of_the_order_of_one_and_decode() -> None:
    wide = mb.integer("k", -5, 10**9, encoding="integer")
    domain = mb.Domain([mb.real("t", 20.0, 80.0), wide, mb.real("ph", 5, 7.5, step=0.5, encoding="onehot")])
    points = [(0, -5, 0), (6_000_000, 10**9, 5), (1, 999_999_999, 2), (4_194_305, 123_456_789, 1)]
    features = domain.encode(points)
    assert features.shape == (4, 8)
    assert features.min() == 0
    assert features.max() == 1
    assert [domain.decode(row) for row in features] == points
    assert domain.size == 6_000_001 * (10**9 + 6) * 6


@pytest.mark.parametrize("inner", [Mip(), Auto(), Enumerate()], ids=["mip", "auto", "enumerate"])
@pytest.mark.parametrize("step", [0.25, 0.05, 0.02])
def test_the_best_untried_point_is_the_one_that_listing_finds(inner: InnerSolver, step: float) -> None:
    rng = np.random.default_rng(int(1 / step))
    domain = lattice(step)
    tried: list[Point] = []
    for _ in range(4):
        net = network(rng, domain.features)
        answer = inner.solve(Query.of(net, domain, tried), rng)
        assert isinstance(answer, Found)
        (proposal,) = answer.proposals
        certificate = proposal.certificate
        assert certificate is not None
        assert domain.contains(proposal.point)
        assert proposal.point not in tried
        assert certificate.value == pytest.approx(best_by_listing(net, domain, tried), rel=1e-6, abs=1e-6)
        assert certificate.status is Status.OPTIMAL
        tried.append(proposal.point)


@pytest.mark.parametrize("step", [0.001, None])
def test_fine_grids_in_one_dimension_against_breakpoints(step: float | None) -> None:
    rng = np.random.default_rng(7)
    x = mb.real("x", 0, 1, step=step)
    domain, last = mb.Domain([x], [2 * x <= 1.7]), x.codes[-1]
    for _ in range(5):
        net = network(rng, 1)
        weights, bias = net.layers[0].weights[0], net.layers[0].bias
        kinks = [k for k in (-bias / weights).tolist() if 0 < k < 0.85]
        # The best on the grid is beside a kink, or an end of the range.
        codes = {0, round(0.85 * last), *(int(k * last) for k in kinks), *(int(k * last) + 1 for k in kinks)}
        best = net.predict(domain.encode([(min(c, round(0.85 * last)),) for c in sorted(codes)])).max()
        answer = Mip().solve(Query.of(net, domain), rng)
        assert isinstance(answer, Found)
        certificate = answer.proposals[0].certificate
        assert certificate is not None
        assert certificate.bound >= best - 1e-7
        assert certificate.value == pytest.approx(best, abs=2e-5)
        assert certificate.residual <= 1e-7


@pytest.mark.parametrize("step", [0.01, 0.001, None])
def test_proposals_are_feasible_in_decimals_and_keep_their_distance(step: float | None) -> None:
    rng = np.random.default_rng(3)
    domain = mixture(step)
    found = untried(Region(domain), 6, rng)
    assert isinstance(found, Found)
    tried = [proposal.point for proposal in found.proposals]
    assert len(set(tried)) == 6
    for _ in range(2):
        net = network(rng, domain.features)
        answer = Auto().solve(Query.of(net, domain, tried), rng)
        assert isinstance(answer, Found)
        (proposal,) = answer.proposals
        amounts = [Decimal(repr(float(amount))) for amount in domain.assignment(proposal.point)["mix"]]
        assert sum(amounts) == 1
        assert sum(amount > 0 for amount in amounts) <= 2
        assert amounts[0] == 0 or amounts[0] >= Decimal("0.05")
        apart = next(distances(domain, len(tried)))
        assert not near(np.array([proposal.point]), tried, apart).any()
        certificate = proposal.certificate
        assert certificate is not None
        sample = np.array([p.point for p in untried(Region(domain, Points(tried)), 8, rng).proposals])  # type: ignore[union-attr]
        sample = sample[~near(sample, tried, apart)]
        assert net.predict(domain.encode(sample)).max() <= certificate.bound + 1e-6
        assert certificate.value <= certificate.bound + 1e-9
        tried.append(proposal.point)


def test_a_domain_of_a_real_is_exhausted_at_one_step_of_the_grid() -> None:
    x = mb.real("x", 0, 1, step=0.04)
    study = mb.Study(mb.Domain([x], [x <= 0.5]), strategy=mb.NNMILP(initial=3), seed=0)
    met = []
    for _ in range(13):
        trial = study.ask()
        met.append(trial.assignment["x"])
        study.tell(trial.number, -abs(met[-1] - 0.3))
    assert sorted(met) == [code * 4 / 100 for code in range(13)]
    with pytest.raises(mb.Exhausted):
        study.ask()
    assert isinstance(
        Mip().solve(
            Query.of(
                network(np.random.default_rng(0), 1),
                mb.Domain([x], [x <= 0.5]),
                [(code,) for code in range(13)],
            ),
            np.random.default_rng(0),
        ),
        Empty,
    )


def test_a_study_over_reals_resumes_from_its_journal(tmp_path: Path) -> None:
    def measure(t: float, mix: Any) -> float:
        return -((t - 61.3) ** 2) / 1000 + float(mix[1] - mix[2] ** 2)

    t, mix = mb.real("t", 20.0, 80.0), mb.real("mix", 0, 1, 3, step=0.01)
    domain = mb.Domain([t, mix], [mix.sum() == 1])
    whole = mb.maximize(measure, domain, budget=12, initial=8, seed=2)
    journal = tmp_path / "reals.db"
    mb.maximize(measure, domain, budget=9, initial=8, seed=2, journal=journal)
    resumed = mb.maximize(measure, domain, budget=12, initial=8, seed=2, journal=journal)
    assert [trial.point for trial in resumed.trials] == [trial.point for trial in whole.trials]
    for trial in whole.trials:
        assert domain.contains(trial.point)
        assert sum(Decimal(repr(float(amount))) for amount in trial.assignment["mix"]) == 1


def test_evolution_refuses_to_list_a_fine_grid() -> None:
    domain = mb.Domain([mb.real("t", 20.0, 80.0)])
    query = Query.of(network(np.random.default_rng(0), 1), domain)
    assert Evolution().refusal(query) is not None
    with pytest.raises(mb.UnsupportedProgram, match="'t' has 6,000,001 values"):
        Evolution().solve(query, np.random.default_rng(0))


def test_problem_files_know_reals() -> None:
    text = """
[variables]
t = { kind = "real", low = 20.0, high = 80.0 }
mix = { kind = "real", low = 0, high = 1, step = 0.001, size = 3 }
[[constraints]]
rule = "sum(mix) == 1 and (mix[0] > 0 -> mix[0] >= 0.05)"
[objective]
command = ["true"]
"""
    domain = parse_problem(text, Path("p.toml")).domain
    assert domain.contains(domain.point({"t": 33.5, "mix": [0.05, 0.95, 0]}))
    assert not domain.contains(domain.point({"t": 33.5, "mix": [0.049, 0.951, 0]}))
    assert isinstance(domain.variables[0], Real)
