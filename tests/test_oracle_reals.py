"""The best untried point over reals, compared with vertices, linear programs and dense samples.

`PYTHONPATH=src:tests python tests/test_oracle_reals.py 2000` runs as many random cases and prints the counts
of docs/reliability.md.
"""

import sys
import time
from collections import Counter

import numpy as np
import pytest

from oracle_reals import answered, drawn


def check(first: int, count: int) -> Counter[str]:
    """Compare the answers to so many random questions with the oracle; what certificates said, in numbers."""
    counts: Counter[str] = Counter()
    for seed in range(first, first + count):
        rng = np.random.default_rng([18, seed])
        case = drawn(rng)
        try:
            counts[answered(case, rng)] += 1
        except AssertionError as error:
            raise AssertionError(f"seed {seed}: {error}") from error
        counts["in boxes"] += case.box is not None
        counts["mixed"] += len(case.domain.variables) > case.reals
    return counts


def test_answers_over_reals_agree_with_geometry() -> None:
    assert check(0, 40)["optimal"] >= 25


@pytest.mark.full
def test_answers_to_many_questions_agree_with_geometry() -> None:
    counts = check(0, 2000)
    assert counts["optimal"] >= 1500


if __name__ == "__main__":
    count, first = (*map(int, sys.argv[1:]), 0)[:2] if len(sys.argv) > 1 else (100, 0)
    began = time.perf_counter()
    print(dict(check(first, count)), f"{time.perf_counter() - began:.0f} s")
