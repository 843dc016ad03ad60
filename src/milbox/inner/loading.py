"""Compiled code is loaded, or compiled where it never was, before a clock is started.

A time limit is for searching. Each function calls what it is named after once in a process, on next to
nothing; kernels have one form for all problems, so that nothing is left to compile afterwards.
"""

from functools import cache

import numpy as np

from milbox.domain import Domain, binary
from milbox.inner.climb import climbed
from milbox.surrogates.quadratic import Quadratic
from milbox.surrogates.relu import ReluNet
from milbox.trials.points import Points


@cache
def load_climbs() -> None:
    """Climb from one of two points."""
    domain, layer = Domain([binary("x")]), (np.ones((1, 1)), np.zeros(1))
    climbed(ReluNet.of([layer, layer]), domain, Points([(0,)]), np.random.default_rng(0))


@cache
def load_search() -> None:
    """Find one of two points in a diagram, and search two."""
    from milbox.inner.search.maximise import maximise
    from milbox.inner.search.network import layered, task_of
    from milbox.inner.search.paths import paths_of

    pair = binary("x", 2)
    Domain([pair], [pair.sum() == 1]).product.contains(np.array([[0, 1]]))
    paths, layer = paths_of(Domain([binary("x")]).product), (np.ones((1, 1)), np.zeros(1))
    assert paths is not None, "a binary has two points"
    rng = np.random.default_rng(0)
    task = task_of(layered(ReluNet.of([layer, layer]), paths), paths)
    maximise(task, np.zeros((0, 1), np.int64), 1, rng)


@cache
def load_ranges() -> None:
    """Search a range for one of two points."""
    from milbox.inner.ranges.columns import columns_of
    from milbox.inner.ranges.maximise import maximise, task_of

    columns, layer = columns_of(Domain([binary("x")])), (np.ones((1, 1)), np.zeros(1))
    assert not isinstance(columns, str), "a binary is a column"
    none, apart = np.zeros((0, 1), np.int64), np.ones(1, np.int64)
    maximise(task_of(ReluNet.of([layer, layer]), columns, none, apart))


@cache
def load_pairs() -> None:
    """Look round one of two points, and wander to the other."""
    from milbox.inner.pairs.moves import Groups, groups_of
    from milbox.inner.pairs.solve import Around, Near, searched, wandered

    domain, one = Domain([binary("x")]), np.zeros(1, np.int64)
    groups = groups_of(domain)
    assert isinstance(groups, Groups), "a binary has one neighbour"
    around = Around(Quadratic(np.ones(1), np.zeros((1, 1)), 0.0), domain, groups, one[None], one)
    searched(around, 1, 1, Near())
    wandered(around, 1, 1, np.random.default_rng(0))
