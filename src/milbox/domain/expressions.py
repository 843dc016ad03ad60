"""How do `x + 2 * y <= 3` and `colour == "red"` become data?

An expression is a sum of coefficients times monomials; a monomial is a product of factors; a factor is the
value of an integer variable or the 0/1 indicator of one code of a variable. Comparing two expressions gives
a `Linear` constraint, comparing a variable with one of its values a `Literal`. Nothing here knows rows.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias, Union

import numpy as np

from milbox.arrays import BoolArray, IntArray

if TYPE_CHECKING:
    from milbox.domain.constraints import Constraint
    from milbox.domain.variables import Variable

Number: TypeAlias = int | float
Codes: TypeAlias = Mapping[str, IntArray]
"""Many points at once: for each variable's name the codes it takes, one entry per point."""

# Coefficients are made whole numbers when that keeps them below this; 0.1 then means one tenth exactly.
LARGEST_WHOLE = 10**9
# What rounding may add up to in a sum whose coefficients could not be made whole, per unit of its size.
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Factor:
    """The value of a variable when `code` is None, else the indicator of `variable = code`."""

    name: str
    code: int | None
    variable: "Variable" = field(compare=False, repr=False)

    def value(self, codes: Codes) -> IntArray:
        """What the factor is at each of many points."""
        column = codes[self.name]
        return column if self.code is None else (column == self.code).astype(np.int64)

    def __str__(self) -> str:
        if self.code is None or (self.variable.kind == "binary" and self.code == 1):
            return self.name
        return f"({self.name} == {self.variable.value(self.code)!r})"


Monomial: TypeAlias = tuple[Factor, ...]
Operand: TypeAlias = Union["Arithmetic", Number]


class Logical:
    """Operators of whatever is true or false at a point."""

    __slots__ = ()

    def __and__(self, other: Any) -> "Constraint":
        from milbox.domain.constraints import all_of

        return all_of(self, other)

    def __or__(self, other: Any) -> "Constraint":
        from milbox.domain.constraints import any_of

        return any_of(self, other)

    def __invert__(self) -> "Constraint":
        from milbox.domain.constraints import negate

        return negate(self)

    def __bool__(self) -> NoReturn:
        raise TypeError(
            f"{self} has no truth value before a point is chosen; to write a <= expression <= b use "
            f"between(a, expression, b), to combine constraints use any_of, all_of or negate, and to test a "
            f"point use domain.contains(point)"
        )


class Arithmetic:
    """Operators of whatever has a number at a point."""

    __slots__ = ()
    # NumPy scalars and arrays step back and let the operators below answer.
    __array_ufunc__ = None

    def linear(self) -> "LinExpr":
        """The same thing as a sum of monomials."""
        raise NotImplementedError

    def __add__(self, other: Operand) -> "LinExpr":
        return combine([(1, self), (1, other)])

    __radd__ = __add__

    def __sub__(self, other: Operand) -> "LinExpr":
        return combine([(1, self), (-1, other)])

    def __rsub__(self, other: Operand) -> "LinExpr":
        return combine([(-1, self), (1, other)])

    def __neg__(self) -> "LinExpr":
        return combine([(-1, self)])

    def __mul__(self, other: Operand) -> "LinExpr":
        return product(linear(self), linear(other))

    __rmul__ = __mul__

    def __truediv__(self, other: Number) -> "LinExpr":
        return combine([(1 / number(other), self)])

    def __le__(self, other: Operand) -> "Linear":
        return compare(self - other, -math.inf, 0)

    def __ge__(self, other: Operand) -> "Linear":
        return compare(self - other, 0, math.inf)

    def __lt__(self, other: Operand) -> "Constraint":
        return ~compare(self - other, 0, math.inf)

    def __gt__(self, other: Operand) -> "Constraint":
        return ~compare(self - other, -math.inf, 0)

    def __eq__(self, other: Operand) -> "Constraint":  # type: ignore[override]
        return compare(self - other, 0, 0)

    def __ne__(self, other: Operand) -> "Constraint":  # type: ignore[override]
        return ~(self == other)

    __hash__ = object.__hash__


@dataclass(frozen=True, eq=False, slots=True)
class LinExpr(Arithmetic):
    """A constant plus coefficients times monomials."""

    terms: Mapping[Monomial, Number]
    constant: Number = 0

    def linear(self) -> "LinExpr":
        """Itself."""
        return self

    def value(self, codes: Codes) -> Any:
        """What the expression is at each of many points."""
        return self.constant + total(self.terms.items(), codes)

    def __str__(self) -> str:
        shown = shown_sum(self.terms.items())
        return shown if self.constant == 0 else f"{shown} + {self.constant:g}"

    __hash__ = object.__hash__


@dataclass(frozen=True, eq=False, slots=True)
class Literal(Arithmetic, Logical):
    """A variable takes one given value, or does not: a constraint, and a 0/1 number in expressions."""

    variable: "Variable"
    code: int
    positive: bool = True

    def linear(self) -> LinExpr:
        """The indicator, or one minus it."""
        indicator: Monomial = (Factor(self.variable.name, self.code, self.variable),)
        return LinExpr({indicator: 1 if self.positive else -1}, 0 if self.positive else 1)

    def holds(self, codes: Codes) -> BoolArray:
        """Whether the variable takes the value, at each of many points."""
        return (codes[self.variable.name] == self.code) == self.positive

    @property
    def variables(self) -> tuple["Variable", ...]:
        """The variables the constraint is about."""
        return (self.variable,)

    def __str__(self) -> str:
        return f"{self.variable.name} {'==' if self.positive else '!='} {self.variable.value(self.code)!r}"

    __hash__ = object.__hash__


@dataclass(frozen=True, eq=False, slots=True)
class Linear(Logical):
    """lower <= sum of coefficient * monomial <= upper. Coefficients are whole numbers wherever possible."""

    terms: tuple[tuple[Monomial, Number], ...]
    lower: Number
    upper: Number

    def holds(self, codes: Codes) -> BoolArray:
        """Whether the sum lies within its limits, at each of many points."""
        value = total(self.terms, codes)
        return np.asarray((self.lower - self.slack <= value) & (value <= self.upper + self.slack))

    @property
    def slack(self) -> float:
        """What rounding can add up to: nothing when every coefficient is whole."""
        if all(isinstance(coefficient, int) for _, coefficient in self.terms):
            return 0.0
        return ROUNDING * sum(
            abs(coefficient) * math.prod(largest(f) for f in monomial) for monomial, coefficient in self.terms
        )

    @property
    def variables(self) -> tuple["Variable", ...]:
        """The variables the constraint is about, each once."""
        return distinct(factor.variable for monomial, _ in self.terms for factor in monomial)

    def __str__(self) -> str:
        shown = shown_sum(self.terms)
        if self.lower == self.upper:
            return f"{shown} == {self.upper}"
        if self.lower == -math.inf:
            return f"{shown} <= {self.upper}"
        if self.upper == math.inf:
            return f"{shown} >= {self.lower}"
        return f"{self.lower} <= {shown} <= {self.upper}"


def number(value: Any) -> Number:
    """A plain finite int or float, or an error that says what was given."""
    if isinstance(value, bool | np.bool_ | int | np.integer):
        return int(value)
    if isinstance(value, float | np.floating) and math.isfinite(value):
        return int(value) if float(value).is_integer() else float(value)
    if isinstance(value, np.ndarray) and value.ndim == 0:
        return number(value[()])
    raise TypeError(f"{value!r} is not a finite number, variable or expression")


def linear(operand: Any) -> LinExpr:
    """Any operand as a sum of monomials."""
    if isinstance(operand, Arithmetic):
        return operand.linear()
    return LinExpr({}, number(operand))


def combine(parts: Iterable[tuple[Number, Any]]) -> LinExpr:
    """The weighted sum of operands, in one pass."""
    terms: dict[Monomial, Number] = {}
    constant: Number = 0
    for weight, operand in parts:
        expression = linear(operand)
        constant += weight * expression.constant
        for monomial, coefficient in expression.terms.items():
            terms[monomial] = terms.get(monomial, 0) + weight * coefficient
    return LinExpr({m: c for m, c in terms.items() if c != 0}, constant)


def product(left: LinExpr, right: LinExpr) -> LinExpr:
    """The product of two expressions; integer variables are spelled out over their values where needed."""
    if not left.terms:
        return combine([(left.constant, right)])
    if not right.terms:
        return combine([(right.constant, left)])
    left, right = spelled_out(left), spelled_out(right)
    pairs: list[tuple[Number, LinExpr]] = [
        (left.constant * right.constant, LinExpr({}, 1)),
        (left.constant, LinExpr(right.terms)),
        (right.constant, LinExpr(left.terms)),
    ]
    for one, a in left.terms.items():
        for other, b in right.terms.items():
            merged = conjunction(one + other)
            if merged is not None:
                pairs.append((a * b, LinExpr({merged: 1})))
    return combine(pairs)


def spelled_out(expression: LinExpr) -> LinExpr:
    """The same expression with every integer's value as a sum over indicators."""
    parts: list[tuple[Number, LinExpr]] = [(expression.constant, LinExpr({}, 1))]
    for monomial, coefficient in expression.terms.items():
        factor = monomial[0]
        if factor.code is not None:  # products are made of indicators only, so one look is enough
            parts.append((coefficient, LinExpr({monomial: 1})))
            continue
        for code in factor.variable.codes:
            parts.append((coefficient * code, LinExpr({(Factor(factor.name, code, factor.variable),): 1})))
    return combine(parts)


def conjunction(factors: Iterable[Factor]) -> Monomial | None:
    """The product of indicators, each variable once; None when it is always zero."""
    by_name: dict[str, Factor] = {}
    for factor in factors:
        if by_name.setdefault(factor.name, factor) != factor:
            return None
    return tuple(by_name[name] for name in sorted(by_name))


def compare(expression: LinExpr, lower: Number, upper: Number) -> Linear:
    """The constraint lower <= expression <= upper, with whole coefficients wherever possible."""
    lower, upper = lower - expression.constant, upper - expression.constant
    coefficients = list(expression.terms.values())
    scale = whole_scale([*coefficients, *(x for x in (lower, upper) if math.isfinite(x))])
    if scale is None:
        return Linear(tuple(expression.terms.items()), lower, upper)
    whole = [int(exact(c) * scale) for c in coefficients]
    divisor = math.gcd(*whole) or 1
    low = lower if math.isinf(lower) else math.ceil(exact(lower) * scale / divisor)
    high = upper if math.isinf(upper) else math.floor(exact(upper) * scale / divisor)
    return Linear(tuple(zip(expression.terms, (c // divisor for c in whole), strict=True)), low, high)


def exact(value: Number) -> Fraction:
    """The decimal a person would read, exactly: 0.1 is one tenth."""
    return Fraction(value) if isinstance(value, int) else Fraction(repr(value))


def whole_scale(values: list[Number]) -> int | None:
    """The smallest factor that makes all values whole; None when they would become too large."""
    scale = 1
    for value in values:
        if not isinstance(value, int):
            scale = math.lcm(scale, exact(value).denominator)
            if scale > LARGEST_WHOLE:
                return None
    return scale if all(abs(value) * scale <= LARGEST_WHOLE for value in values) else None


def total(terms: Iterable[tuple[Monomial, Number]], codes: Codes) -> Any:
    """The sum of the terms at each of many points."""
    result: Any = 0
    for monomial, coefficient in terms:
        part: Any = coefficient
        for factor in monomial:
            part = part * factor.value(codes)
        result = result + part
    return result


def largest(factor: Factor) -> int:
    """The largest absolute value a factor takes."""
    if factor.code is not None:
        return 1
    codes = factor.variable.codes
    return max(abs(codes[0]), abs(codes[-1]))


def distinct(variables: Iterable["Variable"]) -> tuple["Variable", ...]:
    """Each variable once, by name, in order of appearance."""
    seen: dict[str, Variable] = {}
    for variable in variables:
        seen.setdefault(variable.name, variable)
    return tuple(seen.values())


def shown_sum(terms: Iterable[tuple[Monomial, Number]]) -> str:
    """The terms as a person would write them."""
    text = ""
    for monomial, coefficient in terms:
        size = "" if abs(coefficient) == 1 else f"{abs(coefficient):g}*"
        sign = "-" if coefficient < 0 else "+"
        joined = "*".join(str(factor) for factor in monomial)
        text += f" {sign} {size}{joined}" if text else f"{'-' if coefficient < 0 else ''}{size}{joined}"
    return text or "0"
