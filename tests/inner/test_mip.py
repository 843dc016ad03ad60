"""The program of a network that `Mip` gives to its solver."""

from typing import Any

import numpy as np
import pytest

from milbox.domain import Domain, binary
from milbox.embed.relu.bounds import Bounded, product_bounds
from milbox.inner import Mip
from milbox.inner.query import Query
from milbox.milp.program import Milp
from milbox.milp.solution import Limits, Status
from milbox.milp.solvers import Scip, Settings, scip, scip_load
from milbox.surrogates.relu import ReluNet, glorot
from milbox.testing.answers import proposed


def network(domain: Domain, *hidden: int) -> ReluNet:
    return ReluNet.of(glorot((domain.features, *hidden, 1), np.random.default_rng(0)))


def three_of_eight() -> Domain:
    x = binary("x", 8)
    return Domain([x], [x.sum() == 3])


@pytest.mark.parametrize("hidden", [(6,), (6, 6)])
def test_rows_that_matter_at_few_points_are_lazy(hidden: tuple[int, ...]) -> None:
    domain = three_of_eight()
    net = network(domain, *hidden)
    tried = list(domain)[:4]
    milp = Mip().program(net, domain, tried)[0].build()
    held_from_below = int((net.output.weights[:, 0] < 0).sum()) if len(hidden) == 1 else 0
    assert held_from_below > 0 or len(hidden) == 2
    assert int(milp.lazy.sum()) == len(tried) + held_from_below
    assert not milp.lazy[0], "the sum of the domain is needed from the start"


@pytest.mark.parametrize("settings", [Settings.TUNED, Settings.PAPER])
def test_only_the_tuned_settings_let_rows_wait(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def spy(model: Any, milp: Milp, variables: list[Any], lazily: bool) -> None:
        asked.append(lazily)
        scip_load.add_rows(model, milp, variables, lazily)

    monkeypatch.setattr(scip, "add_rows", spy)
    domain = three_of_eight()
    milp = Mip().program(network(domain, 6), domain, list(domain)[:4])[0].build()
    assert Scip(settings).solve(milp, Limits()).status is Status.OPTIMAL
    assert asked == [settings is Settings.TUNED]


@pytest.mark.parametrize("lp_bounds", [False, True])
def test_linear_programs_sharpen_the_bounds_of_a_second_layer(lp_bounds: bool) -> None:
    x = binary("x", 8)
    domain = Domain([x], [x.sum() == 3])
    net = network(domain, 6, 6)
    bounded = Mip(lp_bounds=lp_bounds).bounded(net, domain, [])
    assert isinstance(bounded, Bounded)
    (low, high), (least, most) = bounded.bounds[-1], product_bounds(net, domain)[-1]
    assert ((high - low) < (most - least) - 1e-9).any() == lp_bounds


@pytest.mark.parametrize(("seed", "noise"), [(303, 1e-13), (738, 1e-10)])
def test_units_whose_terms_cancel_over_a_block_are_not_blown_up(seed: int, noise: float) -> None:
    rng = np.random.default_rng(seed)
    x = binary("x", (3, 4))
    domain = Domain([x], [x[i].sum() == 2 for i in range(3)])
    weights, bias = rng.normal(size=(12, 6)), rng.normal(size=6)
    for unit in range(3):  # two of four equal weights are the same, whichever two
        shared = rng.normal(size=3)
        weights[:, unit] = np.repeat(shared, 4) + noise * rng.normal(size=12)
        bias[unit] = -2 * shared.sum()
    upper = (rng.normal(size=(6, 4)), rng.normal(size=4))
    net = ReluNet.of([(weights, bias), upper, (rng.normal(size=(4, 1)), np.zeros(1))])
    points = list(domain)
    certificate = proposed(Mip().solve(Query.of(net, domain, points[:3]), rng))[0].certificate
    assert certificate is not None
    assert certificate.bound >= net.predict(domain.encode(points[3:])).max() - 1e-6
