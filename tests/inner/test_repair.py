"""Random points of domains with sums in no diagram, by repair."""

import numpy as np

import milbox as mb
from milbox.inner.query import Region
from milbox.inner.repair import repaired, sums_of
from milbox.inner.untried import untried
from milbox.trials import Found
from milbox.trials.origin import Origin, Source


def tight_assignment(items: int = 30, places: int = 20, share: float = 0.95, seed: int = 0) -> mb.Domain:
    """Items of different sizes to places whose capacities are nearly used up, as in `pb302095`."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(20, 100, items)
    hidden = rng.permutation(np.arange(items) % places)
    used = np.bincount(hidden, weights=sizes, minlength=places)
    capacity = np.ceil(used / share).astype(int)
    x = mb.binary("x", (items, places))
    loads = [sum(int(sizes[i]) * x[i, j] for i in range(items)) <= int(capacity[j]) for j in range(places)]
    return mb.Domain([x], [x.sum(axis=1) == 1, *loads])


def test_tight_capacities_are_met_by_repair_alone_and_points_differ() -> None:
    domain = tight_assignment()
    answer = untried(Region(domain), 30, np.random.default_rng(1))
    assert isinstance(answer, Found)
    points = [proposal.point for proposal in answer.proposals]
    assert len(set(points)) == 30
    assert domain.feasible(np.array(points)).all()
    # Programs with random objectives would take minutes.
    assert {proposal.origin for proposal in answer.proposals} == {"repaired"}


def test_tight_capacities_are_met_in_few_moves() -> None:
    domain, rng = tight_assignment(), np.random.default_rng(1)
    assert all(repaired(domain, rng, moves=200) is not None for _ in range(30))


def test_repair_needs_sums_that_are_in_no_diagram() -> None:
    x = mb.binary("x", 10)
    free = mb.Domain([x], [x.sum() <= 3])
    assert sums_of(free) is None
    assert repaired(free, np.random.default_rng(0)) is None


def test_what_cannot_be_repaired_is_no_point() -> None:
    domain = tight_assignment(share=1.05)  # less than what is needed
    assert sums_of(domain) is not None
    assert repaired(domain, np.random.default_rng(0), moves=50) is None


def test_repaired_points_are_random_points() -> None:
    assert Origin("repaired").source is Source.RANDOM
