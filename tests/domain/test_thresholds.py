"""Counts and if-then rules on thresholds of reals, against enumeration over coarse grids."""

import itertools
import random
from fractions import Fraction

import pytest

import milbox as mb


@pytest.mark.parametrize("seed", range(30))
def test_counts_of_nonzeros_and_semicontinuous_amounts(seed: int) -> None:
    rng = random.Random(seed)
    step, size = rng.choice([Fraction(1, 4), Fraction(1, 5), Fraction(1, 2)]), rng.randint(2, 4)
    most, place, least = rng.randint(1, size), rng.randrange(size), rng.choice([step, 2 * step])
    mix = mb.real("mix", 0, 1, size, step=float(step))
    amount = mb.implies(mix[place] > 0, mix[place] >= float(least))
    domain = mb.Domain([mix], [mix.sum() == 1, mb.at_most(most, mix > 0), amount])
    listed = mb.Domain([mix], [mix.sum() == 1, mb.at_most(most, [mix[j] > 0 for j in range(size)]), amount])
    steps = int(1 / step)
    expected = {
        point
        for point in itertools.product(range(steps + 1), repeat=size)
        if sum(point) == steps
        and sum(code > 0 for code in point) <= most
        and (point[place] == 0 or point[place] * step >= least)
    }
    assert domain == listed
    assert set(domain) == expected
    assert domain.size == len(expected)
