"""Known standard errors of several outputs: told, kept, shown and used."""

import json
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import milbox as mb
from milbox.strategies.beliefs import observed
from milbox.strategies.worth import left_to_limits
from milbox.trials import Finished, Journal
from milbox.trials.frames import columns
from milbox.trials.goal import goal_of
from milbox.trials.noise import estimated, grouped, mean_of, output

BOTH = {"gain": "maximize", "cost": "minimize"}
TOLD = {"gain": 1.0, "cost": 2.0, "heat": 0.5}
ERRORS = {"heat": 0.25, "gain": 0.125}


def study_of(path: Path | None = None, **wanted: Any) -> mb.Study:
    given: dict[str, Any] = {"objectives": BOTH, "limits": {"heat": ("<=", 1.0)}, "noise": True} | wanted
    return mb.Study(mb.Domain([mb.integer("x", 0, 9)]), mb.NNMILP(initial=2), journal=path, **given)


def test_errors_of_several_outputs_are_told_and_read_again(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    with study_of(path) as study:
        first, second = study.ask_many(2)
        study.tell(first.number, TOLD, error=ERRORS)
        study.tell(second.number, TOLD)
        assert study.trials[0].errors == ERRORS
        assert study.trials[0].error is None
        study.amend(1, TOLD | {"gain": 3.0}, error={"cost": 0.5})
        study.amend(0, TOLD)
        before = study.trials
    with study_of(path) as study:
        assert study.trials == before
    assert [trial.errors for trial in before] == [{}, {"cost": 0.5}]
    earlier = before[0].earlier[0]
    assert isinstance(earlier, Finished)
    assert dict(earlier.errors) == ERRORS


def test_one_objective_takes_a_number_or_names(tmp_path: Path) -> None:
    with study_of(tmp_path / "run.db", objectives={"gain": "maximize"}) as study:
        ways: list[Any] = [0.125, {"gain": 0.125}, ERRORS]
        for trial, error in zip(study.ask_many(3), ways, strict=True):
            study.tell(trial.number, TOLD, error=error)
        told = study.trials
    assert [trial.error for trial in told] == [0.125] * 3
    assert [trial.errors for trial in told] == [{}, {}, {"heat": 0.25}]
    assert [trial.outcome for trial in Journal.read(tmp_path / "run.db")[1]] == [t.outcome for t in told]


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (0.1, "with several objectives it must be a mapping {'gain': ..., 'cost': ...}"),
        ({"gian": 0.1}, "has a standard error of 'gian', which is no output; did you mean 'gain'?"),
        ({"gain": -1.0}, "the standard error of .*, output 'gain', is -1; it must be more than 0"),
        ({"gain": "x"}, "the standard error of .*, output 'gain', is 'x'"),
    ],
)
def test_errors_that_are_none_are_refused_by_name(error: Any, sentence: str) -> None:
    study = study_of()
    number = study.ask().number
    with pytest.raises((TypeError, ValueError), match=sentence.replace("{", "[{]").replace("?", "[?]")):
        study.tell(number, TOLD, error=error)
    with pytest.raises(ValueError, match=r"output 'gain', has a standard error, but .* without noise=True"):
        study_of(noise=False).goal.told(TOLD, "the value", error={"gain": 0.1})
    study.tell(number, TOLD, error={})


def test_objectives_return_errors_beside_their_outputs() -> None:
    def returned(x: int) -> Any:
        if x % 2:
            return TOLD | {"error": ERRORS}
        errors = tuple(ERRORS.items())
        return Finished(float("nan"), 7.0, outputs=tuple(TOLD.items()), errors=errors)

    domain = mb.Domain([mb.integer("x", 0, 3)])
    limits = {"heat": ("<=", 1.0)}
    result = mb.optimize(returned, domain, 4, objectives=BOTH, limits=limits, noise=True, initial=4)
    assert f"{len(result.front)} trial" in result.message
    assert ", estimated (4 trials)" in result.message
    assert [trial.errors for trial in result.trials] == [ERRORS] * 4
    assert sorted({trial.values["gain"] for trial in result.trials}) == [1.0]


def test_an_output_may_be_called_error() -> None:
    study = study_of(objectives={"error": "minimize"}, limits=None)
    study.tell(study.ask().number, {"error": 3.0}, error=0.5)
    assert study.trials[0].values == {"error": 3.0}
    assert study.trials[0].error == 0.5
    assert study.goal.error_columns == {}


def test_a_journal_says_which_format_it_needs(tmp_path: Path) -> None:
    path = tmp_path / "run.db"

    def version() -> int:
        with sqlite3.connect(path) as connection:
            return int(connection.execute("PRAGMA user_version").fetchone()[0])

    with study_of(path) as study:
        study.tell(study.ask().number, TOLD)
    assert version() == 4
    shutil.copy(path, tmp_path / "four.db")
    with study_of(path) as study:
        study.tell(study.ask().number, TOLD, error={"cost": 0.5})
    assert version() == 5
    with sqlite3.connect(path) as connection:
        rows = [json.loads(text) for (text,) in connection.execute("SELECT outputs FROM trials")]
    assert rows == [TOLD, TOLD | {"cost": [2.0, 0.5]}]
    with study_of(tmp_path / "four.db") as study:
        assert [trial.values for trial in study.trials] == [TOLD]


def test_each_output_is_weighted_by_its_own_errors() -> None:
    told = [(0.1, 1.0), (0.2, 6.0), (0.4, 11.0)]
    known = [({"x": 5}, TOLD | {"gain": gain, "error": {"gain": error}}) for error, gain in told]
    study = study_of(known=[({"x": 3}, TOLD), *known])
    _, gains = grouped(study.trials, output("gain", study.goal))
    weights = 1 / np.square([error for error, _ in told])
    assert gains.mean == pytest.approx(float(weights @ [gain for _, gain in told] / weights.sum()))
    assert gains.variance == pytest.approx(1 / weights.sum())
    _, costs = grouped(study.trials, output("cost", study.goal))
    assert (costs.mean, costs.variance) == (2.0, None)


def test_exact_measurements_count_more_in_fits_estimates_and_repeats() -> None:
    rng = np.random.default_rng(0)
    exact = [
        ({"x": x}, {"gain": float(x), "cost": 0.0, "error": {"gain": 1e-3, "cost": 1.0}}) for x in range(9)
    ]
    vague = [({"x": 9}, {"gain": 30.0, "cost": 0.0, "error": {"gain": 40.0, "cost": 1.0}})]
    study = study_of(limits=None, known=[*exact, *vague])
    history = study.history
    _, values = observed(
        study.domain, history, rng, None, np.array([t.values["gain"] for t in study.trials]), "gain"
    )
    assert values.tolist().count(30.0) == 1
    _, values = observed(study.domain, history, rng, None, np.zeros(10), "cost")
    assert len(values) == 10
    front = {trial.assignment["x"]: trial.values["gain"] for trial in study.front}
    assert max(front.values()) < 20.0
    errors = estimated(study.domain, study.trials, 1.0, output("gain", study.goal)).errors
    assert errors[9] > 10 * errors[:9].max()


def test_limits_are_kept_by_means_that_are_weighted() -> None:
    limit: dict[str, Any] = {"objectives": {"gain": "maximize"}, "limits": {"heat": ("<=", 1.0)}}
    twice = [({"x": 3}, {"gain": 9.0, "heat": 0.9}), ({"x": 3}, {"gain": 9.0, "heat": 2.0})]
    assert study_of(known=twice, **limit).best is None
    known = [(at, told | {"error": {"heat": e}}) for (at, told), e in zip(twice, (0.01, 1.0), strict=True)]
    study = study_of(known=known, **limit)
    assert study.best is not None
    assert left_to_limits(study.history).min() > 0.0
    pair = [(at, told | {"cost": 1.0}) for at, told in known]
    assert len(study_of(known=pair).front) == 1
    assert mean_of([0.3, 0.3, 0.3], [0.1, 0.7, 0.3]) == 0.3


def test_frames_have_a_column_of_errors_for_each_output() -> None:
    study = study_of()
    study.tell(study.ask().number, TOLD, error=ERRORS)
    frame = columns(study.trials)
    assert frame["error:heat"] == [0.25]
    assert "error:cost" not in frame


def test_the_only_objective_has_the_column_error() -> None:
    goal = goal_of(objectives={"gain": "maximize"}, limits={"heat": ("<=", 1.0)}, noise=True)
    assert goal.error_columns == {"error": "gain", "error:heat": "heat"}
    assert goal_of(objectives=BOTH).error_columns == {}


def test_a_repeat_that_was_cancelled_leaves_its_number_free(tmp_path: Path) -> None:
    with mb.Study(
        mb.Domain([mb.binary("x")]), mb.RandomSearch(), noise=True, journal=tmp_path / "run.db"
    ) as study:
        for value in range(2):
            study.tell(study.ask().number, float(value))
        broken = study.ask()
        study.fail(broken.number, "broken")
        while sum(t.point == broken.point and t.state == "finished" for t in study.trials) < 3:
            study.tell(study.ask().number, 1.0)
        study.cancel(broken.number)
        for _ in range(8):
            study.tell(study.ask().number, 1.0)
        kept = [(t.point, t.proposal.repeat) for t in study.trials if t.state != "cancelled"]
    assert len(set(kept)) == len(kept)
