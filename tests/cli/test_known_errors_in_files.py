"""Known standard errors of several outputs, in files of results and on the command line."""

import csv
import json
from pathlib import Path

from cli.conftest import Milbox
from milbox.page.document import page
from milbox.trials.record import read_record

TOLD = {"gain": 1.0, "cost": 2.0, "heat": 0.5}
PROBLEM = """\
[variables]
x = { kind = "integer", low = 0, high = 9 }
[outputs]
gain = "maximize"
cost = "minimize"
noise = true
limits = { heat = ["<=", 1.0] }
"""


def test_files_have_a_column_of_errors_for_each_output(milbox: Milbox, tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text(PROBLEM)
    (tmp_path / "old.csv").write_text("x,gain,cost,heat,error:gain\n3,1,2,0.5,0.1\n4,1,2,0.5,\n")
    milbox("ask", "p.db", "--problem", "p.toml", "--known", "old.csv", "--initial", "5", "--count", "3")
    (tmp_path / "b.csv").write_text("trial,gain,cost,heat,error:gain,Error:Heat\n2,1,2,0.5,0.1,0.2\n")
    milbox("tell", "p.db", "b.csv")
    values = ("--value", "gain=1", "--value", "cost=2", "--value", "heat=0.5")
    milbox("tell", "p.db", "--trial", "3", *values, "--error", "cost=0.3")
    milbox("amend", "p.db", "3", "gain=2", "cost=2", "heat=0.5", "--error", "cost=0.4", "--error", "heat=0.1")
    (tmp_path / "b.json").write_text(json.dumps({"trial": 4, "values": TOLD, "error": {"gain": 0.7}}))
    milbox("tell", "p.db", "b.json")
    expected = [{"gain": 0.1}, {}, {"gain": 0.1, "heat": 0.2}, {"cost": 0.4, "heat": 0.1}, {"gain": 0.7}]
    assert [trial.errors for trial in read_record(tmp_path / "p.db").trials] == expected
    milbox("export", "p.db", "--out", "p.csv")
    with (tmp_path / "p.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [rows[2][f"error:{name}"] for name in TOLD] == ["0.1", "", "0.2"]
    assert rows[2]["error"] == ""
    lines = [json.loads(line) for line in milbox("trials", "p.db", "--json").output.splitlines()]
    assert [line.get("errors", {}) for line in lines] == expected
    for name in ("p.csv", "lines.jsonl"):  # what was written is read again
        (tmp_path / "lines.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        (tmp_path / "again.db").unlink(missing_ok=True)
        milbox("ask", "again.db", "--problem", "p.toml", "--known", name)
        assert [t.errors for t in read_record(tmp_path / "again.db").trials[:5]] == expected
    assert "0.5 ± 0.2" in page(read_record(tmp_path / "p.db"))


def test_errors_of_no_output_are_refused_on_the_command_line(milbox: Milbox, tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text(PROBLEM)
    milbox("ask", "p.db", "--problem", "p.toml")
    values = ("--value", "gain=1", "--value", "cost=2", "--value", "heat=0.5")
    told = milbox("tell", "p.db", "--trial", "0", *values, "--error", "gian=0.1", status=2)
    assert "standard error of 'gian', which is no output; did you mean 'gain'?" in told.complaints
    assert (
        "it must be a mapping"
        in milbox("tell", "p.db", "--trial", "0", *values, "--error", "1", status=2).complaints
    )
    (tmp_path / "b.csv").write_text("trial,gain,cost,heat,error:gian\n0,1,2,0.5,0.1\n")
    complaints = milbox("tell", "p.db", "b.csv", status=2).complaints
    assert "b.csv:1: 'error:gian' has standard errors of 'gian', which is no output" in complaints


ONE = PROBLEM.replace('cost = "minimize"\n', "").replace('limits = { heat = ["<=", 1.0] }\n', "")


def test_rows_may_write_the_error_of_the_only_output_in_either_way(milbox: Milbox, tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text(ONE)
    milbox("ask", "p.db", "--problem", "p.toml", "--initial", "5", "--count", "2")
    rows = [{"trial": 0, "gain": 1.0, "error": 0.1}, {"trial": 1, "gain": 1.0, "error": {"gain": 0.2}}]
    (tmp_path / "b.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    milbox("tell", "p.db", "b.jsonl")
    assert [trial.error for trial in read_record(tmp_path / "p.db").trials] == [0.1, 0.2]


def test_an_output_called_error_keeps_its_value(milbox: Milbox, tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text(ONE.replace('gain = "maximize"', 'error = "minimize"'))
    milbox("ask", "p.db", "--problem", "p.toml")
    told = milbox("tell", "p.db", "--trial", "0", "--value", "error=3", "--error", "0.5", status=2)
    assert "an output of this study is called 'error'" in told.complaints
    milbox("tell", "p.db", "--trial", "0", "--value", "error=3")
    assert read_record(tmp_path / "p.db").trials[0].values == {"error": 3.0}


def test_another_error_of_a_value_that_was_told_is_no_repetition(milbox: Milbox, tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text(PROBLEM)
    milbox("ask", "p.db", "--problem", "p.toml")
    head = "trial,gain,cost,heat,error:gain\n"
    (tmp_path / "b.csv").write_text(head + "0,1,2,0.5,0.1\n")
    milbox("tell", "p.db", "b.csv")
    milbox("tell", "p.db", "b.csv")
    (tmp_path / "c.csv").write_text(head + "0,1,2,0.5,9.0\n")
    refused = milbox("tell", "p.db", "c.csv", status=2)
    assert "`milbox amend` corrects it" in refused.complaints
