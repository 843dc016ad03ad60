"""Arrays of variables, expressions or constraints, with NumPy's indexing and arithmetic."""

import math
import operator
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from types import EllipsisType
from typing import TYPE_CHECKING, Any, Generic, NoReturn, TypeAlias, TypeVar, overload

import numpy as np
import numpy.typing as npt

from milbox.domain.model.expressions import LinExpr, combine
from milbox.domain.model.numbers import Number
from milbox.domain.model.operators import Elementwise, no_truth
from milbox.domain.model.variables import (
    MOST_FEATURES,
    MOST_VARIABLES,
    Binary,
    Categorical,
    Encoding,
    Integer,
    Real,
    Variable,
    default_step,
    width,
)

if TYPE_CHECKING:
    from milbox.domain.model.constraint import Constraint

Item = TypeVar("Item")
Row = TypeVar("Row")

Position: TypeAlias = "int | np.integer[Any]"
Selection: TypeAlias = "slice | Iterable[int] | npt.NDArray[Any] | EllipsisType | None"
"""An index that picks several items, as in NumPy."""


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Array(Elementwise, Generic[Item, Row]):
    """Variables, expressions or constraints in NumPy's order; `name` only for declared variables.

    To a type checker it holds an `Item` in every place, and one index picks a `Row`: an item of an array of
    one dimension, an array of one dimension less otherwise.
    """

    items: npt.NDArray[np.object_]
    name: str | None = None

    __array_ufunc__ = None

    @property
    def shape(self) -> tuple[int, ...]:
        """As NumPy's."""
        return self.items.shape

    @property
    def size(self) -> int:
        """The number of items."""
        return self.items.size

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Row]:
        return (self[i] for i in range(len(self.items)))

    @overload
    def __getitem__(self, index: Position) -> Row: ...
    @overload  # an empty tuple picks everything; nobody writes one
    def __getitem__(self, index: tuple[Position, ...]) -> Item: ...  # type: ignore[overload-overlap]
    @overload
    def __getitem__(self, index: Selection) -> "Array[Item, Row]": ...
    @overload
    def __getitem__(self, index: "tuple[Position | Selection, ...]") -> "Array[Item, Any]": ...
    def __getitem__(self, index: Any) -> Any:
        picked = self.items[plain_index(index)]
        return Array(picked) if isinstance(picked, np.ndarray) else picked

    @property
    def flat(self) -> Iterator[Item]:
        """Every item, row by row."""
        return iter(self.items.ravel())

    @property
    def T(self) -> "Array[Item, Row]":  # noqa: N802 - NumPy's name
        """Transposed, as NumPy's."""
        return Array(self.items.T)

    def reshape(self, *shape: int) -> "Array[Item, Any]":
        """As NumPy's."""
        return Array(self.items.reshape(*shape))

    @overload
    def sum(self, axis: None = None) -> LinExpr: ...
    @overload
    def sum(self, axis: int | tuple[int, ...]) -> "Array[LinExpr, Any]": ...
    def sum(self, axis: int | tuple[int, ...] | None = None, **unused: None) -> Any:
        """The sum of all items, or along some axes; `np.sum` passes further arguments, as None."""
        if any(given is not None for given in unused.values()):
            raise TypeError(f"a sum of variables takes an axis, and no {' or '.join(unused)}")
        if axis is None:
            return combine((1, item) for item in self.flat)
        summed = np.atleast_1d(axis)
        rows = np.moveaxis(self.items, summed, np.arange(-len(summed), 0))
        sums = np.empty(rows.shape[: rows.ndim - len(summed)], dtype=object)
        for index in np.ndindex(sums.shape):
            sums[index] = combine((1, item) for item in rows[index].ravel())
        return Array(sums) if sums.ndim else sums[()]

    def dot(self, weights: Any) -> LinExpr:
        """The sum of weight times item over a one-dimensional array."""
        weights = np.asarray(weights)
        if self.items.ndim != 1 or weights.shape != self.shape:
            raise ValueError(f"cannot weigh an array of shape {self.shape} with one of shape {weights.shape}")
        return combine(zip(weights.tolist(), self.items, strict=True))

    def __matmul__(self, weights: Any) -> LinExpr:
        return self.dot(weights)

    def __rmatmul__(self, weights: Any) -> LinExpr:
        return self.dot(weights)

    def __add__(self, other: Any) -> "Array[LinExpr, Any]":
        return elementwise(operator.add, self, other)

    def __radd__(self, other: Any) -> "Array[LinExpr, Any]":
        return self.__add__(other)

    def __sub__(self, other: Any) -> "Array[LinExpr, Any]":
        return elementwise(operator.sub, self, other)

    def __rsub__(self, other: Any) -> "Array[LinExpr, Any]":
        return elementwise(operator.sub, other, self)

    def __mul__(self, other: Any) -> "Array[LinExpr, Any]":
        return elementwise(operator.mul, self, other)

    def __rmul__(self, other: Any) -> "Array[LinExpr, Any]":
        return self.__mul__(other)

    def __truediv__(self, other: Any) -> "Array[LinExpr, Any]":
        return elementwise(operator.truediv, self, other)

    def __neg__(self) -> "Array[LinExpr, Any]":
        return elementwise(operator.mul, self, -1)

    def __le__(self, other: Any) -> "Array[Constraint, Any]":
        return elementwise(operator.le, self, other)

    def __ge__(self, other: Any) -> "Array[Constraint, Any]":
        return elementwise(operator.ge, self, other)

    def __lt__(self, other: Any) -> "Array[Constraint, Any]":
        return elementwise(operator.lt, self, other)

    def __gt__(self, other: Any) -> "Array[Constraint, Any]":
        return elementwise(operator.gt, self, other)

    def __eq__(self, other: Any) -> "Array[Constraint, Any]":  # type: ignore[override]
        return elementwise(operator.eq, self, other)

    def __ne__(self, other: Any) -> "Array[Constraint, Any]":  # type: ignore[override]
        return elementwise(operator.ne, self, other)

    def __and__(self, other: Any) -> "Array[Constraint, Any]":
        return elementwise(operator.and_, self, other)

    def __rand__(self, other: Any) -> "Array[Constraint, Any]":
        return self.__and__(other)

    def __or__(self, other: Any) -> "Array[Constraint, Any]":
        return elementwise(operator.or_, self, other)

    def __ror__(self, other: Any) -> "Array[Constraint, Any]":
        return self.__or__(other)

    def __invert__(self) -> "Array[Constraint, Any]":
        return elementwise(lambda item, _: ~item, self, None)

    def __bool__(self) -> NoReturn:
        raise no_truth(self)

    def __str__(self) -> str:
        return f"array {self.name!r} of {self.size}" if self.name else f"an array of {self.size}"

    def __hash__(self) -> int:
        return object.__hash__(self)


Vector: TypeAlias = Array[Item, Item]
Matrix: TypeAlias = Array[Item, Array[Item, Item]]


def elementwise(operation: Callable[[Any, Any], Any], left: Any, right: Any) -> Array[Any, Any]:
    """The operation on each pair of items, with NumPy's broadcasting."""
    one, other = (side.items if isinstance(side, Array) else as_objects(side) for side in (left, right))
    pairs = np.broadcast(one, other)
    items = np.empty(pairs.shape, dtype=object)
    items.reshape(-1)[:] = [operation(a, b) for a, b in pairs]
    return Array(items)


def as_objects(side: Any) -> npt.NDArray[np.object_]:
    """A scalar, string, variable or list as an object array to broadcast."""
    if isinstance(side, np.ndarray | list | tuple):
        return np.array(side, dtype=object)
    single = np.empty((), dtype=object)
    single[()] = side
    return single


def plain_index(index: Any) -> Any:
    """An index NumPy takes: ranges and other iterables become arrays."""
    if isinstance(index, tuple):
        return tuple(plain_index(part) for part in index)
    if isinstance(index, Iterable) and not isinstance(index, np.ndarray):
        listed = list(index)
        return np.array(listed, dtype=None if listed else np.int64)
    return index


def declared(name: str, size: Any, make: Callable[[str], Variable]) -> Any:
    """One variable when there is no size, else an array of them named `name[0]`, `name[1]`, ..."""
    if size is None:
        return make(name)
    single = make(name)  # so that a bad range is reported with the user's name
    shape = tuple(size) if isinstance(size, Iterable) else (size,)
    if not shape or any(not isinstance(n, int | np.integer) or isinstance(n, bool) or n < 1 for n in shape):
        raise ValueError(f"size of {name!r} must be a positive whole number or a tuple of them, not {size!r}")
    count = math.prod(int(n) for n in shape)
    if count > MOST_VARIABLES or count * width(single) > MOST_FEATURES:
        raise ValueError(
            f"size of {name!r} is {size!r}: that is more than the {MOST_VARIABLES:,} variables, or the "
            f"{MOST_FEATURES:,} features, that a domain may have; describe the problem with fewer, or "
            f"integers with encoding='integer'"
        )
    items = np.empty(shape, dtype=object)
    for index in np.ndindex(*shape):
        items[index] = make(f"{name}[{', '.join(str(i) for i in index)}]")
    return Array(items, name)


@overload
def binary(name: str, size: None = None) -> Binary: ...
@overload
def binary(name: str, size: int) -> Vector[Binary]: ...
@overload
def binary(name: str, size: tuple[int, int]) -> Matrix[Binary]: ...
@overload
def binary(name: str, size: tuple[int, ...]) -> Array[Binary, Any]: ...
def binary(name: str, size: int | tuple[int, ...] | None = None) -> Any:
    """A binary variable, or an array of them."""
    return declared(name, size, Binary)


@overload
def integer(
    name: str, low: int, high: int, size: None = None, *, encoding: Encoding | None = None
) -> Integer: ...
@overload
def integer(
    name: str, low: int, high: int, size: int, *, encoding: Encoding | None = None
) -> Vector[Integer]: ...
@overload
def integer(
    name: str, low: int, high: int, size: tuple[int, int], *, encoding: Encoding | None = None
) -> Matrix[Integer]: ...
@overload
def integer(
    name: str, low: int, high: int, size: tuple[int, ...], *, encoding: Encoding | None = None
) -> Array[Integer, Any]: ...
def integer(
    name: str,
    low: int,
    high: int,
    size: int | tuple[int, ...] | None = None,
    *,
    encoding: Encoding | None = None,
) -> Any:
    """A whole number from low to high, or an array of them; one-hot by default up to 1000 values."""
    return declared(name, size, lambda each: Integer(each, low, high, encoding))


@overload
def real(
    name: str,
    low: Number,
    high: Number,
    size: None = None,
    *,
    step: Number | None = None,
    encoding: Encoding = "integer",
) -> Real: ...
@overload
def real(
    name: str,
    low: Number,
    high: Number,
    size: int,
    *,
    step: Number | None = None,
    encoding: Encoding = "integer",
) -> Vector[Real]: ...
@overload
def real(
    name: str,
    low: Number,
    high: Number,
    size: tuple[int, int],
    *,
    step: Number | None = None,
    encoding: Encoding = "integer",
) -> Matrix[Real]: ...
@overload
def real(
    name: str,
    low: Number,
    high: Number,
    size: tuple[int, ...],
    *,
    step: Number | None = None,
    encoding: Encoding = "integer",
) -> Array[Real, Any]: ...
def real(
    name: str,
    low: Number,
    high: Number,
    size: int | tuple[int, ...] | None = None,
    *,
    step: Number | None = None,
    encoding: Encoding = "integer",
) -> Any:
    """A number from low to high on a decimal grid, or an array of them.

    Without a step the grid is fine: the largest power of ten that is at most a millionth of the range.
    """
    given = default_step(name, low, high) if step is None else step
    return declared(name, size, lambda each: Real(each, low, high, given, encoding))  # type: ignore[arg-type]


@overload
def categorical(
    name: str, choices: Iterable[Any], size: None = None, *, encoding: Encoding = "onehot"
) -> Categorical: ...
@overload
def categorical(
    name: str, choices: Iterable[Any], size: int, *, encoding: Encoding = "onehot"
) -> Vector[Categorical]: ...
@overload
def categorical(
    name: str, choices: Iterable[Any], size: tuple[int, int], *, encoding: Encoding = "onehot"
) -> Matrix[Categorical]: ...
@overload
def categorical(
    name: str, choices: Iterable[Any], size: tuple[int, ...], *, encoding: Encoding = "onehot"
) -> Array[Categorical, Any]: ...
def categorical(
    name: str,
    choices: Iterable[Any],
    size: int | tuple[int, ...] | None = None,
    *,
    encoding: Encoding = "onehot",
) -> Any:
    """One of the choices, or an array of such variables; `"ACGT"` is short for its four letters."""
    if isinstance(choices, set | frozenset):
        raise TypeError(f"choices of {name!r} are a set, which has no order; give them as a list")
    given = tuple(choices) if isinstance(choices, Iterable) else choices
    return declared(name, size, lambda each: Categorical(each, given, encoding))
