from itertools import product

import numpy as np
import pytest

from milbox.bench.problems import ising, load, names


def test_the_objective_is_the_sum_of_score_tables() -> None:
    n = 100
    tables = ising.score_tables(n, 0)
    problem = load("ising/100/0")
    points = problem.sample(5, np.random.default_rng(0)) if problem.sample else None
    assert points is not None
    for point in points:
        pairs = [(i, j) for i in range(n) for j in range(i + 1, n)]
        expected = sum(tables[k, point[i], point[j]] for k, (i, j) in enumerate(pairs))
        assert problem.value(tuple(point.tolist())) == pytest.approx(expected, abs=1e-9)


def test_scores_are_standard_normal_and_differ_by_instance() -> None:
    tables = ising.score_tables(200, 3)
    assert tables.shape == (200 * 199 // 2, 2, 2)
    assert abs(tables.mean()) < 0.02
    assert abs(tables.std() - 1) < 0.02
    assert not np.array_equal(ising.score_tables(100, 0), ising.score_tables(100, 1))


@pytest.mark.parametrize("n", ising.SIZES)
def test_the_domain_pairs_consecutive_subsets_of_five(n: int) -> None:
    problem = load(f"ising/{n}/0")
    assert len(problem.domain.variables) == n
    assert len(problem.domain.constraints) == len(problem.pairs) == n // 10
    assert problem.pairs[0] == ((0, 1, 2, 3, 4), (5, 6, 7, 8, 9))
    assert sorted(i for left, right in problem.pairs for i in left + right) == list(range(n))
    rng = np.random.default_rng(n)
    points = rng.integers(0, 2, (500, n))
    for left, right in problem.pairs[1:]:  # balance all pairs but the first, which decides
        points[:, left] = points[:, right]
    balanced = points[:, :5].sum(axis=1) == points[:, 5:10].sum(axis=1)
    assert 0 < balanced.sum() < 500
    assert np.array_equal(problem.domain.feasible(points), balanced)


def test_balanced_states_are_all_of_them() -> None:
    assert len(ising.balanced_states(5, 5)) == 252
    expected = [row for row in product((0, 1), repeat=5) if sum(row[:2]) == sum(row[2:])]
    assert [tuple(row) for row in ising.balanced_states(2, 3).tolist()] == expected


def test_the_sampler_is_uniform_over_the_feasible_points() -> None:
    sampler = ising.BalancedSampler((((0, 3), (1, 4)), ((2,), (5,))))
    points = sampler(12_000, np.random.default_rng(0))
    feasible = [p for p in product((0, 1), repeat=6) if p[0] + p[3] == p[1] + p[4] and p[2] == p[5]]
    counts = dict.fromkeys(feasible, 0)
    for point in points.tolist():
        counts[tuple(point)] += 1  # a KeyError is an infeasible point
    expected = 12_000 / len(feasible)
    chi_square = sum((count - expected) ** 2 / expected for count in counts.values())
    assert len(feasible) == 12
    assert chi_square < 31.3  # 0.999 quantile with 11 degrees of freedom


def test_the_sampler_fills_real_problems() -> None:
    problem = load("ising/400/9")
    assert problem.sample is not None
    points = problem.sample(50, np.random.default_rng(1))
    assert problem.domain.feasible(points).all()
    assert len(np.unique(points, axis=0)) == 50


def test_there_are_thirty() -> None:
    assert len(names("ising/*")) == 30
