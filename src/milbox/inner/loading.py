"""Compiled code is loaded, or compiled where it never was, before a clock is started.

A time limit is for searching. Each function calls what it is named after once in a process, on next to
nothing; kernels have one form for all problems, so that nothing is left to compile afterwards.
"""

from functools import cache

import numpy as np

from milbox.domain import Domain, binary
from milbox.inner.climb import climbed
from milbox.surrogates.relu import ReluNet


@cache
def load_climbs() -> None:
    """Climb from one of two points."""
    domain, layer = Domain([binary("x")]), (np.ones((1, 1)), np.zeros(1))
    climbed(ReluNet.of([layer, layer]), domain, [(0,)], np.random.default_rng(0))


@cache
def load_search() -> None:
    """Search two points."""
    from milbox.inner.branch_search import maximise
    from milbox.inner.branch_sum import Sum

    f = Sum(np.array([[0.0], [1.0]]), np.array([0, 2]), np.zeros(1), np.zeros(0), None)
    maximise(f, np.zeros((0, 1), np.int64), 1, np.random.default_rng(0))
