"""Laws 1 and 10; a domain contains exactly the points at which its constraints are true."""

import itertools
import json
from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from claims import claims
from generators import Case, Declaration, box, by_name, scalar_values, small_cases
from milbox.domain import Domain
from milbox.domain.components import components
from milbox.domain.constraints.kinds import conjuncts
from milbox.domain.diagrams.product import for_search


@given(small_cases())
def test_law_1_decode_inverts_encode(case: Case) -> None:
    domain = case.domain
    points = box(domain)
    features = domain.encode(points)
    assert features.shape == (len(points), domain.features)
    assert [domain.decode(row) for row in features] == points
    assert len({tuple(row) for row in features}) == len(points)


@given(small_cases())
def test_every_point_has_one_assignment(case: Case) -> None:
    domain = case.domain
    for point in box(domain):
        assignment = domain.assignment(point)
        assert domain.point(assignment) == point
        assert list(assignment) == [declaration.name for declaration in case.declarations]
        for declaration in case.declarations:
            if declaration.size is not None:
                size = declaration.size
                assert assignment[declaration.name].shape == ((size,) if isinstance(size, int) else size)


@given(small_cases(depth=3))
def test_constraints_mean_what_they_say(case: Case) -> None:
    domain = case.domain
    points = box(domain)
    columns = domain.columns(np.array(points))
    feasible = domain.feasible(np.array(points))
    for claim, constraint in zip(case.claims, domain.constraints, strict=True):
        held = np.broadcast_to(constraint.holds(columns), len(points))
        truths = [claim.truth(scalar_values(domain, point)) for point in points]
        assert held.tolist() == truths, f"{constraint} for {claim}"
    for point, together in zip(points, feasible, strict=True):
        values = scalar_values(domain, point)
        assert domain.contains(point) == case.truth(values) == together
        broken = [claim for claim in case.claims if not claim.truth(values)]
        assert len(domain.violations(point)) == len(broken)


@given(st.data())
def test_one_point_is_judged_as_many_are(data: st.DataObject) -> None:
    case = data.draw(small_cases())
    domain = case.domain
    claim = data.draw(claims(domain.variables, 3))
    constraint = claim.build(by_name(domain.variables))
    point = data.draw(st.sampled_from(box(domain)))
    alone = constraint.holds(domain.columns(np.array([point])))
    assert bool(np.all(alone)) == claim.truth(scalar_values(domain, point))


@given(small_cases())
def test_a_domain_lists_its_points(case: Case) -> None:
    domain = case.domain
    expected = [p for p in box(domain) if case.truth(scalar_values(domain, p))]
    listed = list(domain)
    assert len(listed) == len(set(listed))
    assert sorted(listed) == expected
    assert domain.size == len(expected)
    assert domain.box_size == len(box(domain))


@given(small_cases())
def test_blocks_multiply_to_the_domain(case: Case) -> None:
    domain = case.domain
    groups = components(domain)
    assert sorted(i for members, _ in groups for i in members) == list(range(len(domain.variables)))
    assert sum(len(own) for _, own in groups) == len(list(conjuncts(domain.constraints)))
    for constraint in conjuncts(domain.constraints):
        touched = {domain.index[v.name] for v in constraint.variables}
        assert any(touched <= set(members) for members, _ in groups)
    assert domain.drawing is not None
    found = domain.drawing.blocks()
    assert found is not None
    assert [block.variables[0] for block in found] == sorted(block.variables[0] for block in found)
    assert all(block.states.tolist() == sorted(block.states.tolist()) for block in found)
    product = set()
    for states in itertools.product(*(block.states.tolist() for block in found)):
        point = [0] * len(domain.variables)
        for block, state in zip(found, states, strict=True):
            for i, code in zip(block.variables, state, strict=True):
                point[i] = code
        product.add(tuple(point))
    assert product == {p for p in box(domain) if case.truth(scalar_values(domain, p))}


@given(small_cases(), st.integers(2, 40))
def test_parts_ties_and_rest_make_the_domain(case: Case, edges: int) -> None:
    domain = case.domain
    found = for_search(domain, edges)
    order = [*found.free.tolist(), *(int(i) for part in found.parts for i in part.variables)]
    assert sorted(order) == list(range(len(domain.variables)))
    # What has too many edges is taken as a list of states where those are few.
    assert all(part.edges <= edges or part.count <= edges for part in found.parts)
    points = np.array(box(domain))
    inside = {tuple(point) for point in points[found.contains(points)].tolist()}
    assert inside == {p for p in box(domain) if domain.contains(p)}


@given(small_cases(), st.integers(1, 8))
def test_blocks_are_refused_only_when_too_large(case: Case, limit: int) -> None:
    assert case.domain.drawing is not None
    found = case.domain.drawing.blocks(limit)
    assert (found is None) == any(part.count > limit for part in case.domain.drawing.parts)


@given(small_cases(depth=3))
def test_json_rebuilds_the_domain(case: Case) -> None:
    domain = case.domain
    form = domain.to_json()
    rebuilt = Domain.from_json(json.loads(json.dumps(form, allow_nan=False)))
    assert rebuilt.to_json() == form
    assert rebuilt.fingerprint == domain.fingerprint == case.domain.fingerprint
    assert rebuilt == domain
    assert hash(rebuilt) == hash(domain)
    assert [str(c) for c in rebuilt.constraints] == [str(c) for c in domain.constraints]
    points = np.array(box(domain))
    assert rebuilt.feasible(points).tolist() == domain.feasible(points).tolist()
    assert rebuilt.encode(points).tolist() == domain.encode(points).tolist()


@given(small_cases(), st.randoms(use_true_random=False))
def test_law_10_permuted_variables_permute_the_domain(case: Case, random: object) -> None:
    order = list(case.declarations)
    random.shuffle(order)  # type: ignore[attr-defined]
    domain, permuted = case.domain, Case(tuple(order), case.claims).domain
    assert seen(domain) == seen(permuted)


@given(small_cases(), st.randoms(use_true_random=False))
def test_law_10_permuted_choices_permute_the_codes(case: Case, random: object) -> None:
    # Variables with the same choices keep that in common: they may be letters of one sequence.
    orders: dict[tuple[Any, ...], list[Any]] = {}
    shuffled: list[Declaration] = []
    for declaration in case.declarations:
        if declaration.choices not in orders:
            orders[declaration.choices] = list(declaration.choices)
            random.shuffle(orders[declaration.choices])  # type: ignore[attr-defined]
        shuffled.append(replace(declaration, choices=tuple(orders[declaration.choices])))
    domain, permuted = case.domain, Case(tuple(shuffled), case.claims).domain
    assert seen(domain) == seen(permuted)


@given(small_cases())
def test_the_encoding_does_not_change_the_points(case: Case) -> None:
    assert sorted(case.encoded("integer").domain) == sorted(case.encoded("onehot").domain)


def seen(domain: Domain) -> set[str]:
    """The assignments of a domain's points, by name, whatever their order."""
    return {repr(sorted(scalar_values(domain, point).items())) for point in domain}
