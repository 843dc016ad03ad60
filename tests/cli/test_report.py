"""`milbox report` and `milbox serve` show a run, refuse what they cannot show, and change nothing."""

import json
import os
import signal
import subprocess
import urllib.request
from pathlib import Path

import pytest

from cli.conftest import Milbox, command
from milbox.study import Study
from milbox.trials import Journal
from studies import Greedy, shelf


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """Nine finished trials and one pending one."""
    path = tmp_path / "run.db"
    with Study(shelf(), Greedy(), journal=path) as study:
        for trial in study.ask_many(9):
            study.tell(trial.number, float(trial.assignment["k"]))
        study.ask()
    return path


def test_the_contract_as_a_process(process: Milbox, problem: Path, tmp_path: Path) -> None:
    process("run", problem, "--budget", "12", "--initial", "8", "--journal", "run.db")
    before = (tmp_path / "run.db").read_bytes()
    done = process("report", "run.db", "--out", "page.html")
    assert done.output == ""
    assert "wrote a page about 12 trials to page.html" in done.complaints
    shown = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<title>p: " in shown  # named after the problem file
    assert "sum(x[0:5]) == sum(x[5:10])" in shown
    assert len(shown.encode()) < 2_000_000
    assert (tmp_path / "run.db").read_bytes() == before


def test_the_name_of_the_page(milbox: Milbox, journal: Path, tmp_path: Path) -> None:
    milbox("report", journal)
    first = (tmp_path / "run.html").read_bytes()
    assert b"<h1>run</h1>" in first
    milbox("report", journal)  # a page of its own is overwritten
    assert (tmp_path / "run.html").read_bytes() == first
    milbox("report", journal, "--title", "Enzyme <7>")
    assert b"<h1>Enzyme &lt;7&gt;</h1>" in (tmp_path / "run.html").read_bytes()


def test_other_files_are_not_overwritten(milbox: Milbox, journal: Path, tmp_path: Path) -> None:
    (tmp_path / "thesis.html").write_text("years of work")
    assert "exists already" in milbox("report", journal, "--out", "thesis.html", status=2).complaints
    assert (tmp_path / "thesis.html").read_text() == "years of work"
    assert (
        "is the journal itself" in milbox("report", journal, "--out", journal, "--force", status=2).complaints
    )
    assert len(Journal.read(journal)[1]) == 10
    assert "does not exist" in milbox("report", journal, "--out", "no/page.html", status=2).complaints
    milbox("report", journal, "--out", "thesis.html", "--force")
    assert "<!DOCTYPE html>" in (tmp_path / "thesis.html").read_text()


@pytest.mark.parametrize("name", ["report", "serve"])
def test_what_is_no_journal(milbox: Milbox, tmp_path: Path, name: str) -> None:
    assert "there is no journal none.db" in milbox(name, "none.db", status=2).complaints
    (tmp_path / "notes.txt").write_text("hello")
    assert "notes.txt is not a journal" in milbox(name, "notes.txt", status=2).complaints
    assert not (tmp_path / "notes.html").exists()


def test_serving_as_a_process(journal: Path, tmp_path: Path) -> None:
    before = journal.read_bytes()
    with subprocess.Popen(
        command("serve", journal, "--port", "0", "--json"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "COLUMNS": "100"},
    ) as served:
        assert served.stdout is not None
        said = json.loads(served.stdout.readline())
        assert said["url"].startswith("http://127.0.0.1:")
        with urllib.request.urlopen(said["url"], timeout=60) as answer:
            assert b"9 measured values" in answer.read()
        # The port is taken now, which the next one says.
        port = said["url"].rsplit(":", 1)[1].rstrip("/")
        taken = subprocess.run(
            command("serve", journal, "--port", port), capture_output=True, text=True, timeout=60, check=False
        )
        assert taken.returncode == 2
        assert f"port {port} cannot be used (Address already in use); give another one" in taken.stderr
        served.send_signal(signal.SIGINT)
        _, complaints = served.communicate(timeout=60)
        assert served.returncode == 0
        assert complaints.strip() == "stopped"
    assert journal.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run.db"]


def test_names_that_are_empty(milbox: Milbox, problem: Path) -> None:
    milbox("report", "", status=2)
    milbox("ask", "j.db", "--problem", problem)
    for arguments in (("report", "j.db", "--out", ""), ("export", "j.db", "--to", "csv", "--out", "")):
        refused = milbox(*arguments, "--force", status=2).complaints
        assert "the name of the file to write is empty" in refused
