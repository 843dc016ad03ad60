"""Journals that earlier versions wrote open and are resumed; `fixtures/journals/write.py` wrote them."""

import importlib.util
import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import milbox as mb
from milbox.bench.algorithms import ALGORITHMS
from milbox.strategies import NNMILP, Strategy
from milbox.strategies.identity import identity
from milbox.trials import Failed, Journal

FOLDER = Path(__file__).parents[1] / "fixtures" / "journals"


def written() -> Any:
    spec = importlib.util.spec_from_file_location("write", FOLDER / "write.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


WRITE = written()
HELD = json.loads((FOLDER / "held.json").read_text())


def strategy(name: str) -> Strategy:
    """The strategy that a journal was written with, in the version of today."""
    return NNMILP() if name == "default" else ALGORITHMS[name].strategy(WRITE.INITIAL, WRITE.SEED)


def resumed(name: str, path: Path) -> Any:
    """The study, opened with the sentence that a strategy of another version deserves."""
    if identity(strategy(name)).startswith("rbfopt@1"):
        return WRITE.opened(name, path, strategy(name))
    with pytest.warns(UserWarning, match=r"was written with the strategy .*@1.* and goes on with .*@[27]"):
        return WRITE.opened(name, path, strategy(name))


def test_the_names_of_then_are_names_today() -> None:
    assert set(HELD) <= {"default", *ALGORITHMS}


@pytest.mark.parametrize("name", HELD)
def test_a_journal_of_the_first_format_is_read(name: str) -> None:
    path = FOLDER / WRITE.file_for(name)
    before = path.read_bytes()
    header, trials = Journal.read(path)
    assert [WRITE.entry(trial) for trial in trials] == HELD[name]
    assert header.seed == WRITE.SEED
    assert header.domain_fingerprint == WRITE.domain_for(name).fingerprint
    assert header.sense == ("minimize" if name in WRITE.MINIMIZED else "maximize")
    assert path.read_bytes() == before


@pytest.mark.parametrize("name", HELD)
def test_a_journal_of_the_first_format_is_resumed(tmp_path: Path, name: str) -> None:
    path = tmp_path / "run.db"
    shutil.copy(FOLDER / WRITE.file_for(name), path)
    with resumed(name, path) as study:
        trials = study.trials
        assert [WRITE.entry(trial) for trial in trials] == HELD[name]
        if name in WRITE.KNOWN:
            return
        study.tell(trials[-1].number, WRITE.value(trials[-1].point))
        new = study.ask()
        assert new.number == len(HELD[name])
        study.tell(new.number, 1.5)
    with resumed(name, path) as study:
        assert [trial.value for trial in study.trials[-2:]] == [WRITE.value(trials[-1].point), 1.5]
    assert Journal.read(path)[1][-1].value == 1.5


def test_a_journal_of_the_second_format_opens_and_goes_on_in_the_third(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    shutil.copy(FOLDER.parent / "formats" / "format-2.db", path)
    states = ["finished"] * 3 + ["failed"] + ["finished"] * 3 + ["pending"]
    _, before = Journal.read(path)
    assert [trial.state for trial in before] == states
    x = mb.binary("x", 6)
    with mb.Study(mb.Domain([x], [x.sum() <= 3]), NNMILP(initial=4), seed=5, journal=path) as study:
        assert [replace(trial, assignment={}) for trial in study.trials] == [
            replace(trial, assignment={}) for trial in before
        ]
        study.cancel(7)
        study.amend(3, 2.0)
    _, after = Journal.read(path)
    assert [trial.state for trial in after] == [*states[:3], "finished", *states[4:7], "cancelled"]
    assert after[3].earlier == (Failed("spilled", infeasible=False),)
