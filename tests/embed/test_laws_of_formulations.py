"""Laws 2 and 6: rows leave exactly the points at which the constraints hold; no-goods remove one each."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import milbox.domain as mb
from generators import Case, points, small_cases, small_domains
from milbox.domain import Domain
from milbox.domain.model.variables import Encoding
from milbox.embed.nogood import forbid
from milbox.milp.solution import Limits, Status
from milbox.milp.solvers import Highs, Scip
from rows import check_law_2, completable, completed, formulated


@given(small_cases(most=48))
def test_law_2_rows_leave_exactly_the_points(case: Case) -> None:
    check_law_2(case, Highs())


@given(small_cases(most=24, depth=4, max_claims=1))
def test_law_2_deeply_nested(case: Case) -> None:
    check_law_2(case, Highs())


@settings(max_examples=10)
@given(small_cases(most=24))
def test_law_2_in_scip(case: Case) -> None:
    check_law_2(case, Scip())


@given(small_cases(most=32), st.sampled_from(["onehot", "integer"]))
def test_a_program_decodes_to_a_feasible_point_or_there_is_none(case: Case, encoding: str) -> None:
    domain = case.encoded(encoding).domain
    formulation = formulated(domain)
    solution = Highs().solve(formulation.milp.build(), Limits())
    if solution.x is None:
        assert solution.status is Status.INFEASIBLE
        assert next(iter(domain), None) is None
    else:
        assert domain.contains(domain.decode(solution.x[formulation.inputs]))


@given(st.data())
def test_law_6_a_no_good_removes_its_points_and_nothing_else(data: st.DataObject) -> None:
    domain = data.draw(small_domains(most=24, feasible=True))
    tried = data.draw(st.lists(points(domain), min_size=1, max_size=4))
    formulation = formulated(domain)
    forbid(tried, formulation)
    milp = formulation.milp.build()
    for point in domain:
        assert completed(milp, formulation, point) == (point not in tried)
    for point in tried:
        assert not completable(milp, formulation, point, Highs())


@given(st.data(), st.integers(1, 3))
def test_a_no_good_with_a_radius_removes_a_hamming_ball(data: st.DataObject, radius: int) -> None:
    domain = data.draw(small_domains(most=24, max_claims=1, feasible=True))
    tried = data.draw(points(domain))
    formulation = formulated(domain)
    forbid([tried], formulation, radius)
    milp = formulation.milp.build()
    for point in domain:
        far = sum(a != b for a, b in zip(point, tried, strict=True)) >= radius
        assert completed(milp, formulation, point) == far
        assert far or not completable(milp, formulation, point, Highs())


def test_no_no_goods_add_no_rows() -> None:
    formulation = formulated(Domain([mb.binary("x", 3)]))
    forbid([], formulation)
    assert formulation.milp.build().rows == 0


@pytest.mark.parametrize("encoding", ["onehot", "integer"])
def test_forbidding_every_point_leaves_nothing(encoding: Encoding) -> None:
    c = mb.categorical("c", "abc", encoding=encoding)
    k = mb.integer("k", -1, 1, encoding=encoding)
    domain = Domain([c, k], [mb.implies(c == "a", k >= 0)])
    formulation = formulated(domain)
    forbid(list(domain), formulation)
    assert Highs().solve(formulation.milp.build(), Limits()).status is Status.INFEASIBLE


def test_formulating_a_large_domain_keeps_the_columns_in_the_order_of_the_features() -> None:
    x = mb.binary("x", 40)
    k = mb.integer("k", 3, 9, 5)
    domain = Domain([x, k], [x.sum() == 20, k.sum() <= 30])
    formulation = formulated(domain)
    rng = np.random.default_rng(0)
    point = (*rng.permutation([0, 1] * 20).tolist(), 3, 5, 6, 7, 9)
    assert completed(formulation.milp.build(), formulation, point)
