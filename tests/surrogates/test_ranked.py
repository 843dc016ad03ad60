"""Fits that see ranks, and fits that see values."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.random import Generator

from milbox.arrays import FloatArray, ranks
from milbox.surrogates.linear import LinearLearner
from milbox.surrogates.ranked import Ranked, by_ranks


class Seen(Exception):
    """What the learner inside was given."""


class Watching:
    def fit(self, features: FloatArray, values: FloatArray, rng: Generator) -> None:
        del features, rng
        raise Seen(values)


def seen(share: float, values: FloatArray, seed: int = 0) -> FloatArray:
    with pytest.raises(Seen) as caught:
        Ranked(Watching(), share).fit(np.zeros((len(values), 2)), values, np.random.default_rng(seed))  # type: ignore[arg-type]
    return np.asarray(caught.value.args[0])


@given(st.lists(st.floats(-1e12, 1e12), min_size=1, max_size=40))
def test_ranks_keep_the_order_and_share_places(values: list[float]) -> None:
    places = ranks(np.array(values))
    for place, value in zip(places, values, strict=True):
        below, equal = sum(v < value for v in values), sum(v == value for v in values)
        assert place == below + (equal + 1) / 2


@given(st.lists(st.integers(-1000, 1000).map(float), min_size=1, max_size=40))
def test_by_ranks_keeps_order_ties_median_and_best(values: list[float]) -> None:
    raw = np.array(values)
    new = by_ranks(raw)
    np.testing.assert_array_equal(ranks(np.round(new, 6)), ranks(raw))
    assert new.max() == pytest.approx(raw.max())
    if np.median(raw) < raw.max():
        assert np.median(new) == pytest.approx(np.median(raw), abs=1e-9)


@given(st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=20))
def test_by_ranks_takes_any_values(values: list[float]) -> None:
    assert np.isfinite(by_ranks(np.array(values))).all()


def test_a_heavy_tail_hides_nothing_any_more() -> None:
    """Standardised, the four best of these differ by a millionth; by rank they are as far apart as others."""
    raw = np.array([-1e9, -1e8, -1e7, -4.0, -3.0, -2.0, -1.0])
    new = by_ranks(raw)
    assert (new[-1] - new[-2]) / new.std() > 0.5
    assert (raw[-1] - raw[-2]) / raw.std() < 1e-6


def test_only_the_order_counts() -> None:
    """Another increasing function of the values has the same ranks, and differs in units alone."""
    raw = np.random.default_rng(0).normal(size=50)
    one, other = by_ranks(raw), by_ranks(np.exp(3.0 * raw))
    np.testing.assert_allclose(
        (one - one.mean()) / one.std(), (other - other.mean()) / other.std(), atol=1e-9
    )


def test_the_share_is_the_probability_of_ranks() -> None:
    raw = np.array([-1e9, 1.0, 2.0, 3.0])
    np.testing.assert_array_equal(seen(0.0, raw), raw)
    np.testing.assert_array_equal(seen(1.0, raw), by_ranks(raw))
    by_rank = sum(seen(0.25, raw, seed)[0] != raw[0] for seed in range(400))
    assert 70 <= by_rank <= 130


def test_equal_values_stay() -> None:
    np.testing.assert_array_equal(by_ranks(np.full(5, 7.0)), 7.0)


def test_it_wraps_any_learner() -> None:
    features = np.eye(4)[[0, 1, 2, 3, 0, 1]]
    values = np.array([0.0, 1.0, 2.0, 3.0, 0.0, 1.0])
    fitted = Ranked(LinearLearner(bootstrap=False), 1.0).fit(features, values, np.random.default_rng(0))
    assert fitted.predict(features)[3] == pytest.approx(3.0, abs=1e-3)


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan")])
def test_shares_that_cannot_be_meant(share: float) -> None:
    with pytest.raises(ValueError, match="from 0 to 1"):
        Ranked(share=share)
