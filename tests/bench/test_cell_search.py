"""The NAS-Bench-101 paper's searches stay within its cells, and mutate at its rates."""

import numpy as np
import pytest

from milbox.arrays import IntArray
from milbox.bench.cell_search import CellEvolution, CellSampling, mutants, pruned, refusal
from milbox.bench.measure.cells import CellRecord
from milbox.bench.problems.cells import EDGES, ENDS, INNER, NULL, VERTICES
from milbox.bench.problems.nasbench import cell_domain
from milbox.bench.report.architectures import POINTS, time_curves, time_table
from milbox.domain import Domain, binary
from milbox.testing.answers import proposed
from milbox.trials import Finished, History, Proposal

DOMAIN = cell_domain(symmetry=False)


def graphs(count: int, seed: int) -> tuple[IntArray, IntArray]:
    rng = np.random.default_rng(seed)
    return rng.integers(2, size=(count, EDGES)), rng.integers(NULL, size=(count, INNER))


def on_a_path(edges: IntArray) -> set[int]:
    """The vertices on some path from input to output, by walking every path."""
    heads: dict[int, list[int]] = {
        x: [y for k, (a, y) in enumerate(ENDS) if a == x and edges[k]] for x in range(VERTICES)
    }

    def walks(vertex: int) -> list[set[int]]:
        if vertex == VERTICES - 1:
            return [{vertex}]
        return [{vertex} | rest for head in heads[vertex] for rest in walks(head)]

    return set().union(*walks(0))


def test_pruning_keeps_exactly_what_is_on_a_path() -> None:
    edges, ops = graphs(400, seed=1)
    valid = 0
    for row in range(len(edges)):
        made = pruned(edges[row : row + 1], ops[row : row + 1])
        used = on_a_path(edges[row])
        kept = [int(edges[row, k] and x in used and y in used) for k, (x, y) in enumerate(ENDS)]
        if not used or sum(kept) > 9:
            assert not len(made)
            continue
        valid += 1
        inner = [int(ops[row, v - 1]) if v in used else NULL for v in range(1, VERTICES - 1)]
        assert made[0].tolist() == kept + inner
        assert DOMAIN.contains(tuple(made[0].tolist()))
    assert 200 < valid < 400


def test_mutants_are_cells_and_change_at_the_papers_rates() -> None:
    # All vertices in a row, so that an edge that is lost is seen in the mutant's cell.
    chain = np.zeros((1, EDGES + INNER), dtype=np.int64)
    for k, (x, y) in enumerate(ENDS):
        chain[0, k] = y == x + 1
    parents = np.repeat(chain, 4000, axis=0)
    made = mutants(parents, 1.0, np.random.default_rng(2))
    assert DOMAIN.feasible(made).all()
    assert 0.2 < len(made) / 4000 < 1.0
    whole = made[(made[:, EDGES:] != NULL).all(axis=1)]
    # Nothing pruned: one of five operations changes on average, to each of the two others.
    changed = whole[:, EDGES:] != 0
    assert changed.mean() == pytest.approx(1 / INNER, abs=0.03)
    assert set(np.unique(whole[:, EDGES:])) == {0, 1, 2}
    unmoved = mutants(parents[:50], 0.0, np.random.default_rng(2))
    assert (unmoved == chain).all()


@pytest.mark.parametrize("strategy", [CellEvolution(initial=5), CellSampling(initial=5)])
@pytest.mark.parametrize("seed", range(3))
def test_law_7(strategy: CellEvolution | CellSampling, seed: int) -> None:
    history = History()
    for number in range(5):
        point = tuple(pruned(*graphs(50, seed=number))[0].tolist())
        history = history.asked([Proposal(point, "random")]).told(number, Finished(float(number)))
    history = history.asked([Proposal(tuple(pruned(*graphs(50, seed=9))[0].tolist()), "random")])
    found = proposed(strategy.propose(DOMAIN, history, 8, np.random.default_rng(seed)))
    points = [proposal.point for proposal in found]
    assert len(set(points)) == 8
    assert not set(points) & set(history.asked_points)
    assert all(DOMAIN.contains(point) for point in points)
    assert proposed(strategy.propose(DOMAIN, history, 8, np.random.default_rng(seed))) == found
    assert {proposal.origin for proposal in found} <= {"cell mutation", "random cell"}


def test_other_domains_are_refused() -> None:
    assert refusal(DOMAIN) is None
    assert refusal(cell_domain(symmetry=True)) is None
    assert refusal(Domain([binary("edge", 21)])) == "it is for nasbench101 only"


def record(algorithm: str, values: list[float], seconds: list[float]) -> CellRecord:
    empty = np.zeros(len(values))
    return CellRecord(
        domain=Domain([binary("x")]),
        problem="unknown",
        algorithm=algorithm,
        trial=0,
        notes={},
        points=np.zeros((len(values), 1), dtype=np.int64),
        values=np.array(values),
        seconds=np.array(seconds),
        fit=empty,
        inner=empty,
        certified=empty,
        at_bounds=empty,
        solvers=("",) * len(values),
        strategy="",
        sense="maximize",
        infeasible=0,
        repeated=0,
        pending=0,
        failed=0,
    )


def test_incumbents_against_training_time() -> None:
    records = [
        record("re", [0.5, 0.4, 0.9], [100.0, 50.0, 50.0]),
        record("re", [0.7, 0.8, 0.1], [50.0, 50.0, 200.0]),
        record("rs", [0.6], [400.0]),
    ]
    curves, label = time_curves(records, None)
    assert label.startswith("observed reward (no test values here: ")
    re, rs = curves
    assert (re.algorithm, re.trials, rs.trials) == ("re", 2, 1)
    # 200 seconds are in all trials: at 150 the incumbents are worth 0.5 and 0.8, at 200 they are 0.9 and 0.8.
    assert re.seconds[-1] == 200.0
    at_150 = int(np.searchsorted(re.seconds, 150.0))
    assert re.mean[at_150] == pytest.approx(0.65)
    assert re.mean[-1] == pytest.approx(0.85)
    # Student's t with one degree of freedom; one trial alone has no interval.
    assert re.half_width[-1] == pytest.approx(12.706204736 * np.std([0.9, 0.8], ddof=1) / np.sqrt(2))
    assert np.isnan(rs.half_width).all()
    assert (rs.mean == 0.6).all()
    assert "| re | 2 |" in time_table(curves)
    assert time_table(curves).splitlines()[-1].endswith("| 0.60000 |")
    assert len(re.mean) == POINTS
