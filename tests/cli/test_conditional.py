"""Conditional variables on the command line: in problem files, batches, own data and a command's JSON."""

import csv
import json
import sys
from pathlib import Path

from cli.conftest import Milbox

VARIABLES = """\
[variables]
op = { kind = "categorical", choices = ["pool", "conv"] }
width = { kind = "integer", low = 3, high = 5, only_if = "op == 'conv'" }
shares = { kind = "real", low = 0, high = 1, step = 0.5, size = 2, only_if = "op == 'conv' and width > 3" }
"""
PROGRAM = """\
import json, sys
point = json.load(sys.stdin)
assert ("width" in point) == (point["op"] == "conv") == any(a.startswith("--width") for a in sys.argv)
assert ("shares" in point) == (point.get("width", 0) > 3)
print(point.get("width", 0) + sum(point.get("shares", [])))
"""


def test_a_command_gets_only_what_exists(milbox: Milbox, tmp_path: Path) -> None:
    (tmp_path / "measure_it.py").write_text(PROGRAM)
    command = json.dumps([sys.executable, "measure_it.py", "--width={width}", "{op}"])
    (tmp_path / "p.toml").write_text(f"{VARIABLES}[objective]\ncommand = {command}\n")
    milbox("run", "p.toml", "--budget", "20", "--initial", "12")
    with_none = milbox("trials", "p.db", "--json").output
    assert '"failed"' not in with_none
    table = milbox("trials", "p.db").output
    assert "None" not in table
    assert "width=-" in table


def test_a_batch_goes_out_and_comes_back(milbox: Milbox, tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text(VARIABLES)
    milbox("ask", "p.db", "--problem", "p.toml", "--count", "20", "--csv", "b.csv", "--initial", "20")
    with (tmp_path / "b.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 20  # pool; conv of width 3; conv of two widths with nine shares
    assert sum(row["width"] == "" for row in rows) == 1
    assert all((row["shares[0]"] == "") == (row["width"] in ("", "3")) for row in rows)
    for row in rows:
        row["value"] = row["width"] or "0"
    mixed = [dict(row) for row in rows]
    next(row for row in mixed if row["width"] == "")["width"] = "3"
    write(tmp_path / "mixed.csv", mixed)
    wrong = milbox("tell", "p.db", "mixed.csv", status=2)
    assert "did not ask for width, which does not exist there, and the file has '3'" in wrong.complaints
    write(tmp_path / "b.csv", rows)
    milbox("tell", "p.db", "b.csv")
    milbox("export", "p.db", "--out", "all.csv")
    milbox("ask", "new.db", "--problem", "p.toml", "--count", "1", "--known", "all.csv", status=3)
    told = milbox("status", "new.db", "--json").json
    assert told["finished"] == 20


def test_an_ask_may_say_that_a_variable_does_not_exist(milbox: Milbox, tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text(VARIABLES)
    asked = milbox("ask", "p.db", "--problem", "p.toml", "--fix", "width=", "--json").json
    assert asked["trials"][0]["assignment"] == {"op": "pool", "width": None, "shares": None}


def test_mistakes_are_named_with_their_line(milbox: Milbox, tmp_path: Path) -> None:
    for condition, complaint in {
        '"opp == 1"': "p.toml:3: no variable named 'opp'; did you mean 'op'?",
        "3": "p.toml:3: only_if must be a condition such as",
        '"op"': "p.toml:3: 'op' is not a condition",
        "\"op == 'conv' and op == 'pool'\"": "'width' never exists, since its condition cannot hold",
    }.items():
        text = VARIABLES.replace("\"op == 'conv'\"", condition)
        (tmp_path / "p.toml").write_text(text)
        assert complaint in milbox("check", "p.toml", status=2).complaints


def write(path: Path, rows: list[dict[str, str]]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
