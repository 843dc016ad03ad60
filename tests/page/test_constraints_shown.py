"""The page is right about constraints at the best point, and shows rules unchanged."""

import numpy as np
import pytest
from hypothesis import given

import milbox.domain as md
from generators import box, small_domains
from milbox.domain.constraints.kinds import conjuncts
from milbox.domain.model.expressions import Linear
from milbox.domain.model.monomials import total
from milbox.domain.rules.read import rule
from milbox.domain.rules.write import rule_text
from milbox.page.sections.constraints import reach, standing


@given(small_domains())
def test_a_rule_as_shown_states_the_same(domain: md.Domain) -> None:
    columns = domain.columns(domain.codes(box(domain)))
    named = {str(thing.name): thing for thing in domain.declared}
    for constraint in conjuncts(domain.constraints):
        read = rule(rule_text(constraint), named)
        both = np.logical_and.reduce([part.holds(columns) for part in read] or [np.array(True)])
        assert (np.asarray(constraint.holds(columns)) == both).all(), rule_text(constraint)


@given(small_domains())
def test_sums_stay_within_their_reach(domain: md.Domain) -> None:
    columns = domain.columns(domain.codes(box(domain)))
    for constraint in conjuncts(domain.constraints):
        if not isinstance(constraint, Linear) or not constraint.terms:
            continue
        values = total(constraint.terms, columns)
        low, high = reach(constraint)
        slack = 1e-9 * max(1.0, abs(low), abs(high))
        assert low - slack <= values.min()
        assert values.max() <= high + slack
        if all(len(monomial) == 1 for monomial, _ in constraint.terms):
            # Without products the ends are met.
            assert values.min() == pytest.approx(low)
            assert values.max() == pytest.approx(high)


@given(small_domains(feasible=True))
def test_verdicts_hold_at_every_point(domain: md.Domain) -> None:
    for point in box(domain)[:16]:
        columns = domain.columns(domain.codes([point]))
        for constraint in conjuncts(domain.constraints):
            found = standing(constraint, columns)
            assert (found.verdict == "broken") != bool(constraint.holds(columns)[0])
            if isinstance(constraint, Linear) and constraint.terms and found.verdict in ("tight", "room"):
                value = float(total(constraint.terms, columns)[0])
                least = min(value - float(constraint.lower), float(constraint.upper) - value)
                assert (found.verdict == "tight") == (least <= 1e-9 * max(1.0, abs(value)))


def at(constraint: md.Constraint, **values: int) -> tuple[str, str]:
    """Verdict and detail of a constraint where the variables take these codes."""
    found = standing(constraint, {name: np.array([code]) for name, code in values.items()})
    return found.verdict, found.detail


def test_verdicts() -> None:
    k, b, op = md.integer("k", 0, 9), md.binary("b"), md.categorical("op", ["conv", "pool"])
    j = md.integer("j", 0, 9)
    assert at(k <= 5, k=5) == ("tight", "the sum is 5, at most 5 asked")
    assert at(k <= 5, k=3) == ("room", "the sum is 3, at most 5 asked: 2 left")
    assert at(k >= 1, k=1) == ("tight", "the sum is 1, at least 1 asked")
    assert at(md.between(1, k, 8), k=3)[1] == "the sum is 3, at least 1 asked: 2 left"
    assert at(k + j == 7, k=3, j=4) == ("equality", "the sum is 7, as it must")
    assert at(k <= 5, k=6)[0] == "broken"
    assert at(md.implies(op == "pool", k <= 3), op=0, k=9)[0] == "idle"
    assert at(md.implies(op == "pool", k <= 3), op=1, k=3)[0] == "tight"
    assert at(md.any_of(b, k <= 3), b=1, k=9) == ("tight", "only one of its 2 alternatives holds")
    assert at(md.any_of(b, k <= 3), b=1, k=2)[0] == "room"
    assert at(md.at_most(1, [b, k <= 3]), b=1, k=9) == ("tight", "1 of 2 parts hold, at most 1 asked")
    assert at(md.all_different(k, j), k=1, j=2)[0] == "holds"
    assert at(op == "pool", op=1)[0] == "equality"


def test_runs_are_written_as_sums() -> None:
    x = md.binary("x", 10)
    assert rule_text(x[:5].sum() == x[5:].sum()) == "sum(x[0:5]) - sum(x[5:10]) == 0"
    assert rule_text(2 * x.sum() + 3 * x[0] <= 9) == "5*x[0] + 2*sum(x[1:10]) <= 9"
    assert rule_text(x[:3].sum() <= 1) == "x[0] + x[1] + x[2] <= 1"
    grid = md.binary("g", (2, 3))
    assert rule_text(grid.sum() <= 1).count("+") == 5
