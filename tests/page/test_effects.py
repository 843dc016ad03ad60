"""The analysis finds planted effects, reports none by chance, and computes what it says."""

import numpy as np
import pytest
from scipy.stats import spearmanr

import milbox.domain as md
from milbox.page.analysis.contrasts import contrasts, screened
from milbox.page.analysis.effects import MOST_TRIALS, SHUFFLES, analyse, ridge, singular
from milbox.trials.trust import rank_correlation
from runs import distinct_points


def sequences() -> md.Domain:
    """Six places with four letters each."""
    return md.Domain([md.categorical("s", "ACGT", 6)])


def test_effects_that_were_put_in_are_found() -> None:
    domain = sequences()
    points = np.array(distinct_points(domain, 300, seed=1))
    rng = np.random.default_rng(2)
    truth = 3.0 * (points[:, 1] == 2) - 2.0 * (points[:, 4] == 0)
    found = analyse(domain, points.tolist(), truth + rng.normal(0, 0.3, 300))
    assert found is not None
    assert [effect.name for effect in found.variables[:2]] == ["s[1]", "s[4]"]
    assert [e.name for e in found.variables if e.spread > found.chance] == ["s[1]", "s[4]"]
    strongest = {level.shown: level.effect for level in found.variables[0].levels}
    assert strongest["G"] - strongest["A"] == pytest.approx(3.0, abs=0.2)
    # Effects are relative to the mean over the trials.
    for effect in found.variables:
        assert sum(level.effect * level.tried for level in effect.levels) == pytest.approx(0.0, abs=1e-9)
        assert sum(level.tried for level in effect.levels) == 300
    assert found.explained > 0.9
    assert not any(abs(pair.correlation) > found.pair_chance for pair in found.pairs)


def test_a_pair_that_was_put_in_is_found() -> None:
    domain = sequences()
    points = np.array(distinct_points(domain, 400, seed=3))
    rng = np.random.default_rng(4)
    together = 4.0 * ((points[:, 0] == 1) & (points[:, 5] == 3))
    found = analyse(domain, points.tolist(), together + rng.normal(0, 0.3, 400))
    assert found is not None
    first, second = found.pairs[:2]
    assert (first.names, first.levels) == (("s[0]", "s[5]"), ("C", "T"))
    assert first.correlation > found.pair_chance > abs(second.correlation)


def test_chance_stands_out_about_as_often_as_it_says() -> None:
    """Values without any relation: once in twenty times something exceeds the largest of 19 shuffles."""
    domain = sequences()
    points = distinct_points(domain, 60, seed=5)
    rng = np.random.default_rng(6)
    runs = 60
    standing = pairs = 0
    for _ in range(runs):
        found = analyse(domain, points, rng.normal(size=60))
        assert found is not None
        standing += any(effect.spread > found.chance for effect in found.variables)
        pairs += any(abs(pair.correlation) > found.pair_chance for pair in found.pairs)
    # 3 of 60 are expected; 10 or more would happen once in two thousand times.
    assert standing < 10
    assert pairs < 10
    assert SHUFFLES == 19


def test_leaving_one_out_is_what_it_is_called() -> None:
    """The formula's errors are those of fits that really leave a value out (with the mean of all kept)."""
    rng = np.random.default_rng(7)
    matrix = rng.normal(size=(12, 5))
    matrix -= matrix.mean(axis=0)
    values = rng.normal(size=12)
    values -= values.mean()
    fit = ridge(matrix, values)
    U, S, Vt = singular(matrix)
    np.testing.assert_allclose((U * S) @ Vt, matrix, atol=1e-9)
    # The penalty that was taken, from the gain S / (S² + p).
    penalty = float((S / fit.gain - S**2)[0])
    extended = np.column_stack([np.ones(12), matrix])
    free = np.diag([0.0, *[penalty] * 5])  # the mean is not penalised
    for i in range(12):
        rest = np.arange(12) != i
        solved = np.linalg.solve(extended[rest].T @ extended[rest] + free, extended[rest].T @ values[rest])
        assert fit.errors[i] == pytest.approx(values[i] - extended[i] @ solved, rel=1e-6, abs=1e-9)


def test_wide_and_tall_matrices_are_taken_apart_alike() -> None:
    rng = np.random.default_rng(8)
    for shape in ((5, 9), (9, 5)):
        matrix = rng.normal(size=shape)
        U, S, Vt = singular(matrix)
        np.testing.assert_allclose((U * S) @ Vt, matrix, atol=1e-9)
        np.testing.assert_allclose(U.T @ U, np.eye(len(S)), atol=1e-9)


def test_kinds_of_contrasts() -> None:
    domain = md.Domain(
        [
            md.binary("b"),
            md.integer("k", 0, 50),
            md.integer("j", 1, 3),
            md.categorical("c", "xyz"),
            md.binary("o"),
        ]
    )
    rng = np.random.default_rng(9)
    points = np.stack(
        [
            rng.integers(0, 2, 80),
            rng.integers(0, 51, 80),
            rng.integers(1, 4, 80),
            rng.integers(0, 3, 80),
            np.ones(80),
        ],
        axis=1,
    ).astype(np.int64)
    made = contrasts(domain, points)
    assert np.bincount(made.owner).tolist() == [1, 1, 3, 3]  # `o` never changed
    np.testing.assert_allclose(made.matrix.mean(axis=0), 0.0, atol=1e-12)
    found = analyse(domain, points.tolist(), 0.25 * points[:, 1] + rng.normal(0, 0.1, 80))
    assert found is not None
    assert found.unchanged == 1
    low, high = found.variables[0].levels
    span = points[:, 1].max() - points[:, 1].min()
    assert high.effect - low.effect == pytest.approx(0.25 * span, rel=0.02)
    few = screened(made, points[:, 3].astype(float), 4)
    assert set(few.owner) <= {0, 1, 2, 3}
    assert 3 in few.owner
    assert few.matrix.shape[1] <= 4


def test_what_cannot_be_analysed() -> None:
    domain = sequences()
    points = distinct_points(domain, 20)
    assert analyse(domain, points[:5], np.linspace(0, 1, 5)) is None
    assert analyse(domain, points, np.ones(20)) is None
    assert analyse(md.Domain([md.integer("k", 1, 1)]), [(1,)] * 20, np.linspace(0, 1, 20)) is None


def test_many_trials_and_variables_are_analysed_in_part() -> None:
    domain = md.Domain([md.categorical("s", "ABCDEFGHIJ", 120)])
    rng = np.random.default_rng(10)
    points = rng.integers(0, 10, (MOST_TRIALS + 200, 120))
    found = analyse(domain, points.tolist(), 5.0 * (points[:, 100] == 3) + rng.normal(size=len(points)))
    assert found is not None
    assert found.trials == MOST_TRIALS
    assert found.screened > 0
    assert found.variables[0].name == "s[100]"


@pytest.mark.parametrize("seed", range(5))
def test_rank_correlation_is_spearmans(seed: int) -> None:
    rng = np.random.default_rng(seed)
    one, other = rng.integers(0, 6, 30).astype(float), rng.normal(size=30)
    assert rank_correlation(one, other) == pytest.approx(spearmanr(one, other).statistic)
    assert rank_correlation(one[:2], other[:2]) is None
    assert rank_correlation(np.ones(9), np.linspace(0, 1, 9)) is None
