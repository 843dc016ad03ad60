"""Negated constraints, with `Not` pushed to the leaves."""

import itertools
import math
from dataclasses import replace

from milbox.domain import (
    AllDifferent,
    AllOf,
    AnyOf,
    Automaton,
    Connected,
    Constraint,
    Count,
    Implies,
    Linear,
    Literal,
    Not,
    Table,
    negate,
)


def negated(constraint: Constraint) -> Constraint:
    """A constraint without an outer `Not` that holds exactly where the given one fails."""
    match constraint:
        case Literal():
            return negate(constraint)
        case Linear(terms, lower, upper):
            below = [Linear(terms, -math.inf, lower - 1)] if lower > -math.inf else []
            above = [Linear(terms, upper + 1, math.inf)] if upper < math.inf else []
            return either((*below, *above))
        case AllOf(parts):
            return AnyOf(tuple(negated(part) for part in parts))
        case AnyOf(parts):
            return AllOf(tuple(negated(part) for part in parts))
        case Not(part):
            return part
        case Implies(condition, consequence):
            return AllOf((condition, negated(consequence)))
        case Count(parts, lower, upper):
            fewer = [Count(parts, 0, lower - 1)] if lower > 0 else []
            more = [Count(parts, upper + 1, len(parts))] if upper < len(parts) else []
            return either((*fewer, *more))
        case AllDifferent(variables):
            return AnyOf(
                tuple(
                    AllOf((Literal(a, a.code(value)), Literal(b, b.code(value))))
                    for a, b in itertools.combinations(variables, 2)
                    for value in (a.value(code) for code in a.codes)
                    if value in {b.value(code) for code in b.codes}
                )
            )
        case Table(variables, rows, allowed):
            return Table(variables, rows, not allowed)
        case Automaton():
            return constraint.complement()
        case Connected():
            return replace(constraint, connected=not constraint.connected)


def either(parts: tuple[Constraint, ...]) -> Constraint:
    """At least one part; a single part as it is, since an alternative would cost a column."""
    return parts[0] if len(parts) == 1 else AnyOf(parts)
