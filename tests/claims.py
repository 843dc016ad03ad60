"""Claims about variables: every kind of constraint, nested, drawn by Hypothesis."""

import itertools
import operator
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

import milbox.domain as mb
from meaning import COMPARISONS, Claim, Names, Quantity, Values, exactly_as_meant, values_of
from milbox.domain import Variable
from structure_claims import automaton_claims, connected_claims

whole_weights = st.integers(-3, 3)
decimal_weights = st.integers(-15, 15).map(lambda tenths: tenths / 10)
thirds = st.integers(-4, 4).map(lambda count: count / 3)


def numeric(variables: Sequence[Variable]) -> list[Variable]:
    """The variables one can calculate with."""
    return [v for v in variables if v.kind != "categorical"]


# Quantities ---------------------------------------------------------------------------------------------


@st.composite
def literal_quantities(draw: st.DrawFn, variables: Sequence[Variable]) -> Quantity:
    """The 0/1 number of `variable == value` or of its opposite."""
    variable = draw(st.sampled_from(variables))
    name, value = variable.name, draw(st.sampled_from(values_of(variable)))
    symbol = draw(st.sampled_from(["==", "!="]))
    compare = COMPARISONS[symbol]
    return Quantity(
        lambda v: compare(v[name], value),
        lambda a: Fraction(compare(a[name], value)),
        f"{name}{symbol}{value!r}",
    )


def variable_quantities(variables: Sequence[Variable]) -> SearchStrategy[Quantity]:
    """The value of a binary or integer variable."""

    def quantity(name: str) -> Quantity:
        return Quantity(lambda v: v[name], lambda a: Fraction(a[name]), name)

    return st.sampled_from([v.name for v in variables]).map(quantity)


@st.composite
def products(draw: st.DrawFn, variables: Sequence[Variable]) -> Quantity:
    """The product of two or three factors: literals, variables, or shifted ones."""
    one = atoms(variables)
    factors = draw(st.lists(one, min_size=2, max_size=3))
    shift = draw(st.sampled_from([0, 0, 1, -2]))

    def build(v: Names) -> Any:
        first, *rest = (factor.build(v) for factor in factors)
        result = first + shift
        for factor in rest:
            result = result * factor
        return result

    def value(a: Values) -> Fraction:
        first, *rest = (factor.value(a) for factor in factors)
        result = first + shift
        for factor in rest:
            result *= factor
        return result

    return Quantity(build, value, f"({'*'.join(f.text for f in factors)}; {shift:+d})")


def atoms(variables: Sequence[Variable]) -> SearchStrategy[Quantity]:
    """A variable or a literal."""
    numbers = numeric(variables)
    literals = literal_quantities(variables)
    return literals | variable_quantities(numbers) if numbers else literals


@st.composite
def quantities(draw: st.DrawFn, variables: Sequence[Variable]) -> Quantity:
    """A weighted sum of one to three atoms and products, with weights whole, decimal or in thirds."""
    parts = draw(st.lists(atoms(variables) | products(variables), min_size=1, max_size=3))
    kinds = st.sampled_from([whole_weights, whole_weights, decimal_weights, thirds])
    weights = [draw(draw(kinds)) for _ in parts]
    style = draw(st.sampled_from(["sum", "minus", "divide"]))
    fractions = [exactly_as_meant(w) for w in weights]

    def build(v: Names) -> Any:
        built = [part.build(v) for part in parts]
        if style == "sum":
            return sum(w * each for w, each in zip(weights, built, strict=True))
        if style == "minus":
            result = built[0] * weights[0]
            for w, each in zip(weights[1:], built[1:], strict=True):
                result = result - (-w) * each
            return 0 - (-result)
        return sum(each * (2 * w) for w, each in zip(weights, built, strict=True)) / 2

    def value(a: Values) -> Fraction:
        return sum((w * p.value(a) for w, p in zip(fractions, parts, strict=True)), Fraction(0))

    text = " + ".join(f"{w:g}*{p.text}" for w, p in zip(weights, parts, strict=True))
    return Quantity(build, value, text)


# Claims without parts -----------------------------------------------------------------------------------


@st.composite
def linear_claims(draw: st.DrawFn, variables: Sequence[Variable]) -> Claim:
    """A comparison of a quantity with a number or with another quantity, or a range."""
    left = draw(quantities(variables))
    limit = draw(st.integers(-6, 6) | decimal_weights | thirds)
    meant = exactly_as_meant(limit)
    if draw(st.integers(0, 5)) == 0:
        width = draw(st.integers(0, 3))
        return Claim(
            lambda v: mb.between(limit, left.build(v), limit + width),
            lambda a: meant <= left.value(a) <= meant + width,
            f"{limit:g} <= {left.text} <= {limit + width:g}",
        )
    symbol = draw(st.sampled_from(list(COMPARISONS)))
    compare = COMPARISONS[symbol]
    if draw(st.booleans()):
        return Claim(
            lambda v: compare(left.build(v), limit),
            lambda a: bool(compare(left.value(a), meant)),
            f"{left.text} {symbol} {limit:g}",
        )
    right = draw(quantities(variables))
    return Claim(
        lambda v: compare(left.build(v), right.build(v) + limit),
        lambda a: bool(compare(left.value(a), right.value(a) + meant)),
        f"{left.text} {symbol} {right.text} + {limit:g}",
    )


@st.composite
def literal_claims(draw: st.DrawFn, variables: Sequence[Variable]) -> Claim:
    """A variable has a value or has it not; a value outside its range is a fair question."""
    variable = draw(st.sampled_from(variables))
    name, possible = variable.name, values_of(variable)
    if variable.kind != "categorical":
        possible += [99, -99, 0.5]
    value = draw(st.sampled_from(possible))
    if draw(st.booleans()):
        return Claim(lambda v: v[name] == value, lambda a: bool(a[name] == value), f"{name} == {value!r}")
    return Claim(lambda v: v[name] != value, lambda a: bool(a[name] != value), f"{name} != {value!r}")


@st.composite
def pair_claims(draw: st.DrawFn, variables: Sequence[Variable]) -> Claim:
    """Two variables compared: numbers in every way, choices for being the same."""
    one = draw(st.sampled_from(variables))
    alike = [v for v in variables if (v.kind == "categorical") == (one.kind == "categorical")]
    a_name, b_name = one.name, draw(st.sampled_from(alike)).name
    symbol = draw(st.sampled_from(["==", "!="] if one.kind == "categorical" else list(COMPARISONS)))
    compare = COMPARISONS[symbol]
    return Claim(
        lambda v: compare(v[a_name], v[b_name]),
        lambda a: bool(compare(a[a_name], a[b_name])),
        f"{a_name} {symbol} {b_name}",
    )


@st.composite
def different_claims(draw: st.DrawFn, variables: Sequence[Variable]) -> Claim:
    """No two of two to four variables are equal, whatever their kinds and ranges."""
    chosen = draw(st.lists(st.sampled_from(variables), min_size=2, max_size=4, unique_by=lambda v: v.name))
    names = [v.name for v in chosen]
    return Claim(
        lambda v: mb.all_different([v[name] for name in names]),
        lambda a: all(a[one] != a[other] for one, other in itertools.combinations(names, 2)),
        f"all_different({', '.join(names)})",
    )


@st.composite
def table_claims(draw: st.DrawFn, variables: Sequence[Variable]) -> Claim:
    """Some variables together take one of several rows of values, or none of them."""
    chosen = draw(st.lists(st.sampled_from(variables), min_size=1, max_size=3, unique_by=lambda v: v.name))
    names = [v.name for v in chosen]
    row = st.tuples(*(st.sampled_from(values_of(v)) for v in chosen))
    rows = draw(st.lists(row, max_size=5))
    if draw(st.booleans()):
        return Claim(
            lambda v: mb.table([v[name] for name in names], rows),
            lambda a: any(all(a[n] == x for n, x in zip(names, r, strict=True)) for r in rows),
            f"table({names}, {rows})",
        )
    return Claim(
        lambda v: mb.forbid([v[name] for name in names], rows),
        lambda a: not any(all(a[n] == x for n, x in zip(names, r, strict=True)) for r in rows),
        f"forbid({names}, {rows})",
    )


# Claims with parts --------------------------------------------------------------------------------------


@st.composite
def count_claims(draw: st.DrawFn, parts: SearchStrategy[Claim]) -> Claim:
    """Exactly, at most or at least so many of the parts hold; the number may be out of reach."""
    chosen = draw(st.lists(parts, max_size=3))
    count = draw(st.integers(-1, len(chosen) + 1))
    kind, compare = draw(
        st.sampled_from([(mb.exactly, operator.eq), (mb.at_most, operator.le), (mb.at_least, operator.ge)])
    )
    return Claim(
        lambda v: kind(count, [part.build(v) for part in chosen]),
        lambda a: bool(compare(sum(part.truth(a) for part in chosen), count)),
        f"{kind.__name__}({count}, {chosen})",
    )


def any_claim(parts: Sequence[Claim]) -> Claim:
    """At least one part."""
    return Claim(
        lambda v: mb.any_of([part.build(v) for part in parts]),
        lambda a: any(part.truth(a) for part in parts),
        f"any_of({parts})",
    )


def all_claim(parts: Sequence[Claim]) -> Claim:
    """Every part."""
    return Claim(
        lambda v: mb.all_of(*[part.build(v) for part in parts]),
        lambda a: all(part.truth(a) for part in parts),
        f"all_of({parts})",
    )


def forbid_claim(parts: Sequence[Claim]) -> Claim:
    """Not every part."""
    return Claim(
        lambda v: mb.forbid(*[part.build(v) for part in parts]),
        lambda a: not all(part.truth(a) for part in parts),
        f"forbid({parts})",
    )


def not_claim(part: Claim) -> Claim:
    """The opposite."""
    return Claim(lambda v: ~part.build(v), lambda a: not part.truth(a), f"~({part})")


def implies_claim(pair: tuple[Claim, Claim]) -> Claim:
    """The second wherever the first."""
    one, other = pair
    return Claim(
        lambda v: mb.implies(one.build(v), other.build(v)),
        lambda a: not one.truth(a) or other.truth(a),
        f"implies({one}, {other})",
    )


def operator_claim(pair: tuple[Claim, Claim]) -> Claim:
    """Either one without the other, in operators."""
    one, other = pair
    return Claim(
        lambda v: (one.build(v) & ~other.build(v)) | (~one.build(v) & other.build(v)),
        lambda a: one.truth(a) != other.truth(a),
        f"({one} xor {other})",
    )


def claims(variables: Sequence[Variable], depth: int = 2) -> SearchStrategy[Claim]:
    """Any claim about the variables, nested up to a depth."""
    plain: list[SearchStrategy[Claim]] = [
        literal_claims(variables),
        linear_claims(variables),
        pair_claims(variables),
        table_claims(variables),
        automaton_claims(variables),
        connected_claims(variables),
    ]
    if len(variables) > 1:
        plain.append(different_claims(variables))
    if depth == 0:
        return st.one_of(plain)
    part = claims(variables, depth - 1)
    return st.one_of(
        *plain,
        count_claims(part),
        st.lists(part, max_size=3).map(any_claim),
        st.lists(part, max_size=3).map(all_claim),
        st.lists(part, min_size=1, max_size=2).map(forbid_claim),
        part.map(not_claim),
        st.tuples(part, part).map(implies_claim),
        st.tuples(part, part).map(operator_claim),
    )
