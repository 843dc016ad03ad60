"""Constraints are taken as they are written, however small, large or far apart their numbers are."""

import itertools
import json
import math
import random
from fractions import Fraction

import numpy as np
import pytest

import milbox as mb
from milbox.domain.feasibility import Verdict, find
from milbox.domain.linear_system import relaxed
from milbox.domain.model.expressions import Linear, compare
from milbox.domain.model.monomials import reach, total
from milbox.embed.domain import formulate, trusted
from milbox.milp.program import MilpBuilder
from milbox.milp.solution import Limits, Status
from milbox.milp.solvers import Scip
from milbox.trials import Header
from milbox.trials.header import difference

A, B = mb.binary("a"), mb.binary("b")
N = mb.integer("n", 0, 10**9, encoding="integer")


def agreed(domain: mb.Domain, point: tuple[int, ...]) -> bool:
    """Whether a point is in the domain, by every way to ask."""
    (feasible,) = domain.feasible(np.array([point])).tolist()
    assert domain.contains(point) == feasible == (not domain.violations(point))
    return bool(feasible)


def test_a_small_number_counts_beside_a_large_one() -> None:
    domain = mb.Domain([A, B], [0.001 * A + 1e7 * B <= 0])
    assert [agreed(domain, p) for p in itertools.product([0, 1], repeat=2)] == [True, False, False, False]
    assert domain.size == 1
    domain = mb.Domain([A, B], [0.001 * A + 1e7 * B == 1e7])
    assert [agreed(domain, p) for p in itertools.product([0, 1], repeat=2)] == [False, True, False, False]
    assert domain.size == 1


def test_sums_beyond_64_bits() -> None:
    domain = mb.Domain([N, A], [2**40 * N + A <= 0])
    assert agreed(domain, (0, 0))
    assert not agreed(domain, (0, 1))
    assert not agreed(domain, (10**9, 0))
    m = mb.integer("m", 0, 10**9, encoding="integer")
    domain = mb.Domain([N, m], [2**50 * N - 2**50 * m == 2**50])
    assert agreed(domain, (10**9, 10**9 - 1))
    assert not agreed(domain, (10**9, 10**9))
    domain = mb.Domain([N, m, A], [10**12 * N - 10**12 * m + 1e-6 * A == 1e-6])
    assert agreed(domain, (7, 7, 1))
    assert not agreed(domain, (10**9, 10**9, 0))
    assert not agreed(domain, (8, 7, 1))


def test_numbers_that_were_rounded_on_the_way_mean_what_they_were() -> None:
    k = mb.integer("k", 0, 10)
    assert mb.Domain([k], [k * math.pi >= 3 * math.pi]).size == 8
    assert mb.Domain([k], [k * math.pi == 3 * math.pi]).size == 1
    assert mb.Domain([k], [k * math.pi < 3 * math.pi]).size == 3
    x = mb.binary("x", 12)
    weights = np.random.default_rng(0).random(12)
    held = sum(float(w) for w in weights[::2])
    domain = mb.Domain([x], [sum(float(w) * x[i] for i, w in enumerate(weights)) <= held])
    assert agreed(domain, (1, 0) * 6)
    assert not agreed(domain, (1, 1, *(1, 0) * 5))


def test_what_cannot_be_held_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"1e-300\*a \+ 1000000000000000\*b <= 3 cannot be held exactly"):
        mb.Domain([A, B], [1e-300 * A + 1e15 * B <= 3])


def test_a_limit_no_sum_can_reach() -> None:
    x = mb.integer("x", 0, 3)
    assert mb.Domain([x], [1e-9 * x <= 2**52]).size == 4
    assert mb.Domain([x], [1e-9 * x >= 2**52]).size == 0


@pytest.mark.parametrize("seed", range(20))
def test_rows_exclude_nothing_that_a_sum_allows(seed: int) -> None:
    rng = random.Random(seed)
    variables = [
        mb.integer(f"v{i}", -rng.randint(0, 5), 10 ** rng.randint(0, 9), encoding="integer") for i in range(3)
    ]
    weights = [rng.choice([-1, 1]) * rng.randint(1, 9999) * 10 ** rng.randint(0, 14) for _ in variables]
    low, high = -(10**18), rng.randint(-(10**20), 10**20)
    monomials = [next(iter(v.linear().terms)) for v in variables]
    constraint = Linear(tuple(zip(monomials, weights, strict=True)), low, high)
    ranges = [(v.low, v.high) for v in variables]
    row, lower, upper = relaxed(weights, ranges, low, high)
    points = np.array([[rng.randint(*each) for each in ranges] for _ in range(300)])
    # Points at the limit: the last variable is what the others leave for it.
    for point in points[:200]:
        rest = sum(w * int(c) for w, c in zip(weights[:2], point[:2], strict=True))
        point[2] = min(max((high - rest) // weights[2] + rng.choice([-1, 0, 1]), ranges[2][0]), ranges[2][1])
    exact = [low <= sum(w * int(c) for w, c in zip(weights, p, strict=True)) <= high for p in points]
    holds = constraint.holds({v.name: points[:, i] for i, v in enumerate(variables)})
    assert holds.tolist() == exact
    activity = points @ np.array(row)
    assert ((lower <= activity) & (activity <= upper))[exact].all()


def test_the_reach_of_a_sum_with_jumps() -> None:
    k = mb.integer("k", -2, 4)
    for expression in (
        3 * k,
        -3 * k + 10 * (k == 4),
        5 * (k == 0) - 7 * (k == 1),
        k + 9 * (k == -2) - 2 * (k == 4),
    ):
        constraint = compare(expression.linear(), -100, 100)
        values = total(constraint.terms, {"k": np.array(k.codes)}).tolist()
        assert reach(constraint.terms) == (min(values), max(values))


WIDE = mb.integer("w", 1_000_000, 2_000_000, encoding="integer")


@pytest.mark.parametrize(
    "domain",
    [
        mb.Domain([WIDE], [WIDE >= 1_000_002, WIDE <= 1_000_001]),
        mb.Domain([A, B], [10_000_001 * A + 10_000_000 * B == 20_000_002]),
        mb.Domain([N, WIDE], [6 * N + 10 * WIDE == 10**9 + 1]),
        mb.Domain([N, WIDE], [N + WIDE == 1_000_003, N - WIDE == 5]),
        mb.Domain([N, A], [1e-6 * N + 1e9 * A == 1e9 + 1e-6, N >= 2]),
    ],
)
def test_a_domain_without_points_is_refused(domain: mb.Domain) -> None:
    assert find(domain) is Verdict.EMPTY
    with pytest.raises(mb.DomainError, match="no point satisfies"):
        mb.Study(domain)


def test_a_domain_of_one_point_among_many_is_used_up() -> None:
    domain = mb.Domain(
        [N, WIDE], [10_000_001 * N + 10_000_000 * WIDE == 10_000_001 * 3 + 10_000_000 * 1_234_567]
    )
    assert find(domain) == (3, 1_234_567)
    result = mb.maximize(lambda n, w: n + w, domain, budget=5)
    assert [trial.point for trial in result.trials] == [(3, 1_234_567)]
    assert result.proved


def test_indicators_of_integers_with_many_values() -> None:
    domain = mb.Domain([N, A], [N <= 2, mb.any_of(N == 1, A == 1), N != 2])
    milp = MilpBuilder()
    formulation = formulate(domain, milp)
    assert milp.width < 20
    for point in itertools.product(range(4), [0, 1]):
        fixed = milp.build().fixed(formulation.inputs, domain.encode([point])[0])
        status = Scip().solve(fixed, Limits(seconds=10.0)).status
        assert (status is Status.OPTIMAL) == domain.contains(point)
    result = mb.maximize(lambda n, a: n + a, domain, budget=9)
    assert sorted(trial.point for trial in result.trials) == [(0, 1), (1, 0), (1, 1)]
    assert result.proved


def test_a_solver_is_no_witness_where_rows_are_wide() -> None:
    assert trusted(mb.Domain([A, B], [1000 * A + B <= 7]))
    assert not trusted(mb.Domain([A, B], [1e12 * A + B <= 7]))
    assert not trusted(mb.Domain([N], [N >= 3]))


def test_journals_know_a_domain_in_its_older_form() -> None:
    domain = mb.Domain([A, B], [math.pi * A + math.e * B <= 5.0])
    form = json.loads(json.dumps(domain.to_json()))
    form["constraints"][0] |= {
        "terms": [[math.pi, [["a", 1]]], [math.e, [["b", 1]]]],
        "upper": 5.0,
    }
    assert mb.Domain.from_json(form) == domain
    assert Fraction(str(domain.constraints[0].upper)).denominator == 1
    new = Header(0, "maximize", domain.to_json(), domain.fingerprint, "s", "1", 0.0)
    old = Header(0, "maximize", form, "another", "s", "1", 0.0)
    assert difference(old, new) is None
