"""A study is steered: pending trials are given up, told values are corrected, notes are kept."""

import sqlite3
from pathlib import Path

import pytest

import milbox as mb
from milbox.trials import Failed, Finished, Journal

X = mb.binary("x", 4)
DOMAIN = mb.Domain([X])


def study(journal: Path | None = None, *, minimize: bool = False) -> mb.Study:
    return mb.Study(DOMAIN, mb.NNMILP(initial=6), seed=2, journal=journal, minimize=minimize)


def value(trial: mb.Trial) -> float:
    return float(trial.assignment["x"] @ [3, -1, 2, 1])


@pytest.mark.parametrize("minimize", [False, True])
def test_a_cancelled_point_may_be_asked_again_and_counts_nowhere(tmp_path: Path, minimize: bool) -> None:
    with study(tmp_path / "a.db", minimize=minimize) as first:
        given_up = first.ask()
        first.cancel(given_up.number)
        assert first.trials[0].state == "cancelled"
        seen = set()
        while not first.exhausted:
            trial = first.ask()
            assert trial.point not in seen
            seen.add(trial.point)
            first.tell(trial.number, value(trial))
        assert given_up.point in seen
        assert len(seen) == 16
        assert first.proved
        assert [t.number for t in first.trials] == list(range(17))
    with study(tmp_path / "a.db", minimize=minimize) as again:
        assert again.proved
        assert again.trials[0].state == "cancelled"


def test_an_exhausted_study_goes_on_after_a_cancellation() -> None:
    running = study()
    trials = running.ask_many(16)
    with pytest.raises(mb.Exhausted):
        running.ask()
    running.cancel(trials[3].number)
    assert not running.exhausted
    assert running.ask().point == trials[3].point


def test_only_pending_trials_are_cancelled() -> None:
    running = study()
    trial = running.ask()
    running.tell(trial.number, 1.0)
    with pytest.raises(ValueError, match="trial 0 finished with value 1"):
        running.cancel(0)
    with pytest.raises(ValueError, match="there is no trial 7"):
        running.cancel(7)


def test_a_run_does_not_count_cancelled_trials_towards_its_budget(tmp_path: Path) -> None:
    with study(tmp_path / "a.db") as asked:
        asked.cancel(asked.ask().number)
    result = mb.maximize(
        lambda x: float(x.sum()),
        DOMAIN,
        budget=5,
        strategy=mb.NNMILP(initial=6),
        seed=2,
        journal=tmp_path / "a.db",
    )
    assert sum(trial.state == "finished" for trial in result.trials) == 5


@pytest.mark.parametrize("minimize", [False, True])
def test_an_amended_value_counts_and_the_old_one_stays_on_record(tmp_path: Path, minimize: bool) -> None:
    with study(tmp_path / "a.db", minimize=minimize) as first:
        for trial in first.ask_many(3):
            first.tell(trial.number, float(trial.number), seconds=2.0)
        first.amend(1, -50.0)
        first.amend(1, 50.0)
        assert first.best is not None
        assert first.best.number == (0 if minimize else 1)
        amended = first.trials[1]
        assert (amended.value, [old.value for old in amended.earlier]) == (50.0, [1.0, -50.0])  # type: ignore[union-attr]
        assert isinstance(amended.outcome, Finished)
        assert amended.outcome.seconds == 2.0
    with study(tmp_path / "a.db", minimize=minimize) as again:
        assert again.trials[1] == amended
        next_point = again.ask().point
    fresh = study(minimize=minimize)
    for trial, told in zip(fresh.ask_many(3), (0.0, 50.0, 2.0), strict=True):
        fresh.tell(trial.number, told)
    assert fresh.ask().point == next_point


def test_a_failure_can_be_amended_and_what_is_pending_cannot() -> None:
    running = study()
    running.fail(running.ask().number, "spilled")
    running.amend(0, 4.0)
    assert running.trials[0].earlier == (Failed("spilled"),)
    assert running.best is not None
    running.ask()
    with pytest.raises(ValueError, match="trial 1 is pending"):
        running.amend(1, 3.0)


def test_proposals_after_an_amendment_are_fitted_to_it(tmp_path: Path) -> None:
    """Killed and resumed across it, the proposals are the same as without a break."""
    points = []
    for stop in (None, 9):
        path = tmp_path / f"{stop}.db"
        running = study(path)
        for number in range(14):
            if number == stop:
                running.close()
                running = study(path)
            trial = running.ask()
            running.tell(trial.number, value(trial))
            if number == 8:
                running.amend(2, 40.0)
        points.append([trial.point for trial in running.trials])
        running.close()
    assert points[0] == points[1]


def test_notes_are_kept_with_a_trial(tmp_path: Path) -> None:
    with study(tmp_path / "a.db") as first:
        first.tell(first.ask().number, 1.0, note="colour odd", info={"batch": 7, "operator": "Kim"})
        first.fail(first.ask().number, "spilled", info={"batch": 8})
        with pytest.raises(TypeError, match="info must be JSON"):
            first.tell(first.ask().number, 1.0, info={"when": object()})
        with pytest.raises(TypeError, match="a note must be a string"):
            first.tell(2, 1.0, note=3)  # type: ignore[arg-type]
        assert first.trials[2].state == "pending"
    _, trials = Journal.read(tmp_path / "a.db")
    assert [trial.info for trial in trials] == [
        {"batch": 7, "operator": "Kim", "note": "colour odd"},
        {"batch": 8},
        {},
    ]


def test_two_trials_of_one_point_are_not_written(tmp_path: Path) -> None:
    with study(tmp_path / "a.db") as first:
        first.ask_many(2)
    connection = sqlite3.connect(tmp_path / "a.db")
    with pytest.raises(sqlite3.IntegrityError):
        connection.execute("UPDATE trials SET point = (SELECT point FROM trials WHERE number = 0)")
    connection.close()
