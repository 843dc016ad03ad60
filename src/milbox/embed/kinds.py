"""Rows of each kind of constraint of `milbox.domain.constraints.kinds`."""

import math

from milbox.domain import AllDifferent, AllOf, AnyOf, Count, Implies, Linear, Literal, Not, OnlyIf, Table
from milbox.domain.components import takes
from milbox.domain.constraints.kinds import conjuncts
from milbox.domain.linear_system import relaxed
from milbox.domain.model.monomials import reach
from milbox.embed.affine import total
from milbox.embed.domain import Formulation, activity, enforce
from milbox.milp.program import Affine


@enforce.register
def _(literal: Literal, formulation: Formulation, when: Affine) -> None:
    formulation.at_least(formulation.literal(literal) + -1.0 * when, 0)


@enforce.register
def _(constraint: Linear, formulation: Formulation, when: Affine) -> None:
    terms = constraint.terms
    ranges = [reach([(m, 1)]) for m, _ in terms]
    row, low, high = relaxed([c for _, c in terms], ranges, constraint.lower, constraint.upper)
    kept = [(c, m) for c, (m, _) in zip(row, terms, strict=True) if c != 0.0]
    expression = total(c * formulation.monomial(m) for c, m in kept)
    least, most = activity(terms, row)
    if formulation.narrowed:
        lowest, highest = formulation.extent(expression)
        least, most = max(least, lowest), min(most, highest)
    formulation.limit(expression, low, high, least, most, when)


@enforce.register
def _(constraint: AllOf, formulation: Formulation, when: Affine) -> None:
    for part in constraint.parts:
        formulation.enforce(part, when)


@enforce.register
def _(constraint: AnyOf, formulation: Formulation, when: Affine) -> None:
    held = total(formulation.indicator(part) for part in constraint.parts)
    formulation.at_least(held + -1.0 * when, 0)


@enforce.register
def _(constraint: Not, formulation: Formulation, when: Affine) -> None:
    formulation.enforce(constraint.part.negation(), when)


@enforce.register
def _(constraint: Implies, formulation: Formulation, when: Affine) -> None:
    formulation.enforce(AnyOf((constraint.condition.negation(), constraint.consequence)), when)


@enforce.register
def _(constraint: OnlyIf, formulation: Formulation, when: Affine) -> None:
    # One row for each condition that has to hold is tighter than one for all of them.
    for part in conjuncts([constraint.presence]):
        formulation.enforce(AnyOf((part, constraint.consequence)), when)


@enforce.register
def _(constraint: Count, formulation: Formulation, when: Affine) -> None:
    formulation.count(constraint.parts, constraint.lower, constraint.upper, when)


@enforce.register
def _(constraint: AllDifferent, formulation: Formulation, when: Affine) -> None:
    for value in constraint.values:
        takers = [
            formulation.literal(Literal(v, v.code(value))) for v in constraint.variables if takes(v, value)
        ]
        formulation.limit(total(takers), -math.inf, 1, 0, len(takers), when)


@enforce.register
def _(constraint: Table, formulation: Formulation, when: Affine) -> None:
    formulation.table(constraint, when)
