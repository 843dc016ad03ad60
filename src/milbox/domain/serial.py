"""Domains as plain JSON."""

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from milbox.domain.constraints.automata import Automaton
from milbox.domain.constraints.connected import Chosen, Connected
from milbox.domain.constraints.kinds import AllDifferent, AllOf, AnyOf, Constraint, Count, Implies, Not, Table
from milbox.domain.model.array import Array, binary, categorical, integer
from milbox.domain.model.expressions import Linear, LinExpr, Literal, combine, compare
from milbox.domain.model.monomials import Factor
from milbox.domain.model.numbers import Number, number
from milbox.domain.model.variables import Categorical, Integer, Variable

if TYPE_CHECKING:
    from milbox.domain.domain import Domain


def domain_to_json(domain: "Domain") -> dict[str, Any]:
    """Declarations and constraints, by name."""
    return {
        "variables": [variable_to_json(thing) for thing in domain.declared],
        "constraints": [to_json(c) for c in domain.constraints],
    }


def domain_from_json(form: Mapping[str, Any]) -> "Domain":
    """The domain behind its plain form."""
    from milbox.domain.domain import Domain

    declared = [variable_from_json(each) for each in form["variables"]]
    by_name = {v.name: v for v in Domain(declared).variables}
    return Domain(declared, [from_json(each, by_name) for each in form["constraints"]])


def variable_to_json(thing: Array[Any, Any] | Variable) -> dict[str, Any]:
    """One declaration."""
    first = next(thing.flat) if isinstance(thing, Array) else thing
    form: dict[str, Any] = {"name": thing.name, "kind": first.kind}
    match first:
        case Integer():
            form |= {"low": first.low, "high": first.high, "encoding": first.encoding}
        case Categorical():
            form |= {"choices": list(first.choices), "encoding": first.encoding}
    return form | ({"size": list(thing.shape)} if isinstance(thing, Array) else {})


def variable_from_json(form: Mapping[str, Any]) -> Any:
    """The declaration behind its plain form."""
    size = tuple(form["size"]) if "size" in form else None
    match form["kind"]:
        case "binary":
            return binary(form["name"], size)
        case "integer":
            return integer(form["name"], form["low"], form["high"], size, encoding=form["encoding"])
        case "categorical":
            return categorical(form["name"], form["choices"], size, encoding=form["encoding"])
    raise ValueError(f"no kind of variable is called {form['kind']!r}")


def to_json(constraint: Constraint) -> dict[str, Any]:
    """One constraint: its kind and its parts."""
    match constraint:
        case Literal(variable, code, positive):
            return {"kind": "literal", "variable": variable.name, "code": code, "positive": positive}
        case Linear(terms, lower, upper):
            rows = [[coefficient, [[f.name, f.code] for f in monomial]] for monomial, coefficient in terms]
            return {"kind": "linear", "terms": rows, "lower": finite(lower), "upper": finite(upper)}
        case AllOf(parts):
            return {"kind": "all_of", "parts": [to_json(part) for part in parts]}
        case AnyOf(parts):
            return {"kind": "any_of", "parts": [to_json(part) for part in parts]}
        case Not(part):
            return {"kind": "not", "part": to_json(part)}
        case Implies(condition, consequence):
            return {"kind": "implies", "if": to_json(condition), "then": to_json(consequence)}
        case Count(parts, lower, upper):
            return {"kind": "count", "parts": [to_json(p) for p in parts], "lower": lower, "upper": upper}
        case AllDifferent(variables):
            return {"kind": "all_different", "variables": [v.name for v in variables]}
        case Table(variables, rows, allowed):
            names = [v.name for v in variables]
            return {"kind": "table", "variables": names, "rows": [list(r) for r in rows], "allowed": allowed}
        case Automaton(variables, transitions, start, accepting):
            return {
                "kind": "automaton",
                "variables": [v.name for v in variables],
                "transitions": [list(row) for row in transitions],
                "start": start,
                "accepting": list(accepting),
            }
        case Connected(literals, edges, order, chosen, connected):
            return {
                "kind": "connected",
                "literals": [to_json(literal) for literal in literals],
                "edges": [list(edge) for edge in edges],
                "order": order,
                "chosen": chosen.value,
                "connected": connected,
            }


def from_json(form: Mapping[str, Any], variables: Mapping[str, Variable]) -> Constraint:
    """The constraint behind its plain form."""
    match form["kind"]:
        case "literal":
            return Literal(variables[form["variable"]], form["code"], form["positive"])
        case "linear":
            terms = tuple(
                (tuple(Factor(name, code, variables[name]) for name, code in monomial), coefficient)
                for coefficient, monomial in form["terms"]
            )
            lower, upper = form["lower"], form["upper"]
            low, high = -math.inf if lower is None else lower, math.inf if upper is None else upper
            if all(isinstance(number, int) for number in (*(c for _, c in terms), *(lower or 0, upper or 0))):
                return Linear(terms, low, high)
            # As journals had coefficients of many digits before these were made whole.
            return compare(
                combine((c, LinExpr({m: 1})) for m, c in terms), meant_limit(low), meant_limit(high)
            )
        case "all_of":
            return AllOf(tuple(from_json(part, variables) for part in form["parts"]))
        case "any_of":
            return AnyOf(tuple(from_json(part, variables) for part in form["parts"]))
        case "not":
            return Not(from_json(form["part"], variables))
        case "implies":
            return Implies(from_json(form["if"], variables), from_json(form["then"], variables))
        case "count":
            parts = tuple(from_json(part, variables) for part in form["parts"])
            return Count(parts, form["lower"], form["upper"])
        case "all_different":
            return AllDifferent(tuple(variables[name] for name in form["variables"]))
        case "table":
            rows = tuple(tuple(row) for row in form["rows"])
            return Table(tuple(variables[name] for name in form["variables"]), rows, form["allowed"])
        case "automaton":
            return Automaton(
                tuple(variables[name] for name in form["variables"]),
                tuple(tuple(row) for row in form["transitions"]),
                form["start"],
                tuple(form["accepting"]),
            )
        case "connected":
            return Connected(
                tuple(Literal(variables[f["variable"]], f["code"], f["positive"]) for f in form["literals"]),
                tuple((u, v) for u, v in form["edges"]),
                form["order"],
                Chosen(form["chosen"]),
                form["connected"],
            )
    raise ValueError(f"no kind of constraint is called {form['kind']!r}")


def meant_limit(limit: Number) -> Number | Fraction:
    """A limit as it was meant; infinite ones as they are."""
    return limit if math.isinf(limit) else number(limit)


def finite(limit: Number) -> Number | None:
    """A limit, or None where there is none."""
    return limit if math.isfinite(limit) else None
