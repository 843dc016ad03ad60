"""The conformance suite of strategies (Law 7): contained, unseen and distinct points, reproducibly."""

# ruff: noqa: D102 - a test's name is its sentence

from typing import ClassVar

import numpy as np
import pytest

from milbox.domain import Domain, all_different, binary, categorical, implies, integer
from milbox.milp.solution import Status
from milbox.strategies import Strategy
from milbox.testing.answers import proposed
from milbox.trials import Empty, Failed, Finished, History, Proposal


def small_domain() -> Domain:
    """Every kind of variable, constraints of several kinds, and few enough points to use up."""
    x, k, op = binary("x", 4), integer("k", 0, 3), categorical("op", ["a", "b", "c"], 2)
    return Domain([x, k, op], [x.sum() == 2, implies(op[0] == "a", k <= 1), all_different(op)])


def history_of(domain: Domain, count: int, seed: int = 0) -> History:
    """A history of `count` trials; the sixth is pending, the seventh failed."""
    rng = np.random.default_rng(seed)
    points = list(domain)
    chosen = [points[i] for i in rng.permutation(len(points))[:count]]
    history = History().asked([Proposal(point, "random") for point in chosen])
    for number, point in enumerate(chosen):
        if number == 6:
            history = history.told(number, Failed("broken"))
        elif number != 5:
            history = history.told(number, Finished(float(np.dot(point, np.arange(len(point))) % 7)))
    return history


class StrategyConformance:
    """Inherit, set `strategy` (one that needs at most ten random points first), and run with pytest."""

    strategy: ClassVar[Strategy]

    def test_proposals_are_contained_unseen_and_distinct(self) -> None:
        domain = small_domain()
        for asked in (0, 3, 20, 60):
            history = history_of(domain, asked)
            proposals = proposed(self.strategy.propose(domain, history, 4, np.random.default_rng(1)))
            points = [proposal.point for proposal in proposals]
            assert len(points) == 4
            assert all(domain.contains(point) for point in points)
            assert len({*points, *history.asked_points}) == len(points) + asked

    def test_same_arguments_same_answer(self) -> None:
        domain = small_domain()
        history = history_of(domain, 20)
        one, other = (
            proposed(self.strategy.propose(domain, history, 2, np.random.default_rng(5))) for _ in range(2)
        )
        assert [proposal.point for proposal in one] == [proposal.point for proposal in other]

    def test_what_is_left_is_proposed_and_then_nothing(self) -> None:
        domain = small_domain()
        total = len(list(domain))
        history = history_of(domain, total - 2)
        proposals = proposed(self.strategy.propose(domain, history, 5, np.random.default_rng(0)))
        assert len(proposals) == 2
        assert {p.point for p in proposals} == set(domain) - set(history.asked_points)
        answer = self.strategy.propose(domain, history_of(domain, total), 1, np.random.default_rng(0))
        assert answer == Empty()

    def test_certificates_claim_no_more_than_they_may(self) -> None:
        domain = small_domain()
        answer = self.strategy.propose(domain, history_of(domain, 30), 2, np.random.default_rng(2))
        certificates = [proposal.certificate for proposal in proposed(answer)]
        if certificates == [None, None]:
            pytest.skip(f"{type(self.strategy).__name__} proposes without certificates")
        for certificate in certificates:
            assert certificate is not None, "of two proposals that one call makes, one has a certificate"
            scale = max(1.0, abs(certificate.value))
            assert certificate.value <= certificate.bound
            assert certificate.residual <= 1e-6 * scale
            if certificate.status is Status.OPTIMAL:
                assert certificate.bound - certificate.value <= 1e-4 * scale
