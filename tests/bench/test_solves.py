"""Solve times on snapshots of a small study: measured once, in agreement, in the paper's form."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from milbox.bench.solves import (
    BALANCED,
    DEFAULT,
    OUR_SOLVER,
    PUBLISHED,
    Solve,
    disagreements,
    distribution,
    means,
)

Bench = Callable[..., "subprocess.CompletedProcess[str]"]


def solve(
    method: str, value: float, seconds: float = 1.0, problem: str = "tfbind/a", tried: int = 50
) -> Solve:
    return Solve(
        problem, "nn+milp", 0, tried, "FC(16)", method, seconds, 0.5, value, method != BALANCED, False
    )


def test_snapshots_are_solved_by_every_method_and_kept(
    bench: Bench, written: Callable[..., Path], tmp_path: Path
) -> None:
    folder = tmp_path / "results"
    plan = written(problems=["ising/100/0"], algorithms=["random"], budget=14)
    assert bench("run", plan, "--out", folder).returncode == 0
    extent = ("--algorithm", "random", "--at", "12", "--at", "400", "--net", "linear", "--net", "2")
    done = bench("solves", folder, *extent, "--seconds", "20")
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in (folder / "solves.jsonl").read_text().splitlines()]
    assert {(row["net"], row["method"]) for row in rows} == {
        *(("Linear", method) for method in (PUBLISHED, OUR_SOLVER, DEFAULT)),
        *(("FC(2)", method) for method in (PUBLISHED, OUR_SOLVER, DEFAULT, BALANCED)),
    }
    assert {row["tried"] for row in rows} == {12}, "no study has 400 trials"
    assert all(row["seconds"] > 0 for row in rows)
    again = bench("solves", folder, *extent, "--seconds", "20")
    assert again.stdout == done.stdout, "nothing is measured twice"
    missing = bench("solves", folder, "--algorithm", "nn+milp")
    assert missing.returncode == 2
    assert "no study of nn+milp is in" in missing.stderr


def test_means_stand_next_to_the_papers() -> None:
    table = means(
        [solve(PUBLISHED, 1.0, 4.0), solve(PUBLISHED, 1.0, 6.0, tried=100), solve(DEFAULT, 0.5, 0.25)]
    )
    assert "| unconstrained | FC(16) | published | 2 | 5 ± 1.41 | 0.5 | 100% | 7.92 ± 4.23 |" in table
    assert "| unconstrained | FC(16) | our default | 1 | 0.25 | 0.5 | 100% | – |" in table
    other = distribution([solve(PUBLISHED, 1.0, seconds) for seconds in range(1, 102)])
    assert other is not None
    assert "| FC(16) | published | 101 | 1 | 51 | 96 | 100 | 101 | 0.0% |" in other
    assert "| FC(16) | the paper, SCIP 7 | – | 0.02 | 2.2 | 8 | 15.5 | 60.8 | 0.0% |" in other
    assert distribution([solve(PUBLISHED, 1.0, problem="ising/100/0")]) is None


@pytest.mark.parametrize(("value", "wrong"), [(1.0, 0), (1.5, 1)])
def test_a_proof_that_another_method_refutes_is_told(value: float, wrong: int) -> None:
    found = [solve(PUBLISHED, 1.0), solve(BALANCED, value), solve(DEFAULT, 9.0)]
    assert len(disagreements(found)) == wrong
