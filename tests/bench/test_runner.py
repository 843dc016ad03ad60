"""Cells are run, skipped, resumed and, when they crash, reported, on this machine and on a cluster."""

import contextlib
import os
import signal
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from milbox.arrays import FloatArray, IntArray
from milbox.bench import execute
from milbox.bench.execute import End, attempt, progress
from milbox.bench.measure.cells import read_cell
from milbox.bench.plan import Cell, read_plan
from milbox.bench.problems import load
from milbox.bench.runner import run_cells, run_cells_on_dask
from milbox.errors import Unavailable
from milbox.system import lock_holder
from milbox.trials import Journal
from milbox.trials.trial import Trial
from small_data import write_binding, write_cells, write_programs


def trials(cell: Cell, folder: Path) -> tuple[Trial, ...]:
    return Journal.read(cell.journal(folder))[1]


def writer(cell: Cell, folder: Path) -> int | None:
    """The process that writes a cell's journal now, once it has told something."""
    done = progress(cell.journal(folder))
    if done is None or done.ended < 3:
        return None
    descriptor = os.open(cell.journal(folder), os.O_RDWR)
    try:
        return lock_holder(descriptor)
    finally:
        os.close(descriptor)


def test_all_algorithms_of_a_trial_start_from_the_same_points(tmp_path: Path) -> None:
    names = ("nn+milp", "nn+milp/integer", "linear+milp", "regevo", "random")
    for trial in (0, 1):
        ends = [attempt(Cell("bbob/sphere", name, trial, 12, 10), tmp_path) for name in names]
        assert [end.state for end in ends] == ["finished"] * len(names)
    starts = {
        (name, trial): [t.point for t in trials(Cell("bbob/sphere", name, trial, 12, 10), tmp_path)[:10]]
        for name in names
        for trial in (0, 1)
    }
    for name in names:
        assert starts[name, 0] == starts["random", 0]
        assert starts[name, 1] == starts["random", 1]
    assert starts["random", 0] != starts["random", 1]


def test_problems_from_files_are_run(written: Callable[..., Path], tmp_path: Path) -> None:
    write_binding(tmp_path / "data", "MINE_REF_R1")
    write_programs(tmp_path / "data", "qap")
    write_cells(tmp_path / "data")
    for problems, algorithms in (
        (["tfbind/*", "minlplib/*"], ["nn+milp", "conevo"]),
        (["nasbench101"], ["nn+milp", "nn+milp/symmetry", "re", "rs"]),
    ):
        plan = read_plan(written(problems=problems, algorithms=algorithms), tmp_path / "data")
        ends = run_cells(plan.cells, tmp_path / "out", workers=2, data=tmp_path / "data")
        assert [end.state for end in ends] == ["finished"] * len(plan.cells)
        for cell in plan.cells:
            domain = load(cell.problem, tmp_path / "data").domain
            points = [trial.point for trial in trials(cell, tmp_path / "out")]
            assert len(set(points)) == 14
            assert all(domain.contains(point) for point in points)


def test_a_cell_is_resumed_where_it_ended_and_then_skipped(tmp_path: Path) -> None:
    whole = Cell("ising/100/0", "nn+conevo", 1, 16, 10)
    part = Cell("ising/100/0", "nn+conevo", 1, 13, 10)
    assert attempt(whole, tmp_path / "whole").state == "finished"
    assert attempt(part, tmp_path / "parts").evaluations == 13
    assert attempt(whole, tmp_path / "parts").evaluations == 16
    assert trials(whole, tmp_path / "whole") == trials(whole, tmp_path / "parts")
    again = attempt(part, tmp_path / "parts")
    assert (again.state, again.evaluations) == ("skipped", 16)
    (end,) = run_cells([whole], tmp_path / "parts")
    assert (end.state, end.evaluations) == ("skipped", 16)


def test_a_journal_says_what_a_report_needs(tmp_path: Path) -> None:
    cell = Cell("bbob/sphere", "random", 3, 5, 5)
    attempt(cell, tmp_path)
    notes = read_cell(cell.journal(tmp_path)).notes
    assert (notes["problem"], notes["algorithm"], notes["trial"]) == ("bbob/sphere", "random", 3)
    assert (notes["optimum"], notes["best_known"], notes["variables"]) == (0.0, 0.0, 10)
    assert {"python", "numpy", "processor"} <= notes["environment"].keys()


def test_a_cell_that_crashes_and_one_that_does_not_apply_hide_nothing(tmp_path: Path) -> None:
    bad = Cell("bbob/sphere", "random", 0, 12, 10)
    bad.journal(tmp_path).parent.mkdir(parents=True)
    bad.journal(tmp_path).write_text("no journal at all")
    cells = [bad, Cell("ising/100/0", "rbfopt", 0, 12, 10), Cell("bbob/sphere", "regevo", 0, 12, 10)]
    ends = {end.cell: end for end in run_cells(cells, tmp_path)}
    assert [ends[cell].state for cell in cells] == ["crashed", "refused", "finished"]
    assert ends[bad].reason.startswith("milbox.errors.JournalError: ")
    assert bad.journal(tmp_path).read_text() == "no journal at all"
    assert ends[cells[1]].reason == "RBFOpt takes no constraints"


def test_an_evaluation_that_crashed_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cell = Cell("bbob/sphere", "random", 0, 12, 10)
    whole = load(cell.problem, seed=cell.seed)
    calls: list[int] = []

    def broken(points: IntArray) -> FloatArray:
        calls.append(len(points))
        if len(calls) == 5:
            raise OSError("the disk is away")
        return whole.evaluate(points)

    monkeypatch.setattr(execute, "load", lambda *_, **__: replace(whole, evaluate=broken))
    end = attempt(cell, tmp_path)
    assert end.state == "crashed"
    assert end.reason.startswith("OSError: the disk is away")
    assert [trial.state for trial in trials(cell, tmp_path)] == ["finished"] * 4 + ["pending"]
    assert attempt(cell, tmp_path).evaluations == 12
    attempt(cell, tmp_path / "undisturbed")
    assert trials(cell, tmp_path) == trials(cell, tmp_path / "undisturbed")


def test_a_killed_worker_s_cell_is_resumed_by_another(tmp_path: Path) -> None:
    cell = Cell("bbob/sphere", "random", 0, 500, 10)
    other = Cell("bbob/sphere", "random", 1, 30, 10)
    killed: list[int] = []

    def kill(under_way: Sequence[Cell]) -> None:
        process = writer(cell, tmp_path) if cell in under_way and not killed else None
        if process is not None:
            os.kill(process, signal.SIGKILL)
            killed.append(process)

    ends = {end.cell: end for end in run_cells([cell, other], tmp_path, workers=2, watch=kill, every=0.02)}
    assert killed
    assert {end.state for end in ends.values()} == {"finished"}
    assert ends[cell].evaluations == 500
    attempt(cell, tmp_path / "undisturbed")
    assert trials(cell, tmp_path) == trials(cell, tmp_path / "undisturbed")


def test_a_cell_whose_workers_always_die_is_given_up(tmp_path: Path) -> None:
    cell = Cell("bbob/sphere", "random", 0, 100_000, 10)

    def kill(under_way: Sequence[Cell]) -> None:
        process = writer(cell, tmp_path) if under_way else None
        if process is not None:
            # It may have been killed before, and not be gone yet.
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)

    (end,) = run_cells([cell], tmp_path, watch=kill, every=0.05)
    assert end.state == "crashed"
    assert end.reason.startswith("the worker process died 2 times")
    done = progress(cell.journal(tmp_path))
    assert done is not None
    assert done.ended >= 3


def test_an_interruption_ends_the_workers_and_keeps_what_they_told(tmp_path: Path) -> None:
    cell = Cell("bbob/sphere", "random", 0, 100_000, 10)
    seen: list[int] = []

    def interrupt(under_way: Sequence[Cell]) -> None:
        process = writer(cell, tmp_path) if under_way else None
        if process is not None:
            seen.append(process)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(run_cells([cell], tmp_path, watch=interrupt, every=0.02))
    with pytest.raises(ProcessLookupError):
        os.kill(seen[0], 0)
    assert len(trials(cell, tmp_path)) >= 3


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")
def test_a_cluster_runs_the_same_plan_and_survives_a_killed_worker(
    tmp_path: Path, written: Callable[..., Path]
) -> None:
    distributed = pytest.importorskip("distributed", reason="pip install milbox[dask]")
    cells = read_plan(written(budget=150, problems=["bbob/sphere", "bbob/discus"])).cells
    first = cells[0]
    killed: list[int] = []

    def kill() -> None:
        waiting = threading.Event()
        for _ in range(2000):
            process = writer(first, tmp_path / "dask")
            if process is not None:
                os.kill(process, signal.SIGKILL)
                killed.append(process)
                return
            waiting.wait(0.02)

    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        killer = threading.Thread(target=kill)
        killer.start()
        ends: dict[Cell, End] = {
            end.cell: end for end in run_cells_on_dask(cells, tmp_path / "dask", cluster.scheduler_address)
        }
        killer.join()
    assert killed
    assert {end.state for end in ends.values()} == {"finished"}
    attempt(first, tmp_path / "here")
    assert trials(first, tmp_path / "here") == trials(first, tmp_path / "dask")


def test_no_cluster_at_the_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed", reason="pip install milbox[dask]")
    with pytest.raises(Unavailable, match="there is no Dask scheduler at nowhere"):
        next(run_cells_on_dask([], tmp_path, "nowhere"))
    monkeypatch.setitem(__import__("sys").modules, "distributed", None)
    with pytest.raises(Unavailable, match=r"Dask is not installed; run `pip install milbox\[dask\]`"):
        next(run_cells_on_dask([], tmp_path, "tcp://127.0.0.1:1"))
