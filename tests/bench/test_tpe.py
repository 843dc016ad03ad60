"""Is Optuna's TPE asked as its users ask it: feasible points alone are evaluated, and it sees all values?"""

import numpy as np
import pytest

import milbox as mb
from milbox.bench.problems import load
from milbox.bench.tpe import Run, Tpe, left_over

pytest.importorskip("optuna")


@pytest.mark.parametrize("name", ["mixed/flare", "mixed/hartmann", "mixed/func2c", "mixed/vessel"])
def test_suggestions_are_feasible_and_the_sampler_is_told(name: str) -> None:
    problem = load(name)
    study = mb.Study(problem.domain, Tpe(seed=3, initial=5), seed=1)
    for _ in range(15):
        trial = study.ask()
        study.tell(trial.number, problem.value(trial.point))
    study.ask()
    assert [str(trial.origin) for trial in study.trials[5:]] == ["tpe"] * 11
    run = Run.last
    assert run is not None
    values = [trial.value for trial in run.study.trials if trial.value is not None]
    assert values == [trial.value for trial in study.trials[:15]]


def test_a_resumed_run_is_told_what_it_missed() -> None:
    problem = load("mixed/hartmann")
    study = mb.Study(problem.domain, Tpe(seed=3, initial=5), seed=1)
    for _ in range(8):
        trial = study.ask()
        study.tell(trial.number, problem.value(trial.point))
    Run.last = None
    study.ask()
    assert Run.last is not None
    assert len(Run.last.told) == 8


def test_one_amount_is_what_is_left_of_a_sum() -> None:
    domain = load("mixed/flare").domain
    (place,) = left_over(domain)
    assert domain.variables[place].name in ("sodium", "strontium")
    run = Run(Tpe(), domain)
    assert domain.variables[place].name not in run.spaces
    params = {"magnesium": 0.5, "sodium": 0.25, "strontium": 0.2, "binder": 0.05}
    point = run.point({name: params[name] for name in run.spaces})
    assert sum(domain.assignment(point).values()) == pytest.approx(1)
    assert domain.contains(point)


def test_a_point_that_was_measured_is_told_again_and_not_asked() -> None:
    domain = mb.Domain([mb.binary("x", 3)])
    study = mb.Study(domain, Tpe(seed=1, initial=2), seed=0)
    seen = set()
    for _ in range(8):
        trial = study.ask()
        seen.add(trial.point)
        study.tell(trial.number, float(np.sum(trial.assignment["x"])))
    assert len(seen) == 8
