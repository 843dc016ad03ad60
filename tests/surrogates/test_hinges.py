"""A draw of hinges goes through the data and is uncertain elsewhere."""

import numpy as np
import pytest

from milbox.surrogates import Hinges


def test_draws_agree_where_points_are_and_differ_elsewhere() -> None:
    rng = np.random.default_rng(0)
    seen, far = rng.uniform(0.3, 0.7, (40, 3)), np.ones((1, 3))
    values = 3 * seen[:, 0] + np.abs(seen[:, 1] - 0.5)
    draws = [Hinges().fit(seen, values, rng) for _ in range(30)]
    at_points = np.array([net.predict(seen) for net in draws])
    assert np.abs(at_points.mean(axis=0) - values).max() < 0.1 * np.ptp(values)
    assert np.std([net.predict(far)[0] for net in draws]) > 3 * at_points.std(axis=0).mean()


def test_the_linear_part_is_exact_outside_of_what_was_seen() -> None:
    """Two units are a linear function everywhere, also where features are not from zero to one."""
    rng = np.random.default_rng(1)
    seen = rng.uniform(-3, 9, (60, 2))
    net = Hinges(units=1).fit(seen, seen @ [2.0, -5.0] + 1, rng)
    assert len(net.hidden[0].bias) == 3
    beyond = rng.uniform(-50, 50, (200, 2))
    assert np.corrcoef(net.predict(beyond), beyond @ [2.0, -5.0])[0, 1] > 0.9
    straight = net.hidden[0].weights[:, 1]
    assert np.array_equal(straight, -net.hidden[0].weights[:, 2])
    z = np.maximum(beyond @ net.hidden[0].weights + net.hidden[0].bias, 0)
    assert z[:, 1] - z[:, 2] == pytest.approx(beyond @ straight + net.hidden[0].bias[1])


def test_half_of_the_kinks_go_through_given_points() -> None:
    rng = np.random.default_rng(2)
    seen, given = rng.uniform(0, 0.1, (30, 2)), np.full((1, 2), 0.9)
    net = Hinges(units=8, through=given).fit(seen, seen.sum(axis=1), rng)
    at_given = (given @ net.hidden[0].weights + net.hidden[0].bias)[0, :8]
    assert (np.abs(at_given) < 1e-9).sum() == 4


def test_a_feature_that_hardly_varies_is_not_blown_up() -> None:
    seen = np.column_stack([np.linspace(0, 1, 20), np.full(20, 0.5)])
    seen[0, 1] += 1e-9
    net = Hinges().fit(seen, seen[:, 0], np.random.default_rng(3))
    assert np.abs(net.hidden[0].weights).max() < 1e4
