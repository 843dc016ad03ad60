"""Constraints written as rules: whole, so that `rules.read` reads them back, or shortened, for messages."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from milbox.domain.constraints.automata import NOWHERE, Automaton
from milbox.domain.constraints.connected import Chosen, Connected
from milbox.domain.constraints.kinds import AllDifferent, AllOf, AnyOf, Constraint, Count, Implies, Not, Table
from milbox.domain.model.expressions import Linear, Literal
from milbox.domain.model.text import limited, name_text, names_text, sum_text, value_text

# How many parts of a long conjunction a message shows.
SHOWN = 6


def rule_text(constraint: Constraint) -> str:
    """The constraint as a rule that states the same."""
    return Writer(whole=True).text(constraint)


def short_text(constraint: Constraint) -> str:
    """The constraint as a rule for messages: tables, automata and graphs are only described."""
    return Writer(whole=False).text(constraint)


@dataclass(frozen=True, slots=True)
class Writer:
    """Writes constraints as rules; where `whole` is False, long ones are shortened."""

    whole: bool

    def text(self, constraint: Constraint) -> str:
        """One constraint."""
        match constraint:
            case Literal(variable, code, positive):
                value = value_text(variable.value(code))
                return f"{name_text(variable.name)} {'==' if positive else '!='} {value}"
            case Linear():
                return linear_text(constraint)
            case AllOf(parts):
                return self.joined(parts, "and", "all_of")
            case AnyOf(parts):
                return self.joined(parts, "or", "any_of")
            case Not(part):
                return f"not ({self.text(part)})"
            case Implies(condition, consequence):
                return f"{self.enclosed(condition)} -> {self.enclosed(consequence)}"
            case Count():
                return self.count_text(constraint)
            case AllDifferent(variables):
                return f"all_different({names_text(variables)})"
            case Table():
                return self.table_text(constraint)
            case Automaton():
                return self.automaton_text(constraint)
            case Connected():
                return self.connected_text(constraint)

    def joined(self, parts: Sequence[Constraint], word: str, function: str) -> str:
        """The parts with a word between them."""
        if len(parts) < 2:
            return f"{function}({self.listed(parts)})"
        shown = parts if self.whole else parts[:SHOWN]
        more = f" {word} {len(parts) - SHOWN} more" if len(shown) < len(parts) else ""
        return f" {word} ".join(self.enclosed(part) for part in shown) + more

    def enclosed(self, part: Constraint) -> str:
        """A part as an operand: in parentheses unless it binds tightly."""
        tight = isinstance(part, Literal | Linear | AllDifferent | Table | Automaton)
        return self.text(part) if tight else f"({self.text(part)})"

    def listed(self, parts: Iterable[Constraint]) -> str:
        """The parts as arguments."""
        return ", ".join(self.text(part) for part in parts)

    def count_text(self, constraint: Count) -> str:
        """How many of the parts hold."""
        lower, upper, parts = constraint.lower, constraint.upper, self.listed(constraint.parts)
        if lower == upper:
            return f"exactly({lower}, {parts})"
        if lower <= 0:
            return f"at_most({upper}, {parts})"
        if upper >= len(constraint.parts):
            return f"at_least({lower}, {parts})"
        return f"at_least({lower}, {parts}) and at_most({upper}, {parts})"

    def table_text(self, constraint: Table) -> str:
        """The variables, and the rows that they may or must not take."""
        rows = f"{len(constraint.rows)} rows"
        if self.whole:
            texts = (
                ", ".join(
                    value_text(v.value(code)) for v, code in zip(constraint.variables, row, strict=True)
                )
                for row in constraint.rows
            )
            rows = f"[{', '.join(f'[{text}]' for text in texts)}]"
        return f"{'table' if constraint.allowed else 'forbid'}([{names_text(constraint.variables)}], {rows})"

    def automaton_text(self, constraint: Automaton) -> str:
        """The steps of an automaton, its start and its accepting states."""
        names = names_text(constraint.variables)
        if not self.whole:
            return f"automaton([{names}], {len(constraint.transitions)} states)"
        first = constraint.variables[0]
        steps = (
            f"[{state}, {value_text(first.value(first.codes[letter]))}, {after}]"
            for state, row in enumerate(constraint.transitions)
            for letter, after in enumerate(row)
            if after != NOWHERE
        )
        return f"automaton([{names}], [{', '.join(steps)}], {constraint.start}, {list(constraint.accepting)})"

    def connected_text(self, constraint: Connected) -> str:
        """What is chosen, and the graph's edges."""
        if not self.whole:
            word = "connected" if constraint.connected else "disconnected"
            size = f"{constraint.order} vertices and {len(constraint.edges)} edges"
            return f"{word}({constraint.chosen} of a graph with {size})"
        parts = f"[{self.listed(constraint.literals)}], {[list(edge) for edge in constraint.edges]}"
        match constraint.chosen:
            case Chosen.VERTICES:
                text = f"connected_vertices({parts})"
            case Chosen.EDGES:
                text = f"connected_edges({parts})"
            case Chosen.SPANNING:
                text = f"spanning({parts}, {constraint.order})"
        return text if constraint.connected else f"not {text}"


def linear_text(constraint: Linear) -> str:
    """A sum between its limits; one without terms is true or false everywhere."""
    terms, lower, upper = constraint.written
    if not constraint.terms or (math.isinf(lower) and math.isinf(upper)):
        return "all_of()" if lower <= 0 <= upper or constraint.terms else "any_of()"
    return limited(sum_text(terms), lower, upper)
