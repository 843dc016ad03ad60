"""The logger "milbox" hears of every event of a run."""

import logging
import subprocess
import sys
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from milbox.errors import Exhausted, ObjectiveFailed
from milbox.run import evaluations, maximize
from milbox.study import Study
from objectives import die_once, score
from processes import ENVIRONMENT
from studies import Greedy, shelf


def heard(caplog: pytest.LogCaptureFixture) -> list[tuple[str, str]]:
    """Every event so far with its level, then forgotten."""
    records = [(getattr(record, "event", "?"), record.levelname) for record in caplog.records]
    caplog.clear()
    return records


def test_the_events_of_a_run_that_is_resumed(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, logger="milbox")
    journal = tmp_path / "run.db"
    maximize(score, shelf(), 2, strategy=Greedy(), journal=journal)
    assert caplog.messages[0] == "run begins: 0 of 2 trials so far"
    assert caplog.messages[-1] == "run ends: the budget of 2 is spent (2 evaluations)"
    assert heard(caplog) == [
        ("run begins", "INFO"),
        ("proposed", "DEBUG"),
        ("told", "INFO"),
        ("proposed", "DEBUG"),
        ("told", "INFO"),
        ("run ends", "INFO"),
    ]
    maximize(score, shelf(), 3, strategy=Greedy(), journal=journal)
    assert caplog.messages[0] == f"resumed: {journal}, 2 trials, 0 pending"
    told = caplog.records[-2]
    fields = vars(told)
    assert (fields["event"], fields["trial"]) == ("told", 2)
    assert isinstance(fields["value"], float)


def test_failures_are_warnings_of_one_line(caplog: pytest.LogCaptureFixture) -> None:
    def broken(x: Any, k: int) -> float:
        raise OSError("the oven is cold\nand has been")

    with pytest.raises(ObjectiveFailed):
        maximize(broken, shelf(), 42, strategy=Greedy())
    assert caplog.messages[-1] == "run ends: too many evaluations failed (11 evaluations)"
    failed = [record for record in caplog.records if record.levelname == "WARNING"]
    assert len(failed) == 11
    assert failed[0].getMessage() == "failed: trial 0, OSError: the oven is cold"


def test_what_is_corrected_or_given_up_is_reported(caplog: pytest.LogCaptureFixture) -> None:
    study = Study(shelf(), Greedy())
    first, second = study.ask_many(2)
    study.tell(first.number, 1.0)
    caplog.clear()
    study.amend(first.number, 2.5)
    study.cancel(second.number)
    assert caplog.messages == ["amended: trial 0, value 2.5", "cancelled: trial 1"]
    assert repr(study.trials[1]).startswith("<Trial 1: cancelled at ")


def test_a_worker_that_died_is_reported(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, logger="milbox")
    maximize(partial(die_once, tmp_path / "mark"), shelf(), 42, strategy=Greedy(), workers=2)
    count = Counter(event for event, _ in heard(caplog))
    assert count["worker died"] == 1
    assert (count["proposed"], count["told"], count["failed"]) == (42, 42, 0)


def test_an_exhausted_domain_and_a_run_that_is_left(caplog: pytest.LogCaptureFixture) -> None:
    study = Study(shelf(), Greedy())
    for _ in evaluations(study, score, budget=42):
        break
    assert caplog.messages[-1] == "run ends: stopped early (1 evaluation)"
    study.ask_many(41)
    with pytest.raises(Exhausted):
        study.ask()
    assert heard(caplog)[-1] == ("exhausted", "INFO")


def test_nothing_is_written_until_logging_is_configured() -> None:
    program = "import milbox as mb; s = mb.Study(mb.Domain([mb.binary('x')])); s.fail(s.ask().number, 'no')"
    done = subprocess.run(
        [sys.executable, "-c", program], env=ENVIRONMENT, capture_output=True, text=True, check=True
    )
    assert done.stdout + done.stderr == ""
