"""BoTorch sees domains as they are: bounds, values, and linear constraints."""

import numpy as np
import pytest

import milbox as mb
from milbox.bench.botorch import BoTorch, Cube
from milbox.bench.problems import load
from milbox.bench.problems.mixed import NAMES
from milbox.trials.origin import Source

torch = pytest.importorskip("torch", reason="BoTorch needs it")


@pytest.mark.parametrize("name", NAMES)
def test_points_survive_the_way_there_and_back_and_keep_what_botorch_is_told(name: str) -> None:
    domain = load(name).domain
    cube = Cube(domain)
    study = mb.Study(domain, mb.RandomSearch(), seed=3)
    points = [trial.point for trial in study.ask_many(20)]
    features = cube.features(np.array(points, dtype=np.float64)).numpy()
    assert [cube.point(row) for row in features] == points
    low, high = cube.bounds.numpy()
    assert (features >= low - 1e-12).all()
    assert (features <= high + 1e-12).all()
    above, equal = cube.constraints()
    assert len(above) + len(equal) == len(domain.constraints)
    for row in features:
        for indices, weights, level in equal:
            assert row[indices.numpy()] @ weights.numpy() == pytest.approx(level, abs=1e-9)
        # They are tightened by what rounding may cost, so that a point on the limit misses by a little.
        for indices, weights, level in above:
            assert row[indices.numpy()] @ weights.numpy() >= level - 1e-3


def test_random_points_come_first() -> None:
    domain = load("mixed/flare").domain
    study = mb.Study(domain, BoTorch(initial=3), seed=0)
    assert {trial.origin.source for trial in study.ask_many(3)} == {Source.RANDOM}
