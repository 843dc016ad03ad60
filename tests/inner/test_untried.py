"""A search that was stopped proves nothing: only `Empty` means that no untried point is left."""

import math

import numpy as np
import pytest

import milbox as mb
from milbox.arrays import FloatArray
from milbox.inner import Auto, Branch, Enumerate, Mip
from milbox.inner.query import Query, Region
from milbox.inner.untried import untried
from milbox.milp.program import Milp
from milbox.milp.solution import Limits, Solution, Status
from milbox.strategies import RandomSearch
from milbox.surrogates.linear import Linear
from milbox.testing.answers import proposed
from milbox.trials import Empty, Found, Proposal, Unknown
from milbox.trials.points import Points

HURRIED = Limits(seconds=0.0)


def nine_solutions() -> tuple[mb.Domain, tuple[int, ...]]:
    """26 binaries under one equality with weights near a million, and one of its nine points."""
    rng = np.random.default_rng(11)
    weights = rng.integers(900_000, 1_100_000, 26)
    point = np.zeros(26, dtype=np.int64)
    point[rng.permutation(26)[:13]] = 1
    x = mb.binary("x", 26)
    total = sum(int(w) * x[i] for i, w in enumerate(weights))
    return mb.Domain([x], [total == int(weights @ point)]), tuple(point.tolist())


def test_a_search_that_ran_out_of_time_is_no_proof() -> None:
    domain, point = nine_solutions()
    known = [({"x": np.array(point)}, 1.0)]
    study = mb.Study(domain, RandomSearch(draws=64, limits=HURRIED), known=known)
    with pytest.raises(
        mb.Undecided, match=r"beside the 1 asked .* not proved that none is left: SCIP .* 0 s"
    ):
        study.ask()
    assert not study.exhausted
    assert not study.proved


def test_a_run_that_ran_out_of_time_ends_with_an_error_and_claims_nothing() -> None:
    domain, point = nine_solutions()
    with pytest.raises(mb.Undecided):
        mb.maximize(
            lambda x: float(x.sum()),
            domain,
            budget=5,
            strategy=RandomSearch(draws=64, limits=HURRIED),
            known=[({"x": np.array(point)}, 1.0)],
        )


def square(size: int) -> mb.Domain:
    """A permutation matrix: too many states to list, and too few to draw."""
    m = mb.binary("m", (size, size))
    return mb.Domain([m], [m.sum(axis=0) == 1, m.sum(axis=1) == 1])


def permutations(size: int, count: int) -> list[tuple[int, ...]]:
    rng = np.random.default_rng(0)
    found: dict[tuple[int, ...], None] = {}
    while len(found) < count:
        found[tuple(np.eye(size, dtype=np.int64)[rng.permutation(size)].ravel().tolist())] = None
    return list(found)


def test_the_program_says_which_of_the_three_it_is() -> None:
    rng = np.random.default_rng(0)
    domain = square(5)
    every = permutations(5, 120)
    assert untried(Region(domain, Points(every)), 1, rng, draws=0) == Empty()
    (last,) = proposed(untried(Region(domain, Points(every[1:])), 3, rng, draws=0))
    assert last.point == every[0]
    hard, point = nine_solutions()
    stopped = untried(Region(hard, Points([point])), 1, rng, draws=0, limits=HURRIED)
    assert isinstance(stopped, Unknown)
    assert "nor proved that there is none within 0 s" in stopped.reason


@pytest.mark.parametrize(
    "inner", [Mip(limits=HURRIED), Branch(limits=HURRIED), Auto(mip=Mip(limits=HURRIED))]
)
def test_inner_solvers_prove_that_nothing_is_left(inner: Mip | Branch | Auto) -> None:
    domain, rng = square(4), np.random.default_rng(0)
    line = Linear(rng.normal(size=16), 0.0)
    every = permutations(4, 24)
    assert inner.solve(Query.of(line, domain, every), rng) == Empty()
    (last,) = proposed(inner.solve(Query.of(line, domain, every[1:], 2), rng))
    assert last.point == every[0]


def test_predictions_that_are_no_numbers_do_not_empty_a_domain() -> None:
    x = mb.binary("x", 3)
    for bias in (np.nan, -np.inf):
        line = Linear(np.zeros(3), bias)
        (found,) = proposed(Enumerate().solve(Query.of(line, mb.Domain([x])), np.random.default_rng(0)))
        assert found.certificate is not None
        assert found.certificate.status is mb.Status.FEASIBLE


def test_an_answer_has_a_proposal_or_says_why_not() -> None:
    with pytest.raises(ValueError, match="without one the answer is Empty"):
        Found(())

    class Silent:
        def propose(self, *_: object) -> list[Proposal]:
            return []

    study = mb.Study(square(3), Silent())  # type: ignore[arg-type]
    with pytest.raises(
        TypeError, match=r"answered \[\]; an answer is Found\(proposals\), Empty\(\) or Unknown"
    ):
        study.ask()
    assert not study.exhausted


def test_argmax_says_that_a_limit_came_first() -> None:
    class Stopped:
        def refusal(self, query: Query) -> None:
            del query

        def solve(self, query: Query, rng: np.random.Generator) -> Unknown:
            del query, rng
            return Unknown("time is up")

    with pytest.raises(mb.Undecided, match="no point was found: time is up"):
        mb.argmax(Linear(np.ones(9), 0.0), square(3), inner=Stopped())


class GivesUp:
    """A solver that leaves every program open, as numerical trouble may."""

    def solve(self, milp: Milp, limits: Limits, start: FloatArray | None = None) -> Solution:
        """Nothing."""
        del milp, limits, start
        return Solution(Status.UNKNOWN, None, -math.inf, math.inf, 0.0, 0, "none")


def test_where_a_solver_gives_up_a_walk_goes_on_from_tried_points() -> None:
    t, mix = mb.real("t", 20, 80), mb.real("mix", 0, 1, 4, step=0.001)
    domain = mb.Domain([t, mix], [mix.sum() == 1, mb.at_most(3, mix > 0)])
    tried = domain.point({"t": 30.0, "mix": [0.2, 0.3, 0.5, 0.0]})
    region = Region.untried(domain, Points([tried]))
    (found,) = proposed(untried(region, 1, np.random.default_rng(0), draws=0, solver=GivesUp()))
    assert domain.contains(found.point)
    assert found.point != tried
