"""Other programs can read exported journals."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from cli.conftest import Milbox
from milbox.domain import Domain, binary, categorical, integer
from milbox.study import Study
from milbox.trials import Journal


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """One trial of each state, with every kind of variable."""
    domain = Domain([binary("x", 2), integer("n", -1, 2), categorical("c", ["a,b", None, 2.5])])
    with Study(domain, journal=tmp_path / "run.db", minimize=True, seed=1) as study:
        for trial in study.ask_many(3):
            if trial.number == 0:
                study.tell(trial.number, 0.1, seconds=2.0)
            if trial.number == 1:
                study.fail(trial.number, "broke\nlong story")
    return tmp_path / "run.db"


def test_csv(milbox: Milbox, journal: Path, tmp_path: Path) -> None:
    milbox("export", journal, "--out", "all.csv")
    with (tmp_path / "all.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["state"] for row in rows] == ["finished", "failed", "pending"]
    assert [row["value"] for row in rows] == ["0.1", "", ""]
    assert rows[1]["reason"] == "broke\nlong story"
    assert float(rows[0]["evaluation_seconds"]) == 2.0
    refused = milbox("export", journal, "--out", "all.csv", status=2)
    assert "all.csv exists already" in refused.complaints
    milbox("export", journal, "--out", "all.csv", "--force")
    assert (
        "is the journal itself"
        in milbox("export", journal, "--out", journal, "--to", "csv", status=2).complaints
    )
    assert "give --to" in milbox("export", journal, "--out", "all.xyz", status=2).complaints
    assert "the folder" in milbox("export", journal, "--out", "no/all.csv", status=2).complaints


def test_json_lines(milbox: Milbox, journal: Path, tmp_path: Path) -> None:
    milbox("export", journal, "--out", "all.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "all.jsonl").read_text().splitlines()]
    header, trials = Journal.read(journal)
    domain = Domain.from_json(header.domain)
    assert [domain.point(row["assignment"]) for row in rows] == [trial.point for trial in trials]
    assert [row["value"] for row in rows] == [0.1, None, None]


@pytest.mark.parametrize("name", ["study.log", "study.sqlite3"])
@pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")
def test_optuna(milbox: Milbox, journal: Path, tmp_path: Path, name: str) -> None:
    import optuna
    from optuna.storages import JournalStorage, RDBStorage
    from optuna.storages.journal import JournalFileBackend

    milbox("export", journal, "--out", name)
    storage: Any = (
        JournalStorage(JournalFileBackend(str(tmp_path / name)))
        if name.endswith(".log")
        else RDBStorage(f"sqlite:///{tmp_path / name}")
    )
    study = optuna.load_study(study_name="run", storage=storage)
    _, trials = Journal.read(journal)
    assert study.direction.name == "MINIMIZE"
    assert study.best_value == 0.1
    assert [trial.state.name for trial in study.trials] == ["COMPLETE", "FAIL", "RUNNING"]
    for mine, theirs in zip(trials, study.trials, strict=True):
        x0, x1 = mine.assignment["x"].tolist()
        assert theirs.params == {
            "x[0]": x0,
            "x[1]": x1,
            "n": mine.assignment["n"],
            "c": mine.assignment["c"],
        }
    assert study.trials[1].user_attrs["reason"] == "broke\nlong story"
    if name.endswith("3"):
        storage.engine.dispose()
