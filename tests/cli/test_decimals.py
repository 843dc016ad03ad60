"""Decimals survive the way from a problem file to a table and back."""

import csv
import json
from decimal import Decimal
from pathlib import Path

import pytest

from cli.conftest import Milbox

PROBLEM = """
[variables]
t = { kind = "real", low = 20.0, high = 80.0 }
ph = { kind = "real", low = 5.0, high = 7.5, step = 0.5 }
mix = { kind = "real", low = 0, high = 1, step = 0.001, size = 3 }
[[constraints]]
rule = "sum(mix) == 1"
[[constraints]]
rule = "mix[0] > 0 -> mix[0] >= 0.05"
[strategy]
name = "nn+milp"
initial = 4
"""


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    """A problem whose values are measured by hand."""
    path = tmp_path / "lab.toml"
    path.write_text(PROBLEM)
    return path


def test_asked_points_are_decimals_and_come_back(milbox: Milbox, lab: Path, tmp_path: Path) -> None:
    milbox("check", lab)
    milbox("ask", "lab.db", "--problem", lab, "--count", "4", "--csv", "batch.csv", "--seed", "3")
    rows = list(csv.DictReader((tmp_path / "batch.csv").read_text().splitlines()))
    assert len(rows) == 4
    for row in rows:
        assert sum(Decimal(row[f"mix[{i}]"]) for i in range(3)) == 1
        assert (Decimal(row["t"]) * 100_000) % 1 == 0
        assert row["ph"] in {"5.0", "5.5", "6.0", "6.5", "7.0", "7.5"}
        row["value"] = row["t"]
    with (tmp_path / "batch.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys(), delimiter=";")
        writer.writeheader()
        # As a spreadsheet writes them where the comma is the decimal point.
        writer.writerows({key: text.replace(".", ",") for key, text in row.items()} for row in rows)
    milbox("tell", "lab.db", "batch.csv")
    told = [json.loads(line) for line in milbox("trials", "lab.db", "--json").output.splitlines()]
    assert [str(trial["assignment"]["t"]) for trial in told] == [row["t"] for row in rows]
    assert [trial["value"] for trial in told] == [float(row["t"]) for row in rows]
    fixed = milbox("ask", "lab.db", "--fix", "ph=6.5", "--json").output
    assert json.loads(fixed)["trials"][0]["assignment"]["ph"] == 6.5
    milbox("report", "lab.db", "--out", "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "20 to 80 in steps of 1e-05" in page
    assert "the sum is 1, as it must" in page
