"""Constraints written as rules, which `milbox.domain.rules.read` reads back."""

from milbox.domain.model.constraint import Constraint
from milbox.domain.model.text import Writer


def rule_text(constraint: Constraint) -> str:
    """The constraint as a rule that states the same."""
    return Writer(whole=True).text(constraint)
