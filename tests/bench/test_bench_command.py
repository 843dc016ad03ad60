"""`milbox bench` as a user meets it: a plan is run, run again, reported; bad input is one clear line."""

import csv
import json
import subprocess
from collections import defaultdict
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from milbox.bench.algorithms import ALGORITHMS
from milbox.bench.measure.cells import read_cells
from milbox.bench.problems.binding import SEQUENCES
from small_data import write_binding, write_cells

ROOT = Path(__file__).parents[2]


def test_the_smoke_plan_is_run_skipped_and_reported(
    bench: Callable[..., "subprocess.CompletedProcess[str]"], tmp_path: Path
) -> None:
    out = tmp_path / "smoke"
    first = bench("run", "plans/smoke.toml", "--out", out, "--workers", "2")
    assert first.returncode == 0, first.stderr
    assert first.stderr.startswith(f"24 cells into {out}\n")
    assert "[24/24]" in first.stderr
    assert "24 finished, 0 were complete before" in first.stderr
    starts = defaultdict(set)
    for record in read_cells(out):
        assert len(record.values) == 12
        starts[record.problem].add(record.points[:10].tobytes())
    assert {problem: len(found) for problem, found in starts.items()} == dict.fromkeys(starts, 1)

    again = bench("run", "plans/smoke.toml", "--out", out)
    assert again.returncode == 0
    assert "0 finished, 24 were complete before" in again.stderr
    assert "[" not in again.stderr

    report = bench("report", out)
    assert report.returncode == 0, report.stderr
    assert report.stdout == f"{out / 'report.md'}\n"
    with (out / "cells.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 24
    assert all(row["infeasible"] == row["repeated"] == "0" for row in rows)
    assert all(row["gap"] == "" for row in rows if row["problem"] == "ising/100/0")
    assert (out / "figures" / "curves-bbob-12.png").exists()


def test_a_crashed_cell_is_told_at_the_end_and_the_rest_is_there(
    bench: Callable[..., "subprocess.CompletedProcess[str]"], written: Callable[..., Path], tmp_path: Path
) -> None:
    folder = tmp_path / "data" / "tfbind8"
    folder.mkdir(parents=True)
    np.savez(folder / "GOOD.npz", escore=np.linspace(-0.5, 0.5, SEQUENCES, dtype=np.float32))
    (folder / "TORN.npz").write_bytes((folder / "GOOD.npz").read_bytes()[:2000])
    plan = written(problems=["tfbind/*"], algorithms=["random"])
    done = bench("run", plan, "--out", tmp_path / "out", "--data", tmp_path / "data")
    assert done.returncode == 1
    assert "1 finished, 0 were complete before" in done.stderr
    *_, heading, line = done.stderr.strip().splitlines()
    assert heading.startswith("Error: 1 cell of 2 crashed; all others are in ")
    assert line.startswith("  tfbind/TORN · random · 0: crashed: milbox.errors.DataError: ")
    assert "TORN.npz is damaged" in line
    (record,) = read_cells(tmp_path / "out")
    assert (record.problem, len(record.values)) == ("tfbind/GOOD", 14)


def test_feasible_points_are_counted(bench: Callable[..., "subprocess.CompletedProcess[str]"]) -> None:
    done = bench("problems", "--feasible", "ising/[14]00/0")
    assert done.stdout.splitlines() == [
        "ising/100/0: 1.03e+24 points, 8.1e-07 of all",
        "ising/400/0: 1.14e+96 points, 4.4e-25 of all",
    ]
    assert bench("problems", "--feasible", "--json", "bqp/qspp/6/0").stdout.startswith(
        '{"name": "bqp/qspp/6/0", "points": 252'
    )


def test_bad_input_is_one_line(
    bench: Callable[..., "subprocess.CompletedProcess[str]"], written: Callable[..., Path], tmp_path: Path
) -> None:
    plan = written(budget=-1)
    for arguments, message in (
        (("run", plan), f"Error: {plan}: budget is -1; it must be a whole number of at least 1"),
        (("report", tmp_path / "none"), f"Error: {tmp_path / 'none'} is not a folder; give the folder that"),
        (("problems", "bbbo/*"), "Error: no problem matches 'bbbo/*'; `milbox bench problems` lists all"),
    ):
        done = bench(*arguments)
        assert done.returncode == 2
        assert done.stderr.startswith(message)
        assert len(done.stderr.splitlines()) == 1
        assert done.stdout == ""
    both = bench("run", plan, "--workers", "2", "--dask", "tcp://1.2.3.4:5")
    assert both.returncode == 2
    assert "--workers is for this machine and --dask for a cluster" in both.stderr


def test_problems_are_listed(bench: Callable[..., "subprocess.CompletedProcess[str]"]) -> None:
    text = bench("problems", "bbob/s[cp]*").stdout.splitlines()
    assert text[-3].startswith("bbob/sphere: 10 variables, unconstrained, optimum 0")
    assert len(text) == 9
    lines = bench("problems", "ising/100/1", "--json").stdout.splitlines()
    (entry,) = map(json.loads, lines)
    assert (entry["name"], entry["variables"], entry["constraints"]) == ("ising/100/1", 100, 10)
    assert entry["optimum"] is None
    assert entry["citation"]


def test_speed_is_a_table_and_json_of_methods_that_agree(
    bench: Callable[..., "subprocess.CompletedProcess[str]"], tmp_path: Path
) -> None:
    file = tmp_path / "rows.json"
    extent = ("--problem", "bbob/sphere", "--net", "4", "--tried", "20", "--repeats", "2")
    done = bench("speed", *extent, "--json", file)
    assert done.returncode == 0, done.stderr
    rows = json.loads(file.read_text())
    assert {"paper", "SCIP tuned", "branch and bound", "auto"} <= {row["method"] for row in rows}
    for row in rows:
        assert list(row) == [
            "domain",
            "net",
            "tried",
            "method",
            "seconds_median",
            "seconds_p95",
            "ratio_to_paper",
            "agrees",
        ]
        assert row["agrees"]
        assert row["seconds_p95"] >= row["seconds_median"] > 0
    inner = [row for row in rows if row["net"] == "FC(4)"]
    assert {(row["domain"], row["tried"]) for row in inner} == {("bbob/sphere", 20)}
    assert [row["ratio_to_paper"] for row in inner if row["method"] == "paper"] == [1.0]
    assert done.stdout.count("\n") == len(rows) + 2


@pytest.mark.full
def test_every_algorithm_is_run_and_reported(
    bench: Callable[..., "subprocess.CompletedProcess[str]"], written: Callable[..., Path], tmp_path: Path
) -> None:
    """Each on one problem that it takes: two steps after the random points."""
    data = tmp_path / "data"
    write_binding(data, "SMALL")
    write_cells(data)
    of_cells = ["nn+milp/symmetry", "re", "rs"]
    others = [name for name in ALGORITHMS if name not in of_cells and installed(name)]
    for problem, algorithms in (("tfbind/SMALL", others), ("nasbench101", of_cells)):
        plan = written(problems=[problem], algorithms=algorithms, budget=12)
        done = bench("run", plan, "--out", tmp_path / "out", "--data", data)
        assert done.returncode == 0, done.stderr
        assert f"{len(algorithms)} finished, 0 were complete before" in done.stderr, "none may refuse"
    report = bench("report", tmp_path / "out", "--data", data, "--no-figures")
    assert report.returncode == 0, report.stderr
    page = (tmp_path / "out" / "report.md").read_text()
    assert all(f"| {name} | 1 |" in page for name in (*others, *of_cells))


def installed(algorithm: str) -> bool:
    """Whether the library that an algorithm is made of is here."""
    module = {"botorch": "botorch", "rbfopt": "rbfopt", "optuna/tpe": "optuna"}.get(algorithm, "milbox")
    return find_spec(module) is not None
