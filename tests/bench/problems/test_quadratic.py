from itertools import product
from pathlib import Path

import numpy as np
import pytest

from milbox.bench.problems import load, names, primal_gap, quadratic
from milbox.bench.problems.program import QuadraticProgram
from milbox.errors import DataError
from programs import WRITERS, random_program, write_npz


def plain_value(program: QuadraticProgram, x: tuple[int, ...]) -> float:
    pairs = zip(program.q_row, program.q_column, program.q_value, strict=True)
    return float(program.constant + program.linear @ x + sum(v * x[i] * x[j] for i, j, v in pairs))


def plain_feasible(program: QuadraticProgram, x: tuple[int, ...]) -> bool:
    sums = np.zeros(len(program.lower))
    for row, column, value in zip(program.a_row, program.a_column, program.a_value, strict=True):
        sums[row] += value * x[column]
    return bool(np.all(sums >= program.lower) and np.all(sums <= program.upper))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("suffix", sorted(WRITERS))
def test_each_format_gives_the_same_problem_at_every_point(tmp_path: Path, suffix: str, seed: int) -> None:
    program = random_program(seed)
    folder = tmp_path / "minlplib"
    folder.mkdir()
    WRITERS[suffix](program, folder / f"tiny-{seed}{suffix}")
    problem = load(f"minlplib/tiny-{seed}", tmp_path)
    points = list(product((0, 1), repeat=8))
    values = problem.evaluate(np.array(points))
    np.testing.assert_allclose(values, [-plain_value(program, x) for x in points], atol=1e-9)
    assert [problem.domain.contains(x) for x in points] == [plain_feasible(program, x) for x in points]
    assert problem.objective(x=np.array(points[77])) == pytest.approx(-plain_value(program, points[77]))


def test_every_real_instance_loads_and_meets_its_check_value(minlplib: Path) -> None:
    listed = names("minlplib/*", minlplib)
    assert listed == [f"minlplib/{p.stem}" for p in sorted((minlplib / "minlplib").glob("*.npz"))]
    for name in listed:
        problem = load(name, minlplib)
        with np.load(minlplib / "minlplib" / f"{name.removeprefix('minlplib/')}.npz") as archive:
            value = problem.evaluate(archive["x_check"][None].astype(np.int64))[0]
            assert value == pytest.approx(-float(archive["f_check"]), rel=1e-9)
            assert len(problem.domain.variables) == int(archive["n"])
            assert len(problem.domain.constraints) == int(archive["m"])
        assert problem.best_known is not None
        assert problem.gap(problem.best_known) == 0.0


def test_real_instances_survive_the_other_formats(minlplib: Path, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    instances = ("graphpart_clique-20", "qspp_0_10_0_1_10_1", "crossdock_15x7")
    for name, suffix in product(instances, (".osil", ".lp")):
        folder = tmp_path / suffix / "minlplib"
        folder.mkdir(parents=True, exist_ok=True)
        program = quadratic.read_npz(minlplib / "minlplib" / f"{name}.npz")
        WRITERS[suffix](program, folder / f"{name}{suffix}")
        original, copy = load(f"minlplib/{name}", minlplib), load(f"minlplib/{name}", folder.parent)
        points = rng.integers(0, 2, (20, len(program.linear)))
        np.testing.assert_allclose(copy.evaluate(points), original.evaluate(points), rtol=1e-12)
        assert copy.domain == original.domain
        assert copy.best_known is None


def test_graph_partitioning_chooses_one_part_for_each_node(tmp_path: Path) -> None:
    # As MINLPLib's: 20 nodes in 3 parts, 60 binaries, a row for each node.
    pairs = np.triu_indices(20, 1)
    program = QuadraticProgram(
        constant=0.0,
        linear=np.zeros(60),
        q_row=np.concatenate([3 * pairs[0] + part for part in range(3)]),
        q_column=np.concatenate([3 * pairs[1] + part for part in range(3)]),
        q_value=np.ones(3 * len(pairs[0])),
        a_row=np.repeat(np.arange(20), 3),
        a_column=np.arange(60),
        a_value=np.ones(60),
        lower=np.ones(20),
        upper=np.ones(20),
    )
    (tmp_path / "minlplib").mkdir()
    write_npz(program, tmp_path / "minlplib" / "clique.npz")
    problem = load("minlplib/clique", tmp_path)
    # An assignment of every node is feasible, a second part for one is not.
    x = np.zeros(60, dtype=np.int64)
    x[::3] = 1
    assert problem.domain.contains(tuple(x.tolist()))
    assert problem.objective(x=x) == -190.0  # all pairs are in one part
    x[1] = 1
    assert len(problem.domain.violations(tuple(x.tolist()))) == 1


def test_arrays_win_over_texts_of_the_same_name(tmp_path: Path) -> None:
    (tmp_path / "minlplib").mkdir()
    for suffix, seed in ((".lp", 1), (".npz", 2)):
        WRITERS[suffix](random_program(seed), tmp_path / "minlplib" / f"twice{suffix}")
    assert names("minlplib/*", tmp_path) == ["minlplib/twice"]
    assert "twice.npz" in load("minlplib/twice", tmp_path).source


def test_best_known_values_come_from_the_index(tmp_path: Path) -> None:
    folder = tmp_path / "minlplib"
    folder.mkdir()
    write_npz(random_program(0), folder / "tiny.npz")
    (folder / "index.csv").write_text("name,best_known\ntiny,12.5\nother,3\n")
    problem = load("minlplib/tiny", tmp_path)
    assert problem.best_known == -12.5
    assert problem.gap(-25.0) == 0.5
    assert problem.gap(-12.0) == 0.0  # better than the best known
    (folder / "index.csv").write_text("name,best_known\ntiny,twelve\n")
    with pytest.raises(DataError, match="'twelve', which is not a number"):
        load("minlplib/tiny", tmp_path)
    (folder / "index.csv").write_text("instance,value\ntiny,1\n")
    with pytest.raises(DataError, match="column 'name'"):
        load("minlplib/tiny", tmp_path)


@pytest.mark.parametrize(
    ("value", "best", "gap"),
    [(-5, -5, 0), (0, 0, 0), (0, -3, 1), (-4, -2, 0.5), (3, 4, 0.25), (-1, 1, 1), (-110, -100, 10 / 110)],
)
def test_the_primal_gap_is_that_of_the_paper(value: float, best: float, gap: float) -> None:
    assert primal_gap(value, best) == pytest.approx(gap)
    assert primal_gap(-value, -best) == pytest.approx(gap)  # the same for what is minimised


def spoiled(folder: Path, **changes: object) -> None:
    """The arrays of a small program with some replaced or, when None, left out."""
    write_npz(random_program(0), folder / "good.npz")
    with np.load(folder / "good.npz") as archive:
        content = {name: archive[name] for name in archive.files} | changes
    (folder / "good.npz").unlink()
    np.savez(folder / "bad.npz", **{name: array for name, array in content.items() if array is not None})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"c": np.zeros(3)}, r"array 'c' has shape \(3,\), expected \(8,\)"),
        ({"rhs": None}, "no array 'rhs'"),
        ({"q_val": np.zeros(2)}, "array 'q_row' has shape"),
        ({"a_col": np.full(32, 99)}, "array 'a_col'"),
        ({"c": np.full(8, np.inf)}, "not a finite number"),
        ({"x_check": np.ones(8, np.uint8), "f_check": np.float64(1e6)}, "the file says 1000000.0"),
    ],
)
def test_spoiled_arrays_are_named(tmp_path: Path, changes: dict[str, object], message: str) -> None:
    folder = tmp_path / "minlplib"
    folder.mkdir()
    spoiled(folder, **changes)
    with pytest.raises(DataError, match=message) as caught:
        load("minlplib/bad", tmp_path)
    assert "\n" not in str(caught.value)
