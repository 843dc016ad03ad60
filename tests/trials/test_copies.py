"""Are backups whole while a run goes on, and are two journals one?"""

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import milbox as mb
from milbox.errors import JournalError, JournalMismatch
from milbox.trials import Journal
from milbox.trials.journal.copies import backup, merge

X = mb.binary("x", 8)
DOMAIN = mb.Domain([X], [X.sum() <= 5])


def study(path: Path, seed: int, count: int, minimize: bool = False) -> None:
    """A journal with some trials told, the last failed, and one more pending."""
    with mb.Study(DOMAIN, mb.RandomSearch(), seed=seed, journal=path, minimize=minimize) as run:
        for _ in range(count):
            trial = run.ask()
            if trial.number == count - 1:
                run.fail(trial.number, "broken", note="look again")
            else:
                run.tell(trial.number, float(sum(trial.point)), seconds=0.5)
        run.ask()


def test_a_backup_of_an_open_journal_is_the_journal(tmp_path: Path) -> None:
    with mb.Study(DOMAIN, mb.RandomSearch(), journal=tmp_path / "run.db") as run:
        for _ in range(5):
            run.tell(run.ask().number, 1.0)
        assert backup(tmp_path / "run.db", tmp_path / "copy.db") == 5
        run.ask()
    assert Journal.read(tmp_path / "copy.db")[1] == Journal.read(tmp_path / "run.db")[1][:5]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["copy.db", "run.db"]


def test_backups_of_a_journal_that_another_process_writes_are_whole(tmp_path: Path) -> None:
    program = """
        import milbox as mb
        x = mb.binary("x", 8)
        with mb.Study(mb.Domain([x], [x.sum() <= 5]), mb.RandomSearch(), journal="run.db") as run:
            for number in range(150):
                run.tell(run.ask().number, float(number))
                print(number, flush=True)
    """
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program)], cwd=tmp_path, stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdout is not None
        told = 0
        for line in writer.stdout:
            told = int(line) + 1
            if told % 30 == 0:
                copied = backup(tmp_path / "run.db", tmp_path / f"{told}.db")
                trials = Journal.read(tmp_path / f"{told}.db")[1]
                assert len(trials) == copied >= told
                assert [trial.value for trial in trials[:told]] == [float(k) for k in range(told)]
    assert told == 150


def test_a_backup_overwrites_nothing_and_leaves_nothing_behind(tmp_path: Path) -> None:
    study(tmp_path / "run.db", 1, 3)
    (tmp_path / "there.db").write_text("mine")
    with pytest.raises(JournalError, match=r"there\.db exists already"):
        backup(tmp_path / "run.db", tmp_path / "there.db")
    assert (tmp_path / "there.db").read_text() == "mine"
    (tmp_path / "other.db").write_text("not a journal at all, but long enough to be looked at" * 40)
    with pytest.raises(JournalError):
        backup(tmp_path / "other.db", tmp_path / "copy.db")
    assert not list(tmp_path.glob("*copy*"))


def test_merged_journals_have_every_point_once(tmp_path: Path) -> None:
    study(tmp_path / "a.db", 1, 40)
    study(tmp_path / "b.db", 2, 60)
    (_, one), (_, other) = Journal.read(tmp_path / "a.db"), Journal.read(tmp_path / "b.db")
    total, both = merge(tmp_path / "a.db", tmp_path / "b.db", tmp_path / "all.db")
    header, trials = Journal.read(tmp_path / "all.db")
    points = {trial.point for trial in (*one, *other)}
    assert total == len(trials) == len(points)
    assert both == len(one) + len(other) - total > 0
    assert {trial.point for trial in trials} == points
    assert [trial.number for trial in trials] == list(range(total))
    finished = {trial.point: trial.value for trial in (*one, *other) if trial.state == "finished"}
    assert {trial.point: trial.value for trial in trials if trial.state == "finished"} == finished
    assert header.notes["merged"] == ["a.db", "b.db"]
    with mb.Study(DOMAIN, mb.RandomSearch(), seed=1, journal=tmp_path / "all.db") as run:
        assert run.ask().point not in points


def test_what_was_measured_wins_over_what_was_not(tmp_path: Path) -> None:
    for name, told in (("a.db", False), ("b.db", True)):
        with mb.Study(DOMAIN, mb.RandomSearch(), seed=3, journal=tmp_path / name) as run:
            first, second = run.ask(), run.ask()
            if told:
                run.tell(first.number, 7.0, note="by Kim")
                run.fail(second.number, "spilt")
    for order in (("a.db", "b.db", "ab.db"), ("b.db", "a.db", "ba.db")):
        assert merge(*(tmp_path / name for name in order)) == (2, 2)
        _, (first, second) = Journal.read(tmp_path / order[2])
        assert (first.value, first.info["note"], second.reason) == (7.0, "by Kim", "spilt")


def test_journals_that_contradict_one_another_are_not_merged(tmp_path: Path) -> None:
    for name, value in (("a.db", 1.0), ("b.db", 2.0)):
        with mb.Study(DOMAIN, mb.RandomSearch(), seed=3, journal=tmp_path / name) as run:
            run.tell(run.ask().number, value)
    with pytest.raises(JournalMismatch, match=r"trial 0 of the first and trial 0 .* values 1 and 2"):
        merge(tmp_path / "a.db", tmp_path / "b.db", tmp_path / "all.db")
    study(tmp_path / "c.db", 3, 3, minimize=True)
    with pytest.raises(JournalMismatch, match="to minimize"):
        merge(tmp_path / "a.db", tmp_path / "c.db", tmp_path / "all.db")
    with mb.Study(mb.Domain([X]), mb.RandomSearch(), journal=tmp_path / "d.db") as run:
        run.ask()
    with pytest.raises(JournalMismatch, match="another domain"):
        merge(tmp_path / "a.db", tmp_path / "d.db", tmp_path / "all.db")
    assert not (tmp_path / "all.db").exists()


def test_the_commands_say_what_they_wrote(tmp_path: Path) -> None:
    study(tmp_path / "a.db", 1, 5)
    study(tmp_path / "b.db", 1, 5)

    def milbox(*words: str) -> tuple[int, str]:
        run = subprocess.run(
            [sys.executable, "-m", "milbox", *words],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        return run.returncode, run.stdout + run.stderr

    assert milbox("backup", "a.db", "copy.db") == (0, "wrote 6 trials to copy.db\n")
    assert milbox("merge", "a.db", "b.db", "all.db") == (0, "wrote 6 trials to all.db, 6 of which both had\n")
    status, said = milbox("backup", "a.db", "copy.db")
    assert (status, said) == (2, "Error: copy.db exists already; choose another name\n")


def test_every_measurement_is_merged_after_one_was_cancelled(tmp_path: Path) -> None:
    for name in ("a.db", "b.db"):
        with mb.Study(
            mb.Domain([mb.binary("x")]), mb.RandomSearch(), noise=True, journal=tmp_path / name
        ) as run:
            for value in range(4 if name == "a.db" else 2):
                run.tell(run.ask().number, float(value))
            if name == "b.db":
                continue
            run.fail(run.ask().number, "broken")
            broken = run.trials[4]
            while [t.point for t in run.trials if t.state == "finished"].count(broken.point) < 3:
                run.tell(run.ask().number, 9.0)
            run.cancel(broken.number)
    kept = [len([t for t in Journal.read(tmp_path / name)[1] if t.values]) for name in ("a.db", "b.db")]
    merge(tmp_path / "a.db", tmp_path / "b.db", tmp_path / "both.db")
    merged = [trial for trial in Journal.read(tmp_path / "both.db")[1] if trial.values]
    assert len(merged) == sum(kept)
    assert len({(trial.point, trial.proposal.repeat) for trial in merged}) == len(merged)
