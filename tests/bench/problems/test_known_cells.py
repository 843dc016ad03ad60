"""The cells whose accuracies are known: exactly they are in the domain, and every search finds its way."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from milbox.bench.algorithms import ALGORITHMS
from milbox.bench.cell_search import CellEvolution, CellSampling, standing_for
from milbox.bench.problems import load, names
from milbox.bench.problems.cells import canonical_codes, cells_of, points_of
from milbox.bench.problems.nasbench import KNOWN, cell_domain, measured
from milbox.bench.problems.problem import Problem
from milbox.bench.problems.standin import SAMPLE
from milbox.errors import DataError
from milbox.strategies import NNMILP
from milbox.study import Study
from small_data import random_cells, write_cells


@pytest.fixture
def problem(tmp_path: Path) -> Iterator[Problem]:
    write_cells(tmp_path)
    measured.cache_clear()
    yield load(KNOWN, tmp_path)
    measured.cache_clear()


def test_a_point_for_each_code_is_a_cell_with_null_vertices_last() -> None:
    codes = canonical_codes(cells_of(random_cells(1)))
    points = points_of(codes)
    assert (canonical_codes(cells_of(points)) == codes).all()
    assert cell_domain(symmetry=True).feasible(points).all()
    vertices = (points[:, 21:] != 3).sum(axis=1) + 2
    assert set(vertices.tolist()) >= {4, 5, 6, 7}


def test_the_domain_has_each_known_cell_once(problem: Problem, tmp_path: Path) -> None:
    with np.load(tmp_path / "nasbench101" / SAMPLE) as data:
        accuracy = data["val_acc_108"]
    inside = random_cells(0)
    codes = canonical_codes(cells_of(inside))
    assert problem.domain.size == len(np.unique(codes))
    points = points_of(codes)
    assert problem.domain.feasible(points).all()
    assert np.array_equal(problem.evaluate(points), accuracy)
    assert problem.optimum == accuracy.max()
    assert problem.test_value is None
    outside = random_cells(2)
    new = points_of(np.setdiff1d(canonical_codes(cells_of(outside)), codes))
    assert len(new)
    assert not problem.domain.feasible(new).any()
    with pytest.raises(DataError, match="none of the"):
        problem.evaluate(new[:1])


def test_it_says_what_it_is(problem: Problem, tmp_path: Path) -> None:
    assert "STAND-IN" in load("nasbench101", tmp_path).source
    assert "STAND-IN" not in problem.source
    assert "these" in problem.source
    assert KNOWN in names("nasbench101*", tmp_path)
    (tmp_path / "nasbench101" / SAMPLE).unlink()
    assert KNOWN not in names("nasbench101*", tmp_path)


def test_searches_of_cells_end_at_known_ones(problem: Problem) -> None:
    everything = random_cells(3)
    found = standing_for(everything, problem.domain)
    assert problem.domain.feasible(found).all()
    known = np.isin(canonical_codes(cells_of(everything)), canonical_codes(cells_of(found)))
    assert 0 < known.sum() == len(found) < len(everything)
    full = cell_domain(symmetry=False)
    assert standing_for(everything, full) is everything
    for strategy, origin in (
        (CellEvolution(initial=5), "cell mutation"),
        (CellSampling(initial=5), "random cell"),
        (NNMILP(initial=5), None),
    ):
        study = Study(problem.domain, strategy, seed=1)
        for _ in range(9):
            trial = study.ask()
            study.tell(trial.number, problem.value(trial.point))
        assert len({trial.point for trial in study.trials}) == 9
        if origin is None:
            assert all(
                t.certificate is not None and t.certificate.status == "optimal" for t in study.trials[5:]
            )
        else:
            assert {t.proposal.origin for t in study.trials[5:]} == {origin}


def test_symmetry_is_refused_where_each_cell_is_there_once(problem: Problem) -> None:
    refusal = ALGORITHMS["nn+milp/symmetry"].refusal
    assert refusal(problem.domain) == "it is for all cells under all their names"
    assert refusal(cell_domain(symmetry=False)) is None
    assert ALGORITHMS["re"].refusal(problem.domain) is None
