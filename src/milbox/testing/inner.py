"""The conformance suite of inner solvers: untried points, and true certificates."""

# ruff: noqa: D102 - a test's name is its sentence

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from milbox.arrays import Point
from milbox.domain import Domain
from milbox.inner import InnerSolver
from milbox.inner.query import Query
from milbox.milp.solution import Status
from milbox.surrogates import ReluNet, Surrogate
from milbox.surrogates.relu import glorot
from milbox.testing.answers import proposed
from milbox.testing.strategies import small_domain
from milbox.trials import Empty, Found


def some_surrogate(domain: Domain, seed: int = 0) -> ReluNet:
    """A network of six neurons whose weights are random."""
    return ReluNet.of(glorot((domain.features, 6, 1), np.random.default_rng(seed)))


def values_left(surrogate: Surrogate, domain: Domain, tried: Sequence[Point]) -> dict[Point, float]:
    """The predictions at all untried points, by enumeration."""
    left = [point for point in domain if point not in set(tried)]
    return dict(zip(left, surrogate.predict(domain.encode(left)).tolist(), strict=True))


class InnerSolverConformance:
    """Inherit, set `inner`, and run with pytest; for an inexact solver set `exact` to False."""

    inner: ClassVar[InnerSolver]
    exact: ClassVar[bool] = True

    def test_proposals_are_contained_untried_and_distinct(self) -> None:
        domain = small_domain()
        every = list(domain)
        for seed, count in ((0, 1), (1, 3)):
            rng = np.random.default_rng(seed)
            tried = [point for point in every if rng.random() < 0.5]
            answer = self.inner.solve(Query.of(some_surrogate(domain, seed), domain, tried, count), rng)
            points = [proposal.point for proposal in proposed(answer)]
            assert 1 <= len(points) <= count
            assert len({*points, *tried}) == len(points) + len(tried)
            assert set(points) <= set(every)

    def test_the_best_untried_point_is_found(self) -> None:
        """Law 9; an inexact solver may miss it, and then must not say that it found it."""
        domain = small_domain()
        every = list(domain)
        for seed in range(4):
            rng = np.random.default_rng(seed)
            surrogate = some_surrogate(domain, seed)
            # The best points are tried already, as they are after some steps.
            order = np.argsort(-surrogate.predict(domain.encode(every)))
            tried = [every[i] for i in order[: 5 * seed]]
            left = values_left(surrogate, domain, tried)
            best, scale = max(left.values()), max(1.0, *map(abs, left.values()))
            (proposal,) = proposed(self.inner.solve(Query.of(surrogate, domain, tried), rng))
            certificate = proposal.certificate
            if self.exact:
                assert certificate is not None
                assert certificate.status is Status.OPTIMAL
            if certificate is not None:
                assert abs(certificate.value - left[proposal.point]) <= 1e-5 * scale
                assert certificate.bound >= best - 1e-5 * scale
                if certificate.status is Status.OPTIMAL:
                    assert left[proposal.point] >= best - 1e-4 * scale

    def test_the_last_point_is_found_and_then_nothing_is_claimed(self) -> None:
        domain = small_domain()
        every, surrogate = list(domain), some_surrogate(domain)
        answer = self.inner.solve(Query.of(surrogate, domain, every[1:]), np.random.default_rng(0))
        assert [proposal.point for proposal in proposed(answer)] == every[:1]
        answer = self.inner.solve(Query.of(surrogate, domain, every), np.random.default_rng(0))
        assert not isinstance(answer, Found)
        if self.exact:
            assert answer == Empty()

    def test_same_arguments_same_answer(self) -> None:
        domain = small_domain()
        tried = list(domain)[::3]
        one, other = (
            proposed(
                self.inner.solve(Query.of(some_surrogate(domain), domain, tried, 2), np.random.default_rng(5))
            )
            for _ in range(2)
        )
        assert [proposal.point for proposal in one] == [proposal.point for proposal in other]
