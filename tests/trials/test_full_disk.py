"""A full or read-only disk loses nothing that was told before."""

import contextlib
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from milbox.errors import JournalError
from milbox.study import Study
from milbox.trials import Journal
from processes import printed
from studies import Greedy, shelf


@contextlib.contextmanager
def small_disk(folder: Path, options: str) -> Iterator[Path]:
    """A file system of a few kilobytes, where one may be mounted."""
    place = folder / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "tmpfs", place], capture_output=True, text=True, check=False
    )
    if mounted.returncode != 0:
        pytest.skip(f"a file system cannot be mounted here: {mounted.stderr.strip()}")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", place], check=True)


def fill(place: Path) -> Path:
    """Take every byte that is left."""
    filler = place / "filler"
    with contextlib.suppress(OSError), filler.open("wb", buffering=0) as file:
        while True:
            file.write(b"\0" * 512)
    return filler


def ask_for_ever(study: Study) -> None:
    """What SQLite has set aside may hold a few more trials; not all of them."""
    while True:
        study.ask()


def test_a_full_disk_loses_nothing(tmp_path: Path) -> None:
    with small_disk(tmp_path, "size=400k") as place:
        study = Study(shelf(), Greedy(), journal=place / "run.db")
        first, second = study.ask_many(2)
        study.tell(first.number, 1.0)
        filler = fill(place)
        with pytest.raises(JournalError, match="the disk is full: free some space and go on"):
            ask_for_ever(study)
        with pytest.raises(JournalError, match="the disk is full"):
            study.fail(second.number, "x" * 10_000)
        told = [trial.value for trial in study.trials]
        assert told[:2] == [1.0, None]
        assert [trial.value for trial in Journal.read(place / "run.db")[1]] == told
        filler.unlink()
        study.tell(second.number, 2.0)
        assert study.ask().number == len(told)
        study.close()
        with Study(shelf(), Greedy(), journal=place / "run.db") as again:
            assert [trial.value for trial in again.trials] == [1.0, 2.0, *told[2:], None]


def test_a_disk_that_is_full_from_the_start(tmp_path: Path) -> None:
    with small_disk(tmp_path, "size=64k") as place:
        filler = fill(place)
        with pytest.raises(JournalError, match=r"run.db cannot be used"):
            Study(shelf(), Greedy(), journal=place / "run.db")
        filler.unlink()
        with Study(shelf(), Greedy(), journal=place / "run.db") as study:
            study.ask()


def test_a_folder_that_may_not_be_written(tmp_path: Path) -> None:
    with small_disk(tmp_path, "size=400k") as place:
        with Study(shelf(), Greedy(), journal=place / "run.db") as study:
            study.tell(study.ask().number, 1.0)
        subprocess.run(["mount", "-o", "remount,ro", place], check=True)
        for name in ("run.db", "new.db"):
            with pytest.raises(JournalError, match=f"{name} cannot be used .*; check that it and its folder"):
                Study(shelf(), Greedy(), journal=place / name)
        assert [trial.value for trial in Journal.read(place / "run.db")[1]] == [1.0]


def test_a_limit_on_file_sizes_loses_nothing(tmp_path: Path) -> None:
    """A write that fails half-way, for those who may not mount a disk."""
    script = """
import resource, sys
from studies import Greedy, shelf
from milbox.errors import JournalError
from milbox.study import Study
study = Study(shelf(), Greedy(), journal=sys.argv[1])
first, second = study.ask_many(2)
study.tell(first.number, 1.0)
resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, resource.RLIM_INFINITY))
try:
    while True:
        study.ask()
except JournalError as error:
    print(error)
print(len(study.trials))
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
study.tell(second.number, 2.0)
"""
    message, count = printed(script, tmp_path / "run.db").splitlines()
    assert "what was told before is kept" in message
    trials = Journal.read(tmp_path / "run.db")[1]
    assert len(trials) == int(count)
    assert [trial.value for trial in trials[:2]] == [1.0, 2.0]
