import math

import numpy as np
import pytest

from milbox.bench.problems import bbob, load, names

ORACLE = {
    "attractive_sector": "AttractiveSector",
    "bent_cigar": "BentCigar",
    "discus": "Discus",
    "ellipsoid_separable": "Ellipsoidal",
    "gallagher_21me": "Gallagher21Me",
    "schaffers_f7": "SchaffersF7",
    "schwefel": "Schwefel",
    "sphere": "Sphere",
    "weierstrass": "Weierstrass",
}


def original_optimum(function: str, d: int) -> np.ndarray:
    """Where vizier's function has its optimum."""
    if function == "attractive_sector":
        return np.array([1.0 if i % 2 == 0 else -1.0 for i in range(d)])
    if function == "schwefel":
        return np.array([4.2096874633 / 2 * (-1) ** (i + 1) for i in range(d)])
    return np.zeros(d)


@pytest.mark.filterwarnings("ignore")  # the oracle converts arrays to floats in a way NumPy deprecates
@pytest.mark.parametrize("seed", [0, 3])
@pytest.mark.parametrize("d", [2, 10])
@pytest.mark.parametrize("function", sorted(ORACLE))
def test_agrees_with_vizier(function: str, d: int, seed: int) -> None:
    vizier = pytest.importorskip("vizier._src.benchmarks.experimenters.synthetic.bbob")
    oracle = getattr(vizier, ORACLE[function])
    r, q = vizier._R(d, seed, b"R"), vizier._R(d, seed, b"Q")
    points = np.random.default_rng([d, seed]).uniform(-6, 6, (60, d))
    points[0] = 0.0
    shift = original_optimum(function, d)
    expected = [float(oracle((point + shift).copy(), seed)) for point in points]
    np.testing.assert_allclose(bbob.FUNCTIONS[function](points, r, q), expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("d", [2, 10])
def test_the_step_ellipsoid_is_that_of_coco(d: int) -> None:
    rng = np.random.default_rng(d)
    r, q = (np.linalg.qr(rng.normal(size=(d, d)))[0] for _ in range(2))
    points = rng.uniform(-6, 6, (200, d))
    points[0] = 0.0
    points[1] = -0.3
    expected = []
    for x in points:
        # Number by number, from Hansen et al. 2009 with the absolute value of COCO's code.
        near = [math.sqrt(10) ** (i / (d - 1)) * sum(r[i, j] * x[j] for j in range(d)) for i in range(d)]
        steps = [math.floor(0.5 + z) if abs(z) > 0.5 else math.floor(0.5 + 10 * z) / 10 for z in near]
        turned = [sum(q[i, j] * steps[j] for j in range(d)) for i in range(d)]
        total = sum(100 ** (i / (d - 1)) * turned[i] ** 2 for i in range(d))
        beyond = sum(max(0.0, abs(value) - 5) ** 2 for value in x)
        expected.append(0.1 * max(abs(near[0]) / 1e4, total) + beyond)
    np.testing.assert_allclose(bbob.FUNCTIONS["step_ellipsoid"](points, r, q), expected, rtol=1e-10)
    # Plateaus are symmetric: -3.3 lies on the same one as -3, like 3.3 and 3.
    one = np.eye(d)
    far = np.zeros((4, d))
    far[:, 0] = 3.3, 3.0, -3.3, -3.0
    values = bbob.FUNCTIONS["step_ellipsoid"](far, one, one)
    assert values[0] == values[1] == values[2] == values[3]


def test_the_grid_has_ten_levels_and_holds_the_optimum() -> None:
    grid = bbob.levels()
    assert len(grid) == 10
    assert grid[0] == -5.0
    assert grid[-1] == 5.0
    assert np.count_nonzero(grid == 0.0) == 1
    assert np.all(np.diff(grid) > 0)
    # Only the level nearest to zero was moved.
    assert np.count_nonzero(~np.isclose(grid, np.linspace(-5, 5, 10))) == 1


@pytest.mark.parametrize("name", bbob.NAMES)
def test_the_optimum_is_at_zero_and_nowhere_else(name: str) -> None:
    problem = load(name)
    zero = int(np.flatnonzero(bbob.levels() == 0.0)[0])
    assert problem.objective(x=np.zeros(10)) == problem.optimum
    assert problem.optimum == pytest.approx(0.0, abs=1e-12)
    rng = np.random.default_rng(1)
    anywhere = rng.integers(0, 10, (3000, 10))
    # Neighbours of the optimum: one or two coordinates away from it.
    near = np.full((3000, 10), zero)
    for _ in range(2):
        near[np.arange(3000), rng.integers(0, 10, 3000)] = rng.integers(0, 10, 3000)
    for points in (anywhere, near):
        others = points[(points != zero).any(axis=1)]
        assert problem.evaluate(others).max() < -1e-9


@pytest.mark.parametrize("name", bbob.NAMES)
def test_outputs_are_divided_by_the_deviation_at_thirty_points(name: str) -> None:
    problem = load(name)
    function = name.removeprefix("bbob/")
    points = np.random.default_rng(bbob.REFERENCE_SEED).uniform(-5, 5, (30, 10))
    values = bbob.raw(function, points)
    deviation = np.median(np.abs(values - np.median(values)))
    corner = np.full((1, 10), 9)
    assert problem.evaluate(corner)[0] == pytest.approx(
        -bbob.raw(function, np.full((1, 10), 5.0))[0] / deviation
    )


def test_there_are_ten_with_ten_variables_of_ten_levels() -> None:
    assert len(names("bbob/*")) == 10
    domain = load("bbob/sphere").domain
    assert [len(v.codes) for v in domain.variables] == [10] * 10
