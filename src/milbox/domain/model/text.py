"""Names, values and sums as rules spell them: `sum(x[0:5]) - 2*k + (op == 'pool') <= 3`."""

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from milbox.domain.model.monomials import Factor, Monomial
from milbox.domain.model.numbers import Number

if TYPE_CHECKING:
    from milbox.domain.model.constraint import Constraint
    from milbox.domain.model.variables import Variable

CONSTANTS: dict[str, bool | None] = {
    "true": True,
    "false": False,
    "none": None,
    "True": True,
    "False": False,
    "None": None,
}
RESERVED = frozenset({"and", "or", "not", *CONSTANTS})
"""Words that a name must be quoted to be."""

ITEM = re.compile(r"(?P<array>.+)(?P<index>\[\d+(?:, \d+)*\])", re.DOTALL)
PLACE = re.compile(r"(?P<array>.+)\[(?P<index>\d+)\]", re.DOTALL)
# Fewer items than this are as short one by one.
SHORTEST_RUN = 4
# How many parts of a long conjunction a message shows.
SHOWN = 6


@dataclass(frozen=True, slots=True)
class Writer:
    """Writes constraints as rules: `whole`, so that they can be read back, or shortened, for messages."""

    whole: bool

    def text(self, constraint: "Constraint") -> str:
        """One constraint."""
        return constraint.rule(self)

    def joined(self, parts: Sequence["Constraint"], word: str, function: str) -> str:
        """The parts with a word between them; fewer than two as arguments of a function."""
        if len(parts) < 2:
            return f"{function}({self.listed(parts)})"
        shown = parts if self.whole else parts[:SHOWN]
        more = f" {word} {len(parts) - SHOWN} more" if len(shown) < len(parts) else ""
        return f" {word} ".join(self.enclosed(part) for part in shown) + more

    def enclosed(self, part: "Constraint") -> str:
        """A part as an operand: in parentheses unless it binds tightly."""
        return self.text(part) if part.binds_tightly else f"({self.text(part)})"

    def listed(self, parts: Iterable["Constraint"]) -> str:
        """The parts as arguments."""
        return ", ".join(self.text(part) for part in parts)


def sum_text(terms: Iterable[tuple[Monomial, Number]]) -> str:
    """The terms as a person would write them, long runs of an array's items as `sum(x[0:5])`."""
    text = ""
    for coefficient, term in runs(terms):
        size = "" if abs(coefficient) == 1 else f"{abs(coefficient)!r}*"
        sign = "-" if coefficient < 0 else "+"
        text += f" {sign} {size}{term}" if text else f"{'-' if coefficient < 0 else ''}{size}{term}"
    return text or "0"


def runs(terms: Iterable[tuple[Monomial, Number]]) -> Iterator[tuple[Number, str]]:
    """Coefficients and terms; neighbouring items of an array with one coefficient as one term."""
    held: list[tuple[Number, str, str | None, int]] = []
    for monomial, coefficient in terms:
        term = monomial_text(monomial)
        item = PLACE.fullmatch(term) if len(monomial) == 1 else None
        entry = (coefficient, term, item["array"] if item else None, int(item["index"]) if item else -1)
        follows = held and entry[2] is not None and entry == (held[-1][0], term, held[-1][2], held[-1][3] + 1)
        if not follows:
            yield from run_of(held)
            held = []
        held.append(entry)
    yield from run_of(held)


def run_of(held: list[tuple[Number, str, str | None, int]]) -> Iterator[tuple[Number, str]]:
    """One term for a long run, else each term unchanged."""
    if len(held) >= SHORTEST_RUN:
        coefficient, _, array, first = held[0]
        yield coefficient, f"sum({array}[{first}:{first + len(held)}])"
    else:
        yield from ((coefficient, term) for coefficient, term, _, _ in held)


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


def names_text(variables: Iterable["Variable"]) -> str:
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
