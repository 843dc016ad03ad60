"""Values up to the largest float: nothing overflows, and certificates are in the values' own units."""

import math
import sys

import numpy as np
import pytest

import milbox.domain as md
from milbox.inner import Mip
from milbox.strategies import NNMILP, EnsembleRegEvo, LinearMILP, ModelBased, Strategy
from milbox.strategies.units import unit_of
from milbox.study import Study
from milbox.surrogates.ranked import Ranked
from milbox.surrogates.relu import ReluLearner

x = md.binary("x", 6)
DOMAIN = md.Domain([x], [x.sum() <= 4])
WEIGHTS = np.array([0.3, -1.0, 0.25, 0.9, -0.5, 0.2])
QUICK = Ranked(ReluLearner(steps=50))


@pytest.mark.parametrize("minimize", [False, True])
@pytest.mark.parametrize(
    "strategy",
    [
        NNMILP(QUICK, initial=4),
        NNMILP(QUICK, inner=Mip(), initial=4),
        LinearMILP(inner=Mip(), initial=4),
        EnsembleRegEvo(initial=4),
    ],
    ids=["enumeration", "program", "linear program", "penalised"],
)
def test_a_study_of_the_largest_floats_goes_on(strategy: Strategy, minimize: bool) -> None:
    study = Study(DOMAIN, strategy, minimize=minimize)
    for _ in range(12):
        trial = study.ask()
        study.tell(trial.number, float(WEIGHTS @ trial.assignment["x"]) * 1e308)
        if trial.certificate is not None:
            assert math.isfinite(trial.certificate.value)
            assert not math.isnan(trial.certificate.bound)
            assert trial.certificate.residual < 1e-6 * sys.float_info.max
    if isinstance(strategy, ModelBased):
        study.explain()


def test_predictions_of_huge_values_are_in_their_own_units() -> None:
    studies = {scale: Study(DOMAIN, LinearMILP(initial=6)) for scale in (1.0, 2.0**500, 2.0**1000)}
    for scale, study in studies.items():
        for _ in range(10):
            trial = study.ask()
            study.tell(trial.number, float(WEIGHTS @ trial.assignment["x"]) * scale)
    plain, large, huge = studies.values()
    assert (
        [t.point for t in plain.trials] == [t.point for t in large.trials] == [t.point for t in huge.trials]
    )
    for one, two, three in list(zip(plain.trials, large.trials, huge.trials, strict=True))[6:]:
        assert one.certificate is not None
        assert two.certificate is not None
        assert three.certificate is not None
        assert two.certificate.value == pytest.approx(one.certificate.value * 2.0**500, rel=1e-9)
        assert three.certificate.bound == pytest.approx(one.certificate.bound * 2.0**1000, rel=1e-9)


def test_ordinary_values_have_the_unit_one() -> None:
    assert unit_of(np.array([])) == unit_of(np.array([-1e100, 3.0, 0.0])) == 1.0
    assert np.abs(np.array([-1.7e308, 1.0]) / unit_of(np.array([-1.7e308, 1.0]))).max() <= 1e100
