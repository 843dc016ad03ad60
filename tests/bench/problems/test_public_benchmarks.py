"""Benchmarks of others agree with the packages and tables that define them."""

import json
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from milbox.bench import problems
from milbox.bench.problems import contamination, maxsat
from milbox.bench.problems.ehrlich import NAMES, SIZES, Ehrlich, draw
from milbox.bench.problems.labs import ENERGIES, merit

CASES = json.loads((Path(__file__).parents[2] / "fixtures/ehrlich.json").read_text())
"""Functions, sequences and values of `holo.test_functions.closed_form.Ehrlich` (pytorch-holo 0.0.5)."""


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['letters']}-{case['length']}")
def test_ehrlich_values_are_those_of_pytorch_holo(case: dict[str, Any]) -> None:
    offsets = np.array([np.cumsum([0, *spacing]) for spacing in case["spacings"]])
    function = Ehrlich(np.array(case["motifs"]), offsets, case["quantisation"])
    points = np.array(case["points"])
    feasible = np.array([value is not None for value in case["values"]])
    pairs = {tuple(pair) for pair in case["forbidden"]}
    for point, fits in zip(points, feasible, strict=True):
        assert fits == pairs.isdisjoint(pairwise(point))
    expected = [value for value in case["values"] if value is not None]
    assert len(set(expected)) > 3
    np.testing.assert_allclose(function(points[feasible]), expected, atol=1e-6)


@pytest.mark.parametrize("name", [name for name in NAMES if name.endswith(("/0", "/7"))])
def test_the_motifs_written_one_after_another_are_optimal_and_feasible(name: str) -> None:
    problem = problems.load(name)
    _, function = draw(SIZES[name.rpartition("/")[0]], int(name.rpartition("/")[2]))
    letters: list[int] = []
    for motif, offsets in zip(function.motifs, function.offsets, strict=True):
        last = np.searchsorted(offsets, np.arange(offsets[-1] + 1), side="right") - 1
        letters += motif[last].tolist()
    length = len(problem.domain.variables)
    point = tuple((letters + [letters[-1]] * length)[:length])
    assert problem.domain.contains(point)
    assert problem.value(point) == problem.optimum == 1.0


def test_a_published_size_forbids_transitions_and_random_points_keep_them() -> None:
    problem = problems.load("ehrlich/15/0")
    chain, _ = draw(SIZES["ehrlich/15"], 0)
    assert ((chain == 0).sum(axis=1) <= 3).all()
    assert (chain == 0).any()
    assert (np.diag(chain) > 0).all()
    np.testing.assert_allclose(chain.sum(axis=1), 1.0)
    first, second = np.argwhere(chain == 0)[0]
    assert not problem.domain.contains((int(first), int(second), *[int(second)] * 13))


def test_contamination_agrees_with_vizier() -> None:
    vizier = pytest.importorskip("vizier._src.benchmarks.experimenters.combo_experimenter")
    chain = contamination.dynamics(3)
    oracle = vizier.ContaminationExperimenter(random_seed=3)
    oracle._init_z, oracle._lambdas, oracle._gammas = chain.initial, chain.spread, chain.cure
    rng = np.random.default_rng(0)
    points = rng.integers(2, size=(20, contamination.STAGES))
    expected = [
        oracle._contamination(x, np.ones(x.size), chain.initial, chain.spread, chain.cure, 0.1, 0.05)
        + 0.01 * x.sum()
        for x in points
    ]
    np.testing.assert_allclose(chain(points), -np.array(expected), rtol=1e-12)


def test_merit_factors_of_short_sequences_are_the_published_optima() -> None:
    least = {3: 1, 4: 2, 5: 2, 6: 7, 7: 3, 8: 8, 9: 12, 10: 13, 11: 5, 12: 10, 13: 6}
    for length, energy in least.items():
        every = np.array(list(product((0, 1), repeat=length)))
        assert merit(every).max() == pytest.approx(length**2 / (2 * energy))


def test_a_sequence_of_length_twenty_reaches_the_energy_in_the_table() -> None:
    codes = np.arange(2**19)[:, None] >> np.arange(19) & 1
    every = np.concatenate([codes, np.zeros((len(codes), 1), dtype=np.int64)], axis=1)
    assert merit(every).max() == pytest.approx(20**2 / (2 * ENERGIES[20]))


def test_the_planted_assignment_of_maxsat_satisfies_every_hard_clause() -> None:
    problem = problems.load("maxsat/60")
    pairs, planted = maxsat.forbidden_pairs(maxsat.SEED)
    assert problem.value(tuple(planted)) == problem.optimum == 61 * len(pairs) + 10
    rng = np.random.default_rng(0)
    points = rng.integers(2, size=(200, 60))
    slow = [sum(p) + 61 * sum(not (p[a] and p[b]) for a, b in pairs) for p in points.tolist()]
    np.testing.assert_array_equal(problem.evaluate(points), slow)
    assert max(slow) < problem.optimum


def test_the_names_of_the_families_are_listed() -> None:
    for name in (
        "ehrlich/15/0",
        "ehrlich/32/9",
        "ehrlich/64/0",
        "pestcontrol/0",
        "contamination/0",
        "labs/50",
    ):
        assert name in problems.names(name)
