"""Several outputs: objectives, limits, fronts, and what a journal keeps of them."""

import itertools
import json
import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import milbox as mb
from milbox.domain import Domain
from milbox.errors import Exhausted, JournalMismatch, ObjectiveFailed
from milbox.page.document import page
from milbox.strategies import ModelBased
from milbox.strategies.evolution import RegEvo
from milbox.surrogates.linear import LinearLearner
from milbox.trials.front import hypervolume, undominated
from milbox.trials.goal import Goal, goal_of
from milbox.trials.record import read_record
from objectives import slow_at_zero

GAIN = np.array([3.0, 1.0, 2.0, 5.0, 4.0])
COST = np.array([2.0, 0.5, 2.5, 4.0, 1.0])
BOTH = {"yield": "maximize", "cost": "minimize"}


def small() -> Domain:
    x, k = mb.binary("x", 5), mb.integer("k", 0, 1)
    return Domain([x, k], [x.sum() <= 3])


def process(x: Any, k: int) -> dict[str, float]:
    return {
        "yield": float(GAIN @ x + 0.1 * k * x[0]),
        "cost": float(COST @ x + 0.3 * k),
        "tox": float(x[3] + 0.2 * k),
    }


def quick(initial: int = 6) -> ModelBased:
    return mb.NNMILP(initial=initial)


def test_an_exhausted_domain_has_the_enumerated_front() -> None:
    domain = small()
    limits = {"tox": ("<=", 0.5)}
    result = mb.optimize(process, domain, 1000, objectives=BOTH, limits=limits, initial=10)
    every = [process(**domain.assignment(point)) for point in domain]
    kept = [v for v in every if v["tox"] <= 0.5]
    front = {
        (v["yield"], v["cost"])
        for v in kept
        if not any(
            w["yield"] >= v["yield"]
            and w["cost"] <= v["cost"]
            and (w["yield"], w["cost"]) != (v["yield"], v["cost"])
            for w in kept
        )
    }
    assert {(t.values["yield"], t.values["cost"]) for t in result.front} == front
    assert [t.number for t in result.front] == sorted(t.number for t in result.front)
    assert result.proved
    assert "it is proved" in result.message
    assert len(result.trials) == domain.size
    assert all(t.value is None for t in result.trials)
    with pytest.raises(ValueError, match=r"look at result\.front"):
        _ = result.best
    certificates = [t.certificate for t in result.trials if t.certificate is not None]
    assert certificates
    assert all("by the scalarised model" in c.about for c in certificates)


def test_the_front_grows_faster_than_by_chance() -> None:
    x = mb.binary("x", 18)
    domain = Domain([x], [x.sum() == 8])
    rng = np.random.default_rng(1)
    gain, cost = rng.normal(size=18), rng.uniform(size=18)

    def f(x: Any) -> dict[str, float]:
        return {"yield": float(gain @ x), "cost": float(cost @ x)}

    reference = {"yield": -5.0, "cost": 8.0}
    ours = mb.optimize(f, domain, 30, objectives=BOTH, initial=12).hypervolume(reference)
    chance = mb.optimize(f, domain, 30, objectives=BOTH, strategy=mb.RandomSearch()).hypervolume(reference)
    assert ours > 1.1 * chance


def test_best_keeps_the_limits() -> None:
    result = mb.optimize(
        process, small(), 40, objectives={"yield": "maximize"}, limits={"tox": ("<=", 0.5)}, initial=8
    )
    best = max(v["yield"] for v in (process(**small().assignment(p)) for p in small()) if v["tox"] <= 0.5)
    assert result.best.value == result.best.values["yield"] == best
    assert max(t.values["yield"] for t in result.trials) > best  # others are better, and break the limit


def test_without_a_trial_that_keeps_the_limits_there_is_no_best() -> None:
    result = mb.optimize(
        process, small(), 12, objectives={"yield": "maximize"}, limits={"tox": (">=", 7.0)}, initial=5
    )
    assert result.winner is None
    assert result.message == "no trial keeps tox >= 7 (12 trials)"
    with pytest.raises(ObjectiveFailed, match="no trial keeps tox >= 7"):
        _ = result.best
    with mb.Study(
        small(), mb.RandomSearch(), objectives={"yield": "maximize"}, limits={"tox": ("<=", -1)}
    ) as study:
        while True:
            try:
                trial = study.ask()
            except Exhausted as end:
                assert "no point keeps tox <= -1" in str(end)  # noqa: PT017
                break
            study.tell(trial.number, process(**trial.assignment))


def test_limits_are_found_where_no_random_point_keeps_them() -> None:
    x = mb.binary("x", 24)
    domain = Domain([x], [x.sum() == 12])
    weight = np.arange(24) / 24

    def f(x: Any) -> dict[str, float]:
        return {"gain": float(np.sin(np.arange(24)) @ x), "load": float(weight @ x)}

    result = mb.optimize(
        f, domain, 40, objectives={"gain": "maximize"}, limits={"load": ("<=", 3.2)}, initial=12
    )
    random = [t for t in result.trials if t.certificate is None]
    assert all(t.values["load"] > 3.2 for t in random)  # the least possible is 2.75
    assert result.winner is not None
    assert result.best.values["load"] <= 3.2


def test_two_studies_propose_the_same_when_one_is_resumed(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"objectives": BOTH, "limits": {"tox": ("<=", 0.5)}}
    whole = mb.optimize(process, small(), 20, initial=8, **settings)
    path = tmp_path / "run.db"
    for budget in (5, 13, 20):
        part = mb.optimize(process, small(), budget, initial=8, journal=path, **settings)
    assert part.trials == whole.trials
    record = read_record(path)
    assert record.trials == whole.trials
    assert record.goal == Goal.from_json(json.loads(json.dumps(record.goal.to_json())))
    assert record.front == whole.front
    with pytest.raises(JournalMismatch, match=r"to maximize yield and minimize cost with tox <= 0.5, and is"):
        mb.Study(small(), quick(8), journal=path)


def test_a_number_or_a_mapping_is_told() -> None:
    study = mb.Study(small(), quick())
    one, two, three, four = study.ask_many(4)
    study.tell(one.number, 2.0)
    study.tell(two.number, {"value": 3.0})
    study.tell(three.number, {"value": 1.0, "colour": 7})
    assert [t.value for t in study.trials[:3]] == [2.0, 3.0, 1.0]
    assert [t.values for t in study.trials[:3]] == [
        {"value": 2.0},
        {"value": 3.0},
        {"value": 1.0, "colour": 7.0},
    ]
    assert study.trials[3].values == {}
    with pytest.raises(ValueError, match="the value told for trial 3 has no output 'value'"):
        study.tell(four.number, {"valeu": 3.0})
    several = mb.Study(small(), quick(), objectives=BOTH)
    trial = several.ask()
    with pytest.raises(TypeError, match=r"must be a mapping {'yield': ..., 'cost': ...}, not 3"):
        several.tell(trial.number, 3)
    with pytest.raises(ValueError, match="no output 'cost'"):
        several.tell(trial.number, {"yield": 3})
    with pytest.raises(ValueError, match="output 'cost', is nan; it must be finite"):
        several.tell(trial.number, {"yield": 3, "cost": float("nan")})
    several.tell(trial.number, {"yield": 3, "cost": 1})
    several.amend(trial.number, {"yield": 4, "cost": 1})
    assert several.trials[0].values == {"yield": 4.0, "cost": 1.0}
    assert several.trials[0].earlier[0].outputs == (("yield", 3.0), ("cost", 1.0))  # type: ignore[union-attr]


def test_an_objective_that_leaves_out_an_output_fails_that_trial() -> None:
    result = mb.optimize(
        lambda x, k: {"yield": 1.0} if k else process(x, k),
        small(),
        6,
        objectives=BOTH,
        initial=6,
        failures=1,
    )
    failed = [t for t in result.trials if t.state == "failed"]
    assert failed
    assert all("no output 'cost'" in str(t.reason) for t in failed)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"objectives": {}}, "objectives must be a mapping"),
        ({"objectives": {"a": "max"}}, "the sense of 'a' is 'maximize' or 'minimize', not 'max'"),
        ({"objectives": {"a": "maximize"}, "minimize": True}, "leave out minimize=True"),
        ({"limits": {"tox": 0.5}}, r'the limit of \'tox\' must be a pair such as \("<=", 0.05\), not 0.5'),
        ({"limits": {"tox": ("<", 0.5)}}, "the limit of 'tox' must be a pair"),
        ({"limits": [("tox",)]}, "limits must be a mapping such as"),
    ],
)
def test_mistakes_in_goals_are_named(settings: dict[str, Any], said: str) -> None:
    with pytest.raises((TypeError, ValueError), match=said):
        mb.Study(small(), **settings)


def test_a_strategy_that_knows_one_value_is_refused() -> None:
    with pytest.raises(TypeError, match="looks at one value of each trial"):
        mb.Study(small(), RegEvo(), objectives=BOTH)


def test_a_linear_learner_takes_several_objectives() -> None:
    study = mb.Study(
        small(), ModelBased(LinearLearner(), initial=4), objectives=BOTH, limits={"tox": ("<=", 1)}
    )
    for _ in range(8):
        trial = study.ask()
        study.tell(trial.number, process(**trial.assignment))
    assert trial.certificate is not None
    assert trial.certificate.status == "optimal"


def test_three_objectives_are_weighed_too() -> None:
    objectives = {"yield": "maximize", "cost": "minimize", "tox": "minimize"}
    result = mb.optimize(process, small(), 20, objectives=objectives, initial=8)
    assert len(result.front) >= 3
    assert result.trials[-1].certificate is not None
    assert result.trials[-1].certificate.status == "optimal"


def test_hypervolume_is_that_of_counting_cells() -> None:
    rng = np.random.default_rng(0)
    for columns in (1, 2, 3, 4):
        values = rng.integers(0, 5, size=(6, columns)).astype(float)
        cells = itertools.product(range(4), repeat=columns)
        count = sum(any((row >= np.array(cell) + 1).all() for row in values) for cell in cells)
        assert hypervolume(values, np.zeros(columns)) == pytest.approx(count)
    assert hypervolume(np.zeros((0, 2)), np.zeros(2)) == 0.0


def test_equal_rows_dominate_nobody() -> None:
    assert undominated(np.array([[1.0, 1.0], [1.0, 1.0], [0.0, 1.0]])).tolist() == [True, True, False]


def test_goals_in_words() -> None:
    assert str(Goal()) == "maximize"
    assert str(goal_of(minimize=True)) == "minimize"
    goal = goal_of(objectives=BOTH, limits={"tox": ("<=", 0.05)}, learn_failures=False)
    assert str(goal) == "maximize yield and minimize cost with tox <= 0.05, learning nothing from failures"


def test_the_journal_has_format_4(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    mb.optimize(process, small(), 3, objectives=BOTH, journal=path)
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (4,)
        rows = connection.execute("SELECT value, outputs FROM trials").fetchall()
    assert all(
        value is None and set(json.loads(outputs)) == {"yield", "cost", "tox"} for value, outputs in rows
    )


def test_noisy_points_are_measured_again_when_none_is_new() -> None:
    x = mb.integer("x", 0, 2)
    values = iter(range(100))
    result = mb.maximize(lambda x: x + 0.01 * (next(values) % 3), mb.Domain([x]), 12, noise=True, initial=3)
    assert len(result.trials) == 12
    assert len({(trial.point, trial.proposal.repeat) for trial in result.trials}) == 12
    assert not result.proved
    assert "proved" not in result.message
    assert result.best.assignment["x"] == 2


def test_random_search_measures_noisy_points_again() -> None:
    x = mb.integer("x", 0, 2)
    study = mb.Study(mb.Domain([x]), mb.RandomSearch(), noise=True)
    for _ in range(3):
        trial = study.ask()
        study.tell(trial.number, float(trial.assignment["x"]))
    again = study.ask_many(2)
    assert [trial.proposal.repeat for trial in again] == [1, 1]
    assert again[0].point != again[1].point


def test_failed_trials_can_be_cancelled_and_asked_again(tmp_path: Path) -> None:
    x = mb.binary("x")
    for journal in (None, tmp_path / "run.db"):
        with mb.Study(mb.Domain([x]), mb.NNMILP(initial=1), journal=journal) as study:
            first = study.ask()
            study.fail(first.number, "power cut", infeasible=False)
            study.cancel(first.number)
            points = {study.ask().point, study.ask().point}
            assert first.point in points
            assert study.trials[0].state == "cancelled"
            assert [str(getattr(old, "reason", "")) for old in study.trials[0].earlier] == ["power cut"]
            kept = study.trials
    with mb.Study(mb.Domain([x]), mb.NNMILP(initial=1), journal=tmp_path / "run.db") as again:
        assert again.trials == kept


def test_optimize_stops_at_a_target_and_for_want_of_patience() -> None:
    x = mb.integer("x", 0, 99)
    domain = mb.Domain([x])
    one: Any = {"objectives": {"a": "maximize"}, "limits": {"b": ("<=", 200)}, "seed": 1, "initial": 5}
    result = mb.optimize(lambda x: {"a": x, "b": x}, domain, 40, target=10, **one)
    assert result.best.assignment["x"] >= 10
    assert len(result.trials) < 40
    two: Any = {"objectives": {"a": "maximize", "b": "maximize"}, "initial": 5}
    result = mb.optimize(lambda x: {"a": -1.0 * (x > 0), "b": -1.0 * (x > 0)}, domain, 40, patience=8, **two)
    assert len(result.trials) < 40
    with pytest.raises(ValueError, match="a target is for one objective"):
        mb.optimize(lambda x: {"a": x, "b": x}, domain, 40, target=10, **two)


def test_optimize_keeps_the_time_of_each_evaluation() -> None:
    x = mb.integer("x", 0, 2)
    result = mb.optimize(
        slow_at_zero, mb.Domain([x]), 3, objectives={"a": "maximize"}, timeout=3, failures=1.0
    )
    assert [trial.assignment["x"] for trial in result.trials if "time limit" in (trial.reason or "")] == [0]
    assert result.best.value == 2.0


def test_targets_look_at_estimates_where_values_are_noisy() -> None:
    x = mb.integer("x", 0, 3)
    known = [({"x": 3}, 10.0), *[({"x": 3}, 0.0)] * 8, *[({"x": 2}, 0.1)] * 8, *[({"x": 1}, 0.2)] * 8]
    result = mb.maximize(lambda x: 0.0 * x, mb.Domain([x]), 3, noise=True, known=known, target=8, initial=1)
    assert len(result.trials) == len(known) + 3


@pytest.mark.parametrize("limit", [0.5, -1.0])
@pytest.mark.parametrize("objectives", [BOTH, {"yield": "maximize"}])
def test_every_study_has_a_page(objectives: dict[str, str], limit: float, tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    limits = {"tox": ("<=", limit)}
    mb.optimize(process, small(), 12, objectives=objectives, limits=limits, initial=12, journal=path)
    record = read_record(path)
    shown = page(record)
    assert ("Hypervolume" in shown) == (len(objectives) > 1 and bool(record.front))
    assert bool(record.front) == (limit > 0)


def test_noisy_points_keep_limits_by_their_means() -> None:
    x = mb.integer("x", 0, 3)
    lucky = [({"x": 3}, {"a": 9.0, "b": b}) for b in (0.9, 3.0, 3.0)]
    known = [*lucky, ({"x": 1}, {"a": 1.0, "b": 0.5}), ({"x": 1}, {"a": 1.2, "b": 1.2})]
    study = mb.Study(
        mb.Domain([x]), objectives={"a": "maximize"}, limits={"b": ("<=", 1.0)}, noise=True, known=known
    )
    assert study.best is not None
    assert study.best.assignment["x"] == 1
    assert study.record.best == study.best


def noisy_process(x: Any, t: float) -> dict[str, float]:
    """Two objectives and a limited output, measured with errors that follow from how often it is called."""
    noisy_process.calls += 1  # type: ignore[attr-defined]
    luck = np.random.default_rng(noisy_process.calls).normal(size=3)  # type: ignore[attr-defined]
    gain = float(x @ [1, 2, 3]) + t
    return {
        "gain": gain + 0.5 * luck[0],
        "cost": float(x.sum()) + t * t + 0.1 * luck[1],
        "heat": t + 0.1 * luck[2],
    }


def test_noise_with_several_objectives_limits_and_reals(tmp_path: Path) -> None:
    domain = Domain([mb.binary("x", 3), mb.real("t", -1, 1)])
    wanted: dict[str, Any] = {
        "objectives": {"gain": "maximize", "cost": "minimize"},
        "limits": {"heat": ("<=", 0.5)},
        "noise": True,
        "seed": 5,
    }
    asked: list[list[Any]] = [[], []]
    noisy_process.calls = 0  # type: ignore[attr-defined]
    study = mb.Study(domain, quick(), **wanted)
    for _ in range(18):
        trial = study.ask()
        asked[0].append(trial.point)
        study.tell(trial.number, noisy_process(**trial.assignment))
    noisy_process.calls = 0  # type: ignore[attr-defined]
    for _ in range(6):  # interrupted again and again
        with mb.Study(domain, quick(), journal=tmp_path / "run.db", **wanted) as again:
            for _ in range(3):
                trial = again.ask()
                asked[1].append(trial.point)
                again.tell(trial.number, noisy_process(**trial.assignment))
    assert asked[0] == asked[1]
    assert any(trial.proposal.repeat for trial in study.trials)
    abouts = [t.certificate.about for t in study.trials if t.certificate is not None]
    assert all("by the scalarised model" in about for about in abouts)
    points = [trial.point for trial in study.front]
    assert len(set(points)) == len(points) > 0
    assert all(trial.values["heat"] <= 0.5 for trial in study.front)
    assert not study.proved
    assert "hypervolume" in page(read_record(tmp_path / "run.db"))


def test_the_front_of_noisy_points_is_that_of_their_means() -> None:
    domain = Domain([mb.binary("x")])
    lucky, steady = {"x": 0}, {"x": 1}
    known = [(lucky, {"a": 9.0, "b": 0.0}), *[(lucky, {"a": 0.0, "b": 0.0})] * 8]
    known += [(steady, {"a": 3.0, "b": 1.0})] * 3
    study = mb.Study(domain, objectives={"a": "maximize", "b": "maximize"}, noise=True, known=known)
    assert [trial.assignment["x"] for trial in study.front] == [1]
    assert study.front[0].values == {"a": 3.0, "b": 1.0}
    assert study.hypervolume({"a": 0.0, "b": 0.0}) == 3.0


def test_a_box_is_round_the_best_trial_that_keeps_the_limits() -> None:
    domain = Domain([mb.real("t", 0, 10, 2, step=0.01)])
    study = mb.Study(domain, quick(4), objectives={"v": "maximize"}, limits={"w": ("<=", 8.0)}, seed=1)
    for _ in range(16):
        trial = study.ask()
        if trial.certificate is not None and "in a box" in trial.certificate.about:
            best = study.best or max(study.trials, key=lambda t: -t.values.get("w", np.inf))
            side = float(trial.certificate.about.partition("in a box of ")[2].split()[0])
            away = np.abs(trial.assignment["t"] - best.assignment["t"])
            assert (away <= side / 2 * 10 + 0.01).all()
        t = trial.assignment["t"]
        study.tell(trial.number, {"v": float(t.sum()), "w": float(t.sum() + t[0])})
    assert study.best is not None
    assert any("round the best one" in t.certificate.about for t in study.trials if t.certificate is not None)


@pytest.mark.parametrize("size", [1e308, 1e-300])
def test_outputs_of_any_size_are_learnt(size: float) -> None:
    domain = Domain([mb.real("t", -1, 1, 2, step=0.01)])
    limits, objectives = {"heat": ("<=", 0.5 * size)}, {"gain": "maximize", "cost": "minimize"}
    for noise in (False, True):
        study = mb.Study(domain, quick(2), objectives=objectives, limits=limits, noise=noise)
        for _ in range(5):
            trial = study.ask()
            t = trial.assignment["t"]
            told = {"gain": size * t[0], "cost": size * abs(t[1]), "heat": 1.5 * size * t[1]}
            study.tell(
                trial.number, told, error={"gain": 1e-4 * size, "heat": 1e-5 * size} if noise else None
            )
        assert study.front
