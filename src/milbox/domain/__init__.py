"""Variables, constraints between them, and the domain of points that may be proposed."""

from milbox.domain.constraints.automata import Automaton, automaton
from milbox.domain.constraints.build import (
    all_different,
    all_of,
    any_of,
    at_least,
    at_most,
    between,
    exactly,
    forbid,
    implies,
    negate,
    table,
)
from milbox.domain.constraints.conditions import OnlyIf, only_if
from milbox.domain.constraints.connected import Connected
from milbox.domain.constraints.kinds import AllDifferent, AllOf, AnyOf, Count, Implies, Not, Table
from milbox.domain.domain import Domain
from milbox.domain.model.array import Array, binary, categorical, integer, real
from milbox.domain.model.constraint import Constraint
from milbox.domain.model.expressions import Linear, LinExpr, Literal
from milbox.domain.model.variables import Binary, Categorical, Integer, Real, Variable
from milbox.domain.symmetries import Symmetry, interchangeable, reverse_complement

__all__ = [
    "AllDifferent",
    "AllOf",
    "AnyOf",
    "Array",
    "Automaton",
    "Binary",
    "Categorical",
    "Connected",
    "Constraint",
    "Count",
    "Domain",
    "Implies",
    "Integer",
    "LinExpr",
    "Linear",
    "Literal",
    "Not",
    "OnlyIf",
    "Real",
    "Symmetry",
    "Table",
    "Variable",
    "all_different",
    "all_of",
    "any_of",
    "at_least",
    "at_most",
    "automaton",
    "between",
    "binary",
    "categorical",
    "exactly",
    "forbid",
    "implies",
    "integer",
    "interchangeable",
    "negate",
    "only_if",
    "real",
    "reverse_complement",
    "table",
]
