"""Failed trials teach the strategy where not to go, unless the machine was at fault."""

from typing import Any

import milbox as mb

X = mb.binary("x", 8)
DOMAIN = mb.Domain([X])


def breaks(x: Any) -> bool:
    return bool(x[0] and x[1])


def test_fewer_evaluations_fail_and_none_is_worse() -> None:
    def objective(x: Any) -> float:
        if breaks(x):
            raise RuntimeError("broken")
        return float(x.sum())

    failed = {}
    for learn in (True, False):
        failed[learn] = 0
        for seed in range(3):
            result = mb.maximize(
                objective, DOMAIN, 40, initial=10, seed=seed, learn_failures=learn, failures=1.0
            )
            assert result.best.value == 7.0
            failed[learn] += sum(trial.state == "failed" for trial in result.trials[10:])
            certificate = result.trials[-1].certificate
            assert certificate is not None
            assert ("penalty for failures" in certificate.about) == learn
    assert 2 * failed[True] <= failed[False]


def told(infeasible: bool) -> mb.Study:
    """A study in which every point of a region failed."""
    study = mb.Study(DOMAIN, mb.NNMILP(initial=12), seed=3)
    for _ in range(13):
        trial = study.ask()
        if breaks(trial.assignment["x"]):
            study.fail(trial.number, "power cut", infeasible=infeasible)
        else:
            study.tell(trial.number, float(trial.assignment["x"].sum()))
    return study


def test_the_user_says_whether_the_point_was_to_blame() -> None:
    for infeasible, teaches in ((True, True), (False, False)):
        study = told(infeasible)
        assert any(trial.state == "failed" for trial in study.trials)
        certificate = study.trials[12].certificate or study.ask().certificate
        assert certificate is not None
        assert ("penalty for failures" in certificate.about) == teaches


def test_points_that_failed_count_as_initial_ones_once_half_have_been_measured() -> None:
    study = mb.Study(DOMAIN, mb.NNMILP(initial=8), seed=1)
    for number in range(8):
        trial = study.ask()
        assert trial.certificate is None
        if number % 2:
            study.fail(trial.number, "it burst")
        else:
            study.tell(trial.number, float(trial.assignment["x"].sum()))
    assert study.ask().certificate is not None

    careless = mb.Study(DOMAIN, mb.NNMILP(initial=8), seed=1, learn_failures=False)
    for number in range(8):
        trial = careless.ask()
        if number % 2:
            careless.fail(trial.number, "it burst")
        else:
            careless.tell(trial.number, float(trial.assignment["x"].sum()))
    assert careless.ask().certificate is None
