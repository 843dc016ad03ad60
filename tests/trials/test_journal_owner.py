"""A journal has one writer: one study of one process, while both live and the file is there."""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from milbox.errors import JournalError
from milbox.study import Study
from milbox.trials import Journal
from processes import ENVIRONMENT, printed
from studies import Greedy, shelf

HOLD = """
import sys
from studies import Greedy, shelf
from milbox.study import Study
study = Study(shelf(), Greedy(), journal=sys.argv[1])
study.tell(study.ask().number, 1.0)
if sys.argv[2] == "fork":
    # A child that outlives its parent, as a worker may outlive a killed run; it ends with its input.
    import os
    if os.fork() == 0:
        print("ready", flush=True)
        sys.stdin.read()
        os._exit(0)
else:
    print("ready", flush=True)
sys.stdin.read()
"""


@contextlib.contextmanager
def holding(path: Path, how: str = "alone") -> Iterator["subprocess.Popen[str]"]:
    """Another process that has a journal open."""
    other = subprocess.Popen(
        [sys.executable, "-c", HOLD, path, how],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
    )
    assert other.stdin is not None
    assert other.stdout is not None
    try:
        assert other.stdout.readline() == "ready\n"
        yield other
    finally:
        other.stdin.close()
        other.kill()
        other.wait()
        other.stdout.close()


def test_a_second_process_is_refused_and_readers_are_not(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    with holding(path) as other:
        (tmp_path / "alias.db").symlink_to(path)
        for name in ("run.db", "alias.db"):
            with pytest.raises(JournalError, match=f"{name} is in use by process {other.pid}"):
                Study(shelf(), Greedy(), journal=tmp_path / name)
            assert [trial.value for trial in Journal.read(tmp_path / name)[1]] == [1.0]
        other.send_signal(signal.SIGKILL)
        other.wait()
        with Study(shelf(), Greedy(), journal=path) as study:
            assert [trial.value for trial in study.trials] == [1.0]


def test_deleting_files_lets_no_second_writer_in(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    with holding(path) as other:
        for file in tmp_path.iterdir():
            if file.name not in ("run.db", "run.db-wal", "run.db-shm"):  # these three are SQLite's
                file.unlink()
        with pytest.raises(JournalError, match=f"run.db is in use by process {other.pid}"):
            Study(shelf(), Greedy(), journal=path)
        other.send_signal(signal.SIGKILL)
        other.wait()
        with Study(shelf(), Greedy(), journal=path) as study:
            study.ask()
            assert {file.name for file in tmp_path.iterdir()} == {"run.db", "run.db-wal", "run.db-shm"}


def test_reading_ones_own_journal_lets_no_second_writer_in(tmp_path: Path) -> None:
    """A process that closes any descriptor of a file loses the usual POSIX locks on it."""
    with Study(shelf(), Greedy(), journal=tmp_path / "run.db") as study:
        study.ask()
        assert len(Journal.read(tmp_path / "run.db")[1]) == 1
        (tmp_path / "run.db").read_bytes()
        second = """
import sys
from studies import Greedy, shelf
from milbox.study import Study
try:
    Study(shelf(), Greedy(), journal=sys.argv[1])
except Exception as error:
    print(error)
"""
        assert "run.db is in use by " in printed(second, tmp_path / "run.db")
        study.ask()


CREATE = """
import sys
from studies import Greedy, shelf
from milbox.errors import JournalError
from milbox.study import Study
print("ready", flush=True)
sys.stdin.readline()
try:
    study = Study(shelf(), Greedy(), journal=sys.argv[1])
    study.ask()
    print("created", flush=True)
except JournalError as error:
    print(error, flush=True)
sys.stdin.read()
"""


def test_of_many_that_create_a_journal_at_once_one_has_it(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    with contextlib.ExitStack() as stack:
        many = [
            stack.enter_context(
                subprocess.Popen(
                    [sys.executable, "-c", CREATE, path],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                    env=ENVIRONMENT,
                )
            )
            for _ in range(6)
        ]
        pairs = [(each.stdin, each.stdout) for each in many]
        for _, output in pairs:
            assert output is not None
            assert output.readline() == "ready\n"
        for given, _ in pairs:
            assert given is not None
            print(file=given, flush=True)
        said = [output.readline() for _, output in pairs if output is not None]
        assert said.count("created\n") == 1
        assert all("run.db is in use by " in line for line in said if line != "created\n"), said
        assert len(Journal.read(path)[1]) == 1
    assert [file.name for file in tmp_path.iterdir()] == ["run.db"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_child_that_outlives_a_killed_run_does_not_keep_the_journal(tmp_path: Path) -> None:
    with holding(tmp_path / "run.db", "fork") as other:
        other.send_signal(signal.SIGKILL)
        other.wait()
        with Study(shelf(), Greedy(), journal=tmp_path / "run.db") as study:
            assert len(study.trials) == 1


def test_opening_again_in_the_same_process_takes_over(tmp_path: Path) -> None:
    """As when a notebook's cell runs twice: the first study still exists when the second opens."""
    first = Study(shelf(), Greedy(), journal=tmp_path / "run.db")
    trial = first.ask()
    second = Study(shelf(), Greedy(), journal=tmp_path / "run.db")
    for use in (first.ask, lambda: first.tell(trial.number, 1.0)):
        with pytest.raises(JournalError, match="another Study of this process has opened it since"):
            use()
    second.tell(trial.number, 2.0)
    first.close()
    assert second.ask().number == 1
    assert [t.value for t in Journal.read(tmp_path / "run.db")[1]] == [2.0, None]
    second.close()


def test_a_forgotten_study_releases_its_journal(tmp_path: Path) -> None:
    study = Study(shelf(), Greedy(), journal=tmp_path / "run.db")
    study.ask()
    del study
    assert [file.name for file in tmp_path.iterdir()] == ["run.db"]


def test_the_working_folder_may_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    with Study(shelf(), Greedy(), journal="run.db") as study:
        monkeypatch.chdir("elsewhere")
        study.tell(study.ask().number, 1.0)
    assert len(Journal.read(tmp_path / "run.db")[1]) == 1


@pytest.mark.parametrize("how", ["deleted", "replaced"])
def test_a_journal_that_vanishes_is_noticed(tmp_path: Path, how: str) -> None:
    path = tmp_path / "run.db"
    with Study(shelf(), Greedy(), journal=path) as study:
        trial = study.ask()
        path.rename(tmp_path / "moved.db")
        if how == "replaced":
            path.write_bytes((tmp_path / "moved.db").read_bytes())
        with pytest.raises(JournalError, match="was moved, deleted or replaced while the study had it open"):
            study.tell(trial.number, 1.0)
        path.unlink(missing_ok=True)
        (tmp_path / "moved.db").rename(path)
        study.tell(trial.number, 1.0)
    assert Journal.read(path)[1][0].value == 1.0


def test_a_journal_belongs_to_one_process(tmp_path: Path) -> None:
    script = """
import os, sys
from studies import Greedy, shelf
from milbox.study import Study
study = Study(shelf(), Greedy(), journal=sys.argv[1])
if os.fork() == 0:
    try:
        study.ask()
    except Exception as error:
        print(error, flush=True)
    try:
        Study(shelf(), Greedy(), journal=sys.argv[1])
    except Exception as error:
        print(error, flush=True)
    sys.exit()  # with everything an interpreter does when it ends
os.wait()
study.tell(study.ask().number, 1.0)
print(os.getpid())
"""
    asked, opened, pid = printed(script, tmp_path / "run.db").splitlines()
    assert f"can only be used by the process that opened it, {pid}" in asked
    assert f"is in use by process {pid}" in opened
    assert [trial.value for trial in Journal.read(tmp_path / "run.db")[1]] == [1.0]
