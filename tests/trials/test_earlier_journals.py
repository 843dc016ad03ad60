"""Journals that earlier versions wrote open and are resumed; `fixtures/journals/write.py` wrote them."""

import importlib.util
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from milbox.bench.algorithms import ALGORITHMS
from milbox.strategies import NNMILP, NNConEvo, NNRegEvo, Strategy
from milbox.surrogates import ReluLearner
from milbox.trials import Journal

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


# The paper's training centred its inputs then; a journal is resumed with what it was written with.
THEN = ReluLearner(epochs=25_000, decay=0.0)
CHANGED: dict[str, Strategy] = {
    "nn+milp/paper": NNMILP(THEN, initial=WRITE.INITIAL),
    "nn+regevo/paper": NNRegEvo(THEN, WRITE.INITIAL),
    "nn+conevo/paper": NNConEvo(THEN, WRITE.INITIAL),
}


def strategy(name: str) -> Strategy:
    """The strategy that a journal was written with, as it is spelled today."""
    if name == "default":
        return NNMILP()
    return CHANGED.get(name) or ALGORITHMS[name].strategy(WRITE.INITIAL, WRITE.SEED)


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
    with WRITE.opened(name, path, strategy(name)) as study:
        trials = study.trials
        assert [WRITE.entry(trial) for trial in trials] == HELD[name]
        if name in WRITE.KNOWN:
            return
        study.tell(trials[-1].number, WRITE.value(trials[-1].point))
        new = study.ask()
        assert new.number == len(HELD[name])
        study.tell(new.number, 1.5)
    with WRITE.opened(name, path, strategy(name)) as study:
        assert [trial.value for trial in study.trials[-2:]] == [WRITE.value(trials[-1].point), 1.5]
    assert Journal.read(path)[1][-1].value == 1.5
