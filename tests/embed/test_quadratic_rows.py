"""Quadratic surrogates as rows: the output is the prediction, and the best point that of enumeration."""

import numpy as np
import pytest

import milbox as mb
from milbox.domain import Domain
from milbox.domain.box import Box
from milbox.embed import embed
from milbox.embed.domain import formulate
from milbox.inner import Enumerate, Mip
from milbox.inner.query import Query, Region
from milbox.milp.program import MilpBuilder
from milbox.milp.solution import Limits, Status
from milbox.milp.solvers import Scip
from milbox.surrogates import Quadratic
from milbox.testing.answers import proposed
from milbox.trials.points import Points


def mixed(numbers: int = 1) -> Domain:
    """Binaries, letters, and numbers as one feature each."""
    x, s = mb.binary("x", 4), mb.categorical("s", list("abc"), 2)
    k = mb.integer("k", -2, 2, numbers, encoding="integer")
    return mb.Domain([x, s, k], [x.sum() + k[0] <= 3])


def quadratic(domain: Domain, seed: int) -> Quadratic:
    """A random quadratic function; some pairs do not matter."""
    rng, size = np.random.default_rng(seed), domain.features
    pairs = np.triu(rng.normal(size=(size, size)) * (rng.random((size, size)) < 0.6), 1)
    return Quadratic(rng.normal(size=size), pairs, float(rng.normal()))


def test_with_the_inputs_fixed_the_output_is_the_prediction() -> None:
    domain = mixed()
    rng, points = np.random.default_rng(5), list(domain)
    for seed in range(4):
        surrogate = quadratic(domain, seed)
        for i in rng.integers(len(points), size=4).tolist():
            x = domain.encode([points[i]])[0]
            predicted = float(surrogate.predict(x[None])[0])
            for sign in (1.0, -1.0):  # neither more nor less is possible
                milp = MilpBuilder()
                formulation = formulate(domain, milp)
                output = embed(surrogate, milp, formulation.inputs)
                milp.maximize(sign * output)
                program = milp.build().fixed(formulation.inputs, x)
                solution = Scip().solve(program, Limits())
                assert solution.status is Status.OPTIMAL
                assert sign * solution.objective == pytest.approx(predicted, abs=1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_the_best_point_is_that_of_enumeration(seed: int) -> None:
    domain = mixed()
    surrogate, points = quadratic(domain, seed), list(domain)
    for box in (None, Box.ball(domain, points[3], 3)):
        query = Query(surrogate, Region(domain, Points(points[:9]), box=box))
        assert Mip().refusal(query) is None
        (exact,) = proposed(Enumerate().solve(query, np.random.default_rng(0)))
        (by_rows,) = proposed(Mip().solve(query, np.random.default_rng(0)))
        assert exact.certificate is not None
        assert by_rows.certificate is not None
        assert by_rows.certificate.status is Status.OPTIMAL
        assert by_rows.certificate.value == pytest.approx(exact.certificate.value, abs=1e-6)


def test_products_of_two_numbers_are_refused() -> None:
    domain = mixed(2)
    pairs = np.zeros((12, 12))
    pairs[3, 10] = 1.0
    assert Mip().refusal(Query(Quadratic(np.zeros(12), pairs, 0.0), Region(domain))) is None
    pairs[10, 11] = 1.0
    refusal = Mip().refusal(Query(Quadratic(np.zeros(12), pairs, 0.0), Region(domain)))
    assert refusal is not None
    assert "products of two variables" in refusal


def test_a_program_that_cannot_be_written_is_refused_by_the_same_error() -> None:
    y, k = mb.binary("y", 14), mb.integer("k", 0, 9, 2, encoding="integer")
    domain = mb.Domain([y, k], [y.sum() + k.sum() <= 12])
    with mb.Study(domain, "nn+milp/pairs", seed=0) as study:
        for _ in range(25):
            trial = study.ask()
            study.tell(trial.number, float(3 * trial.point[14] * trial.point[15] + sum(trial.point[:4])))
        strategy = study.strategy
        with pytest.raises(ValueError, match="the next point has no program: products"):
            strategy.program(domain, study.history, np.random.default_rng(0))  # type: ignore[attr-defined]


def test_a_step_by_pairs_has_a_program() -> None:
    domain = mb.Domain([x := mb.binary("x", 24)], [x.sum() == 12])
    with mb.Study(domain, "nn+milp/pairs", seed=0) as study:
        for _ in range(25):
            trial = study.ask()
            study.tell(trial.number, float(np.dot(trial.point, range(24))))
        strategy = study.strategy
        program, _ = strategy.program(domain, study.history, np.random.default_rng(0))  # type: ignore[attr-defined]
        assert Scip().solve(program, Limits()).status is Status.OPTIMAL
