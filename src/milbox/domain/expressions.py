"""How do `x + 2 * y <= 3` and `colour == "red"` become data?

An expression is a sum of coefficients times monomials; a monomial is a product of factors; a factor is the
value of an integer variable or the 0/1 indicator of one code of a variable. Comparing two expressions gives
a `Linear` constraint, comparing a variable with one of its values a `Literal`. Nothing here knows rows.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import wraps
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias, TypeVar, Union, cast

import numpy as np

from milbox.arrays import BoolArray, IntArray
from milbox.domain.exact import Exact, Number, number, plain, whole_scale

if TYPE_CHECKING:
    from milbox.domain.constraints import Constraint
    from milbox.domain.variables import Variable

Method = TypeVar("Method", bound=Callable[..., Any])
Codes: TypeAlias = Mapping[str, IntArray]
"""Many points at once: for each variable's name the codes it takes, one entry per point."""

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
        raise no_truth(self)


class Elementwise:
    """What holds many things at once: the operators of a single thing leave the answer to it."""

    __slots__ = ()


def single(method: Method) -> Method:
    """The operator for single things; it steps back when the other operand is an array."""

    @wraps(method)
    def operate(self: Any, other: Any) -> Any:
        return NotImplemented if isinstance(other, Elementwise) else method(self, other)

    return cast(Method, operate)


def no_truth(thing: Any) -> TypeError:
    """The answer to `if x == 1`, `a <= x <= b`, `x and y`: nothing is true before a point is chosen."""
    return TypeError(
        f"{thing} has no truth value before a point is chosen; to write a <= expression <= b use "
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
        return product(linear(self), linear(other))

    __rmul__ = __mul__

    def __truediv__(self, other: Number) -> "LinExpr":
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

    __hash__ = object.__hash__


@dataclass(frozen=True, eq=False, slots=True)
class LinExpr(Arithmetic):
    """A constant plus coefficients times monomials."""

    terms: Mapping[Monomial, Exact]
    constant: Exact = 0

    def linear(self) -> "LinExpr":
        """Itself."""
        return self

    def value(self, codes: Codes) -> Any:
        """What the expression is at each of many points."""
        return plain(self.constant) + total(((m, plain(c)) for m, c in self.terms.items()), codes)

    def __str__(self) -> str:
        shown = shown_sum((m, plain(c)) for m, c in self.terms.items())
        return shown if self.constant == 0 else f"{shown} + {plain(self.constant):g}"

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
        return np.asarray((codes[self.variable.name] == self.code) == self.positive)

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


def linear(operand: Any) -> LinExpr:
    """Any operand as a sum of monomials."""
    if isinstance(operand, Arithmetic):
        return operand.linear()
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


def product(left: LinExpr, right: LinExpr) -> LinExpr:
    """The product of two expressions; integer variables are spelled out over their values where needed."""
    if not left.terms:
        return combine([(left.constant, right)])
    if not right.terms:
        return combine([(right.constant, left)])
    left, right = spelled_out(left), spelled_out(right)
    pairs: list[tuple[Exact, LinExpr]] = [
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
    parts: list[tuple[Exact, LinExpr]] = [(expression.constant, LinExpr({}, 1))]
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


def compare(expression: LinExpr, lower: Number | Exact, upper: Number | Exact) -> Linear:
    """The constraint lower <= expression <= upper, with whole coefficients wherever possible."""
    low, high = (
        limit if isinstance(limit, float) else limit - expression.constant for limit in (lower, upper)
    )
    coefficients = list(expression.terms.values())
    scale = whole_scale(coefficients)
    if scale is None:
        terms = tuple((monomial, plain(c)) for monomial, c in expression.terms.items())
        return Linear(terms, plain(low), plain(high))
    whole = [int(c * scale) for c in coefficients]
    divisor = math.gcd(*whole) or 1
    # A sum of whole numbers reaches a limit in between no sooner than the next whole number.
    return Linear(
        tuple(zip(expression.terms, (c // divisor for c in whole), strict=True)),
        low if isinstance(low, float) else math.ceil(Fraction(low) * scale / divisor),
        high if isinstance(high, float) else math.floor(Fraction(high) * scale / divisor),
    )


def total(terms: Iterable[tuple[Monomial, Number]], codes: Codes) -> Any:
    """The sum of the terms at each of many points."""
    # A sum of nothing has an entry per point too.
    result: Any = np.zeros(len(next(iter(codes.values()))), dtype=np.int64)
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
