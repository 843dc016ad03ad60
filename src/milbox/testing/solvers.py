"""The conformance suite of solvers.

Law 5. The answers are compared with enumeration. A bug found in one solver becomes a test here, so that all
of them are held to it.
"""

# ruff: noqa: D102 - a test's name is its sentence

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from milbox.arrays import FloatArray
from milbox.errors import UnsupportedProgram
from milbox.milp.program import Affine, Milp, MilpBuilder
from milbox.milp.solution import Limits, Solution, Solver, Status
from milbox.milp.verify import satisfies
from milbox.testing.programs import integer_milps, jeroslow, knapsack, mixed_milps, optimum, starts

# A subclass per solver runs each property; a solver's first call may import a large library.
_property = settings(
    deadline=None, suppress_health_check=[HealthCheck.differing_executors, HealthCheck.too_slow]
)

LIMITS = Limits(seconds=60.0)


class SolverConformance:
    """Inherit, set `solver`, and run with pytest."""

    solver: ClassVar[Solver]
    integer_only: ClassVar[bool] = False
    """Whether continuous columns are refused with `UnsupportedProgram`."""

    # What is the best?

    @_property
    @given(integer_milps())
    def test_integer_programs_are_solved(self, milp: Milp) -> None:
        check_proved(milp, self.solver.solve(milp, LIMITS), optimum(milp))

    @_property
    @given(mixed_milps())
    def test_mixed_programs_are_solved(self, milp: Milp) -> None:
        if self.integer_only:
            with pytest.raises(UnsupportedProgram):
                self.solver.solve(milp, LIMITS)
        else:
            check_proved(milp, self.solver.solve(milp, LIMITS), optimum(milp))

    def test_a_knapsack(self) -> None:
        solution = self.solver.solve(knapsack(), LIMITS)
        assert solution.x is not None
        assert solution.x.tolist() == [1, 1, 0, 0]
        assert (solution.status, solution.objective, solution.bound) == (Status.OPTIMAL, 24.0, 24.0)

    @pytest.mark.parametrize("exponent", [-12, -7, 7, 12])
    def test_the_objective_may_have_any_scale(self, exponent: int) -> None:
        milp = knapsack()
        scaled = replace(milp, cost=milp.cost * 10.0**exponent, offset=milp.offset * 10.0**exponent)
        check_proved(scaled, self.solver.solve(scaled, LIMITS), 24.0 * 10.0**exponent)

    @pytest.mark.parametrize("offset", [-1e9, 1e9])
    def test_a_large_offset_hides_no_difference(self, offset: float) -> None:
        milp = replace(knapsack(), offset=offset)
        solution = self.solver.solve(milp, LIMITS)
        assert solution.x is not None
        assert solution.x.tolist() == [1, 1, 0, 0]

    def test_integer_columns_are_exactly_whole(self) -> None:
        """A tolerance of 1e-6 on `a` would let y <= 1e7 a be 10 with a at zero."""
        builder = MilpBuilder()
        a = builder.columns(0, 1, integer=True)
        y = builder.columns(0, 10, integer=self.integer_only)
        builder.row([*y, *a], [1, -1e7], upper=0)
        builder.maximize(Affine(np.concatenate([y, a]), np.array([1.0, -20.0])))
        milp = builder.build()
        solution = self.solver.solve(milp, LIMITS)
        assert solution.x is not None
        assert set(solution.x[milp.integer]) <= set(range(11))
        assert satisfies(milp, solution.x)
        if solution.status is Status.OPTIMAL:
            assert solution.objective == pytest.approx(0.0, abs=1e-5)

    # The edges of what a program may be

    def test_no_columns(self) -> None:
        builder = MilpBuilder()
        builder.maximize(Affine(np.zeros(0, dtype=np.int64), np.zeros(0), 2.5))
        solution = self.solver.solve(builder.build(), LIMITS)
        assert (solution.status, solution.objective, solution.bound) == (Status.OPTIMAL, 2.5, 2.5)
        builder.row([], [], lower=1)
        assert self.solver.solve(builder.build(), LIMITS).status is Status.INFEASIBLE

    def test_no_rows(self) -> None:
        builder = MilpBuilder()
        x = builder.columns([0, -3], [4, 2], integer=True)
        builder.maximize(Affine(x, np.array([2.0, -1.0])))
        check_proved(builder.build(), self.solver.solve(builder.build(), LIMITS), 11.0)

    @pytest.mark.parametrize(("lower", "upper"), [(1, np.inf), (-np.inf, -1), (2, 3)])
    def test_an_empty_row_can_be_infeasible(self, lower: float, upper: float) -> None:
        builder = MilpBuilder()
        builder.columns(0, 1, integer=True)
        builder.row([0, 0], [1, -1], lower, upper)
        check_proved(builder.build(), self.solver.solve(builder.build(), LIMITS), -np.inf)

    def test_crossing_bounds_and_sides_are_infeasible(self) -> None:
        milp = knapsack()
        check_proved(milp, self.solver.solve(replace(milp, lower=milp.lower + 2), LIMITS), -np.inf)
        crossed = replace(milp, row_lower=np.array([8.0]))
        check_proved(crossed, self.solver.solve(crossed, LIMITS), -np.inf)

    def test_no_whole_number_between_the_bounds(self) -> None:
        builder = MilpBuilder()
        builder.columns(0.2, 0.8, integer=True)
        check_proved(builder.build(), self.solver.solve(builder.build(), LIMITS), -np.inf)

    def test_repeated_entries_are_summed(self) -> None:
        milp = knapsack()
        repeated = csr_array((np.array([2.0, 1, 4, 2, 3]), np.array([0, 0, 1, 2, 3]), np.array([0, 5])))
        same = replace(milp, matrix=repeated)
        check_proved(same, self.solver.solve(same, LIMITS), 24.0)

    def test_every_column_fixed(self) -> None:
        milp = knapsack().fixed(np.arange(4), np.array([0.0, 1.0, 1.0, 0.0]))
        check_proved(milp, self.solver.solve(milp, LIMITS), 21.0)
        milp = knapsack().fixed(np.arange(4), np.ones(4))
        check_proved(milp, self.solver.solve(milp, LIMITS), -np.inf)

    # Limits and starts

    @_property
    @given(st.data())
    def test_nothing_false_is_claimed_whatever_the_limits_and_the_start(self, data: st.DataObject) -> None:
        milp = data.draw(integer_milps())
        start = data.draw(st.none() | starts(milp))
        limits = Limits(
            seconds=data.draw(st.sampled_from([0.0, 1e-4, 60.0])),
            gap=data.draw(st.sampled_from([0.0, 0.1, 2.0])),
            nodes=data.draw(st.sampled_from([None, 0, 1, 3])),
        )
        check_claims(milp, self.solver.solve(milp, limits, start), optimum(milp), limits, start)

    def test_a_start_is_returned_when_there_is_no_time(self) -> None:
        start = np.array([0.0, 1.0, 0.0, 1.0])
        solution = self.solver.solve(knapsack(), Limits(seconds=0.0), start)
        assert solution.x is not None
        assert solution.objective >= 22.0
        assert solution.objective <= solution.bound <= 39.0

    def test_without_time_or_start_the_bound_is_finite(self) -> None:
        solution = self.solver.solve(knapsack(), Limits(seconds=0.0))
        assert 24.0 <= solution.bound <= 39.0

    @pytest.mark.parametrize("entry", [1.0, 0.5, 7.0, -1e30, np.nan, np.inf])
    def test_an_infeasible_start_is_ignored(self, entry: float) -> None:
        solution = self.solver.solve(knapsack(), LIMITS, np.full(4, entry))
        check_proved(knapsack(), solution, 24.0)

    def test_a_start_of_another_length_is_refused(self) -> None:
        with pytest.raises(ValueError, match=r"start has shape \(3,\).*4 columns"):
            self.solver.solve(knapsack(), LIMITS, np.zeros(3))

    def test_few_nodes_end_a_long_search(self) -> None:
        milp = jeroslow()
        solution = self.solver.solve(milp, Limits(nodes=5))
        assert solution.nodes <= 5 + 1
        check_claims(milp, solution, -1.0, Limits(nodes=5), None)

    def test_the_same_question_gets_the_same_answer(self) -> None:
        first, second = (self.solver.solve(jeroslow(), LIMITS) for _ in range(2))
        assert first.x is not None
        assert second.x is not None
        assert first.x.tolist() == second.x.tolist()
        assert (first.bound, first.nodes) == (second.bound, second.nodes)

    def test_the_program_is_left_alone(self) -> None:
        milp, same = knapsack(), knapsack()
        self.solver.solve(milp, LIMITS, np.array([1.0, 0.0, 0.0, 0.0]))
        for name in ("cost", "lower", "upper", "integer", "row_lower", "row_upper"):
            assert getattr(milp, name).tolist() == getattr(same, name).tolist()
        assert (milp.matrix != same.matrix).nnz == 0


def check_proved(milp: Milp, solution: Solution, best: float) -> None:
    """Assert that a solution is the proved optimum, or a proof that there is none."""
    check_claims(milp, solution, best, LIMITS, None)
    if best == -np.inf:
        assert solution.status is Status.INFEASIBLE
        assert (solution.x, solution.objective, solution.bound) == (None, -np.inf, -np.inf)
    else:
        assert solution.status is Status.OPTIMAL
        assert solution.objective == pytest.approx(best, rel=1e-6, abs=_close(milp))
        assert solution.bound == pytest.approx(best, rel=1e-6, abs=_close(milp))


def check_claims(
    milp: Milp, solution: Solution, best: float, limits: Limits, start: FloatArray | None
) -> None:
    """Assert that everything a solution says is true, whatever stopped the search."""
    close = _close(milp) + 1e-6 * (abs(best) if np.isfinite(best) else 0.0)
    assert solution.objective <= solution.bound
    assert solution.bound >= best - close
    assert solution.seconds >= 0
    assert solution.nodes >= 0
    assert solution.solver
    if solution.x is None:
        assert solution.objective == -np.inf
        assert solution.status in (Status.INFEASIBLE, Status.UNKNOWN)
    else:
        assert solution.status in (Status.OPTIMAL, Status.FEASIBLE)
        assert satisfies(milp, solution.x)
        assert np.array_equal(solution.x[milp.integer], np.round(solution.x[milp.integer]))
        assert solution.objective == pytest.approx(milp.objective(solution.x), rel=1e-12, abs=1e-12)
        assert solution.objective <= best + close
        assert np.isfinite(solution.bound)
    if solution.status is Status.INFEASIBLE:
        assert best == -np.inf
    if solution.status is Status.OPTIMAL:
        size = max(abs(solution.bound), abs(solution.objective))
        assert solution.bound - solution.objective <= max(limits.gap * size, close)
    if start is not None and satisfies(milp, start):
        assert solution.objective >= milp.objective(start) - 1e-9


def _close(milp: Milp) -> float:
    """The largest difference between two values of the objective that count as equal."""
    span = float((np.abs(milp.cost) * np.maximum(0.0, milp.upper - milp.lower)).sum())
    return 1e-6 * min(1.0, span) + 1e-15
