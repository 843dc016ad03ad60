"""Integers of too many values for a column each: only codes that are asked about get columns."""

import numpy as np
import pytest

import milbox.domain as mb
from milbox.domain import Domain
from milbox.embed.domain import MOST_UNARY
from milbox.inner import Enumerate, Mip
from milbox.inner.query import Query
from milbox.surrogates.linear import Linear
from milbox.trials import Empty, Found


@pytest.mark.parametrize("seed", range(6))
def test_columns_for_single_codes_mean_what_columns_for_all_codes_mean(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = mb.integer("n", -3, MOST_UNARY, encoding="integer")
    k = mb.integer("k", 0, 5, encoding="integer")
    b = mb.binary("b")
    domain = Domain([n, k, b], [mb.implies(n == 2, k != 3), mb.any_of(n <= 1, k == 4, b), n + k <= 7, n <= 4])
    surrogate = Linear(rng.normal(size=3), 0.5)
    points = list(domain)
    tried = [points[i] for i in rng.permutation(len(points))[: len(points) // 2]]
    best = sorted(points, key=lambda p: -float(surrogate.predict(domain.encode([p]))[0]))
    tried += [point for point in best[:8] if point not in tried]
    wanted = Enumerate().solve(Query.of(surrogate, domain, tried, 3), rng)
    found = Mip().solve(Query.of(surrogate, domain, tried, 3), rng)
    assert isinstance(wanted, Found)
    assert isinstance(found, Found)
    assert [proposal.point for proposal in found.proposals] == [
        proposal.point for proposal in wanted.proposals
    ]
    assert all(p.certificate is not None and p.certificate.status == "optimal" for p in found.proposals)
    assert Mip().solve(Query.of(surrogate, domain, points), rng) == Empty()
