"""Do the problems with reals have the values that were published for them?"""

from typing import Any

import numpy as np
import pytest

from milbox.bench.problems import load
from milbox.bench.problems.mixed import NAMES

REPORTED: dict[str, tuple[dict[str, Any], float]] = {
    "vessel": ({"plates": [13, 7], "r": 42.0984, "l": 176.6366}, -6059.714335),
    "beam": ({"h": 0.20573, "l": 3.470489, "t": 9.036624, "b": 0.20573}, -1.724852),
    "reducer": (
        {"face": 3.5, "module": 0.7, "teeth": 17, "length": [7.3, 7.715321], "d0": 3.350215, "d1": 5.286655},
        -2994.471066,
    ),
    "func2c": ({"f0": "camel", "f1": "camel", "x": [0.0898, -0.7126]}, 0.20632569),
    "func3c": ({"f0": "camel", "f1": "camel", "f2": "5 camel", "x": [0.0898, -0.7126]}, 0.72213992),
    "ackley53": ({"on": [0] * 50, "x": [0, 0, 0]}, 0.0),
    "hartmann": ({"x": [0.20169, 0.150011, 0.476874, 0.275332, 0.311652, 0.6573]}, 3.32236801),
    "flare": ({"magnesium": 0.5233, "sodium": 0.2299, "strontium": 0.1668, "binder": 0.08}, 397.48),
}


@pytest.mark.parametrize("name", REPORTED)
def test_the_best_point_reported_is_feasible_and_has_its_value(name: str) -> None:
    problem = load(f"mixed/{name}")
    point, value = REPORTED[name]
    assert problem.domain.contains(problem.domain.point(point))
    # Published coefficients of the flare are rounded, and so are the coordinates of its best point.
    tolerance = 4e-3 if name == "flare" else 1e-5
    assert problem.objective(**{k: np.array(v) if isinstance(v, list) else v for k, v in point.items()}) == (
        pytest.approx(value, rel=tolerance, abs=1e-9)
    )
    assert problem.best_known is None or problem.best_known == pytest.approx(value)


def test_what_exceeds_a_limit_is_charged() -> None:
    beam, vessel = load("mixed/beam"), load("mixed/vessel")
    assert beam.objective(h=0.125, l=0.1, t=0.1, b=0.2) < -5
    small = {"plates": np.array([50, 50]), "r": 50.0, "l": 10.0}
    assert vessel.objective(**small) < vessel.objective(**{**small, "l": 200.0}) + 20_000


def test_every_name_is_there_once() -> None:
    assert len(NAMES) == len(set(NAMES)) == 8
