"""Frames hold what the trials hold, column by column, with types that pandas and polars compute with."""

import math
import sys
from typing import Any

import pytest

import milbox.domain as md
from milbox.milp.solution import Status
from milbox.trials import Certificate, Failed, Finished, Outcome, Pending, Proposal, Trial
from milbox.trials.frames import columns, to_pandas, to_polars

pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")


def some() -> list[Trial]:
    """One of each state, over an array, a matrix, a mixed choice and a variable that is called value."""
    domain = md.Domain(
        [
            md.binary("x", 2),
            md.integer("k", 1, 3, (1, 2)),
            md.categorical("op", ["a", 2, None]),
            md.integer("value", 0, 9),
        ]
    )
    proof = Certificate(Status.FEASIBLE, 1.5, math.inf, 0.0, 7, 0.25, "SCIP")
    points = [(0, 1, 1, 3, 0, 4), (1, 1, 2, 3, 1, 5), (1, 0, 3, 1, 2, 6)]
    outcomes: list[Outcome] = [Finished(2.5, 0.1, 1e9), Failed("broke\nbadly", 0.2, 1e9 + 1), Pending()]
    proposals = [
        Proposal(points[0], "random"),
        Proposal(points[1], "milp", proof, 0.5),
        Proposal(points[2], "milp"),
    ]
    return [
        Trial(k, proposal, outcome, domain.assignment(proposal.point), 1e9 - 1)
        for k, (proposal, outcome) in enumerate(zip(proposals, outcomes, strict=True))
    ]


def test_columns() -> None:
    table = columns(some())
    variables = ["x[0]", "x[1]", "k[0, 0]", "k[0, 1]", "op", "value (variable)"]
    assert list(table)[:11] == ["number", "state", "value", "origin", *variables, "status"]
    assert table["state"] == ["finished", "failed", "pending"]
    assert table["x[1]"] == [1, 1, 0]
    assert table["k[0, 1]"] == [3, 3, 1]
    assert table["op"] == ["a", 2, None]
    assert table["value (variable)"] == [4, 5, 6]
    assert table["bound"] == [None, math.inf, None]
    assert table["reason"] == [None, "broke\nbadly", None]


def test_pandas() -> None:
    frame = to_pandas(some())
    assert frame["value"].dtype == "float64"
    assert frame["value"].max() == 2.5
    assert frame["value"].isna().tolist() == [False, True, True]
    assert frame["number"].tolist() == [0, 1, 2]
    assert frame["k[0, 0]"].sum() == 6
    assert frame["no_goods"].sum() == 7
    assert math.isinf(frame["gap"][1])
    assert (frame["told_at"][1] - frame["asked_at"][1]).total_seconds() == 2
    assert frame["evaluation_seconds"].tolist()[:2] == [0.1, 0.2]


def test_polars() -> None:
    frame = to_polars(some())
    assert frame["value"].to_list() == [2.5, None, None]
    assert frame["value"].dtype == polars.Float64
    assert frame["x[0]"].sum() == 2
    assert frame["op"].to_list() == ["a", "2", "None"]
    assert frame["status"].to_list() == [None, "feasible", None]
    assert (frame["told_at"][1] - frame["asked_at"][1]).total_seconds() == 2


@pytest.mark.parametrize("make", [to_pandas, to_polars])
def test_nothing_is_a_frame_too(make: Any) -> None:
    frame = make([])
    assert len(frame) == 0
    assert "value" in list(frame.columns)


@pytest.mark.parametrize(("name", "make"), [("pandas", to_pandas), ("polars", to_polars)])
def test_without_the_library(name: str, make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match=f"pip install {name}"):
        make(some())
