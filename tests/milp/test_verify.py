"""Distances from satisfying a program."""

import numpy as np
import pytest

from milbox.milp import Milp, MilpBuilder, Violation, satisfies, violation


@pytest.fixture
def milp() -> Milp:
    builder = MilpBuilder()
    x = builder.columns([0, -1], [3, 1], integer=[True, False])
    builder.row(x, [1, 1], 0, 2)
    builder.row(x, [100, 0], upper=200)
    return builder.build()


def test_a_solution_violates_nothing(milp: Milp) -> None:
    assert violation(milp, np.array([2.0, -0.5])) == Violation(0.0, 0.0, 0.0)


def test_each_kind_is_measured(milp: Milp) -> None:
    found = violation(milp, np.array([2.25, 1.5]))
    assert found.bounds == 0.5
    assert found.integrality == 0.25
    assert found.rows == pytest.approx(1.75 / 2)  # of row 0, relative to its side; row 1 is 25 over 200
    assert found.worst == found.rows
    assert violation(milp, np.array([0.0, -1.0])).rows == 1.0


def test_the_tolerance(milp: Milp) -> None:
    assert satisfies(milp, np.array([2.0, 5e-7]))
    assert not satisfies(milp, np.array([2.0, 5e-6]))
    assert satisfies(milp, np.array([2.0, 5e-6]), tolerance=1e-5)


@pytest.mark.parametrize("entry", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_satisfies_nothing(milp: Milp, entry: float) -> None:
    assert violation(milp, np.array([0.0, entry])).worst == np.inf


def test_a_wrong_length_is_refused(milp: Milp) -> None:
    with pytest.raises(ValueError, match=r"shape \(3,\); the program has 2 columns"):
        violation(milp, np.zeros(3))


def test_programs_without_rows_or_columns() -> None:
    builder = MilpBuilder()
    assert violation(builder.build(), np.zeros(0)).worst == 0.0
    builder.row([], [], lower=2)
    assert violation(builder.build(), np.zeros(0)).rows == 1.0
