"""Tables of many rows answer few points and many points alike."""

from itertools import product

import numpy as np
import pytest

from milbox.domain import Domain, forbid, integer, table


@pytest.mark.parametrize("allowed", [True, False])
@pytest.mark.parametrize("count", [0, 1, 7, 8, 200])
def test_a_table_holds_at_its_rows_alone(count: int, allowed: bool) -> None:
    rng = np.random.default_rng([count, allowed])
    k = integer("k", -2, 3, 3)
    rows = {tuple(row) for row in rng.integers(-2, 4, (12, 3)).tolist()}
    domain = Domain([k], [(table if allowed else forbid)(list(k), sorted(rows))])
    every = list(product(range(-2, 4), repeat=3))
    chosen = [every[i] for i in rng.integers(0, len(every), count)]
    points = np.array(chosen, dtype=np.int64).reshape(count, 3)
    assert domain.feasible(points).tolist() == [(point in rows) == allowed for point in chosen]
    for point in sorted(rows):
        assert domain.contains(point) is allowed
