"""Journals of one domain are compared in a table, as JSON and on a page."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import milbox as mb
from milbox.cli import command_line
from milbox.errors import JournalMismatch
from milbox.page.comparison import comparison_page
from milbox.strategies import RandomSearch
from milbox.trials.course import compared
from milbox.trials.front import hypervolume_of
from milbox.trials.record import read_record


def domain(high: int = 30) -> mb.Domain:
    return mb.Domain([mb.integer("k", 0, high), mb.binary("x", 3)])


def journal(path: Path, values: list[float], seed: int = 0, **rest: Any) -> Path:
    with mb.Study(domain(), RandomSearch(), seed=seed, journal=path, **rest) as study:
        for value in values:
            study.tell(study.ask().number, value)
    return path


def invoked(*arguments: object, code: int = 0) -> str:
    done = CliRunner().invoke(command_line, ["compare", *map(str, arguments)])
    assert done.exit_code == code, done.output
    return done.stdout if code == 0 else done.output


def test_two_runs_in_numbers(tmp_path: Path) -> None:
    goal: dict[str, Any] = {"objectives": {"yield": "maximize"}, "units": {"yield": "%"}}
    one = journal(tmp_path / "one.db", [1.0, 5.0, 2.0, 9.0], **goal)
    two = journal(tmp_path / "two.db", [3.0, 4.0, 6.0], seed=1, **goal)
    lines = invoked(one, two).splitlines()
    assert lines[0].split() == [
        "study",
        "trials",
        "failed",
        "yield",
        "(%)",
        "in",
        "trial",
        "as",
        "good",
        "after",
        "proved",
        "time",
    ]
    assert lines[1].split()[:6] == ["one", "4", "0", "9", "3", "4"]
    assert lines[2].split()[:6] == ["two", "3", "0", "6", "2", "3"]
    assert lines[3] == "one is ahead after 4 trials: yield (%) 9."
    found = json.loads(invoked(two, one, "--json"))
    assert [each["improvements"] for each in found["studies"]] == [
        [[0, 3.0], [1, 4.0], [2, 6.0]],
        [[0, 1.0], [1, 5.0], [3, 9.0]],
    ]
    assert [each["as_good_after"] for each in found["studies"]] == [3, 4]


def test_the_page_has_both_curves_and_the_points(tmp_path: Path) -> None:
    one = journal(tmp_path / "one.db", [1.0, 5.0, 2.0, 9.0], minimize=True)
    two = journal(tmp_path / "two.db", [3.0, 4.0, 0.5], seed=1, minimize=True)
    out = tmp_path / "both.html"
    invoked(one, two, "--out", out)
    shown = out.read_text()
    assert "two is ahead after 3 trials: value 0.5." in shown
    assert (
        shown.count('class="course series-a"') == shown.count('class="course series-b"') == 2
    )  # wide and narrow
    assert "Where the best points differ" in shown
    invoked(one, two, "--out", out)  # an older page is overwritten
    other = tmp_path / "letter.html"
    other.write_text("Dear Sir")
    assert "exists already" in invoked(one, two, "--out", other, code=2)


def test_hypervolumes_have_one_reference(tmp_path: Path) -> None:
    records = []
    for name, seed in (("one", 0), ("two", 1)):
        path = tmp_path / f"{name}.db"
        goal = {"a": "maximize", "b": "minimize"}
        with mb.Study(domain(), RandomSearch(), seed=seed, journal=path, objectives=goal) as study:
            for trial in study.ask_many(12):
                k = float(trial.assignment["k"])
                study.tell(trial.number, {"a": k, "b": k * k / (1 + trial.number)})
        records.append(read_record(path))
    found = compared(records)
    trials = [trial for record in records for trial in record.trials]
    corner = {"a": min(t.values["a"] for t in trials), "b": max(t.values["b"] for t in trials)}
    for record, course in zip(records, found.courses, strict=True):
        assert course[-1][1] == pytest.approx(hypervolume_of(record.trials, record.goal, corner))
    assert "hypervolume" in comparison_page(found, ["one", "two"])


def test_what_cannot_be_compared_is_said(tmp_path: Path) -> None:
    one = journal(tmp_path / "one.db", [1.0])
    with mb.Study(domain(31), RandomSearch(), journal=tmp_path / "two.db"):
        pass
    with pytest.raises(JournalMismatch, match=r"cannot be compared.*variable 'k' was"):
        compared([read_record(one), read_record(tmp_path / "two.db")])
    assert "takes 2 to 6 journals" in invoked(one, code=2)
    empty = journal(tmp_path / "empty.db", [])
    assert "one is ahead" in invoked(one, empty)
