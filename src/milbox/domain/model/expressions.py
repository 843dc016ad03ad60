"""Expressions such as `x + 2 * y <= 3` and `colour == "red"`, as data.

An expression is a sum of coefficients times monomials. Comparing two expressions gives a `Linear` constraint,
comparing a variable with one of its values a `Literal`. Nothing here knows rows.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias, Union

import numpy as np

from milbox.arrays import BoolArray
from milbox.domain.model.constraint import Constraint
from milbox.domain.model.monomials import WORD, Codes, Factor, Monomial, distinct, largest, size, total
from milbox.domain.model.numbers import (
    LARGEST,
    LARGEST_WHOLE,
    Exact,
    Number,
    number,
    plain,
    rounding,
    whole_scale,
)
from milbox.domain.model.operators import Logical, no_truth, single
from milbox.domain.model.text import Writer, limited, name_text, sum_text, value_text

if TYPE_CHECKING:
    from milbox.domain.model.variables import Variable

Operand: TypeAlias = Union["Arithmetic", Number, Fraction, "np.number[Any]"]


class Arithmetic:
    """Operators of whatever has a number at a point."""

    __slots__ = ()
    # NumPy scalars and arrays step back and let the operators below answer.
    __array_ufunc__ = None

    def linear(self) -> "LinExpr":
        """The same thing as a sum of monomials."""
        raise NotImplementedError

    @single
    def __add__(self, other: Operand) -> "LinExpr":
        return combine([(1, self), (1, other)])

    __radd__ = __add__

    @single
    def __sub__(self, other: Operand) -> "LinExpr":
        return combine([(1, self), (-1, other)])

    @single
    def __rsub__(self, other: Operand) -> "LinExpr":
        return combine([(-1, self), (1, other)])

    def __neg__(self) -> "LinExpr":
        return combine([(-1, self)])

    @single
    def __mul__(self, other: Operand) -> "LinExpr":
        from milbox.domain.model.products import product

        return product(linear(self), linear(other))

    __rmul__ = __mul__

    @single
    def __truediv__(self, other: Any) -> "LinExpr":
        if isinstance(other, Arithmetic) or other == 0:
            raise TypeError(f"{self} cannot be divided by {other}; only by a number other than zero")
        return combine([(Fraction(1) / number(other), self)])

    @single
    def __le__(self, other: Operand) -> "Linear":
        return compare(self - other, -math.inf, 0)

    @single
    def __ge__(self, other: Operand) -> "Linear":
        return compare(self - other, 0, math.inf)

    @single
    def __lt__(self, other: Operand) -> "Constraint":
        return ~compare(self - other, 0, math.inf)

    @single
    def __gt__(self, other: Operand) -> "Constraint":
        return ~compare(self - other, -math.inf, 0)

    @single
    def __eq__(self, other: Operand) -> "Constraint":  # type: ignore[override]
        return compare(self - other, 0, 0)

    @single
    def __ne__(self, other: Operand) -> "Constraint":  # type: ignore[override]
        return ~(self == other)

    def __bool__(self) -> NoReturn:
        raise no_truth(self)

    def __hash__(self) -> int:
        return object.__hash__(self)


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class LinExpr(Arithmetic):
    """A constant plus coefficients times monomials."""

    terms: Mapping[Monomial, Exact]
    constant: Exact = 0

    def linear(self) -> "LinExpr":
        """Itself."""
        return self

    def value(self, codes: Codes) -> Any:
        """The expression's value at each of many points."""
        return plain(self.constant) + total(((m, plain(c)) for m, c in self.terms.items()), codes)

    def __str__(self) -> str:
        terms, added = in_values(self.terms.items())
        text = sum_text([(m, plain(number(c))) for m, c in terms])
        constant = self.constant + added
        return text if constant == 0 else f"{text} + {plain(constant):g}"

    __repr__ = __str__

    def __hash__(self) -> int:
        return object.__hash__(self)


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Literal(Arithmetic, Constraint):
    """A variable takes one given value, or does not: a constraint, and a 0/1 number in expressions."""

    kind = "literal"
    binds_tightly = True

    variable: "Variable"
    code: int
    positive: bool = True

    def linear(self) -> LinExpr:
        """The indicator, or one minus it."""
        indicator: Monomial = (Factor(self.variable.name, self.code, self.variable),)
        return LinExpr({indicator: 1 if self.positive else -1}, 0 if self.positive else 1)

    def holds(self, codes: Codes) -> BoolArray:
        """Whether the variable takes the value, at each of many points."""
        return np.asarray((codes[self.variable.name] == self.code) == self.positive)

    def negation(self) -> "Literal":
        """The variable takes another value, or this one."""
        return Literal(self.variable, self.code, not self.positive)

    def rule(self, write: Writer) -> str:
        """`op == 'pool'`."""
        del write
        value = value_text(self.variable.value(self.code))
        return f"{name_text(self.variable.name)} {'==' if self.positive else '!='} {value}"

    def to_json(self) -> dict[str, Any]:
        """The variable by name, and the code."""
        return {
            "kind": self.kind,
            "variable": self.variable.name,
            "code": self.code,
            "positive": self.positive,
        }

    @classmethod
    def from_json(cls, form: Mapping[str, Any], variables: Mapping[str, "Variable"]) -> "Literal":
        """The literal behind its plain form."""
        return cls(variables[form["variable"]], form["code"], form["positive"])

    @property
    def variables(self) -> tuple["Variable", ...]:
        """The variables the constraint is about."""
        return (self.variable,)

    def __hash__(self) -> int:
        return object.__hash__(self)


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Linear(Constraint):
    """lower <= sum of coefficient * monomial <= upper, all of them whole numbers or no limit at all."""

    kind = "linear"
    binds_tightly = True

    terms: tuple[tuple[Monomial, int], ...]
    lower: Number
    upper: Number

    def holds(self, codes: Codes) -> BoolArray:
        """Whether the sum lies within its limits, at each of many points: exactly, however large it is."""
        if self.size < WORD:
            value = total(self.terms, codes)
            return np.asarray((self.lower <= value) & (value <= self.upper))
        # Floating point decides where it is sure, and Python's integers decide the rest.
        rough = total(((monomial, float(c)) for monomial, c in self.terms), codes)
        lower, upper = self.limits
        near = self.rounding
        holds = np.asarray((lower <= rough) & (rough <= upper))
        doubt = np.flatnonzero((np.abs(rough - lower) <= near) | (np.abs(rough - upper) <= near))
        if len(doubt):
            exact = total(self.terms, {name: column[doubt] for name, column in codes.items()})
            holds[doubt] = [self.lower <= value <= self.upper for value in exact.tolist()]
        return holds

    def negation(self) -> Constraint:
        """The sum is below its lower limit, or above its upper one."""
        from milbox.domain.constraints.kinds import either

        below = [Linear(self.terms, -math.inf, self.lower - 1)] if self.lower > -math.inf else []
        above = [Linear(self.terms, self.upper + 1, math.inf)] if self.upper < math.inf else []
        return either((*below, *above))

    def rule(self, write: Writer) -> str:
        """A sum between its limits; one without terms is true or false everywhere."""
        del write
        terms, lower, upper = self.written
        if not self.terms or (math.isinf(lower) and math.isinf(upper)):
            return "all_of()" if lower <= 0 <= upper or self.terms else "any_of()"
        return limited(sum_text(terms), lower, upper)

    def to_json(self) -> dict[str, Any]:
        """Coefficients, factors by name and code, and the limits there are."""
        rows = [[coefficient, [[f.name, f.code] for f in monomial]] for monomial, coefficient in self.terms]
        lower, upper = (limit if math.isfinite(limit) else None for limit in (self.lower, self.upper))
        return {"kind": self.kind, "terms": rows, "lower": lower, "upper": upper}

    @classmethod
    def from_json(cls, form: Mapping[str, Any], variables: Mapping[str, "Variable"]) -> "Linear":
        """The sum behind its plain form."""
        terms = tuple(
            (tuple(Factor(name, code, variables[name]) for name, code in monomial), coefficient)
            for coefficient, monomial in form["terms"]
        )
        lower, upper = form["lower"], form["upper"]
        low, high = -math.inf if lower is None else lower, math.inf if upper is None else upper
        if all(isinstance(each, int) for each in (*(c for _, c in terms), lower or 0, upper or 0)):
            return cls(terms, low, high)
        # As journals had coefficients of many digits before these were made whole.
        low, high = (limit if math.isinf(limit) else number(limit) for limit in (low, high))
        return compare(combine((c, LinExpr({m: 1})) for m, c in terms), low, high)

    @property
    def size(self) -> int:
        """No sum of some of the terms is larger in absolute value."""
        return size(self.terms)

    @property
    def narrow(self) -> bool:
        """Whether every sum of terms is a whole number that floating point holds exactly."""
        return self.size < LARGEST

    @property
    def rounding(self) -> float:
        """The largest rounding error of a sum of the terms in floating point."""
        return 0.0 if self.narrow else float(self.size) * 2.0**-52 * (len(self.terms) + 2)

    @property
    def limits(self) -> tuple[float, float]:
        """The limits as floats; what no sum can reach is brought near, where it says the same."""
        reach = self.size + 1
        return (
            -math.inf if self.lower == -math.inf else float(min(max(self.lower, -reach), reach)),
            math.inf if self.upper == math.inf else float(min(max(self.upper, -reach), reach)),
        )

    @property
    def units(self) -> tuple[Exact, Exact]:
        """What a sum is divided by once a number is taken off, to be one of values; 1 and 0 without reals."""
        terms, added = in_values(self.terms)
        if not any(f.code is None and f.variable.kind == "real" for monomial, _ in terms for f in monomial):
            return 1, 0
        # Coefficients become the smallest whole numbers.
        whole = whole_scale([c for _, c in terms])
        return Fraction(math.gcd(*(int(c * whole) for _, c in terms)), whole), added

    @property
    def written(self) -> tuple[tuple[tuple[Monomial, Number], ...], Number, Number]:
        """Terms and limits for people: in values of reals, and divided by a power of ten where too long."""
        unit, added = self.units
        if (unit, added) != (1, 0):
            lower, upper = (
                limit if isinstance(limit, float) else plain(number((limit - added) / unit))
                for limit in (self.lower, self.upper)
            )
            return tuple((m, plain(number(c / unit))) for m, c in in_values(self.terms)[0]), lower, upper
        digits = len(str(max((abs(c) for _, c in self.terms), default=0)))
        if digits <= 16:
            return self.terms, self.lower, self.upper
        unit = 10 ** (digits - 1)
        lower, upper = (
            limit if isinstance(limit, float) else plain(number(Fraction(limit, unit)))
            for limit in (self.lower, self.upper)
        )
        return tuple((m, float(Fraction(c, unit))) for m, c in self.terms), lower, upper

    @property
    def variables(self) -> tuple["Variable", ...]:
        """The variables the constraint is about, each once."""
        return distinct(factor.variable for monomial, _ in self.terms for factor in monomial)


def linear(operand: Any) -> LinExpr:
    """Any operand as a sum of monomials."""
    if isinstance(operand, Arithmetic):
        return operand.linear()
    if isinstance(operand, Logical):
        raise TypeError(
            f"the constraint {operand} is not a number; to count constraints use at_most, exactly, ..."
        )
    if hasattr(operand, "choices"):
        raise TypeError(
            f"categorical {operand.name!r} is not a number; "
            f"{operand.name} == {operand.choices[0]!r} is one, 0 or 1"
        )
    return LinExpr({}, number(operand))


def combine(parts: Iterable[tuple[Any, Any]]) -> LinExpr:
    """The weighted sum of operands, in one pass."""
    terms: dict[Monomial, Exact] = {}
    constant: Exact = 0
    for given, operand in parts:
        expression, weight = linear(operand), number(given)
        constant += weight * expression.constant
        for monomial, coefficient in expression.terms.items():
            terms[monomial] = terms.get(monomial, 0) + weight * coefficient
    return LinExpr({m: number(c) for m, c in terms.items() if c != 0}, number(constant))


def compare(expression: LinExpr, lower: Number | Exact, upper: Number | Exact) -> Linear:
    """The constraint lower <= expression <= upper with whole coefficients: 0.1 a <= 0.3 is a <= 3.

    Where numbers were rounded before they came here, the limits move apart by as much as that can amount to,
    so that `pi * k >= 3 * pi` holds at 3.
    """
    low, high = (
        limit if isinstance(limit, float) else limit - expression.constant for limit in (lower, upper)
    )
    coefficients = list(expression.terms.values())
    scale = whole_scale(coefficients)
    whole = [int(c * scale) for c in coefficients]
    divisor = math.gcd(*whole) or 1
    if any(abs(c) > LARGEST_WHOLE * divisor for c in whole):
        raise ValueError(
            f"{limited(str(LinExpr(expression.terms)), plain(low), plain(high))} cannot be held exactly: its "
            f"coefficients have more than {len(str(LARGEST_WHOLE)) - 1} digits between the first of the "
            f"largest and the last of the smallest; round them, or choose other units"
        )
    off = (len(whole) + 2) * sum(
        rounding(c) * math.prod(largest(factor) for factor in monomial)
        for monomial, c in expression.terms.items()
    )
    low, high = (
        limit if isinstance(limit, float) else limit + way * (off + (len(whole) + 2) * rounding(limit))
        for way, limit in ((-1, low), (1, high))
    )
    if not isinstance(low, float) and low == high and (Fraction(low) * scale / divisor).denominator != 1:
        refuse_off_grid(expression, low)
    # A sum of whole numbers reaches a limit in between no sooner than the next whole number.
    return Linear(
        tuple(zip(expression.terms, (c // divisor for c in whole), strict=True)),
        low if isinstance(low, float) else math.ceil(Fraction(low) * scale / divisor),
        high if isinstance(high, float) else math.floor(Fraction(high) * scale / divisor),
    )


def in_values(terms: Iterable[tuple[Monomial, Exact]]) -> tuple[list[tuple[Monomial, Exact]], Exact]:
    """The terms with coefficients of values in place of codes, and a constant that makes up for it."""
    found: list[tuple[Monomial, Exact]] = []
    added: Exact = 0
    for monomial, coefficient in terms:
        variable = monomial[0].variable
        if len(monomial) == 1 and monomial[0].code is None and variable.kind == "real":
            slope = Fraction(coefficient) / variable.step  # type: ignore[union-attr]
            added -= slope * variable.low  # type: ignore[union-attr]
            found.append((monomial, slope))
        else:
            found.append((monomial, coefficient))
    return found, added


def refuse_off_grid(expression: LinExpr, level: Exact) -> None:
    """Refuse an equality that no point of the grids of its reals satisfies, and name the nearest levels."""
    reals = [v for v in distinct(f.variable for m in expression.terms for f in m) if v.kind == "real"]
    if not reals:
        return
    terms, added = in_values(expression.terms.items())
    scale = whole_scale(list(expression.terms.values()))
    unit = Fraction(math.gcd(*(int(c * scale) for c in expression.terms.values())), scale)
    below = math.floor(Fraction(level) / unit) * unit
    text = sum_text([(m, plain(number(c))) for m, c in terms])
    raise ValueError(
        f"no value of {', '.join(v.name for v in reals)} satisfies {text} == {plain(number(level + added))}: "
        f"steps lead to {plain(number(below + added))} and {plain(number(below + unit + added))}"
    )
