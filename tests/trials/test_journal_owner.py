"""Who may write a journal? One study of one process, as long as both live and the file is there."""

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
