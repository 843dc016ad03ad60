"""Other programs can read exported journals."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from cli.conftest import Milbox
from milbox.domain import Domain, binary, categorical, integer, only_if, real
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


@pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")
def test_optuna_has_reals_limits_errors_and_what_does_not_exist(milbox: Milbox, tmp_path: Path) -> None:
    import optuna
    from optuna.storages import JournalStorage
    from optuna.storages.journal import JournalFileBackend

    op, ph = categorical("op", ["conv", "pool"]), real("ph", 5.0, 7.5, step=0.5)
    t, width = real("t", 20, 80), integer("width", 1, 3)
    domain = Domain([op, ph, t, width], [only_if(width, op == "conv")])
    limits = {"tox": ("<=", 0.05)}
    path = tmp_path / "run.db"
    with Study(domain, journal=path, objectives={"gain": "maximize"}, limits=limits, noise=True) as study:
        first, second = study.ask(fix={"op": "pool"}), study.ask(fix={"op": "conv"})
        study.tell(first.number, {"gain": 1.0, "tox": 0.01}, error=0.5)
        study.tell(second.number, {"gain": 9.0, "tox": 0.08})
    milbox("export", "run.db", "--out", "s.log")
    found = optuna.load_study(
        study_name="run", storage=JournalStorage(JournalFileBackend(str(tmp_path / "s.log")))
    )
    one, two = found.trials
    assert one.params["t"] == first.assignment["t"]
    assert one.distributions["ph"] == optuna.distributions.FloatDistribution(5.0, 7.5, step=0.5)
    assert "width" not in one.params
    assert two.params["width"] == second.assignment["width"]
    assert one.user_attrs["error"] == 0.5
    assert one.user_attrs["values"] == {"gain": 1.0, "tox": 0.01}
    assert one.constraints == {"tox <= 0.05": pytest.approx(-0.04)}
    assert two.constraints == {"tox <= 0.05": pytest.approx(0.03)}
    assert found.best_trial.number == 0  # the other breaks its limit


@pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")
def test_optuna_has_trials_outside_the_domain_too(milbox: Milbox, tmp_path: Path) -> None:
    import optuna
    from optuna.storages import JournalStorage
    from optuna.storages.journal import JournalFileBackend

    wide = Domain([integer("n", 0, 9), real("t", 0, 1, step=0.1), categorical("c", ["a", "b", "c"])])
    narrow = Domain([integer("n", 0, 4), real("t", 0, 0.5, step=0.1), categorical("c", ["a", "b"])])
    with Study(wide, journal=tmp_path / "run.db") as study:
        trial = study.ask(fix={"n": 7, "t": 0.9, "c": "c"})
        study.tell(trial.number, 3.0)
        study.change(narrow)
    milbox("export", "run.db", "--out", "s.log")
    storage = JournalStorage(JournalFileBackend(str(tmp_path / "s.log")))
    found = optuna.load_study(study_name="run", storage=storage)
    assert found.trials[0].params == {"n": 7, "t": 0.9, "c": "c"}
    assert found.best_value == 3.0
