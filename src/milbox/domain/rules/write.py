"""Constraints written as rules, which `milbox.domain.rules.read` reads back."""

import math
import re
from collections.abc import Iterable, Sequence
from typing import Any

from milbox.domain.constraints.automata import NOWHERE, Automaton
from milbox.domain.constraints.connected import Chosen, Connected
from milbox.domain.constraints.kinds import AllDifferent, AllOf, AnyOf, Constraint, Count, Implies, Not, Table
from milbox.domain.model.expressions import Factor, Linear, Literal, Monomial
from milbox.domain.model.numbers import Number
from milbox.domain.model.variables import Variable
from milbox.domain.rules.read import RESERVED

ITEM = re.compile(r"(?P<array>.+)(?P<index>\[\d+(?:, \d+)*\])", re.DOTALL)


def rule_text(constraint: Constraint) -> str:
    """The constraint as a rule that states the same."""
    match constraint:
        case Literal(variable, code, positive):
            return (
                f"{name_text(variable.name)} {'==' if positive else '!='} {value_text(variable.value(code))}"
            )
        case Linear():
            return linear_text(constraint)
        case AllOf(parts):
            return joined(parts, "and") if len(parts) > 1 else f"all_of({listed(parts)})"
        case AnyOf(parts):
            return joined(parts, "or") if len(parts) > 1 else f"any_of({listed(parts)})"
        case Not(part):
            return f"not ({rule_text(part)})"
        case Implies(condition, consequence):
            return f"{enclosed(condition)} -> {enclosed(consequence)}"
        case Count():
            return count_text(constraint)
        case AllDifferent(variables):
            return f"all_different({names_text(variables)})"
        case Table(variables, rows, allowed):
            texts = (
                f"[{', '.join(value_text(v.value(code)) for v, code in zip(variables, row, strict=True))}]"
                for row in rows
            )
            return f"{'table' if allowed else 'forbid'}([{names_text(variables)}], [{', '.join(texts)}])"
        case Automaton():
            return automaton_text(constraint)
        case Connected():
            return connected_text(constraint)


def linear_text(constraint: Linear) -> str:
    """A sum between its limits; one without terms is true or false everywhere."""
    terms, lower, upper = constraint.written
    if not constraint.terms or (math.isinf(lower) and math.isinf(upper)):
        return "all_of()" if lower <= 0 <= upper or constraint.terms else "any_of()"
    text = ""
    for monomial, coefficient in terms:
        sign = "-" if coefficient < 0 else "+"
        size = "" if abs(coefficient) == 1 else f"{abs(coefficient)!r}*"
        term = size + monomial_text(monomial)
        text += f" {sign} {term}" if text else f"{'-' if coefficient < 0 else ''}{term}"
    return limited(text, lower, upper)


def limited(text: str, lower: Number, upper: Number) -> str:
    """The sum with the comparisons its limits ask for."""
    if lower == upper:
        return f"{text} == {upper!r}"
    if math.isinf(lower):
        return f"{text} <= {upper!r}"
    return f"{text} >= {lower!r}" if math.isinf(upper) else f"{lower!r} <= {text} <= {upper!r}"


def monomial_text(monomial: Monomial) -> str:
    """A product of values and indicators."""
    return "*".join(factor_text(factor) for factor in monomial)


def factor_text(factor: Factor) -> str:
    """A variable's value, or the indicator of one value."""
    name = name_text(factor.name)
    if factor.code is None or (factor.variable.kind == "binary" and factor.code == 1):
        return name
    return f"({name} == {value_text(factor.variable.value(factor.code))})"


def count_text(constraint: Count) -> str:
    """How many of the parts hold."""
    parts, lower, upper = constraint.parts, constraint.lower, constraint.upper
    if lower == upper:
        return f"exactly({lower}, {listed(parts)})"
    if lower <= 0:
        return f"at_most({upper}, {listed(parts)})"
    if upper >= len(parts):
        return f"at_least({lower}, {listed(parts)})"
    return f"at_least({lower}, {listed(parts)}) and at_most({upper}, {listed(parts)})"


def automaton_text(constraint: Automaton) -> str:
    """The steps of an automaton, its start and its accepting states."""
    first = constraint.variables[0]
    steps = (
        f"[{state}, {value_text(first.value(first.codes[letter]))}, {after}]"
        for state, row in enumerate(constraint.transitions)
        for letter, after in enumerate(row)
        if after != NOWHERE
    )
    names = names_text(constraint.variables)
    ends = list(constraint.accepting)
    return f"automaton([{names}], [{', '.join(steps)}], {constraint.start}, {ends})"


def connected_text(constraint: Connected) -> str:
    """What is chosen, and the graph's edges."""
    pairs = [list(edge) for edge in constraint.edges]
    parts = f"[{listed(constraint.literals)}], {pairs}"
    match constraint.chosen:
        case Chosen.VERTICES:
            text = f"connected_vertices({parts})"
        case Chosen.EDGES:
            text = f"connected_edges({parts})"
        case Chosen.SPANNING:
            text = f"spanning({parts}, {constraint.order})"
    return text if constraint.connected else f"not {text}"


def joined(parts: Sequence[Constraint], word: str) -> str:
    """The parts with a word between them."""
    return f" {word} ".join(enclosed(part) for part in parts)


def enclosed(part: Constraint) -> str:
    """A part as an operand: in parentheses unless it binds tightly."""
    text = rule_text(part)
    return text if isinstance(part, Literal | Linear | AllDifferent | Table | Automaton) else f"({text})"


def listed(parts: Iterable[Constraint]) -> str:
    """The parts as arguments."""
    return ", ".join(rule_text(part) for part in parts)


def names_text(variables: Iterable[Variable]) -> str:
    """Names as arguments."""
    return ", ".join(name_text(v.name) for v in variables)


def name_text(name: str) -> str:
    """A name as a rule spells it: `x`, `x[3]`, or in back quotes when it is no plain word."""
    item = ITEM.fullmatch(name)
    array, index = (item["array"], item["index"]) if item else (name, "")
    plain = array.isidentifier() and array not in RESERVED
    return (array if plain else f"`{array}`") + index


def value_text(value: Any) -> str:
    """A choice or number as a rule spells it."""
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n").replace("\t", "\\t")
        return f"'{escaped}'"
    return (
        repr(value) if isinstance(value, int | float) and not isinstance(value, bool) else str(value).lower()
    )
