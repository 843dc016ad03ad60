"""Binary, integer, real and categorical variables; each is one entry of a point."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, TypeAlias, overload
from typing import Literal as OneOf

import numpy as np
import numpy.typing as npt

from milbox.domain.constraints.kinds import AllOf
from milbox.domain.model.constraint import Constraint
from milbox.domain.model.expressions import Arithmetic, LinExpr, Literal, compare, linear
from milbox.domain.model.monomials import Factor
from milbox.domain.model.numbers import Exact, Number, number, plain
from milbox.domain.model.operators import Logical, no_truth, single

Value: TypeAlias = Any
"""The value of one variable that the objective sees: an int, a float, or a choice."""

Choice: TypeAlias = str | int | float | bool | None
"""A choice of a categorical variable."""

Encoding: TypeAlias = OneOf["onehot", "integer"]

Coding: TypeAlias = OneOf["flag", "onehot", "number", "share"]
"""The way in which codes become features; see `milbox.domain.coding`."""

# An integer of up to so many values is one-hot by default, and a wider one is one feature.
MOST_ONEHOT = 1000
# A one-hot variable costs a feature per value; with more than this, something else was meant.
LARGEST_ONEHOT = 2**20
# What a domain may have of each; beyond, a few hundred points would fill the memory.
MOST_VARIABLES, MOST_FEATURES = 100_000, LARGEST_ONEHOT
# An integer of one feature and more codes than this is scaled, so that the feature stays in the order of one.
MOST_UNSCALED = 1000
# Floats tell the values of a grid apart when it has no more steps than this between zero and its far end.
MOST_STEPS = 2**50
# The default step of a real is the largest power of ten that is at most its range divided by this.
FINE = 10**6
# Codes are kept in 64 bits, and sums of them in floats, which tell whole numbers apart up to here.
LARGEST_CODE = 2**53


class Numeric(Arithmetic):
    """A variable whose values are numbers; comparing it with one of them gives a literal."""

    __slots__ = ()

    # A value that the variable never takes gives a constraint that never holds, which is no literal; such a
    # comparison is a slip, so type checkers are told what every other one gives.
    @overload  # type: ignore[override]
    def __eq__(self, other: Number) -> Literal: ...
    @overload
    def __eq__(self, other: object) -> Constraint: ...
    @single
    def __eq__(self, other: Any) -> Constraint:
        return equals(self, other)  # type: ignore[arg-type]  # those below are all there are

    def __hash__(self) -> int:
        return object.__hash__(self)


@dataclass(frozen=True, eq=False, slots=True)
class Binary(Numeric, Logical):
    """Zero or one."""

    kind: ClassVar[str] = "binary"

    name: str

    def __post_init__(self) -> None:
        check_name(self.name)

    @property
    def coding(self) -> Coding:
        """The way in which its codes become features."""
        return "flag"

    @property
    def codes(self) -> range:
        """The codes it may take in a point."""
        return range(2)

    def value(self, code: int) -> int:
        """The value that the objective sees for a code."""
        return code

    def values(self, codes: Sequence[int]) -> npt.NDArray[Any]:
        """The values that the objective sees for many codes."""
        return np.array(codes, dtype=np.int64)

    def code(self, value: Value) -> int:
        """The code of a value, or an error that says what was expected."""
        return whole_code(self.name, value, 0, 1)

    def linear(self) -> LinExpr:
        """The indicator of one."""
        return LinExpr({(Factor(self.name, 1, self),): 1})

    def __str__(self) -> str:
        return f"Binary({self.name!r})"


@dataclass(frozen=True, eq=False, slots=True)
class Integer(Numeric):
    """A whole number from low to high, both included.

    By default it is one-hot where it has up to 1000 values, and else one feature (`encoding="integer"`).
    """

    kind: ClassVar[str] = "integer"

    name: str
    low: int
    high: int
    encoding: Encoding | None = None

    def __post_init__(self) -> None:
        check_name(self.name)
        for label, limit in (("low", self.low), ("high", self.high)):
            if not isinstance(limit, int | np.integer) or isinstance(limit, bool):
                raise TypeError(f"{label} of integer {self.name!r} must be a whole number, not {limit!r}")
            if abs(int(limit)) > LARGEST_CODE:
                raise ValueError(f"{label} of integer {self.name!r} must lie between -2**53 and 2**53 (9e15)")
            object.__setattr__(self, label, int(limit))
        if self.low > self.high:
            raise ValueError(
                f"integer {self.name!r} has an empty range: low is {self.low}, high is {self.high}"
            )
        if self.encoding is None:
            object.__setattr__(self, "encoding", "onehot" if len(self.codes) <= MOST_ONEHOT else "integer")
        check_encoding(self.name, self.encoding)
        if self.encoding == "onehot" and self.high - self.low >= LARGEST_ONEHOT:
            raise ValueError(
                f"integer {self.name!r} has {self.high - self.low + 1} values, too many for one feature "
                f"each; declare it with encoding='integer', or in coarser steps"
            )

    @property
    def coding(self) -> Coding:
        """The way in which its codes become features."""
        if self.encoding == "onehot":
            return "onehot"
        return "number" if self.high - self.low < MOST_UNSCALED else "share"

    @property
    def codes(self) -> range:
        """The codes it may take in a point: the integers themselves."""
        return range(self.low, self.high + 1)

    def value(self, code: int) -> int:
        """The value that the objective sees for a code."""
        return code

    def values(self, codes: Sequence[int]) -> npt.NDArray[Any]:
        """The values that the objective sees for many codes."""
        return np.array(codes, dtype=np.int64)

    def code(self, value: Value) -> int:
        """The code of a value, or an error that says what was expected."""
        return whole_code(self.name, value, self.low, self.high)

    def linear(self) -> LinExpr:
        """The value itself."""
        return LinExpr({(Factor(self.name, None, self),): 1})

    def __str__(self) -> str:
        return f"Integer({self.name!r}, {self.low}, {self.high})"


@dataclass(frozen=True, eq=False, slots=True)
class Real(Numeric):
    """A number on a decimal grid: low, low + step, ... up to high.

    A point has the number of steps from `low` as its code, so that sums of reals are sums of whole numbers
    and exact. `low`, `high` and `step` are kept as they were meant: 0.1 is one tenth.
    """

    kind: ClassVar[str] = "real"

    name: str
    low: Exact
    high: Exact
    step: Exact
    encoding: Encoding = "integer"
    steps: int = field(init=False, repr=False)
    """The number of steps from low to high."""

    def __post_init__(self) -> None:
        check_name(self.name)
        check_encoding(self.name, self.encoding)
        for label in ("low", "high", "step"):
            object.__setattr__(self, label, decimal(f"{label} of real {self.name!r}", getattr(self, label)))
        if self.low > self.high:
            raise ValueError(
                f"real {self.name!r} has an empty range: low is {plain(self.low)}, high is {plain(self.high)}"
            )
        if self.step <= 0:
            raise ValueError(f"step of real {self.name!r} must be more than zero, not {plain(self.step)}")
        steps = Fraction(self.high - self.low) / self.step
        if steps.denominator != 1:
            nearest = self.low + max(1, round(steps)) * self.step
            raise ValueError(
                f"high of real {self.name!r} is {plain(self.high)}, which is no whole number of steps of "
                f"{plain(self.step)} above low, {plain(self.low)}; the nearest is {float(nearest)}"
            )
        object.__setattr__(self, "steps", int(steps))
        far = max(-self.low, self.high, self.high - self.low)
        if far > MOST_STEPS * self.step:
            raise ValueError(
                f"step of real {self.name!r} is {plain(self.step)}, too small to be told apart beside "
                f"{plain(far)}; choose a larger step, or count from another zero"
            )
        if self.encoding == "onehot" and steps >= LARGEST_ONEHOT:
            raise ValueError(
                f"real {self.name!r} has {int(steps) + 1} values, too many for one feature each; declare it "
                f"with encoding='integer', or in coarser steps"
            )

    @property
    def coding(self) -> Coding:
        """The way in which its codes become features."""
        return "onehot" if self.encoding == "onehot" else "share"

    @property
    def codes(self) -> range:
        """The codes it may take in a point: steps from low."""
        return range(self.steps + 1)

    def exact(self, code: int) -> Exact:
        """The value of a code, as it is meant."""
        return self.low + code * self.step

    def value(self, code: int) -> float:
        """The value that the objective sees for a code: the float nearest to the decimal."""
        return float(self.exact(code))

    def values(self, codes: Sequence[int]) -> npt.NDArray[Any]:
        """The values that the objective sees for many codes."""
        return np.array([self.value(code) for code in codes], dtype=np.float64)

    def code(self, value: Value) -> int:
        """The code of a value on the grid, or an error that names the nearest."""
        plain_value = (
            value.item() if isinstance(value, np.generic | np.ndarray) and np.ndim(value) == 0 else value
        )
        if isinstance(plain_value, Decimal) and plain_value.is_finite():
            plain_value = Fraction(plain_value)
        ends = f"{float(self.low)} to {float(self.high)}"
        if not isinstance(plain_value, int | float | Fraction) or not math.isfinite(plain_value):
            raise ValueError(f"{self.name!r} takes numbers from {ends}, not {value!r}")
        if abs(float(plain_value)) > LARGEST_CODE:
            raise ValueError(f"{self.name!r} takes {ends}, not {plain_value}")
        given = number(plain_value)
        code = self.nearest(given)
        # What a computation rounded on its way is the value it came from.
        slack = min(Fraction(self.step) / 1000, Fraction(4 * math.ulp(float(given))))
        if abs(self.exact(code) - Fraction(given)) <= slack:
            return code
        if not self.low <= given <= self.high:
            raise ValueError(f"{self.name!r} takes {ends}, not {plain_value}")
        raise ValueError(
            f"{self.name!r} takes steps of {float(self.step)} from {float(self.low)}, not {plain_value}; "
            f"the nearest is {self.value(code)}"
        )

    def nearest(self, value: Exact | float) -> int:
        """The code whose value is nearest to a number."""
        codes = self.codes
        return min(max(round((Fraction(value) - self.low) / self.step), codes[0]), codes[-1])

    def linear(self) -> LinExpr:
        """The value: low, and a step for each code."""
        return LinExpr({(Factor(self.name, None, self),): self.step}, self.low)

    def __str__(self) -> str:
        return f"Real({self.name!r}, {plain(self.low)}, {plain(self.high)}, step={plain(self.step)})"


def default_step(name: str, low: Any, high: Any) -> Exact:
    """The largest power of ten that is at most a millionth of a real's range."""
    share = Fraction(decimal(f"high of real {name!r}", high) - decimal(f"low of real {name!r}", low)) / FINE
    if share <= 0:
        return 1
    power = math.ceil(math.log10(share))  # or one more, as floats have it
    while Fraction(10) ** power > share:
        power -= 1
    return number(Fraction(10) ** power)


def decimal(label: str, value: Any) -> Exact:
    """A finite number as it was meant, or an error that names what it is."""
    try:
        return number(Fraction(value) if isinstance(value, Decimal) else value)
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"{label} must be a finite number, not {value!r}") from None


@dataclass(frozen=True, eq=False, slots=True)
class Categorical:
    """One of several choices without order."""

    kind: ClassVar[str] = "categorical"

    name: str
    choices: tuple[Value, ...]
    encoding: Encoding = "onehot"

    __array_ufunc__ = None

    def __post_init__(self) -> None:
        check_name(self.name)
        check_encoding(self.name, self.encoding)
        if not isinstance(self.choices, Iterable):
            raise TypeError(f"choices of {self.name!r} must be a list of values, not {self.choices!r}")
        choices = tuple(c.item() if isinstance(c, np.generic) else c for c in self.choices)
        for choice in choices:
            if not isinstance(choice, str | int | float | bool | None) or (
                isinstance(choice, float) and not math.isfinite(choice)
            ):
                raise TypeError(
                    f"choice {choice!r} of {self.name!r} must be a string, a finite number, a bool or None"
                )
        if not choices:
            raise ValueError(f"categorical {self.name!r} has no choices; give it at least one")
        if len(set(choices)) < len(choices):
            raise ValueError(f"categorical {self.name!r} lists a choice twice: {list(choices)}")
        object.__setattr__(self, "choices", choices)

    @property
    def coding(self) -> Coding:
        """The way in which its codes become features."""
        return "onehot" if self.encoding == "onehot" else "number"

    @property
    def codes(self) -> range:
        """The codes it may take in a point: indices of choices."""
        return range(len(self.choices))

    def value(self, code: int) -> Value:
        """The choice behind a code."""
        return self.choices[code]

    def values(self, codes: Sequence[int]) -> npt.NDArray[Any]:
        """The choices behind many codes: as numbers or texts where all choices are, else as objects."""
        chosen = [self.choices[code] for code in codes]
        kinds = {type(choice) for choice in self.choices}
        if len(kinds) == 1 and kinds <= {str, int, float, bool}:
            return np.array(chosen)
        mixed = np.empty(len(chosen), dtype=object)
        mixed[:] = chosen
        return mixed

    def code(self, value: Value) -> int:
        """The index of a choice, or an error that lists them."""
        plain = value.item() if isinstance(value, np.generic) else value
        try:
            return self.choices.index(plain)
        except ValueError:
            raise ValueError(
                f"{self.name!r} has no choice {plain!r}; its choices are {list(self.choices)}"
            ) from None

    @overload  # type: ignore[override]
    def __eq__(self, other: Choice) -> Literal: ...
    @overload
    def __eq__(self, other: object) -> Constraint: ...
    @single
    def __eq__(self, other: Any) -> Constraint:
        return equals(self, other)

    @overload  # type: ignore[override]
    def __ne__(self, other: Choice) -> Literal: ...
    @overload
    def __ne__(self, other: object) -> Constraint: ...
    @single
    def __ne__(self, other: Any) -> Constraint:
        return ~equals(self, other)

    @single
    def _no_number(self, other: Any) -> NoReturn:
        del other
        raise TypeError(
            f"{self.name!r} is a choice and has no order and no sum; compare it with == or !=, and count "
            f"such comparisons with at_most, at_least or exactly"
        )

    if not TYPE_CHECKING:  # type checkers refuse them by themselves
        __lt__ = __le__ = __gt__ = __ge__ = _no_number
        __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = _no_number

    def __bool__(self) -> NoReturn:
        raise no_truth(self)

    def __str__(self) -> str:
        return f"Categorical({self.name!r}, {list(self.choices)})"

    def __hash__(self) -> int:
        return object.__hash__(self)


Variable: TypeAlias = Binary | Integer | Real | Categorical


def equals(variable: Variable, other: Any) -> Constraint:
    """`variable == other`: a literal for a value, an equation for another variable or expression."""
    if isinstance(other, Variable):
        return same(variable, other)
    if isinstance(other, Arithmetic):
        if isinstance(variable, Categorical):
            raise TypeError(f"categorical {variable.name!r} cannot be compared with the expression {other}")
        return compare(variable - other, 0, 0)
    if isinstance(variable, Categorical | Real):
        return Literal(variable, variable.code(other))
    expression = linear(variable) - other
    # A value outside the range is a fair question whose answer is always no.
    inside = isinstance(-expression.constant, int) and -expression.constant in variable.codes
    if variable.kind == "binary":
        inside = other in (0, 1)
    return Literal(variable, int(other)) if inside else compare(expression, 0, 0)


def same(left: Variable, right: Variable) -> Constraint:
    """Both variables take the same value."""
    if isinstance(left, Categorical) and isinstance(right, Categorical):
        pairs = [
            compare(
                Literal(left, left.code(value)).linear() - Literal(right, right.code(value)).linear(), 0, 0
            )
            for value in left.choices
            if value in right.choices
        ]
        alone = [
            Literal(variable, variable.code(value), positive=False)
            for variable, partner in ((left, right), (right, left))
            for value in variable.choices
            if value not in partner.choices
        ]
        return AllOf((*pairs, *alone))
    if isinstance(left, Categorical) or isinstance(right, Categorical):
        raise TypeError(f"{left} and {right} cannot be compared: one is a choice, the other a number")
    return compare(left - right, 0, 0)


def width(variable: Variable) -> int:
    """The number of a variable's features: one for each code where it is one-hot."""
    return len(variable.codes) if variable.coding == "onehot" else 1


def check_name(name: Any) -> None:
    """Refuse what could not be a variable's name."""
    if not isinstance(name, str) or not name:
        raise TypeError(f"a variable's name must be a non-empty string, not {name!r}")


def check_encoding(name: str, encoding: Any) -> None:
    """Refuse an encoding that does not exist."""
    if encoding not in ("onehot", "integer"):
        raise ValueError(f"encoding of {name!r} must be 'onehot' or 'integer', not {encoding!r}")


def whole_code(name: str, value: Value, low: int, high: int) -> int:
    """A whole number within its range, or an error that says what was expected."""
    plain = value.item() if isinstance(value, np.generic | np.ndarray) and np.ndim(value) == 0 else value
    if isinstance(plain, bool):
        plain = int(plain)
    if isinstance(plain, float) and plain.is_integer():
        plain = int(plain)
    if not isinstance(plain, int):
        raise ValueError(f"{name!r} takes whole numbers from {low} to {high}, not {value!r}")
    if not low <= plain <= high:
        raise ValueError(f"{name!r} takes {low} to {high}, not {plain}")
    return plain
