"""Reports are rebuilt from journals alone; every number on small results is checked by hand."""

import csv
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import milbox.domain as md
from milbox.bench.metrics import (
    areas,
    best_rewards,
    cell_row,
    compared,
    families,
    found_optimum,
    gap_of,
    horizons,
    instance_class,
    normalised,
    share,
)
from milbox.bench.plan import Cell
from milbox.bench.records import Record, read_record, read_records
from milbox.bench.report import write_report
from milbox.bench.tables import (
    comparisons,
    gaps_by_class,
    gaps_by_instance,
    matched,
    optima,
    scores,
    solve_times,
)
from milbox.domain import Domain
from milbox.errors import DataError, JournalError, SolverUnavailable
from milbox.milp.solution import Status
from milbox.study import Study
from milbox.trials import Certificate, History, Proposal

COLUMNS = "problem,algorithm,trial,evaluations,best,auc,gap,seconds_fit,seconds_inner,infeasible,repeated"


class Scripted:
    """Proposes the points of a list, with certificates after the first two."""

    def __init__(self, points: Sequence[tuple[int, ...]], seconds: Sequence[float] = ()) -> None:
        self.points, self.seconds = points, seconds

    def __repr__(self) -> str:
        return "Scripted"

    def propose(self, domain: Domain, history: History, count: int, rng: Any) -> list[Proposal]:
        del domain, count, rng
        number = len(history)
        if number < 2 or not self.seconds:
            return [Proposal(self.points[number], "random")]
        status = Status.OPTIMAL if self.seconds[number] < 1 else Status.FEASIBLE
        proof = Certificate(status, 1.0, 1.0, 0.0, number, self.seconds[number], "script")
        return [Proposal(self.points[number], "milp", proof, fit_seconds=0.5)]


def cell(
    folder: Path,
    problem: str,
    algorithm: str,
    trial: int,
    values: Sequence[float],
    seconds: Sequence[float] = (),
    **notes: Any,
) -> Record:
    """A cell with these values, in a journal."""
    domain = Domain([md.integer("k", 0, 99)])
    path = Cell(problem, algorithm, trial, len(values), 2).journal(folder)
    path.parent.mkdir(parents=True, exist_ok=True)
    said = {"problem": problem, "algorithm": algorithm, "trial": trial, "variables": 1, **notes}
    strategy = Scripted([(k,) for k in range(100)], seconds)
    with Study(domain, strategy, journal=path, notes=said) as study:
        for value in values:
            study.tell(study.ask().number, value, seconds=10.0)
    return read_record(path)


@pytest.fixture
def records(tmp_path: Path) -> list[Record]:
    """Two problems, three algorithms, two trials; one algorithm with half the budget."""
    known: dict[str, Any] = {"optimum": 9.0, "best_known": 9.0}
    for trial in (0, 1):
        cell(tmp_path, "tfbind/a", "nn+milp", trial, [1, 3, 2, 9 - trial], [0, 0, 0.5, 2.0], **known)
        cell(tmp_path, "tfbind/a", "regevo", trial, [1, 2, 3, 4], **known)
        cell(tmp_path, "tfbind/a", "random", trial, [1, 0], **known)
        cell(tmp_path, "tfbind/b", "nn+milp", trial, [5, 1, 1, 1], **known)
        cell(tmp_path, "tfbind/b", "regevo", trial, [5, 1, 1, 1], **known)
        cell(tmp_path, "tfbind/b", "random", trial, [2, 7], **known)
    return read_records(tmp_path)


def test_numbers_of_a_cell(records: list[Record]) -> None:
    rows = {(r.problem, r.algorithm, r.trial): cell_row(r) for r in records}
    assert len(rows) == 12
    row = rows["tfbind/a", "nn+milp", 1]
    assert ",".join(row) == COLUMNS
    assert row == {
        "problem": "tfbind/a",
        "algorithm": "nn+milp",
        "trial": 1,
        "evaluations": 4,
        "best": 8.0,
        "auc": (1 + 3 + 3 + 8) / 4,
        "gap": pytest.approx(1 / 9),
        "seconds_fit": 1.0,
        "seconds_inner": 2.5,
        "infeasible": 0,
        "repeated": 0,
    }
    assert rows["tfbind/a", "nn+milp", 0]["gap"] == 0.0
    assert [found_optimum(r) for r in records if (r.problem, r.algorithm) == ("tfbind/a", "nn+milp")] == [
        4,
        None,
    ]


def test_scores_are_normalised_within_each_problem(records: list[Record]) -> None:
    assert horizons(records) == [2, 4]
    assert best_rewards(records, 4) == {
        "tfbind/a": {"nn+milp": 8.5, "regevo": 4.0},
        "tfbind/b": {"nn+milp": 5.0, "regevo": 5.0},
    }
    assert normalised(best_rewards(records, 4)) == {
        "tfbind/a": {"nn+milp": 1.0, "regevo": 0.0},
        "tfbind/b": {"nn+milp": 1.0, "regevo": 1.0},
    }
    assert normalised(best_rewards(records, 2)) == {
        "tfbind/a": {"nn+milp": 1.0, "regevo": 0.5, "random": 0.0},
        "tfbind/b": {"nn+milp": 0.0, "regevo": 0.0, "random": 1.0},
    }
    assert areas(records, 4)["tfbind/a"]["regevo"] == 2.5
    assert "| nn+milp | 2 | 2 | 1.000 | 1.000 | 1.000 | 1.000 |" in scores(records, 4)


def test_paired_comparisons(records: list[Record]) -> None:
    found = compared(records, "nn+milp", "regevo", 4)
    assert found is not None
    assert (found.wins, found.ties, found.losses) == (1, 1, 0)
    assert (found.trial_wins, found.trial_ties, found.trial_losses) == (2, 2, 0)
    assert found.sign == 1.0
    assert compared(records, "nn+milp", "random", 4) is None
    table = comparisons(records, 2)
    assert table is not None
    assert "| random | 1 / 0 / 1 | 1 of 2 | 1 | 1 | 2 / 0 / 2 |" in table


def test_the_tests_of_comparisons_notice_a_difference(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    for problem in range(9):
        for trial in (0, 1):
            cell(tmp_path, f"bbob/{problem}", "nn+milp", trial, [0.0, 1.0 + rng.random()])
            cell(tmp_path, f"bbob/{problem}", "regevo", trial, [0.0, rng.random()])
    found = compared(read_records(tmp_path), "nn+milp", "regevo", 2)
    assert found is not None
    assert (found.wins, found.losses) == (9, 0)
    assert found.sign == pytest.approx(2 / 2**9)
    assert found.wilcoxon == pytest.approx(2 / 2**9)


def test_times_and_optima_in_the_form_of_the_paper(records: list[Record]) -> None:
    times = solve_times(records, paper=True)
    assert times is not None
    # Four solves of 0.5 and 2 seconds; those of 2 were not proved.
    assert "| nn+milp FC(16) | 0.5 | 1.2 | 2 | 2 | 2 | 4 | 50.00% |" in times
    assert "| (paper: FC(16)) | 0.02 | 2.2 | 8 | 15.5 | 60.8 |  | 0.0% |" in times
    found = optima(records)
    assert found is not None
    assert "| nn+milp | 4 | 1 | 25% | 4 |" in found


def test_primal_gaps_in_the_form_of_the_paper(tmp_path: Path) -> None:
    for trial, best in enumerate((-100.0, -100.5, -105.0, -200.0)):
        cell(tmp_path, "minlplib/graphpart_clique-20", "nn+milp", trial, [-300.0, best], best_known=-100.0)
    cell(tmp_path, "minlplib/pb302035", "nn+milp", 0, [-300.0, 5.0], best_known=-100.0)
    cell(tmp_path, "minlplib/unheard-of", "nn+milp", 0, [3.0, -1.0], best_known=5.0)
    cell(tmp_path, "minlplib/qspp_nothing_known", "nn+milp", 0, [3.0])
    records = read_records(tmp_path)
    gaps = {(r.problem, r.trial): gap_of(r) for r in records}
    assert gaps["minlplib/pb302035", 0] == 0.0  # better than what was known
    assert gaps["minlplib/graphpart_clique-20", 2] == pytest.approx(5 / 105)
    assert gaps["minlplib/qspp_nothing_known", 0] is None
    by_class = gaps_by_class(records, "nn+milp")
    assert "| graphpart (1) | [1, 1] | 4 | 25% | 50% | 75% | 20% | 21% | 59% |" in by_class
    assert "| other (1) | [1, 1] | 1 | 0% | 0% | 0% | 3% | 9% | 27% |" in by_class
    by_instance = gaps_by_instance(records, "nn+milp")
    assert "| graphpart_clique-20 | 1 | 2 | 1/4 | 2/4 | 3/4 | 0.00% | 20/20 | 20/20 | 20/20 |" in by_instance
    assert "| unheard-of | 1 | 2 | 0/1 | 0/1 | 0/1 | 40.00% | – | – | – |" in by_instance
    assert "qspp" not in by_instance
    # The clique exactly, the pb better than known; the third is 40 % away.
    assert matched(records, "nn+milp").startswith(
        "nn+milp met the best known value in at least one trial on 2 of 3"
    )
    assert instance_class("minlplib/pb302035") == "pb"
    assert math.isnan(share([], 1.0))


def test_a_whole_report(records: list[Record], tmp_path: Path) -> None:
    page = write_report(tmp_path).read_text()
    assert page.startswith(f"# {tmp_path.name}\n")
    assert "12 cells: 2 problems, 3 algorithms, 40 evaluations" in page
    assert "Infeasible points evaluated: 0. Points evaluated twice: 0." in page
    for heading in ("## tfbind", "### After 4 evaluations", "### After 2 evaluations", "### Proved optimum"):
        assert heading in page
    with (tmp_path / "cells.csv").open() as file:
        assert file.readline().strip() == COLUMNS
        assert len(file.readlines()) == 12
    with (tmp_path / "curves.csv").open() as file:
        curve = {(r["problem"], r["algorithm"], r["evaluations"]): r for r in csv.DictReader(file)}
    assert float(curve["tfbind/a", "nn+milp", "4"]["mean"]) == 8.5
    assert float(curve["tfbind/a", "nn+milp", "4"]["sd"]) == 0.5
    pictures = {line.split("(")[1].rstrip(")") for line in page.splitlines() if line.startswith("![")}
    assert "figures/curves-tfbind-4.svg" in pictures
    for picture in pictures:
        assert (tmp_path / picture).read_text().startswith("<?xml")
        assert (tmp_path / picture).with_suffix(".png").read_bytes().startswith(b"\x89PNG")


def test_the_same_journals_give_the_same_bytes(tmp_path: Path) -> None:
    cell(tmp_path, "ising/100/0", "nn+milp", 0, [1, 3, 2], [0, 0, 0.5])
    first, second = tmp_path / "one", tmp_path / "two"
    for out in (first, second):
        write_report(tmp_path, out)
    files = sorted(path.relative_to(first) for path in first.rglob("*.*"))
    assert len(files) == 3 + 2 * 4
    for name in files:
        assert (first / name).read_bytes() == (second / name).read_bytes()


def test_without_matplotlib(records: list[Record], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(SolverUnavailable, match=r"pip install milbox\[bench\]`, or give --no-figures"):
        write_report(tmp_path)
    page = write_report(tmp_path, draw=False).read_text()
    assert "![" not in page
    assert not (tmp_path / "figures").exists()


def test_families_come_in_the_order_of_the_paper(tmp_path: Path) -> None:
    for problem in ("ising/400/0", "nasbench101", "bbob/sphere", "ising/100/3", "zzz/1", "minlplib/qap"):
        cell(tmp_path, problem, "random", 0, [1.0])
    order = ["bbob", "ising/100", "ising/400", "minlplib", "nasbench101", "zzz"]
    assert list(families(read_records(tmp_path))) == order


def test_bad_results_are_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="nowhere is not a folder; give the folder that"):
        read_records(tmp_path / "nowhere")
    with pytest.raises(DataError, match="there are no journals in"):
        read_records(tmp_path)
    record = cell(tmp_path, "bbob/sphere", "random", 0, [1.0, 2.0])
    path = tmp_path / "bbob--sphere" / "random" / "1.db"
    with Study(Domain([md.binary("x")]), journal=path) as study:
        study.tell(study.ask().number, 1.0)
    with pytest.raises(DataError, match=r"1\.db is not of a benchmark: its notes name no problem"):
        read_records(tmp_path)
    path.write_bytes(record.path.read_bytes()[:1500])
    with pytest.raises(JournalError, match=r"1\.db "):
        read_records(tmp_path)
