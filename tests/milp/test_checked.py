"""What is made of a library's answer, true or false: the library is scripted here."""

import numpy as np
import pytest

from milbox.arrays import FloatArray
from milbox.milp import Affine, Limits, Milp, MilpBuilder, Solution, Status
from milbox.milp.solvers.checked import Claim, Prepared, solve_checked
from milbox.testing.programs import knapsack


def answer(milp: Milp, claim: Claim, start: FloatArray | None = None, gap: float = 0.0) -> Solution:
    return solve_checked(milp, Limits(gap=gap), start, "scripted", lambda *_: claim)


def trickle() -> Milp:
    """max y  s.t.  y <= 1e4 a,  y <= 1,  with a binary that must be zero."""
    builder = MilpBuilder()
    a = builder.columns(0, 1, integer=True)
    y = builder.columns(0, 1)
    builder.row([*y, *a], [1, -1e4], upper=0)
    builder.row(a, [1], upper=0)
    builder.maximize(Affine(y, np.ones(1)))
    return builder.build()


def test_a_false_solution_is_dropped() -> None:
    solution = answer(knapsack(), Claim(Status.OPTIMAL, np.ones(4), 38.0, 1))
    assert (solution.status, solution.x) == (Status.UNKNOWN, None)
    assert (solution.objective, solution.bound) == (-np.inf, 39.0)


def test_integer_columns_are_rounded_and_the_objective_computed_again() -> None:
    solution = answer(knapsack(), Claim(Status.OPTIMAL, np.array([1, 1 - 1e-7, 1e-7, 0]), 23.0, 1))
    assert solution.x is not None
    assert solution.x.tolist() == [1, 1, 0, 0]
    assert (solution.status, solution.objective, solution.bound) == (Status.OPTIMAL, 24.0, 24.0)


def test_what_trickles_through_a_tolerance_is_taken_back() -> None:
    """a = 1e-7 counts as zero to a library, yet lets y be 1e-3."""
    claim = Claim(Status.OPTIMAL, np.array([1e-7, 1e-3]), 1e-3, 1)
    solution = answer(trickle(), claim)
    assert solution.x is not None
    assert solution.x.tolist() == [0.0, 0.0]
    assert solution.objective == 0.0
    # The library's bound stands, so that nothing is proved within 1e-3.
    assert (solution.status, solution.bound) == (Status.FEASIBLE, 1e-3)
    assert answer(trickle(), claim, gap=1.0).status is Status.OPTIMAL


def test_a_bound_is_never_below_the_objective_nor_above_the_box() -> None:
    x = np.array([1.0, 1.0, 0.0, 0.0])
    assert answer(knapsack(), Claim(Status.FEASIBLE, x, 22.9, 1)).bound == 24.0
    assert answer(knapsack(), Claim(Status.FEASIBLE, x, np.inf, 1)).bound == 39.0
    assert answer(knapsack(), Claim(Status.FEASIBLE, x, 30.0, 1)).bound == 31.0


def test_optimal_needs_the_bound_to_agree() -> None:
    x = np.array([1.0, 0.0, 0.0, 0.0])
    assert answer(knapsack(), Claim(Status.OPTIMAL, x, 23.0, 1)).status is Status.FEASIBLE
    assert answer(knapsack(), Claim(Status.OPTIMAL, x, 10.0, 1)).status is Status.OPTIMAL


def test_a_better_start_is_kept() -> None:
    start = np.array([1.0, 1.0, 0.0, 0.0])
    worse = answer(knapsack(), Claim(Status.FEASIBLE, np.zeros(4), 30.0, 1), start)
    assert (worse.status, worse.objective, worse.bound) == (Status.FEASIBLE, 24.0, 31.0)
    nothing = answer(knapsack(), Claim(Status.UNKNOWN, None, np.inf, 1), start)
    assert (nothing.status, nothing.objective, nothing.bound) == (Status.FEASIBLE, 24.0, 39.0)


def test_a_feasible_start_refutes_a_claim_of_infeasibility() -> None:
    solution = answer(knapsack(), Claim(Status.INFEASIBLE, None, -np.inf, 1), np.zeros(4))
    assert (solution.status, solution.objective, solution.bound) == (Status.FEASIBLE, 1.0, 39.0)


def test_the_library_sees_whole_bounds_and_a_moderate_objective() -> None:
    builder = MilpBuilder()
    x = builder.columns([0.5, 1 + 1e-9], [2.5, 1.0], integer=[True, False])
    builder.maximize(Affine(x, np.array([1e12, 1e11]), 5e12))
    seen: list[Prepared] = []

    def ask(prepared: Prepared, left: Limits) -> Claim:
        seen.append(prepared)
        assert left.seconds <= 60.0
        return Claim(Status.OPTIMAL, np.array([2.0, 1.0]), float(prepared.cost @ [2.0, 1.0]), 1)

    solution = solve_checked(builder.build(), Limits(), np.array([1.0, 1.0]), "scripted", ask)
    assert seen[0].milp.lower.tolist() == [1.0, 1.0]
    assert seen[0].milp.upper.tolist() == [2.0, 1.0]
    assert seen[0].start is not None
    assert 1 < np.abs(seen[0].cost).max() < 100
    assert solution.objective == solution.bound == pytest.approx(7.1e12)


@pytest.mark.parametrize(
    "bad", [{"seconds": -1}, {"seconds": np.nan}, {"gap": -0.1}, {"gap": np.inf}, {"nodes": -1}]
)
def test_limits_make_sense(bad: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=f"{next(iter(bad))} is .*; it must be zero or more"):
        Limits(**bad)  # type: ignore[arg-type]


def test_costs_that_a_library_takes_for_zero_stay_in_the_bound() -> None:
    """As SCIP does, the library leaves out a cost that is tiny in its scale, and calls that optimal."""
    builder = MilpBuilder()
    x = builder.columns([0.0, 0.0], [1e12, 1e5])
    builder.maximize(Affine(x, np.array([1.0, 1e-4])))

    def ask(prepared: Prepared, _left: Limits) -> Claim:
        known = np.where(np.abs(prepared.cost) < 1e-9, 0.0, prepared.cost)
        return Claim(Status.OPTIMAL, np.array([1e12, 0.0]), float(known @ [1e12, 0.0]), 1)

    solution = solve_checked(builder.build(), Limits(), None, "a library", ask)
    assert solution.bound >= 1e12 + 10.0


def test_a_cost_that_matters_over_a_wide_range_is_not_scaled_away() -> None:
    builder = MilpBuilder()
    x = builder.columns([0.0, 0.0], [1e9, 1e9])
    builder.maximize(Affine(x, np.array([-1.0, 1e-3])))
    seen: list[Prepared] = []

    def ask(prepared: Prepared, _left: Limits) -> Claim:
        seen.append(prepared)
        return Claim(Status.OPTIMAL, np.array([0.0, 1e9]), float(prepared.cost @ [0.0, 1e9]), 1)

    solution = solve_checked(builder.build(), Limits(), None, "a library", ask)
    assert (solution.status, solution.bound) == (Status.OPTIMAL, 1e6)
    assert np.abs(seen[0].cost).min() > 1e-7
    assert np.abs(seen[0].cost).max() < 1.0
