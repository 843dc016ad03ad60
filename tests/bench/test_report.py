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
from milbox.bench.measure.cells import CellRecord, read_cell, read_cells
from milbox.bench.measure.metrics import (
    areas,
    best_rewards,
    cell_row,
    compared,
    cut_short,
    everywhere,
    families,
    found_optimum,
    gap_of,
    half_width,
    horizons,
    instance_class,
    met,
    normalised,
    percentiles,
    share,
    spread,
)
from milbox.bench.plan import Cell
from milbox.bench.report.page import write_report
from milbox.bench.report.tables import (
    ablations,
    boundaries,
    comparisons,
    gaps_by_class,
    gaps_by_instance,
    matched,
    optima,
    rewards,
    scores,
    solve_times,
    step_times,
)
from milbox.domain import Domain
from milbox.errors import DataError, JournalError, Unavailable
from milbox.milp.solution import Status
from milbox.study import Study
from milbox.trials import Certificate, Found, History, Proposal

COLUMNS = "problem,algorithm,trial,evaluations,best,auc,gap,seconds_fit,seconds_inner,infeasible,repeated"


class Scripted:
    """Proposes the points of a list, with certificates after the first two."""

    def __init__(self, points: Sequence[tuple[int, ...]], seconds: Sequence[float] = ()) -> None:
        self.points, self.seconds = points, seconds

    def __repr__(self) -> str:
        return "Scripted"

    def propose(self, domain: Domain, history: History, count: int, rng: Any) -> Found:
        del domain, count, rng
        number = len(history)
        if number < 2 or not self.seconds:
            return Found((Proposal(self.points[number], "random"),))
        status = Status.OPTIMAL if self.seconds[number] < 1 else Status.FEASIBLE
        proof = Certificate(status, 1.0, 1.0, 0.0, number, self.seconds[number], f"script ({number} nodes)")
        return Found((Proposal(self.points[number], "milp", proof, fit_seconds=0.5),))


def cell(
    folder: Path,
    problem: str,
    algorithm: str,
    trial: int,
    values: Sequence[float],
    seconds: Sequence[float] = (),
    minimize: bool = False,
    **notes: Any,
) -> CellRecord:
    """A cell with these values, in a journal."""
    domain = Domain([md.integer("k", 0, 99)])
    path = Cell(problem, algorithm, trial, len(values), 2).journal(folder)
    path.parent.mkdir(parents=True, exist_ok=True)
    said = {"problem": problem, "algorithm": algorithm, "trial": trial, "variables": 1, **notes}
    strategy = Scripted([(k,) for k in range(100)], seconds)
    with Study(domain, strategy, minimize=minimize, journal=path, notes=said) as study:
        for value in values:
            study.tell(study.ask().number, value, seconds=10.0)
    return read_cell(path)


@pytest.fixture
def records(tmp_path: Path) -> list[CellRecord]:
    """Two problems, three algorithms, two trials; one algorithm with half the budget."""
    known: dict[str, Any] = {"optimum": 9.0, "best_known": 9.0}
    for trial in (0, 1):
        cell(tmp_path, "tfbind/a", "nn+milp", trial, [1, 3, 2, 9 - trial], [0, 0, 0.5, 2.0], **known)
        cell(tmp_path, "tfbind/a", "regevo", trial, [1, 2, 3, 4], **known)
        cell(tmp_path, "tfbind/a", "random", trial, [1, 0], **known)
        cell(tmp_path, "tfbind/b", "nn+milp", trial, [5, 1, 1, 1], **known)
        cell(tmp_path, "tfbind/b", "regevo", trial, [5, 1, 1, 1], **known)
        cell(tmp_path, "tfbind/b", "random", trial, [2, 7], **known)
    return read_cells(tmp_path)


def test_variables_at_their_bounds(tmp_path: Path) -> None:
    """The scripted points are k = 0, 1, 2, ... of 0 to 99: only the first is at a bound."""
    cell(tmp_path, "bbob/a", "nn+milp", 0, [1, 2, 3, 4], [0, 0, 0.5, 0.5])
    assert boundaries(read_cells(tmp_path)) is None
    cell(tmp_path, "bbob/a", "nn+milp/integer", 0, [1, 2, 3, 4], [0, 0, 0.5, 0.5])
    found = read_cells(tmp_path)
    assert [record.at_bounds.tolist() for record in found] == [[1.0, 0.0, 0.0, 0.0]] * 2
    table = boundaries(found)
    assert table is not None
    assert "| nn+milp/integer | 1 | 2 | 0.0% | 50.0% | 0.0% | 50.0% |" in table


def test_numbers_of_a_cell(records: list[CellRecord]) -> None:
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


def test_scores_are_normalised_within_each_problem(records: list[CellRecord]) -> None:
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


def test_paired_comparisons(records: list[CellRecord]) -> None:
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
    found = compared(read_cells(tmp_path), "nn+milp", "regevo", 2)
    assert found is not None
    assert (found.wins, found.losses) == (9, 0)
    assert found.sign == pytest.approx(2 / 2**9)
    assert found.wilcoxon == pytest.approx(2 / 2**9)


def test_times_and_optima_in_the_form_of_the_paper(records: list[CellRecord]) -> None:
    times = solve_times(records, paper=True)
    assert times is not None
    # Four solves of 0.5 and 2 seconds; those of 2 were not proved.
    assert "| nn+milp FC(16) | script | 0.5 | 1.2 | 2 | 2 | 2 | 4 | 50.00% |" in times
    assert "| (paper: FC(16)) | SCIP 7, a program | 0.02 | 2.2 | 8 | 15.5 | 60.8 |  | 0.0% |" in times
    found = optima(records, 4)
    assert found is not None
    assert "| nn+milp | 2 | 2 | 1 of 4 | 25% | 4 |" in found


def test_primal_gaps_in_the_form_of_the_paper(tmp_path: Path) -> None:
    for trial, best in enumerate((-100.0, -100.5, -105.0, -200.0)):
        cell(tmp_path, "minlplib/graphpart_clique-20", "nn+milp", trial, [-300.0, best], best_known=-100.0)
    cell(tmp_path, "minlplib/pb302035", "nn+milp", 0, [-300.0, 5.0], best_known=-100.0)
    cell(tmp_path, "minlplib/unheard-of", "nn+milp", 0, [3.0, -1.0], best_known=5.0)
    cell(tmp_path, "minlplib/qspp_nothing_known", "nn+milp", 0, [3.0])
    records = read_cells(tmp_path)
    gaps = {(r.problem, r.trial): gap_of(r) for r in records}
    assert gaps["minlplib/pb302035", 0] == 0.0  # better than what was known
    assert gaps["minlplib/graphpart_clique-20", 2] == pytest.approx(5 / 105)
    assert gaps["minlplib/qspp_nothing_known", 0] is None
    by_class = gaps_by_class(records, "nn+milp")
    # The paper's figures are for the same instances: clique-20 in 20 of 20 trials, pb302035 in none.
    assert "| graphpart (1) | [1, 1] | 4 | 2 | 25% | 50% | 75% | 100% | 100% | 100% |" in by_class
    assert "| pb (1) | [1, 1] | 1 | 2 | 100% | 100% | 100% | 0% | 0% | 0% |" in by_class
    assert "| not in the paper (1) | [1, 1] | 1 | 2 | 0% | 0% | 0% | – | – | – |" in by_class
    by_instance = gaps_by_instance(records, "nn+milp")
    assert "| graphpart_clique-20 | 1 | 2 | 1/4 | 2/4 | 3/4 | 0.00% | 20/20 | 20/20 | 20/20 |" in by_instance
    assert "| unheard-of | 1 | 2 | 0/1 | 0/1 | 0/1 | 40.00% | – | – | – |" in by_instance
    assert "qspp" not in by_instance
    # The clique exactly, the pb better than known; the third is 40 % away.
    assert matched(records, "nn+milp") == (
        "nn+milp met the best known value in at least one trial on 2 of 3 problems and came within 10 % on 0 "
        "more, with 1–4 trials of 2 evaluations each. The paper's NN+MILP, with 20 trials of 1000 "
        "evaluations each, on the 2 of these problems that it has: 1, and 0 more, against the values of 2021."
    )
    assert instance_class("minlplib/pb302035") == "pb"
    assert math.isnan(share([], 1.0))


def test_problems_have_equal_weight_whatever_their_number_of_trials(tmp_path: Path) -> None:
    known: dict[str, Any] = {"optimum": -100.0, "best_known": -100.0}
    for trial in range(3):
        cell(tmp_path, "minlplib/graphpart_clique-20", "nn+milp", trial, [-300.0, -100.0], **known)
    cell(tmp_path, "minlplib/graphpart_clique-70", "nn+milp", 0, [-300.0, -200.0], **known)
    cell(tmp_path, "minlplib/color_lab2_4x0", "nn+milp", 0, [-300.0, -105.0], **known)
    records = read_cells(tmp_path)
    by_class = gaps_by_class(records, "nn+milp")
    # Three of four trials, but one of two problems; the paper has 20 of 20 and 0 of 20.
    assert "| graphpart (2) | [1, 1] | 1–3 | 2 | 50% | 50% | 50% | 50% | 50% | 50% |" in by_class
    # The paper lists no counts of color_lab, because none of its trials came within 10 %.
    assert "| other (1) | [1, 1] | 1 | 2 | 0% | 0% | 100% | 0% | 0% | 0% |" in by_class
    found = optima(records, 2)
    assert found is not None
    assert "| nn+milp | 3 | 1–3 | 3 of 5 | 33% | 2 |" in found


def test_percentiles_of_times_weigh_problems_equally(tmp_path: Path) -> None:
    assert percentiles(np.array([1.0, 1.0, 1.0, 9.0]), ["a", "a", "a", "b"], (75,)) == [9.0]
    assert percentiles(np.array([4.0, 1.0, 3.0, 2.0]), list("aaaa"), (50,)) == [2.5]
    for trial in range(3):
        cell(tmp_path, "bbob/a", "nn+milp", trial, [1, 2, 3], [0, 0, 0.1])
    cell(tmp_path, "bbob/b", "nn+milp", 0, [1, 2, 3], [0, 0, 0.9])
    times = solve_times(read_cells(tmp_path), paper=False)
    assert times is not None
    # Half of the weight, not a quarter, is at 0.9: the median is on the way between the two.
    middle = float(times.splitlines()[-1].split("|")[4])
    assert 0.1 < middle < 0.9
    steps = step_times(read_cells(tmp_path))
    assert steps is not None
    assert steps.splitlines()[-1].startswith("| nn+milp | 500 | 500 |")


def test_algorithms_are_compared_after_equal_evaluations_only(tmp_path: Path) -> None:
    known: dict[str, Any] = {"optimum": 9.0}
    for problem in ("tfbind/a", "tfbind/b"):
        cell(tmp_path, problem, "nn+milp", 0, [1, 2, 3, 4, 5, 9], **known)
        cell(tmp_path, problem, "nn+milp/paper", 0, [1, 2, 3], **known)
    cell(tmp_path, "tfbind/a", "rbfopt", 0, [1, 9, 2], **known)
    cell(tmp_path, "tfbind/a", "nn+milp", 1, [1, 2, 3, 4], **known)
    records = read_cells(tmp_path)
    assert horizons(records) == [3, 6]
    long, short = optima(records, 6), optima(records, 3)
    assert long is not None
    assert short is not None
    assert "| nn+milp | 2 | 1 | 2 of 2 | 100% | 6 |" in long
    assert "paper" not in long
    # After three evaluations the longer runs have not found it either; one problem of two is not compared.
    assert "| nn+milp | 2 | 1–2 | 0 of 3 | 0% | – |" in short
    assert "| nn+milp/paper | 2 | 1 | 0 of 2 | 0% | – |" in short
    assert "rbfopt" not in short
    assert "rbfopt" not in scores(records, 3)
    assert {r.algorithm for r in everywhere(records, 3)} == {"nn+milp", "nn+milp/paper"}
    assert [(r.algorithm, len(r.values)) for r in cut_short(records, 6)] == [("nn+milp", 4)]
    page = write_report(tmp_path, draw=False).read_text()
    assert "Left out here: 1 cells have fewer evaluations" in page
    assert "tfbind/a · nn+milp · 1 (4)" in page
    assert "Left out here: rbfopt: not on all problems, so not among the scores." in page
    assert "| nn+milp | 2 | 1–2 | 4–6 | our default" in page


def test_pairs_that_differ_in_the_inner_solver_alone(tmp_path: Path) -> None:
    cell(tmp_path, "bbob/a", "nn+milp", 0, [1.0, 5.0])
    cell(tmp_path, "bbob/a", "nn+milp/values", 0, [1.0, 2.0])
    cell(tmp_path, "bbob/a", "nn+regevo", 0, [1.0, 3.0])
    found = ablations(read_cells(tmp_path), 2)
    assert found is not None
    assert found.splitlines()[2:] == [
        "| nn+milp/values against nn+regevo | 0 / 0 / 1 | 0 of 1 | 1 | 1 | 0 / 0 / 1 |"
    ]
    assert ablations([], 2) is None


def test_intervals_of_a_few_trials_are_wide() -> None:
    values = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    many = np.arange(1000, dtype=np.float64)
    # Student's t with four degrees of freedom, from a printed table: 2.776, where the normal has 1.960.
    assert float(half_width(values)) == pytest.approx(2.776 * math.sqrt(2.5) / math.sqrt(5), rel=1e-3)
    assert float(half_width(many)) == pytest.approx(1.962 * many.std(ddof=1) / math.sqrt(1000), rel=1e-3)
    assert np.isnan(half_width(values[:1]))
    assert np.isnan(spread(values[:1]))


def test_one_trial_has_no_deviation(tmp_path: Path) -> None:
    cell(tmp_path, "bbob/a", "random", 0, [1.0, 2.0])
    cell(tmp_path, "bbob/a", "regevo", 0, [1.0, 3.0])
    cell(tmp_path, "bbob/a", "regevo", 1, [1.0, 5.0])
    assert rewards(read_cells(tmp_path), 2).splitlines() == [
        "| problem | regevo (2) | random (1) | best known |",
        "| --- | ---: | ---: | ---: |",
        "| bbob/a | **4 ± 1.4** | 2 | – |",
    ]


@pytest.mark.parametrize(
    ("reward", "known", "is_met"),
    [
        (-5_726_530.0, -5_710_645.0, False),
        (-5_710_646.0, -5_710_645.0, False),
        (-5_710_645.0, -5_710_645.0, True),
        (-5_710_644.0, -5_710_645.0, True),
        (-3760.7150664550004, -3760.715066, True),
        (954_076.0, 954_077.0, False),
        (0.0, 1e-9, True),
        (-1e-6, 0.0, False),
    ],
)
def test_the_best_known_value_is_met_up_to_its_printed_digits(
    reward: float, known: float, is_met: bool, tmp_path: Path
) -> None:
    assert met(reward, known) is is_met
    raised = cell(tmp_path, "minlplib/pb302095", "nn+milp", 0, [-1e9, reward], best_known=known)
    lowered = cell(
        tmp_path, "minlplib/pb302095", "random", 0, [1e9, -reward], minimize=True, best_known=-known
    )
    for record in (raised, lowered):
        assert record.best[-1] == reward
        assert (gap_of(record) == 0.0) is is_met
        assert ("0/1 | " in gaps_by_instance([record], record.algorithm)) is (not is_met)


def test_a_whole_report(records: list[CellRecord], tmp_path: Path) -> None:
    page = write_report(tmp_path).read_text()
    assert page.startswith(f"# {tmp_path.name}\n")
    assert "12 cells: 2 problems, 3 algorithms, 40 evaluations" in page
    assert "Infeasible points evaluated: 0. Points evaluated twice: 0." in page
    for heading in ("## tfbind", "### After 4 evaluations", "### After 2 evaluations"):
        assert heading in page
    assert "The proved optimum, found within 4 evaluations:" in page
    assert "| random | 2 | 2 | 2 | random feasible points |" in page
    assert "| nn+milp | 4 | `Scripted` |" in page
    with (tmp_path / "cells.csv").open() as file:
        assert file.readline().strip() == COLUMNS
        assert len(file.readlines()) == 12
    with (tmp_path / "curves.csv").open() as file:
        curve = {(r["problem"], r["algorithm"], r["evaluations"]): r for r in csv.DictReader(file)}
    assert float(curve["tfbind/a", "nn+milp", "4"]["mean"]) == 8.5
    assert float(curve["tfbind/a", "nn+milp", "4"]["sd"]) == pytest.approx(math.sqrt(0.5))
    pictures = {line.split("(")[1].rstrip(")") for line in page.splitlines() if line.startswith("![")}
    assert "figures/curves-tfbind-4.svg" in pictures
    for picture in pictures:
        assert (tmp_path / picture).read_text().startswith("<?xml")
        assert (tmp_path / picture).with_suffix(".png").read_bytes().startswith(b"\x89PNG")


def test_one_algorithm_has_gaps_and_no_scores(tmp_path: Path) -> None:
    for name, best in (("a", 10), ("b", 9.5), ("c", 3)):
        cell(tmp_path, f"bqp/qspp/{name}", "nn+milp", 0, [1, best], best_known=10.0)
    page = write_report(tmp_path, draw=False).read_text()
    assert "met the best known value in at least one trial on 1 of 3 problems" in page
    assert "came within 10 % on 1 more" in page
    assert "Scores" not in page


def test_the_same_journals_give_the_same_bytes(tmp_path: Path) -> None:
    cell(tmp_path, "ising/100/0", "nn+milp", 0, [1, 3, 2], [0, 0, 0.5])
    first, second = tmp_path / "one", tmp_path / "two"
    for out in (first, second):
        write_report(tmp_path, out)
    files = sorted(path.relative_to(first) for path in first.rglob("*.*"))
    assert len(files) == 3 + 2 * 4
    for name in files:
        assert (first / name).read_bytes() == (second / name).read_bytes()


def test_without_matplotlib(
    records: list[CellRecord], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(Unavailable, match=r"pip install milbox\[bench\]`, or give --no-figures"):
        write_report(tmp_path)
    page = write_report(tmp_path, draw=False).read_text()
    assert "![" not in page
    assert not (tmp_path / "figures").exists()


def test_families_come_in_the_order_of_the_paper(tmp_path: Path) -> None:
    for problem in ("ising/400/0", "nasbench101", "bbob/sphere", "ising/100/3", "zzz/1", "minlplib/qap"):
        cell(tmp_path, problem, "random", 0, [1.0])
    order = ["bbob", "ising/100", "ising/400", "minlplib", "nasbench101", "zzz"]
    assert list(families(read_cells(tmp_path))) == order


def test_bad_results_are_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="nowhere is not a folder; give the folder that"):
        read_cells(tmp_path / "nowhere")
    with pytest.raises(DataError, match="there are no journals in"):
        read_cells(tmp_path)
    cell(tmp_path, "bbob/sphere", "random", 0, [1.0, 2.0])
    path = tmp_path / "bbob--sphere" / "random" / "1.db"
    with Study(Domain([md.binary("x")]), journal=path) as study:
        study.tell(study.ask().number, 1.0)
    with pytest.raises(DataError, match=r"1\.db is not of a benchmark: its notes name no problem"):
        read_cells(tmp_path)
    path.write_bytes(path.with_name("0.db").read_bytes()[:1500])
    with pytest.raises(JournalError, match=r"1\.db "):
        read_cells(tmp_path)
