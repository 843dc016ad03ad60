import math
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import milbox as mb
import milbox.domain as md
from milbox.errors import ObjectiveFailed
from milbox.run import evaluations, maximize, minimize, run
from milbox.strategies import NNMILP, RandomSearch
from milbox.study import Study
from milbox.trials import Journal
from objectives import score
from studies import Greedy, shelf

OPTIMUM = max(score(**shelf().assignment(point)) for point in shelf())


def test_maximize_stops_at_its_budget() -> None:
    result = maximize(score, shelf(), budget=12, strategy=Greedy())
    assert len(result.trials) == 12
    assert result.best.value == max(score(**t.assignment) for t in result.trials)
    assert result.best == result.trials[result.best.number]
    assert score(**result.best.assignment) == result.best.value
    assert not result.proved
    assert str(result).startswith(
        f"best value {result.best.value:g} in trial {result.best.number} (12 trials)\n  x = "
    )


def test_maximize_and_minimize_stop_with_a_proof_when_nothing_is_left() -> None:
    high = maximize(score, shelf(), 100, strategy=Greedy())
    assert len(high.trials) == 42
    assert high.proved
    assert high.best.value == OPTIMUM
    assert list(high.best.assignment["x"]) == [1, 0, 1]
    assert "Every point of the domain has been evaluated: this is the proved optimum" in str(high)
    low = minimize(lambda x, k: -score(x, k), shelf(), 42, strategy=Greedy())
    assert low.proved, "also when the budget is spent exactly"
    assert low.best.value == -OPTIMUM
    assert [t.point for t in low.trials] == [t.point for t in high.trials]


def test_the_default_strategy_with_initial_points() -> None:
    result = maximize(score, shelf(), 8, initial=5)
    assert [t.origin == "random" for t in result.trials] == [True] * 5 + [False] * 3
    assert all(t.certificate is not None for t in result.trials[5:])
    same = maximize(score, shelf(), 8, strategy=NNMILP(initial=5))
    assert same.trials == result.trials
    assert maximize(score, shelf(), 8, strategy=NNMILP(), initial=5).trials == result.trials
    with pytest.raises(ValueError, match=r"RandomSearch\(.*\) has no number of initial points"):
        maximize(score, shelf(), 8, strategy=RandomSearch(), initial=5)
    with pytest.raises(ValueError, match="initial must be 0 or more"):
        maximize(score, shelf(), 8, initial=-1)


def test_strategies_by_name() -> None:
    x = mb.binary("x", 6)
    domain = mb.Domain([x], [x.sum() == 3])
    result = mb.maximize(lambda x: float(x[0]), domain, 12, strategy="nn+milp/mixed", initial=5)
    assert {trial.origin for trial in result.trials[:5]} == {"random"}
    assert result.trials[5].certificate is not None
    study = mb.Study(domain, "linear+milp")
    assert study.strategy == mb.LinearMILP()
    with pytest.raises(ValueError, match="no strategy named 'nn\\+milb'; did you mean 'nn\\+milp'"):
        mb.Study(domain, "nn+milb")
    with pytest.raises(
        ValueError, match="'nn\\+milp/mixed' cannot be used here: it is for discrete variables"
    ):
        mb.maximize(lambda t: t, mb.Domain([mb.real("t", 0, 1)]), 5, strategy="nn+milp/mixed")
    with pytest.raises(ValueError, match="has no number of initial points"):
        mb.maximize(lambda x: float(x[0]), domain, 5, strategy="random", initial=3)


def test_known_data_do_not_count_towards_the_budget() -> None:
    known = [({"x": [1, 0, 1], "k": 4}, 9.0), ({"x": [0, 0, 0], "k": 1}, 0.5)]
    result = maximize(score, shelf(), 3, strategy=Greedy(), known=known)
    assert [t.origin for t in result.trials[:2]] == ["known", "known"]
    assert len(result.trials) == 5
    assert result.best.value == 9.0
    assert minimize(score, shelf(), 3, strategy=Greedy(), known=known).trials[1].value == 0.5


def test_evaluations_are_yielded_as_they_finish_and_may_be_left(tmp_path: Path) -> None:
    with Study(shelf(), Greedy(), journal=tmp_path / "run.db") as study:
        for count, trial in enumerate(evaluations(study, score, budget=10), start=1):
            assert trial == study.trials[trial.number]
            assert len(study.history.finished) == count
            if count == 4:
                break
    with Study(shelf(), Greedy(), journal=tmp_path / "run.db") as study:
        assert len(study.trials) == 4
        assert run(study, score, budget=10).trials == maximize(score, shelf(), 10, strategy=Greedy()).trials


def test_pending_trials_of_a_journal_come_first_and_the_budget_counts_them(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    with Study(shelf(), Greedy(), journal=path) as study:
        asked = study.ask_many(3)
        study.tell(asked[1].number, score(**asked[1].assignment))
    order = []

    def watched(x: Any, k: int) -> float:
        order.append(shelf().point({"x": x, "k": k}))
        return score(x, k)

    result = maximize(watched, shelf(), 5, strategy=Greedy(), journal=path)
    assert order[:2] == [asked[0].point, asked[2].point]
    assert len(order) == 4
    assert [t.state for t in result.trials] == ["finished"] * 5
    assert maximize(watched, shelf(), 5, strategy=Greedy(), journal=path).trials == result.trials
    assert maximize(watched, shelf(), 2, strategy=Greedy(), journal=path).trials == result.trials
    assert len(order) == 4, "the budget was spent"


def test_an_objective_may_change_the_arrays_it_is_given() -> None:
    def careless(x: Any, k: int) -> float:
        value = score(x, k)
        x[:] = 7
        return value

    assert (
        maximize(careless, shelf(), 9, strategy=Greedy()).trials
        == maximize(score, shelf(), 9, strategy=Greedy()).trials
    )
    assert maximize(careless, shelf(), 9, strategy=Greedy()).best.assignment["x"].max() <= 1


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        (None, "the value the objective returned is None; it must be a single finite number"),
        ("0.5", "the value the objective returned is '0.5', of type str; it must be a single finite number"),
        (True, "the value the objective returned is True, of type bool; it must be a single finite number"),
        (math.nan, "the value the objective returned is nan; it must be finite"),
        (-math.inf, "the value the objective returned is -inf; it must be finite"),
        (
            np.zeros(2),
            "the value the objective returned is array([0., 0.]), of type ndarray; it must be a single "
            "finite number",
        ),
    ],
)
def test_a_trial_without_a_value_fails_and_the_run_goes_on(wrong: Any, reason: str) -> None:
    result = maximize(lambda x, k: wrong if k == 4 else score(x, k), shelf(), 42, strategy=Greedy())
    assert len(result.trials) == 42
    for trial in result.trials:
        assert trial.reason == (reason if trial.assignment["k"] == 4 else None)
    assert result.best.value == max(t.value for t in result.trials if t.value is not None)
    assert not result.proved, "what failed might have been better"
    assert "7 failed" in result.message


class Reagent(Exception):
    def __reduce__(self) -> str:
        raise TypeError("cannot be pickled")


def test_an_objective_that_raises_fails_its_trial_with_the_traceback() -> None:
    def fragile(x: Any, k: int) -> float:
        if k == 4:
            raise Reagent("ran out\nof acid")
        if k == 5:
            sys.exit("stop")
        return score(x, k)

    result = maximize(fragile, shelf(), 42, strategy=Greedy(), failures=1.0)
    reasons = {t.assignment["k"]: t.reason for t in result.trials if t.reason is not None}
    assert set(reasons) == {4, 5}
    summary, _, trace = reasons[4].partition("\n")
    assert summary.endswith("Reagent: ran out")
    assert 'raise Reagent("ran out\\nof acid")' in trace
    assert "evaluation.py" not in trace, "only the user's own code"
    assert reasons[5].startswith("SystemExit: stop\n")


def test_a_long_traceback_is_kept_from_its_end() -> None:
    def deep(n: int) -> float:
        if n == 0:
            raise ValueError("x" * 3000)
        return deep(n - 1) + 0 * n

    def wide(n: int) -> float:
        return deep(n) if n % 2 else wide(n - 1)

    def alternating(x: Any, k: int) -> float:
        return wide(200) if k == 4 else score(x, k)

    result = maximize(alternating, shelf(), 42, strategy=Greedy())
    reason = next(t.reason for t in result.trials if t.reason is not None)
    assert len(reason) < 5000
    assert reason.endswith("x" * 1000)


def test_too_many_failures_stop_the_run_with_the_first_traceback(tmp_path: Path) -> None:
    def broken(x: Any, k: int) -> float:
        raise ValueError(f"no {k}")

    path = tmp_path / "run.db"
    with pytest.raises(ObjectiveFailed, match="11 of the last 11 evaluations failed") as found:
        maximize(broken, shelf(), 42, strategy=Greedy(), journal=path)
    trials = Journal.read(path)[1]
    assert [t.state for t in trials] == ["failed"] * 11, "everything is kept"
    assert trials[0].reason is not None
    assert trials[0].reason in str(found.value)
    assert 'raise ValueError(f"no {k}")' in str(found.value)
    assert f"kept in {path}" in str(found.value)
    # Whoever has mended the objective may go on.
    assert maximize(score, shelf(), 42, strategy=Greedy(), journal=path).best.value is not None


@pytest.mark.parametrize(
    ("failures", "window", "count"), [(0.5, 20, 11), (0.0, 20, 1), (0.75, 4, 4), (0.2, 10, 3)]
)
def test_the_limit_of_failures_can_be_set(failures: float, window: int, count: int) -> None:
    study = Study(shelf(), Greedy())
    with pytest.raises(ObjectiveFailed):
        run(study, lambda **_: math.nan, budget=42, failures=failures, window=window)
    assert len(study.trials) == count


def test_only_the_latest_failures_count() -> None:
    calls = iter(range(100))
    # Every other evaluation fails: half of any twenty, which is not more than half.
    result = maximize(
        lambda x, k: math.nan if next(calls) % 2 else score(x, k),
        shelf(),
        40,
        strategy=Greedy(),
        failures=0.5,
    )
    assert len(result.trials) == 40


def test_a_run_without_a_value_has_no_best_trial() -> None:
    result = maximize(lambda **_: None, shelf(), 5, strategy=Greedy())
    assert [t.state for t in result.trials] == ["failed"] * 5
    with pytest.raises(
        ObjectiveFailed, match=r"no trial finished \(5 trials, 5 failed\); the first reason: .* None"
    ):
        _ = result.best
    assert "no trial finished" in str(result)


def just_x(x: Any) -> float:
    return float(x.sum())


def too_much(x: Any, k: int, depth: int) -> float:
    return score(x, k) + depth


def positional(x: Any, k: int, /) -> float:
    return score(x, k)


@pytest.mark.parametrize(
    ("objective", "says"),
    [
        (just_x, r"as f\(x=..., k=...\), but it is just_x\(x: Any\) -> float: got an unexpected .* 'k'"),
        (too_much, "too_much.*: missing a required argument: 'depth'"),
        (positional, "positional.*:"),
        (3, "the objective must be a function, not 3"),
    ],
)
def test_an_objective_that_cannot_be_called_is_refused_before_anything_is_spent(
    objective: Any, says: str
) -> None:
    study = Study(shelf(), Greedy())
    with pytest.raises(TypeError, match=says):
        run(study, objective, budget=3)
    assert study.trials == ()


class Bench:
    def __call__(self, **variables: Any) -> float:
        return score(**variables)


@pytest.mark.parametrize(
    "objective", [Bench(), partial(too_much, depth=0), lambda k, **rest: score(k=k, **rest)]
)
def test_anything_that_can_be_called_with_the_variables_is_an_objective(objective: Any) -> None:
    assert (
        maximize(objective, shelf(), 5, strategy=Greedy()).trials
        == maximize(score, shelf(), 5, strategy=Greedy()).trials
    )


def test_names_that_are_no_identifiers_reach_the_objective() -> None:
    domain = md.Domain([md.integer("pH (start)", 4, 9), md.binary("class")])
    result = maximize(lambda **v: v["pH (start)"] - v["class"], domain, 20, strategy=Greedy())
    assert dict(result.best.assignment) == {"pH (start)": 9, "class": 0}
    assert result.proved


@pytest.mark.parametrize(
    ("arguments", "kind", "says"),
    [
        ({"budget": 0}, ValueError, "budget must be 1 or more, not 0"),
        ({"budget": 2.5}, TypeError, "budget must be a whole number, not 2.5"),
        ({"budget": True}, TypeError, "budget must be a whole number"),
        ({"workers": 0}, ValueError, "workers must be 1 or more"),
        ({"failures": 1.5}, ValueError, "failures is a share between 0 and 1"),
        ({"window": 0}, ValueError, "window must be 1 or more"),
        ({"executor": 4}, TypeError, r"executor must be a concurrent.futures.Executor, not 4; a Dask client"),
    ],
)
def test_arguments_that_make_no_sense_are_refused(
    arguments: dict[str, Any], kind: type[Exception], says: str
) -> None:
    study = Study(shelf(), Greedy())
    with pytest.raises(kind, match=says):
        run(study, score, **{"budget": 3, **arguments})
    assert study.trials == ()


def test_a_result_and_a_study_as_frames() -> None:
    domain = md.Domain([md.integer("k", 0, 5)])
    result = maximize(lambda k: -k, domain, budget=4, initial=2)
    frame = result.frame()
    assert list(frame["number"]) == [0, 1, 2, 3]
    assert list(frame["value"]) == [trial.value for trial in result.trials]
    assert list(Study(domain).frame()["number"]) == []
