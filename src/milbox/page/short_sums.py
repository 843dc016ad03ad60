"""Long sums written shortly: `sum(x[0:5]) - sum(x[5:10]) == 0`."""

import re
from collections.abc import Iterator

from milbox.domain import Constraint, Linear
from milbox.domain.rules.write import limited, monomial_text, rule_text

ITEM = re.compile(r"(?P<array>.+)\[(?P<index>\d+)\]", re.DOTALL)
# Fewer items than this are as short one by one.
SHORTEST_RUN = 4


def constraint_text(constraint: Constraint) -> str:
    """The constraint as a rule, with runs of items of an array written as sums."""
    if not isinstance(constraint, Linear) or len(constraint.terms) < SHORTEST_RUN:
        return rule_text(constraint)
    shown = ""
    for coefficient, term in runs(constraint):
        sign = "-" if coefficient < 0 else "+"
        size = "" if abs(coefficient) == 1 else f"{abs(coefficient)!r}*"
        shown += f" {sign} {size}{term}" if shown else f"{'-' if coefficient < 0 else ''}{size}{term}"
    _, lower, upper = constraint.written
    return limited(shown, lower, upper)


def runs(constraint: Linear) -> Iterator[tuple[float, str]]:
    """Coefficients and terms; neighbouring items of an array with one coefficient as one term."""
    held: list[tuple[float, str, str | None, int]] = []
    for monomial, coefficient in constraint.written[0]:
        term = monomial_text(monomial)
        item = ITEM.fullmatch(term) if len(monomial) == 1 else None
        entry = (coefficient, term, item["array"] if item else None, int(item["index"]) if item else -1)
        follows = held and entry[2] is not None and entry == (held[-1][0], term, held[-1][2], held[-1][3] + 1)
        if not follows:
            yield from run_of(held)
            held = []
        held.append(entry)
    yield from run_of(held)


def run_of(held: list[tuple[float, str, str | None, int]]) -> Iterator[tuple[float, str]]:
    """One term for a long run, else each as it is."""
    if len(held) >= SHORTEST_RUN:
        coefficient, _, array, first = held[0]
        yield coefficient, f"sum({array}[{first}:{first + len(held)}])"
    else:
        yield from ((coefficient, term) for coefficient, term, _, _ in held)
