"""Trees as rows: the embedded output is the prediction, and the program's best point that of enumeration."""

import numpy as np
import pytest

import milbox as mb
from milbox.arrays import FloatArray
from milbox.domain import Domain
from milbox.embed import embed
from milbox.embed.domain import formulate
from milbox.inner import Auto, Mip
from milbox.inner.enumerate import Enumerate
from milbox.inner.query import Query
from milbox.milp.program import MilpBuilder
from milbox.milp.solution import Limits, Status
from milbox.milp.solvers import Scip
from milbox.strategies.named import NAMED
from milbox.surrogates import TreesLearner
from milbox.surrogates.trees import TreeEnsemble, from_booster
from milbox.testing.answers import proposed


def mixed() -> Domain:
    """Binaries, letters, and a number as one feature."""
    x, s = mb.binary("x", 4), mb.categorical("s", list("abc"), 2)
    k = mb.integer("k", -2, 4, encoding="integer")
    return mb.Domain([x, s, k], [x.sum() + k <= 4])


def sample(domain: Domain, seed: int) -> tuple[FloatArray, FloatArray]:
    """Points of the domain as features, with random values."""
    rng = np.random.default_rng(seed)
    points = list(domain)
    chosen = [points[i] for i in rng.permutation(len(points))[:80]]
    return domain.encode(chosen), rng.normal(size=80)


def forests(domain: Domain) -> list[TreeEnsemble]:
    """Forests of scikit-learn and of LightGBM."""
    lightgbm = pytest.importorskip("lightgbm")
    found = []
    for seed in range(3):
        X, y = sample(domain, seed)
        found.append(TreesLearner(trees=4, leaves=8).fit(X, y, np.random.default_rng(seed)))
        settings = {"verbosity": -1, "min_data_in_leaf": 5, "num_leaves": 6, "num_threads": 1}
        found.append(from_booster(lightgbm.train(settings, lightgbm.Dataset(X, y, params=settings), 4)))
    return found


def test_with_the_inputs_fixed_the_output_is_the_prediction() -> None:
    domain = mixed()
    rng = np.random.default_rng(5)
    points = list(domain)
    for forest in forests(domain):
        for i in rng.integers(len(points), size=6):
            for sign in (1.0, -1.0):  # neither more nor less is possible
                milp = MilpBuilder()
                formulation = formulate(domain, milp)
                output = embed(forest, milp, formulation.inputs)
                milp.maximize(sign * output)
                features = domain.encode([points[i]])
                program = milp.build().fixed(formulation.inputs, features[0])
                solution = Scip().solve(program, Limits(seconds=30.0))
                assert solution.x is not None
                assert output.at(solution.x) == pytest.approx(forest.predict(features)[0], abs=1e-6)
                completed = milp.completed(formulation.inputs, features[0])
                assert output.at(completed) == pytest.approx(forest.predict(features)[0], abs=1e-9)


def test_the_program_finds_the_best_point_that_enumeration_finds() -> None:
    domain = mixed()
    tried = list(domain)[::7]
    for forest in forests(domain):
        (exact,) = proposed(Enumerate().solve(Query.of(forest, domain, tried), np.random.default_rng(0)))
        (found,) = proposed(Mip().solve(Query.of(forest, domain, tried), np.random.default_rng(0)))
        assert found.certificate is not None
        assert exact.certificate is not None
        assert found.certificate.status is Status.OPTIMAL
        assert found.point not in tried
        assert found.certificate.value == pytest.approx(exact.certificate.value, abs=1e-6)
        assert found.certificate.residual <= 1e-6


def test_a_study_with_trees_goes_on_with_proofs() -> None:
    x = mb.binary("x", 30)
    domain = mb.Domain([x], [x.sum() == 8])
    forest = TreesLearner().fit(np.eye(30), np.zeros(30), np.random.default_rng(0))
    assert Auto().refusal(Query.of(forest, domain)) is None
    with mb.Study(domain, NAMED["trees+milp"].make(10), seed=0) as study:
        for _ in range(14):
            trial = study.ask()
            study.tell(trial.number, float(np.dot(trial.point, np.arange(30))))
        proofs = [t.certificate for t in study.trials if t.certificate]
    assert len(proofs) == 4
    assert all(proof.status is Status.OPTIMAL for proof in proofs)


def test_settings_that_make_no_forest_are_refused() -> None:
    with pytest.raises(ValueError, match="leaves at least 2"):
        TreesLearner(leaves=1)
