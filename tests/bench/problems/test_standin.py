"""How good the stand-in for NAS-Bench-101 is on cells it has not seen, and that it is always labelled."""

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import spearmanr

from milbox.arrays import FloatArray
from milbox.bench.problems import load, standin
from milbox.bench.problems.boosting import boosted
from milbox.bench.problems.cells import ENDS, Cells, canonical_codes, cells_of
from milbox.errors import DataError
from small_data import random_cells, write_cells


def determination(predicted: FloatArray, real: FloatArray) -> float:
    return float(1 - ((predicted - real) ** 2).sum() / ((real - real.mean()) ** 2).sum())


def picked(cells: Cells, rows: slice) -> Cells:
    return Cells(cells.vertices[rows], cells.bits[rows], cells.ops[rows])


def test_it_ranks_cells_it_has_not_seen(nasbench: Path) -> None:
    cells, accuracy, seconds = standin.read_sample(nasbench / "nasbench101" / standin.SAMPLE)
    seen, held_out = slice(0, 18_000), slice(18_000, None)  # rows are in the order of a hash
    model = standin.fitted(picked(cells, seen), accuracy[seen], seconds[seen])
    guess, real = model.accuracy(picked(cells, held_out)), accuracy[held_out]
    assert spearmanr(guess, real).statistic > 0.95
    trained = real > 0.8  # single runs that failed cannot be foreseen
    assert trained.mean() > 0.98
    assert determination(guess[trained], real[trained]) > 0.9
    assert determination(model.seconds(picked(cells, held_out)), seconds[held_out]) > 0.99


def test_the_problem_says_that_it_is_a_stand_in(tmp_path: Path) -> None:
    write_cells(tmp_path)
    problem = load("nasbench101", tmp_path)
    assert problem.source.startswith("STAND-IN")
    assert load("nasbench101/symmetry", tmp_path).source.startswith("STAND-IN")
    _, accuracy, _ = standin.read_sample(tmp_path / "nasbench101" / standin.SAMPLE)
    assert problem.optimum == pytest.approx(accuracy.max(), abs=0.005)
    point = np.zeros((1, 26), dtype=np.int64)
    point[0, 21:] = 3
    point[0, ENDS.index((0, 6))] = 1
    assert problem.domain.feasible(point).all()
    assert 0.5 < problem.evaluate(point)[0] < problem.optimum
    assert problem.seconds is not None
    assert problem.test_value is not None
    assert 200 < problem.seconds(point)[0] < 6000
    assert problem.test_value(point)[0] == problem.evaluate(point)[0]
    assert problem.objective(**problem.domain.assignment(point[0].tolist())) == problem.evaluate(point)[0]


def test_features_do_not_depend_on_the_numbering() -> None:
    cells = cells_of(random_cells(0))
    codes, features = canonical_codes(cells), standin.cell_features(cells)
    order = np.argsort(codes, kind="stable")
    twins = np.flatnonzero(np.diff(codes[order]) == 0)
    assert len(twins) > 20
    assert np.array_equal(features[order[twins]], features[order[twins + 1]])


def test_counts_of_a_known_cell() -> None:
    # input -> conv3x3 -> maxpool -> output, input -> conv1x1 -> output, input -> output
    bits = sum(1 << (x + y * (y - 1) // 2) for x, y in ((0, 1), (1, 2), (2, 4), (0, 3), (3, 4), (0, 4)))
    (counts,) = standin.cell_features(Cells(np.array([5]), np.array([bits]), np.array([[0, 2, 1, 255, 255]])))
    assert counts[:10].tolist() == [5, 6, 3, 1, 1, 1, 1, 3, 3, 1]
    paths = counts[standin.PATHS :]
    assert np.flatnonzero(paths).tolist() == [0, 1 + 1, 4 + 3 * 0 + 2]
    assert counts[standin.DEPTHS : standin.DEPTHS + 9].tolist() == [1, 1, 1, 1, 1, 1, 2, 1, 1]


def test_boosting_learns_an_interaction_and_shrugs_off_outliers() -> None:
    rng = np.random.default_rng(0)
    features = rng.integers(0, 4, (4000, 9)).astype(np.uint8)
    truth = np.where(features[:, 0] > 1, features[:, 3], -1.0 * features[:, 6])
    noisy = truth + np.where(rng.random(4000) < 0.02, -50.0, 0.0)
    fresh = rng.integers(0, 4, (1000, 9)).astype(np.uint8)
    expected = np.where(fresh[:, 0] > 1, fresh[:, 3], -1.0 * fresh[:, 6])
    plain = boosted(features, truth, trees=200, depth=4, rate=0.2).predict(fresh)
    robust = boosted(features, noisy, trees=200, depth=4, rate=0.2, clip=0.5).predict(fresh)
    careless = boosted(features, noisy, trees=200, depth=4, rate=0.2).predict(fresh)
    assert determination(plain, expected) > 0.99
    assert determination(robust, expected) > 0.98
    assert determination(careless, expected) < determination(robust, expected)


def test_fitting_twice_gives_the_same_trees() -> None:
    rng = np.random.default_rng(1)
    features, target = rng.integers(0, 5, (500, 7)).astype(np.uint8), rng.normal(size=500)
    one, other = (boosted(features, target, trees=20) for _ in range(2))
    assert np.array_equal(one.leaf, other.leaf)
    assert np.array_equal(one.feature, other.feature)


def test_a_damaged_sample_is_named(tmp_path: Path) -> None:
    path = tmp_path / "nasbench101" / standin.SAMPLE
    path.parent.mkdir()
    np.savez(
        path, V=np.full(3, 2), bits=np.ones(3), ops=np.full((3, 4), 255), val_acc_108=1, train_time_108=1
    )
    with pytest.raises(DataError, match=r"'ops' has shape \(3, 4\), expected \(3, 5\)"):
        load("nasbench101", tmp_path)
