"""A run ends at a target, without gain for long, after a time, or when a callback says so."""

import io
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import milbox as mb
from milbox.run.bar import with_bar

X = mb.binary("x", 6)
DOMAIN = mb.Domain([X])


def ones(x: Any) -> float:
    return float(x.sum())


def slow(x: Any) -> float:
    time.sleep(0.05)
    return ones(x)


def flat(x: Any) -> float:
    return float(0 * x.sum())


def test_a_target_ends_the_run() -> None:
    result = mb.maximize(ones, DOMAIN, budget=64, initial=64, target=5)
    assert result.best.value is not None
    assert result.best.value >= 5
    assert result.best.number == len(result.trials) - 1 < 63
    assert all(trial.value is not None and trial.value < 5 for trial in result.trials[:-1])
    assert result.stopped == "the target of 5 is reached"


def test_a_target_of_what_is_minimised() -> None:
    result = mb.minimize(ones, DOMAIN, budget=64, initial=64, target=1)
    assert result.best.value is not None
    assert result.best.value <= 1
    assert result.best.number == len(result.trials) - 1


@pytest.mark.parametrize("workers", [1, 3])
def test_patience_counts_evaluations_without_gain(workers: int) -> None:
    with ThreadPoolExecutor(workers) as threads:
        result = mb.maximize(flat, DOMAIN, budget=64, initial=64, patience=7, executor=threads)
    assert 8 <= len(result.trials) < 8 + workers
    assert result.stopped == "the last 7 evaluations brought no better value"
    assert all(trial.state == "finished" for trial in result.trials)


def test_seconds_end_the_run_and_nothing_under_way_is_lost() -> None:
    began = time.monotonic()
    with ThreadPoolExecutor(2) as threads:
        result = mb.maximize(slow, DOMAIN, budget=64, initial=64, seconds=0.3, executor=threads)
    assert time.monotonic() - began >= 0.3
    assert 2 <= len(result.trials) < 40
    assert result.stopped == "0.3 s have passed"
    assert all(trial.state == "finished" for trial in result.trials)


def test_a_run_that_was_stopped_goes_on_with_the_same_points(tmp_path: Any) -> None:
    journal = tmp_path / "run.db"
    mb.maximize(ones, DOMAIN, budget=30, initial=10, patience=3, journal=journal)
    resumed = mb.maximize(ones, DOMAIN, budget=30, initial=10, journal=journal)
    straight = mb.maximize(ones, DOMAIN, budget=30, initial=10)
    assert [trial.point for trial in resumed.trials] == [trial.point for trial in straight.trials]


def test_a_target_that_a_journal_has_reached_asks_for_nothing(tmp_path: Any) -> None:
    journal = tmp_path / "run.db"
    first = mb.maximize(ones, DOMAIN, budget=40, initial=40, target=4, journal=journal)
    again = mb.maximize(ones, DOMAIN, budget=40, initial=40, target=4, journal=journal)
    assert len(again.trials) == len(first.trials)


def test_a_callback_sees_every_trial_and_may_end_the_run() -> None:
    seen: list[int] = []

    def watch(trial: mb.Trial) -> bool:
        seen.append(trial.number)
        return trial.number == 4

    result = mb.maximize(ones, DOMAIN, budget=20, initial=20, callback=watch)
    assert seen == [0, 1, 2, 3, 4]
    assert len(result.trials) == 5
    assert result.stopped == "stopped early"
    all_of_them: list[mb.Trial] = []
    mb.maximize(ones, DOMAIN, budget=6, initial=6, callback=all_of_them.append)
    assert [trial.value is not None for trial in all_of_them] == [True] * 6


def test_a_run_without_other_limits_ends_with_its_budget_or_its_domain() -> None:
    assert mb.maximize(ones, DOMAIN, budget=5, initial=5).stopped == "the budget of 5 is spent"
    few = mb.Domain([X], [X.sum() <= 1])
    assert mb.maximize(ones, few, budget=1000, initial=5).stopped == "no point is left"
    assert mb.maximize(ones, few, budget=7, initial=5).stopped == "no point is left"  # there are seven


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"target": float("nan")}, "target"),
        ({"patience": 0}, "patience"),
        ({"seconds": 0}, "seconds must be more than 0"),
        ({"callback": 3}, "callback must be a function of a trial"),
    ],
)
def test_what_makes_no_sense_is_refused(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        mb.maximize(ones, DOMAIN, budget=5, **wrong)


def test_the_line_shows_how_far_the_run_is(capsys: pytest.CaptureFixture[str]) -> None:
    mb.maximize(ones, DOMAIN, budget=5, initial=5, progress=True)
    last, end = capsys.readouterr().err.split("\r")[-1].splitlines()
    assert last.startswith("[========================] 5 of 5 trials, best ")
    assert end == "Ended: the budget of 5 is spent."


def test_the_line_counts_what_the_budget_counts(capsys: pytest.CaptureFixture[str]) -> None:
    point = next(iter(DOMAIN))
    known = [(DOMAIN.assignment(point), 0.0)]
    mb.maximize(ones, DOMAIN, budget=5, initial=5, progress=True, known=known)
    assert "] 5 of 5 trials" in capsys.readouterr().err.rstrip("\n").split("\r")[-1]


def test_a_shorter_line_covers_a_longer_one() -> None:
    study = mb.Study(DOMAIN, mb.RandomSearch())
    stream = io.StringIO()
    values = iter([123456.0, 2e6])

    def steps() -> Any:
        for value in values:
            trial = study.ask()
            study.tell(trial.number, value)
            yield study.trials[trial.number]

    list(with_bar(steps(), study, 2, stream))
    drawn = stream.getvalue().strip("\n").split("\r")[1:]
    assert len(drawn[-1].rstrip()) < len(drawn[0])
    assert len(drawn[-1]) == len(drawn[0])
    assert "best 2e+06 in trial 1" in drawn[-1]
