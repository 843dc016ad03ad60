"""Generated programs have the structure of MINLPLib's, and their optima are optima."""

from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest

from milbox.bench.problems import generated, load, names
from milbox.bench.problems.generated import optima, program_of, torus
from milbox.bench.problems.program import QuadraticProgram
from milbox.bench.problems.quadratic import read_npz


def rows_of(program: QuadraticProgram) -> set[tuple[tuple[tuple[int, float], ...], float, float]]:
    """The constraints, whatever their order."""
    rows: list[list[tuple[int, float]]] = [[] for _ in program.lower]
    for row, column, value in zip(program.a_row, program.a_column, program.a_value, strict=True):
        rows[row].append((int(column), float(value)))
    limits = zip(rows, program.lower.tolist(), program.upper.tolist(), strict=True)
    return {(tuple(sorted(row)), low, high) for row, low, high in limits}


def pairs_of(program: QuadraticProgram) -> dict[tuple[int, int], float]:
    """The products."""
    return {
        (int(i), int(j)): float(q)
        for i, j, q in zip(program.q_row, program.q_column, program.q_value, strict=True)
    }


def test_a_torus_joins_each_vertex_with_its_neighbours() -> None:
    assert len(torus((4, 4))) == 32
    assert len(torus((3, 3, 3))) == 81
    assert len(torus((2, 3, 4))) == 60  # a ring of two has one edge
    degrees = np.bincount(torus((4, 4, 4)).ravel())
    assert (degrees == 6).all()
    assert {(0, 3), (0, 1), (0, 4), (0, 12)} <= {tuple(edge) for edge in torus((4, 4)).tolist()}


@pytest.mark.parametrize("graph", [*generated.GRIDS, *generated.CLIQUES])
def test_a_partition_has_one_part_for_each_vertex(graph: str) -> None:
    program = program_of(f"bqp/graphpart/{graph}/0")
    vertices = len(program.linear) // 3
    assert rows_of(program) == {
        (((3 * v, 1.0), (3 * v + 1, 1.0), (3 * v + 2, 1.0)), 1.0, 1.0) for v in range(vertices)
    }
    assert (program.q_row % 3 == program.q_column % 3).all()
    assert (program.q_row < program.q_column).all()
    weights = program.q_value[::3]
    if "pm" in graph:
        assert set(weights) == {-1.0, 1.0}
    elif "g" in graph:
        assert 5e4 < weights.std() < 2e5
        assert (weights == np.round(weights)).all()


def test_the_cost_of_a_partition_is_the_weight_inside_parts() -> None:
    problem = load("bqp/graphpart/clique-20/0")
    rng = np.random.default_rng(0)
    part = rng.integers(0, 3, 20)
    x = np.zeros(60, dtype=np.int64)
    x[3 * np.arange(20) + part] = 1
    inside = sum(v - u for v in range(20) for u in range(v) if part[u] == part[v])
    assert problem.domain.contains(tuple(x.tolist()))
    assert problem.value(tuple(x.tolist())) == -inside


@pytest.mark.parametrize("size", generated.ASSIGNMENTS)
def test_facilities_need_their_share_of_the_capacity(size: str) -> None:
    program = program_of(f"bqp/gqap/{size}/0")
    facilities, sites = (int(count) for count in size.split("-", maxsplit=1)[0].split("x"))
    capacities = program.upper[facilities:]
    weights = program.a_value[program.a_row == facilities]
    assert len(capacities) == sites
    assert weights.sum() / capacities.sum() == pytest.approx(int(size.partition("-")[2]) / 100, abs=0.01)
    assert generated.packed(weights, capacities)
    # Traffic times distance: symmetric in the sites, none at one site.
    pairs = pairs_of(program)
    for (a, b), (i, j) in product([(0, 1), (2, 4)], [(0, 1), (3, 7)]):
        assert pairs[sites * i + a, sites * j + b] == pairs[sites * i + b, sites * j + a] > 0
        assert (sites * i + a, sites * j + a) not in pairs


def test_paths_go_right_and_down_from_the_first_to_the_last_vertex() -> None:
    problem = load("bqp/qspp/6/0")
    assert problem.domain.size == 252  # 10 steps, of which 5 go right
    right = [int(v) for v in range(5)]  # along the first row, then down the last column
    x = np.zeros(60, dtype=np.int64)
    x[right] = 1
    x[[30 + 6 * r + 5 for r in range(5)]] = 1
    assert problem.domain.contains(tuple(x.tolist()))
    program = program_of("bqp/qspp/6/0")
    taken = np.flatnonzero(x)
    pairs = pairs_of(program)
    cost = program.linear[taken].sum() + sum(pairs.get((a, b), 0.0) for a in taken for b in taken if a < b)
    assert problem.value(tuple(x.tolist())) == -cost


def test_the_same_name_is_the_same_problem() -> None:
    one, again = program_of("bqp/graphpart/2g-4/1"), program_of("bqp/graphpart/2g-4/1")
    assert (one.q_value == again.q_value).all()
    assert (one.q_value != program_of("bqp/graphpart/2g-4/0").q_value).any()


def test_optima_are_of_these_coefficients() -> None:
    known = optima()
    assert set(known) <= set(names("bqp/*"))
    assert len(known) >= 40
    for name, each in known.items():
        assert generated.checksum(program_of(name)) == each.checksum, name


@pytest.mark.parametrize("name", ["bqp/qspp/6/0", "bqp/qspp/6/1", "bqp/qspp/6/2"])
def test_the_optimum_of_short_paths_is_that_of_all_points(name: str) -> None:
    problem = load(name)
    points = []
    for right in combinations(range(10), 5):
        point, row, column = [0] * 60, 0, 0
        for step in range(10):
            if step in right:
                point[5 * row + column] = 1
                column += 1
            else:
                point[30 + 6 * row + column] = 1
                row += 1
        points.append(point)
    assert problem.domain.feasible(np.array(points)).all()
    assert problem.optimum == problem.evaluate(np.array(points)).max()


def test_the_optimum_of_a_small_torus_is_that_of_all_partitions() -> None:
    # Row by row: 81 states of a row, for each state of the first.
    program = program_of("bqp/graphpart/2pm-4/0")
    weights = {(i // 3, j // 3): q for (i, j), q in pairs_of(program).items()}
    states = np.array(list(product(range(3), repeat=4)))

    def between(first: int, second: int) -> np.ndarray:
        """What the edges between two rows cost, for each pair of their states."""
        total = np.zeros((len(states), len(states)))
        for c in range(4):
            ends = sorted((4 * first + c, 4 * second + c))
            total += weights[ends[0], ends[1]] * (states[:, None, c] == states[None, :, c])
        return total

    def within(row: int) -> np.ndarray:
        """What the edges of a row cost."""
        total = np.zeros(len(states))
        for c in range(4):
            ends = sorted((4 * row + c, 4 * row + (c + 1) % 4))
            total += weights[ends[0], ends[1]] * (states[:, c] == states[:, (c + 1) % 4])
        return total

    least = np.inf
    for start in range(len(states)):
        costs = np.full(len(states), np.inf)
        costs[start] = within(0)[start]
        for row in (1, 2, 3):
            costs = (costs[:, None] + between(row - 1, row)).min(axis=0) + within(row)
        least = min(least, float((costs + between(0, 3)[start]).min()))
    assert load("bqp/graphpart/2pm-4/0").optimum == -least


def test_the_structure_is_that_of_minlplib(minlplib: Path) -> None:
    """On the real files, where they are: rows are equal, and so is all of a clique."""
    clique = read_npz(minlplib / "minlplib/graphpart_clique-20.npz")
    ours = program_of("bqp/graphpart/clique-20/0")
    assert (rows_of(ours), pairs_of(ours)) == (rows_of(clique), pairs_of(clique))
    grid = read_npz(minlplib / "minlplib/graphpart_2g-0044-1601.npz")
    assert pairs_of(grid).keys() == pairs_of(program_of("bqp/graphpart/2g-4/0")).keys()
    paths = read_npz(minlplib / "minlplib/qspp_0_10_0_1_10_1.npz")
    assert rows_of(paths) == rows_of(program_of("bqp/qspp/10/0"))
    assert load("bqp/graphpart/clique-20/0").optimum == -147.0
    assert load("bqp/graphpart/clique-40/0").optimum == -1183.0
    assert load("bqp/graphpart/clique-50/0").optimum == -2312.0
