"""Conditional variables: those that exist only where a condition holds.

Where the condition fails the variable has its first code, the objective is handed None, and points do not
differ in it. That is the constraint "unless the condition holds, the first code", so that everything that
takes constraints takes conditional variables.

A comparison in a condition is false where one of its variables does not exist: `width` only where
`op == 'conv'`, and `op` only where `deep`, makes `width` exist only where both hold.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from milbox.domain.constraints.build import constraint, constraints, whole
from milbox.domain.constraints.kinds import AllOf, AnyOf, Count, Implies, Not, conjuncts
from milbox.domain.model.array import Array, as_objects
from milbox.domain.model.constraint import Constraint, constraint_from_json
from milbox.domain.model.expressions import Literal, compare
from milbox.domain.model.operators import shown
from milbox.domain.model.text import Writer, name_text
from milbox.domain.model.variables import Categorical, Integer, Real, Variable


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class OnlyIf(Implies):
    """A variable exists only where a condition holds; elsewhere it has its first code.

    `condition` and `consequence` are those of the implication: the variable does not exist, and it has its
    first code.
    """

    kind = "only_if"
    binds_tightly = True
    stands_alone = True

    variable: Variable
    stated: Constraint
    """The condition as the user wrote it, without those of the variables that it is about."""

    @property
    def presence(self) -> Constraint:
        """Holds exactly where the variable exists."""
        return self.condition.negation()

    def rule(self, write: Writer) -> str:
        """`only_if(width, op == 'conv')`."""
        return f"only_if({name_text(self.variable.name)}, {write.text(self.stated)})"

    def to_json(self) -> dict[str, Any]:
        """Its parts, as plain JSON."""
        return {"kind": self.kind, "variable": self.variable.name, "if": self.stated.to_json()}

    @classmethod
    def from_json(cls, form: Mapping[str, Any], variables: Mapping[str, Variable]) -> "OnlyIf":
        """The constraint behind its plain form."""
        return conditional(variables[form["variable"]], constraint_from_json(form["if"], variables))


def only_if(variables: Any, condition: Any) -> Any:
    """The variable, or each item of an array, exists only where the condition holds.

    Where it does not, the objective is handed None. For an array the condition may be an array or a list of
    the same shape, and then each item has its own.
    """
    if isinstance(variables, Variable):
        return conditional(variables, whole(condition))
    if not isinstance(variables, Array) or not all(isinstance(v, Variable) for v in variables.flat):
        raise TypeError(f"only_if is about a variable or an array of them, not {shown(variables)}")
    if isinstance(condition, Constraint) or not isinstance(condition, Array | list | tuple | np.ndarray):
        each = np.broadcast_to(as_objects(constraint(condition)), variables.shape)
    else:
        each = condition.items if isinstance(condition, Array) else as_objects(list(condition))
        if each.shape != variables.shape:
            raise ValueError(
                f"{variables} has shape {variables.shape}, and its conditions {each.shape}; give one "
                f"condition, or one for each item"
            )
    items = np.empty(variables.shape, dtype=object)
    for place in np.ndindex(variables.shape):
        items[place] = conditional(variables[place], constraint(each[place]))
    return Array(items)


def conditional(variable: Variable, stated: Constraint, presence: Constraint | None = None) -> OnlyIf:
    """The constraint for a variable; its presence is by default what is stated."""
    absence = (stated if presence is None else presence).negation()
    return OnlyIf(absence, at_first_code(variable), variable, stated)


def at_first_code(variable: Variable) -> Constraint:
    """The variable has its first code: for one of many codes as a limit, which is a row without columns."""
    if isinstance(variable, Integer | Real) and variable.coding != "onehot":
        return compare(variable.linear(), -math.inf, variable.low)
    return Literal(variable, variable.codes[0])


def statements(things: Any) -> tuple[Constraint, ...]:
    """What a domain is given: any nesting of constraints, and of conditions of variables."""
    if isinstance(things, OnlyIf):
        return (things,)
    if isinstance(things, Array | list | tuple | set | frozenset) or (
        isinstance(things, Iterable) and not isinstance(things, str | Variable | Constraint)
    ):
        return tuple(each for thing in things for each in statements(thing))
    return constraints(things)


def closed(given: Sequence[Constraint]) -> tuple[Constraint, ...]:
    """The constraints, with each condition also about whether its own variables exist."""
    stated: dict[str, OnlyIf] = {}
    for each in given:
        if isinstance(each, OnlyIf):
            name = each.variable.name
            if name in stated:
                raise ValueError(f"{name!r} has two conditions; join them into one with & or all_of")
            if isinstance(each.variable, Categorical) and None in each.variable.choices:
                raise ValueError(
                    f"{name!r} has the choice None, which is what the objective sees where {each} fails; "
                    f"give the choice another name"
                )
            stated[name] = each
    if not stated:
        return tuple(given)
    presences: dict[str, Constraint] = {}
    for name in in_order(stated):
        presences[name] = guarded(stated[name].stated, presences)
    return tuple(
        conditional(each.variable, each.stated, presences[each.variable.name])
        if isinstance(each, OnlyIf)
        else each
        for each in given
    )


def in_order(stated: Mapping[str, OnlyIf]) -> list[str]:
    """The conditional variables, each behind those that its condition is about."""
    order: list[str] = []
    waiting = dict(stated)
    while waiting:
        ready = [
            name
            for name, each in waiting.items()
            if not any(variable.name in waiting for variable in each.stated.variables)
        ]
        if not ready:
            listing = ", ".join(map(str, waiting.values()))
            raise ValueError(f"these conditions wait for one another, so that none can be decided: {listing}")
        order += ready
        for name in ready:
            del waiting[name]
    return order


def guarded(condition: Constraint, presences: Mapping[str, Constraint]) -> Constraint:
    """The condition with every comparison false where one of its variables does not exist."""
    match condition:
        case AllOf(parts):
            return AllOf(tuple(guarded(part, presences) for part in parts))
        case AnyOf(parts):
            return AnyOf(tuple(guarded(part, presences) for part in parts))
        case Count(parts, lower, upper):
            return Count(tuple(guarded(part, presences) for part in parts), lower, upper)
        case Not(part):
            return guarded(part.negation(), presences)
        case Implies(premise, consequence):
            return AnyOf((guarded(premise.negation(), presences), guarded(consequence, presences)))
    needed = [presences[v.name] for v in condition.variables if v.name in presences]
    once = {id(part): part for part in (condition, *conjuncts(needed))}
    return AllOf(tuple(once.values())) if needed else condition
