"""A mixed-integer program as data, and its builder.

`Milp` is the one normal form between models and solvers: eight arrays, an offset, and optional separators
that generate further valid rows.
Domains and surrogates become one through a `MilpBuilder`; every solver takes one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from milbox.arrays import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array


# Compared by identity: `==` on arrays has no single answer.
@dataclass(frozen=True, slots=True, eq=False)
class Affine:
    """coefficients · x[columns] + constant; a column may occur more than once."""

    columns: IntArray
    coefficients: FloatArray
    constant: float = 0.0

    def __post_init__(self) -> None:
        columns = np.asarray(self.columns, dtype=np.int64).ravel()
        coefficients = np.asarray(self.coefficients, dtype=np.float64).ravel()
        if len(columns) != len(coefficients):
            raise ValueError(f"{len(columns)} columns but {len(coefficients)} coefficients")
        object.__setattr__(self, "columns", columns)
        object.__setattr__(self, "coefficients", coefficients)
        object.__setattr__(self, "constant", float(self.constant))

    def __add__(self, other: Affine) -> Affine:
        return Affine(
            np.concatenate([self.columns, other.columns]),
            np.concatenate([self.coefficients, other.coefficients]),
            self.constant + other.constant,
        )

    def __mul__(self, factor: float) -> Affine:
        return Affine(self.columns, self.coefficients * factor, self.constant * factor)

    __rmul__ = __mul__

    def at(self, x: FloatArray) -> float:
        """Its value at x."""
        return float(self.coefficients @ x[self.columns] + self.constant)


@dataclass(frozen=True, slots=True, eq=False)
class Cuts:
    """Rows matrix x[columns] <= upper that every feasible x satisfies; the matrix is dense."""

    columns: IntArray
    matrix: FloatArray
    upper: FloatArray


Cutter: TypeAlias = Callable[[FloatArray], Cuts]
"""Says which rows an x violates though every feasible one satisfies them: x is fractional, as a rule."""


@dataclass(frozen=True, slots=True, eq=False)
class Milp:
    """A bounded mixed-integer linear program.

        max cost·x + offset   s.t.   row_lower <= matrix x <= row_upper,   lower <= x <= upper,
        x[j] integer where integer[j].

    Every column is bounded, so no Milp is unbounded; a row side may be infinite. Bounds that cross are
    allowed and mean that the program is infeasible. Repeated entries of the matrix are summed.

    Rows that are `lazy` matter at few points: a solver may leave them aside until one is violated. The
    `cutters` are separators: they generate valid rows that tighten the relaxation. A solver need not call
    them.
    """

    cost: FloatArray
    offset: float
    matrix: csr_array
    row_lower: FloatArray
    row_upper: FloatArray
    lower: FloatArray
    upper: FloatArray
    integer: BoolArray
    lazy: BoolArray = None  # type: ignore[assignment]  # None is filled in below: no row is lazy
    cutters: tuple[Cutter, ...] = ()

    def __post_init__(self) -> None:
        rows, columns = self.matrix.shape
        if self.lazy is None:
            object.__setattr__(self, "lazy", np.zeros(rows, dtype=np.bool_))
        for name, length in (
            ("cost", columns),
            ("lower", columns),
            ("upper", columns),
            ("integer", columns),
            ("row_lower", rows),
            ("row_upper", rows),
            ("lazy", rows),
        ):
            if (shape := getattr(self, name).shape) != (length,):
                raise ValueError(
                    f"{name} has shape {shape}; a matrix of shape {(rows, columns)} needs {(length,)}"
                )
        for name in ("cost", "lower", "upper"):
            if not np.isfinite(values := getattr(self, name)).all():
                j = int(np.flatnonzero(~np.isfinite(values))[0])
                raise ValueError(f"{name} of column {j} is {values[j]}; it must be finite")
        if not np.isfinite(self.matrix.data).all() or not np.isfinite(self.offset):
            raise ValueError("the matrix and the offset must be finite")
        wrong = np.isnan(self.row_lower) | np.isnan(self.row_upper)
        wrong |= (self.row_lower == np.inf) | (self.row_upper == -np.inf)
        if wrong.any():
            i = int(np.flatnonzero(wrong)[0])
            raise ValueError(
                f"row {i} has sides {self.row_lower[i]} and {self.row_upper[i]}; "
                f"a row_lower is a number or -inf, a row_upper is a number or +inf"
            )
        if not self.matrix.has_canonical_format:
            matrix = self.matrix.copy()
            matrix.sum_duplicates()
            object.__setattr__(self, "matrix", matrix)

    @property
    def columns(self) -> int:
        """The number of columns."""
        return len(self.cost)

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.row_lower)

    def objective(self, x: FloatArray) -> float:
        """cost·x + offset."""
        return float(self.cost @ x + self.offset)

    def box_bound(self) -> float:
        """An upper bound from the column bounds alone: sum_j max(cost_j lower_j, cost_j upper_j) + offset."""
        return float(np.maximum(self.cost * self.lower, self.cost * self.upper).sum() + self.offset)

    def fixed(self, columns: IntArray | BoolArray, values: FloatArray) -> Milp:
        """The same program with x[columns] = values."""
        lower, upper = self.lower.copy(), self.upper.copy()
        lower[columns] = values
        upper[columns] = values
        return replace(self, lower=lower, upper=upper)

    def relaxed(self) -> Milp:
        """Its linear relaxation: no column is integer, and what only whole points satisfy is not known."""
        return replace(self, integer=np.zeros_like(self.integer), cutters=())


class MilpBuilder:
    """A program while it is built: columns, then rows over them, then what to maximise.

    >>> milp = MilpBuilder()
    >>> x = milp.columns(np.zeros(3), 1, integer=True)
    >>> milp.row(x, [1, 1, 1], upper=2)
    >>> milp.maximize(Affine(x, np.array([3.0, 2.0, 1.0])))
    >>> milp.build().rows
    1
    """

    def __init__(self) -> None:
        self._width = 0
        self._lower: list[FloatArray] = []
        self._upper: list[FloatArray] = []
        self._integer: list[BoolArray] = []
        # The rows in pieces, each a run of compressed sparse rows: entries, their columns, entries per row.
        self._entries: list[FloatArray] = []
        self._indices: list[IntArray] = []
        self._counts: list[IntArray] = []
        self._row_lower: list[FloatArray] = []
        self._row_upper: list[FloatArray] = []
        self._lazy: list[BoolArray] = []
        self._objective = Affine(np.zeros(0, dtype=np.int64), np.zeros(0))
        self._definitions: list[tuple[IntArray, Callable[[FloatArray], npt.ArrayLike]]] = []
        self._cutters: list[Cutter] = []

    @property
    def width(self) -> int:
        """The number of columns so far."""
        return self._width

    def columns(self, lower: npt.ArrayLike, upper: npt.ArrayLike, integer: npt.ArrayLike = False) -> IntArray:
        """Add columns and return their indices; the arguments are broadcast against one another.

        Raises:
            ValueError: a bound is infinite or not a number. Big-M constants must come from real bounds.
        """
        low, high, whole = np.broadcast_arrays(
            np.asarray(lower, dtype=np.float64),
            np.asarray(upper, dtype=np.float64),
            np.asarray(integer, dtype=np.bool_),
        )
        low, high, whole = (np.atleast_1d(a).ravel() for a in (low, high, whole))
        wrong = ~(np.isfinite(low) & np.isfinite(high))
        if wrong.any():
            j = int(np.flatnonzero(wrong)[0])
            raise ValueError(
                f"column {self._width + j} has bounds {low[j]} and {high[j]}; "
                f"every column needs finite bounds, so that no program is unbounded"
            )
        self._lower.append(low)
        self._upper.append(high)
        self._integer.append(whole)
        start, self._width = self._width, self._width + len(low)
        return np.arange(start, self._width)

    def row(
        self,
        columns: npt.ArrayLike,
        coefficients: npt.ArrayLike,
        lower: float = -np.inf,
        upper: float = np.inf,
        lazy: bool = False,
    ) -> None:
        """Add lower <= coefficients · x[columns] <= upper; repeated columns are summed."""
        self.rows(np.asarray(coefficients, dtype=np.float64).reshape(1, -1), columns, lower, upper, lazy)

    def rows(
        self,
        matrix: npt.ArrayLike,
        columns: npt.ArrayLike,
        lower: npt.ArrayLike = -np.inf,
        upper: npt.ArrayLike = np.inf,
        lazy: bool = False,
    ) -> None:
        """Add lower <= matrix x[columns] <= upper, for a dense matrix of shape (rows, len(columns))."""
        entries = np.asarray(matrix, dtype=np.float64)
        indices = self._known(columns)
        if entries.ndim != 2 or entries.shape[1] != len(indices):
            raise ValueError(f"a matrix of shape {entries.shape} does not fit {len(indices)} columns")
        if not np.isfinite(entries).all():
            raise ValueError("coefficients must be finite")
        present = entries != 0
        self._entries.append(entries[present])
        self._indices.append(np.broadcast_to(indices, entries.shape)[present])
        self._counts.append(present.sum(axis=1))
        self._lazy.append(np.full(len(entries), lazy))
        for sides, side in ((self._row_lower, lower), (self._row_upper, upper)):
            sides.append(np.broadcast_to(np.asarray(side, dtype=np.float64), len(entries)))

    def sparse_rows(
        self,
        matrix: csr_array,
        columns: npt.ArrayLike,
        lower: npt.ArrayLike,
        upper: npt.ArrayLike,
        lazy: bool = False,
    ) -> None:
        """Add lower <= matrix x[columns] <= upper, for a sparse matrix of shape (rows, len(columns))."""
        indices = self._known(columns)
        if matrix.shape[1] != len(indices):
            raise ValueError(f"a matrix of shape {matrix.shape} does not fit {len(indices)} columns")
        self._entries.append(np.asarray(matrix.data, dtype=np.float64))
        self._indices.append(indices[matrix.indices])
        self._counts.append(np.diff(matrix.indptr).astype(np.int64))
        self._lazy.append(np.full(matrix.shape[0], lazy))
        for sides, side in ((self._row_lower, lower), (self._row_upper, upper)):
            sides.append(np.broadcast_to(np.asarray(side, dtype=np.float64), matrix.shape[0]))

    def define(self, columns: IntArray, values: Callable[[FloatArray], npt.ArrayLike]) -> None:
        """Say what auxiliary columns must be, as a function of an x whose earlier columns are filled in."""
        self._definitions.append((self._known(columns), values))

    def completed(self, columns: IntArray, values: FloatArray) -> FloatArray:
        """A whole x from the columns that were chosen, by the definitions in the order they were made."""
        x = np.zeros(self._width)
        x[columns] = values
        for defined, function in self._definitions:
            x[defined] = function(x)
        return x

    def cut(self, cutter: Cutter) -> None:
        """Let solvers ask for rows that hold anyway; its x has the columns of the whole program."""
        self._cutters.append(cutter)

    def maximize(self, objective: Affine) -> None:
        """Set what to maximise, in place of any earlier objective."""
        self._known(objective.columns)
        self._objective = objective

    def bounds(self, columns: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
        """The lower and upper bounds of columns added earlier."""
        indices = self._known(columns)
        return _joined(self._lower)[indices], _joined(self._upper)[indices]

    def are_integer(self, columns: npt.ArrayLike) -> BoolArray:
        """Which of the columns added earlier take whole numbers alone."""
        return _joined(self._integer, np.bool_)[self._known(columns)]

    def build(self) -> Milp:
        """The program so far; the builder may go on to be extended."""
        from scipy.sparse import csr_array

        counts = _joined(self._counts, np.int64)
        starts = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(counts)])
        matrix = csr_array(
            (_joined(self._entries), _joined(self._indices, np.int64), starts),
            shape=(len(counts), self._width),
        )
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
        cost = np.zeros(self._width)
        np.add.at(cost, self._objective.columns, self._objective.coefficients)
        return Milp(
            cost=cost,
            offset=self._objective.constant,
            matrix=matrix,
            row_lower=_joined(self._row_lower),
            row_upper=_joined(self._row_upper),
            lower=_joined(self._lower),
            upper=_joined(self._upper),
            integer=cast(BoolArray, _joined(self._integer, np.bool_)),
            lazy=cast(BoolArray, _joined(self._lazy, np.bool_)),
            cutters=tuple(self._cutters),
        )

    def _known(self, columns: npt.ArrayLike) -> IntArray:
        indices = np.asarray(columns)
        if indices.size == 0:
            return np.zeros(0, dtype=np.int64)
        if not np.issubdtype(indices.dtype, np.integer):
            raise TypeError(f"columns are integers, as returned by columns(); got {indices.dtype}")
        indices = indices.ravel()
        wrong = (indices < 0) | (indices >= self._width)
        if wrong.any():
            raise ValueError(
                f"column {int(indices[wrong][0])} does not exist: there are {self._width} columns"
            )
        return indices.astype(np.int64)


def _joined(pieces: Iterable[npt.NDArray], dtype: type = np.float64) -> npt.NDArray:  # type: ignore[type-arg]
    return np.concatenate([np.zeros(0, dtype=dtype), *pieces])
