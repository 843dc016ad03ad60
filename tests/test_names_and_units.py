"""The objective has a name and a unit, and trials keep what a lab writes beside a value."""

import csv
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import milbox as mb
from milbox.cli import command_line
from milbox.cli.summary import outcome_lines
from milbox.page import page
from milbox.strategies import RandomSearch
from milbox.trials.record import read_record


def invoked(*arguments: object, code: int = 0) -> str:
    done = CliRunner().invoke(command_line, [str(each) for each in arguments])
    assert done.exit_code == code, done.output
    return done.output


def domain() -> mb.Domain:
    return mb.Domain([mb.binary("x", 4), mb.integer("k", 0, 9)])


def total(x: object, k: int) -> float:
    return float(k)


def test_a_name_and_a_unit_change_no_proposal_and_are_shown(tmp_path: Path) -> None:
    journal = tmp_path / "run.db"
    named = mb.minimize(total, domain(), 12, initial=5, name="loss", unit="kg", journal=journal)
    plain = mb.minimize(total, domain(), 12, initial=5)
    assert [t.point for t in named.trials] == [t.point for t in plain.trials]
    best = named.best.value
    assert named.message.startswith(f"best loss {best:g} kg in trial")
    assert plain.message.startswith(f"best value {best:g} in trial")
    assert named.best.values == {"loss": best}
    record = read_record(journal)
    assert record.goal.label("loss") == "loss (kg)"
    assert "loss (kg)" in page(record)
    with mb.Study(
        domain(), journal=journal, objectives={"loss": "minimize"}
    ) as study:  # units change nothing
        assert study.record.goal.units == (("loss", "kg"),)


@pytest.mark.parametrize(("noise", "end"), [(False, ""), (True, ", estimated,")])
def test_units_of_several_outputs(tmp_path: Path, noise: bool, end: str) -> None:
    goals = {"a": "maximize", "b": "minimize"}
    journal = tmp_path / "run.db"
    with mb.Study(
        domain(), RandomSearch(), objectives=goals, units={"b": "USD"}, noise=noise, journal=journal
    ) as study:
        study.tell(study.ask().number, {"a": 1.0, "b": 2.0})
        assert "b (USD)" in page(study.record)
        assert "  trial 0: a 1, b 2 USD" in outcome_lines(study.record)
    assert invoked("best", journal).startswith(f"a 1, b 2 USD{end} in trial 0 (")
    assert invoked("explain", journal, 0).startswith("Trial 0 has a 1, b 2 USD.")


@pytest.mark.parametrize("units", [{"lose": "kg"}, {"value": ""}, {"value": 3}, ["kg"]])
def test_wrong_units_are_refused(units: object) -> None:
    with pytest.raises((TypeError, ValueError), match="unit"):
        mb.Study(domain(), units=units)  # type: ignore[arg-type]


PROBLEM = """
[variables]
k = { kind = "integer", low = 0, high = 9 }

[objective]
sense = "minimize"
name = "loss"
unit = "kg"
"""


def test_the_way_of_a_lab(tmp_path: Path) -> None:
    """Name and unit stand in the sheet; what else is written there is kept, exported and on the page."""
    problem, journal, sheet = tmp_path / "p.toml", tmp_path / "run.db", tmp_path / "sheet.csv"
    problem.write_text(PROBLEM)
    told = invoked("ask", journal, "--problem", problem, "--count", "3", "--csv", sheet)
    assert "fill in the column loss (kg)" in told
    rows = list(csv.DictReader(sheet.read_text().splitlines()))
    assert list(rows[0])[-1] == "loss (kg)"
    for place, row in enumerate(rows):
        row.update({"loss (kg)": f"{place}.5", "batch": "B7", "operator": "Ann", "note": f"note {place}"})
    rows[2]["loss (kg)"] = "failed: spilled"
    with sheet.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    assert "best loss 0.5 kg in trial 0" in invoked("tell", journal, sheet)
    assert invoked("best", journal).startswith("loss 0.5 kg in trial 0 (")
    assert invoked("explain", journal, 1).startswith("Trial 1 has the value 1.5 kg, the 2nd best of 2 ")
    record = read_record(journal)
    assert [dict(t.info) for t in record.trials] == [
        {"batch": "B7", "operator": "Ann", "note": f"note {k}"} for k in range(3)
    ]
    assert "operator: Ann" in page(record)
    out = tmp_path / "all.csv"
    invoked("export", journal, "--out", out)
    exported = list(csv.DictReader(out.read_text().splitlines()))
    assert exported[1]["loss (kg)"] == "1.5"
    assert (exported[1]["operator"], exported[1]["note"]) == ("Ann", "note 1")
    entry = json.loads(invoked("trials", journal, "--json").splitlines()[1])
    assert entry["info"] == {"batch": "B7", "operator": "Ann", "note": "note 1"}
    again = tmp_path / "again.db"
    invoked("ask", again, "--problem", problem, "--known", out)
    assert [t.value for t in read_record(again).trials[:2]] == [0.5, 1.5]


def test_a_note_and_more_about_one_trial(tmp_path: Path) -> None:
    problem, journal = tmp_path / "p.toml", tmp_path / "run.db"
    problem.write_text(PROBLEM)
    invoked("ask", journal, "--problem", problem)
    invoked("tell", journal, "--trial", 0, "--value", 3, "--note", "wet", "--info", "operator=Ann")
    (trial,) = read_record(journal).trials
    assert trial.info == {"note": "wet", "operator": "Ann"}
    assert "go with --trial" in invoked("tell", journal, problem, "--note", "wet", code=2)


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ('[outputs]\nloss = "minimize"', "each output has its own sense"),
        ('[outputs]\nunits = { lost = "kg" }', "there is no output 'lost'"),
    ],
)
def test_a_problem_file_names_what_is_wrong(tmp_path: Path, lines: str, words: str) -> None:
    problem = tmp_path / "p.toml"
    problem.write_text(PROBLEM + lines)
    assert words in invoked("check", problem, code=2)


def test_a_command_may_print_value_for_a_named_objective(tmp_path: Path) -> None:
    problem = tmp_path / "p.toml"
    problem.write_text(PROBLEM + 'command = ["echo", \'{{"value": 3.5}}\']\n')
    assert "best loss 3.5 kg" in invoked("run", problem, "--budget", 1, "--journal", tmp_path / "run.db")
