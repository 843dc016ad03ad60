"""A damaged journal is refused with the names of file and trial, or read exactly as it was written."""

import contextlib
import random
import shutil
import sqlite3
import warnings
from pathlib import Path
from typing import Any

import pytest

from milbox.errors import JournalError, JournalMismatch
from milbox.study import Study
from milbox.trials import Journal
from milbox.trials.journal.tables import FORMAT
from objectives import score
from studies import Greedy, shelf

FIXTURES = Path(__file__).parents[1] / "fixtures" / "journals"


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """A journal with trials of every kind, and notes."""
    path = tmp_path / "run.db"
    known = [({"x": [0, 1, 1], "k": 1}, -3.0)]
    with Study(shelf(), Greedy(), journal=path, known=known, notes={"budget": 12}) as study:
        for trial in study.ask_many(30):
            if trial.number % 7 == 3:
                study.fail(trial.number, "out of reagent\n" + "ä" * trial.number, seconds=0.5)
            elif trial.number % 11:
                study.tell(trial.number, score(**trial.assignment), seconds=0.25)
    return path


def contents(path: Path) -> str:
    """Everything in a journal as text, those things too that comparisons leave out."""
    header, trials = Journal.read(path)
    return repr((header, header.notes, trials))


def flip(path: Path, times: int, chance: random.Random) -> tuple[int, int]:
    """Change single bytes; how often the journal was refused, and how often it was read as it was."""
    whole, expected = path.read_bytes(), contents(path)
    refused = 0
    for _ in range(times):
        place, change = chance.randrange(len(whole)), chance.randint(1, 255)
        path.write_bytes(whole[:place] + bytes([whole[place] ^ change]) + whole[place + 1 :])
        try:
            found = contents(path)
        except JournalError as error:
            refused += 1
            found = expected if "run.db" in str(error) and "\n" not in str(error) else str(error)
        assert found == expected, f"byte {place} changed by {change}"
    path.write_bytes(whole)
    return refused, times - refused


def test_no_flipped_byte_is_read_as_something_else(journal: Path) -> None:
    refused, _ = flip(journal, 60, random.Random(1))
    assert refused, "some bytes matter"


@pytest.mark.full
def test_no_flipped_byte_is_read_as_something_else_in_many_tries(journal: Path) -> None:
    refused, same = flip(journal, 5000, random.Random(2))
    print(f"5000 flipped bytes: {refused} refused, {same} read as written")


def test_a_flipped_byte_in_every_column_is_told_with_the_trial(journal: Path) -> None:
    whole = journal.read_bytes()
    changes = {
        b"out of reagent": "trial (3|10|17|24) cannot be read .its checksum is wrong",
        b"greedy": r"trial \d+ cannot be read .its checksum is wrong",
        b"known": "trial 0 cannot be read .its checksum is wrong",
        b"Greedy(noise=1.0)": "its header cannot be read .its checksum is wrong",
        b'{"budget": 12}': "its header cannot be read .its checksum is wrong",
    }
    for text, says in changes.items():
        place = whole.index(text) + 2
        journal.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with pytest.raises(JournalError, match=f"run.db is damaged: {says}"):
            Journal.read(journal)
        with pytest.raises(JournalError, match=f"run.db is damaged: {says}"):
            Study(shelf(), Greedy(), journal=journal)


def test_a_journal_cut_anywhere_is_refused(journal: Path) -> None:
    whole, expected = journal.read_bytes(), contents(journal)
    for length in range(0, len(whole), 509):
        journal.write_bytes(whole[:length])
        with pytest.raises(JournalError, match=r"run.db"):
            Journal.read(journal)
    journal.write_bytes(whole)
    assert contents(journal) == expected


def earlier(path: Path) -> Path:
    """A journal of the first format, which has no checksums: what is wrong must be seen without them."""
    shutil.copy(FIXTURES / "nn-milp.db", path)
    return path


DEEP = "[" * 100_000 + "]" * 100_000


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("UPDATE trials SET value = 'many' WHERE number = 2", "trial 2 cannot be read .'many' is no finite"),
        ("UPDATE trials SET value = 9e999 WHERE number = 2", "trial 2 cannot be read .'inf' is no finite"),
        ("UPDATE trials SET seconds = 'long' WHERE number = 2", "trial 2 cannot be read .'long' is no"),
        ("UPDATE trials SET fit_seconds = x'00' WHERE number = 2", "trial 2 cannot be read"),
        ("UPDATE trials SET told_at = 'noon' WHERE number = 2", "trial 2 cannot be read .'noon' is no"),
        ("UPDATE trials SET asked_at = -9e999 WHERE number = 2", "trial 2 cannot be read .'-inf' is no"),
        (f"UPDATE trials SET point = '{DEEP}' WHERE number = 2", "trial 2 cannot be read .RecursionError"),
        (f"UPDATE trials SET certificate = '{DEEP}' WHERE number = 2", "trial 2 cannot be read .Recursion"),
        ("UPDATE trials SET certificate = '[1]' WHERE number = 2", "trial 2 cannot be read"),
        ("UPDATE trials SET certificate = '{}' WHERE number = 2", "trial 2 cannot be read .KeyError"),
        ("UPDATE trials SET point = '[1.5]' WHERE number = 2", "trial 2 cannot be read .the point is"),
        ("UPDATE trials SET point = '[true]' WHERE number = 2", "trial 2 cannot be read .the point is"),
        ("UPDATE trials SET point = '{}' WHERE number = 2", "trial 2 cannot be read .the point is"),
        ("UPDATE trials SET point = '[0,1]' WHERE number = 2", "trial 2 cannot be read .*10 codes, not 2"),
        (
            "UPDATE trials SET point = '[0,0,0,0,0,0,0,0,0,7]' WHERE number = 2",
            "trial 2 cannot be read .*has no code 7",
        ),
        (
            "UPDATE trials SET point = '[0,0,0,0,0,0,0,0,0,1]' WHERE number = 2",
            "trial 2 cannot be read .*is not in the domain",
        ),
        ("UPDATE trials SET origin = CAST(x'ff41' AS TEXT) WHERE number = 2", "trial 2 cannot be read"),
        ("UPDATE header SET domain = '{}'", "its header cannot be read"),
        ("UPDATE header SET domain = '[]'", "its header cannot be read"),
        (f"UPDATE header SET domain = '{DEEP}'", "its header cannot be read .RecursionError"),
        (f"UPDATE header SET notes = '{DEEP}'", "its header cannot be read .RecursionError"),
        ("UPDATE header SET notes = '3'", "its header cannot be read .3 is no JSON object"),
        ("UPDATE header SET seed = 'seven'", "its header cannot be read"),
        ("UPDATE header SET created_at = 'today'", "its header cannot be read .'today' is no"),
        ("PRAGMA user_version = 0", "there is no format 0"),
    ],
)
def test_what_no_journal_holds_is_refused(tmp_path: Path, change: str, says: str) -> None:
    path = earlier(tmp_path / "run.db")
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA ignore_check_constraints = 1")
        connection.execute(change)
        connection.commit()
    with pytest.raises(JournalError, match=f"run.db is damaged: {says}") as caught:
        Journal.read(path)
    assert "\n" not in str(caught.value)
    before = path.read_bytes()
    with pytest.raises(JournalError, match=r"run.db (is damaged|was written for another domain)"):
        resumed(path)
    assert path.read_bytes() == before, "nothing is written to a journal that is refused"


def resumed(path: Path) -> Study:
    """The study of the journal of the first format."""
    import milbox.domain as md
    from milbox.strategies import NNMILP

    x = md.binary("x", 10)
    domain = md.Domain([x], [x[:5].sum() == x[5:].sum()])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the strategy is of an earlier version
        return Study(domain, NNMILP(initial=5), seed=11, journal=path)


def version(path: Path) -> int:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        (found,) = connection.execute("PRAGMA user_version").fetchone()
        return int(found)


def test_a_journal_of_the_first_format_gets_checksums_when_it_is_written(tmp_path: Path) -> None:
    path = earlier(tmp_path / "run.db")
    expected = contents(path)
    assert version(path) == 1
    with resumed(path):
        pass
    assert version(path) == FORMAT
    assert contents(path) == expected
    refused, _ = flip(path, 40, random.Random(3))
    assert refused
    # Opened for something else, it stays as it was.
    other = earlier(tmp_path / "other.db")
    with pytest.raises(JournalMismatch):
        Study(shelf(), Greedy(), journal=other)
    assert version(other) == 1


def test_half_a_character_in_a_reason_is_written_out(tmp_path: Path) -> None:
    with Study(shelf(), Greedy(), journal=tmp_path / "run.db") as study:
        study.fail(study.ask().number, "bad \udc80 byte \ud83d")
        assert study.trials[0].reason == r"bad \udc80 byte \ud83d"
        assert study.ask().number == 1
    assert Journal.read(tmp_path / "run.db")[1][0].reason == r"bad \udc80 byte \ud83d"


@pytest.mark.parametrize("seconds", [float("nan"), float("inf"), "3", None])
def test_a_duration_that_is_none_is_refused(seconds: Any) -> None:
    study = Study(shelf(), Greedy())
    number = study.ask().number
    with pytest.raises((TypeError, ValueError), match="the duration told for trial 0 is"):
        study.tell(number, 1.0, seconds=seconds)
    with pytest.raises((TypeError, ValueError), match="the duration told for trial 0 is"):
        study.fail(number, "", seconds=seconds)
    study.tell(number, 1.0, seconds=-0.0)
