"""Law 8, first half: replaying a journal gives the history. And whatever is not a journal is left alone."""

import contextlib
import math
import os
import sqlite3
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import milbox.domain as md
from generators import histories, small_domains
from milbox.errors import JournalError, JournalMismatch
from milbox.milp.solution import Status
from milbox.study import Study
from milbox.trials import Certificate, Failed, Finished, Header, Journal, Pending, Proposal, Trial
from objectives import score
from studies import MEMORY, Greedy, shelf

NUMBERS = st.floats(allow_nan=False) | st.sampled_from([0.1, 1e-320, math.inf, -math.inf])


def header(domain: md.Domain) -> Header:
    return Header(
        7, "maximize", domain.to_json(), domain.fingerprint, "Greedy()", "0.1", 1000.0, {"a": [1, None]}
    )


@st.composite
def certificates(draw: st.DrawFn) -> Certificate:
    return Certificate(
        draw(st.sampled_from(Status)),
        draw(NUMBERS),
        draw(NUMBERS),
        draw(NUMBERS),
        draw(st.integers(0, 10**6)),
        draw(NUMBERS),
        draw(st.text(max_size=5)),
    )


@given(st.data())
def test_replaying_a_journal_gives_the_history(data: st.DataObject) -> None:
    domain = data.draw(small_domains(feasible=True))
    expected = [
        replace(
            trial,
            proposal=Proposal(
                trial.point, data.draw(st.text(max_size=5)), data.draw(st.none() | certificates())
            ),
        )
        for trial in data.draw(histories(domain, most=8))
    ]
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
        path = Path(folder, "run.db")
        with contextlib.closing(Journal(path, header(domain))) as journal:
            journal.asked([replace(trial, outcome=Pending()) for trial in expected])
            for trial in expected:
                if trial.state != "pending":
                    journal.told(trial)
            assert list(journal.trials()) == expected
            assert list(Journal.read(path)[1]) == expected, "also while it is open"
        found, trials = Journal.read(path)
        assert list(trials) == expected
        assert repr(found) == repr(header(domain)), "with the notes, which comparisons leave out"
        assert md.Domain.from_json(found.domain).fingerprint == domain.fingerprint
        for trial in trials:
            assert domain.point(trial.assignment) == trial.point


def test_dates_and_durations_are_kept(tmp_path: Path) -> None:
    certificate = Certificate(Status.FEASIBLE, 1.0, math.inf, math.nan, 2, 0.125, "list")
    trial = Trial(
        0,
        Proposal((0, 1, 0, 3), "milp", certificate, 0.5),
        Finished(1.0, 2.0, 12.0),
        asked_at=10.0,
    )
    with contextlib.closing(Journal(tmp_path / "run.db", header(shelf()))) as journal:
        journal.asked([trial])
    ((found,)) = Journal.read(tmp_path / "run.db")[1]
    # Their text is the same exactly when every field is, those that comparisons leave out as well.
    assert repr(replace(found, assignment={})) == repr(trial)


def test_a_point_cannot_be_asked_twice(tmp_path: Path) -> None:
    with contextlib.closing(Journal(tmp_path / "run.db", header(shelf()))) as journal:
        journal.asked([Trial(0, Proposal((0, 1, 0, 3), "a"))])
        with pytest.raises(JournalError, match="UNIQUE"):
            journal.asked([Trial(1, Proposal((0, 0, 0, 3), "a")), Trial(2, Proposal((0, 1, 0, 3), "a"))])
        assert [trial.number for trial in journal.trials()] == [0], "all of them or none"
        journal.told(Trial(0, Proposal((0, 1, 0, 3), "a"), Finished(1.0)))
        with pytest.raises(JournalError, match="no pending trial 0"):
            journal.told(Trial(0, Proposal((0, 1, 0, 3), "a"), Failed("late")))
        assert journal.trials()[0].value == 1.0


def test_a_closed_journal_is_one_file_and_readable_where_nothing_may_be_written(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    with Study(shelf(), Greedy(), journal=path) as study:
        study.tell(study.ask().number, 1.0)
        assert {file.name for file in tmp_path.iterdir()} > {"run.db", "run.db-wal"}
    assert [file.name for file in tmp_path.iterdir()] == ["run.db"]
    before = path.read_bytes()
    Journal.read(path)
    assert [file.name for file in tmp_path.iterdir()] == ["run.db"]
    assert path.read_bytes() == before, "reading changes nothing"


def spoil(path: Path, how: str) -> None:
    """Put something that is not a journal in a journal's place."""
    with Study(shelf(), Greedy(), journal=path) as study:
        for trial in study.ask_many(40):
            study.tell(trial.number, score(**trial.assignment))
    size = path.stat().st_size
    match how:
        case "empty":
            path.write_bytes(b"")
        case "text":
            path.write_text("number,value\n1,2.5\n")
        case "folder":
            path.unlink()
            path.mkdir()
        case "no folder":
            path.unlink()
            path.parent.rmdir()
        case "cut in the first page":
            os.truncate(path, 50)
        case "cut after the first page":
            os.truncate(path, 4096)
        case "cut within a page":
            os.truncate(path, size - 1000)
        case "cut by a page":
            os.truncate(path, size - 4096)
        case "overwritten":
            with path.open("r+b") as file:
                file.seek(4096)
                file.write(b"\xff" * (size - 4096))
        case "other database":
            path.unlink()
            with contextlib.closing(sqlite3.connect(path)) as connection:
                connection.execute("CREATE TABLE trials (value)")
                connection.commit()
        case "newer":
            edit(path, "PRAGMA user_version = 9")
        case "a point that is none":
            edit(path, "UPDATE trials SET point = 'x' WHERE number = 3")
        case "a trial missing":
            edit(path, "DELETE FROM trials WHERE number = 3")
        case "no header":
            edit(path, "DELETE FROM header")
        case "no trials":
            edit(path, "DROP TABLE trials")


def edit(path: Path, statement: str) -> None:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute(statement)
        connection.commit()


def snapshot(path: Path) -> Any:
    return path.read_bytes() if path.is_file() else None


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ("empty", "is empty, which no journal is; delete it"),
        ("text", "is not a journal of milbox; choose another file"),
        ("folder", "is a folder; give a file name"),
        ("no folder", "the folder .* does not exist; create it"),
        ("cut in the first page", "is cut short"),
        ("cut after the first page", "damaged"),
        ("cut within a page", "damaged"),
        ("cut by a page", "damaged"),
        ("overwritten", "damaged"),
        ("other database", "a database of another program"),
        ("newer", "a newer milbox"),
        ("a point that is none", "trial 3 cannot be read"),
        ("a trial missing", "trial 3 cannot be read"),
        ("no header", "its header cannot be read"),
        ("no trials", "trials"),
    ],
)
def test_what_is_not_a_journal_is_refused_and_left_alone(tmp_path: Path, how: str, says: str) -> None:
    (tmp_path / "runs").mkdir()
    path = tmp_path / "runs" / "run.db"
    spoil(path, how)
    before = snapshot(path)
    with pytest.raises(JournalError, match=says) as found:
        Study(shelf(), Greedy(), journal=path)
    assert "\n" not in str(found.value)
    assert "run.db" in str(found.value) or "runs" in str(found.value)
    with pytest.raises(JournalError, match="there is no journal" if how == "no folder" else says):
        Journal.read(path)
    assert snapshot(path) == before
    if how not in ("folder", "no folder"):
        assert [file.name for file in path.parent.iterdir()] == ["run.db"], "no lock is left behind"


def test_a_link_that_leads_nowhere_is_refused(tmp_path: Path) -> None:
    link = tmp_path / "run.db"
    link.symlink_to(tmp_path / "unmounted" / "run.db")
    with pytest.raises(JournalError, match=r"the folder .*unmounted does not exist"):
        Study(shelf(), Greedy(), journal=link)
    if Path("/proc/self").exists():  # a folder that takes no files
        with pytest.raises(JournalError, match="cannot be used"):
            Study(shelf(), Greedy(), journal="/proc/run.db")


def test_reading_what_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match=r"there is no journal .*run.db; check the name"):
        Journal.read(tmp_path / "run.db")
    assert not list(tmp_path.iterdir())


def changed(variables: str, constraints: str = "") -> md.Domain:
    x, k = md.binary("x", 3), md.integer("k", 1, 6)
    match variables:
        case "range":
            return md.Domain([x, md.integer("k", 1, 8)], [x.sum() <= 2])
        case "kind":
            return md.Domain([x, md.categorical("k", ["a", "b"])], [x.sum() <= 2])
        case "encoding":
            return md.Domain([x, md.integer("k", 1, 6, encoding="integer")], [x.sum() <= 2])
        case "fewer":
            return md.Domain([x], [x.sum() <= 2])
        case "more":
            return md.Domain([x, k, md.binary("y")], [x.sum() <= 2])
        case "size":
            y = md.binary("x", 4)
            return md.Domain([y, k], [y.sum() <= 2])
        case "order":
            return md.Domain([k, x], [x.sum() <= 2])
        case "rule":
            return md.Domain([x, k], [x.sum() <= 1])
    return md.Domain([x, k], [x.sum() <= 2, k >= 2])


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("range", r"variable 'k' was Integer\(1, 6\), is Integer\(1, 8\)"),
        ("kind", r"variable 'k' was Integer\(1, 6\), is Categorical\(\['a', 'b'\]\)"),
        ("encoding", r"variable 'k' was .*'onehot'\), is .*'integer'\)"),
        ("fewer", r"variable 'k' was Integer\(1, 6\), and is gone"),
        ("more", "variable 'y' is new"),
        ("size", r"variable 'x\[3\]' is new"),
        ("order", r"in the order x\[0\], x\[1\], x\[2\], k, are k, x\[0\]"),
        ("rule", "the constraint .* is gone"),
        ("more rules", "the constraint .* is new"),
    ],
)
def test_a_journal_of_another_domain_is_refused(tmp_path: Path, change: str, says: str) -> None:
    path = tmp_path / "run.db"
    with Study(shelf(), Greedy(), journal=path) as study:
        study.ask()
    with pytest.raises(JournalMismatch, match=f"run.db was written for another domain: .*{says}"):
        Study(changed(change), Greedy(), journal=path)
    with Study(shelf(), Greedy(), journal=path) as study:
        assert len(study.trials) == 1


def test_a_journal_of_another_seed_sense_or_strategy_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    study = Study(shelf(), Greedy(), journal=path, seed=2**70)
    with pytest.raises(JournalMismatch, match=f"with seed {2**70}, and is opened with seed 0"):
        Study(shelf(), Greedy(), journal=path)
    with pytest.raises(JournalMismatch, match="to maximize, and is opened to minimize"):
        Study(shelf(), Greedy(), journal=path, seed=2**70, minimize=True)
    with pytest.raises(
        JournalMismatch, match=r"strategy Greedy\(noise=1.0\), and is opened with Greedy\(noise=2.0\)"
    ):
        Study(shelf(), Greedy(2.0), journal=path, seed=2**70)
    # A study that could not be opened takes nothing away from the one that is open.
    study.tell(study.ask().number, 1.0)
    study.close()
