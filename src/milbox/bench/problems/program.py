"""Programs as files state them, and as the arrays of a binary quadratic program."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from milbox.arrays import FloatArray, IntArray
from milbox.errors import DataError


@dataclass(frozen=True, slots=True)
class QuadraticProgram:
    """min constant + linear·x + sum q_value x[q_row] x[q_column]  s.t.  lower <= A x <= upper,  x binary.

    A is given by triplets. Each unordered pair of variables occurs once, with q_row < q_column.
    """

    constant: float
    linear: FloatArray
    q_row: IntArray
    q_column: IntArray
    q_value: FloatArray
    a_row: IntArray
    a_column: IntArray
    a_value: FloatArray
    lower: FloatArray
    upper: FloatArray


@dataclass(slots=True)
class Form:
    """constant + linear + quadratic terms, while a file is being read."""

    constant: float = 0.0
    linear: dict[int, float] = field(default_factory=dict)
    quadratic: dict[tuple[int, int], float] = field(default_factory=dict)

    def add(self, variable: int, coefficient: float) -> None:
        """Add coefficient * x."""
        self.linear[variable] = self.linear.get(variable, 0.0) + coefficient

    def add_product(self, one: int, other: int, coefficient: float) -> None:
        """Add coefficient * x * y."""
        pair = (min(one, other), max(one, other))
        self.quadratic[pair] = self.quadratic.get(pair, 0.0) + coefficient

    def plus(self, other: "Form", factor: float) -> "Form":
        """The form plus factor * other."""
        total = Form(self.constant + factor * other.constant, dict(self.linear), dict(self.quadratic))
        for variable, coefficient in other.linear.items():
            total.add(variable, factor * coefficient)
        for (one, two), coefficient in other.quadratic.items():
            total.add_product(one, two, factor * coefficient)
        return total


@dataclass(frozen=True, slots=True)
class Row:
    """lower <= form <= upper."""

    form: Form
    lower: float
    upper: float


@dataclass(frozen=True, slots=True)
class Column:
    """A variable as the file declares it."""

    name: str
    integer: bool
    lower: float
    upper: float


@dataclass(frozen=True, slots=True)
class Draft:
    """What a file says, before it is known to be a binary quadratic program."""

    columns: tuple[Column, ...]
    minimize: bool
    objective: Form
    rows: tuple[Row, ...]


def finished(draft: Draft, file: Any) -> QuadraticProgram:
    """The draft as a binary quadratic program to be minimised, or a DataError that names what it is not."""
    objective = draft.objective if draft.minimize else Form().plus(draft.objective, -1.0)
    objective, rows, defined = without_objective_variable(draft.columns, objective, draft.rows)
    kept = [i for i in range(len(draft.columns)) if i != defined]
    if not kept:
        raise DataError(f"{file} has no binary variable; only programs over binary variables can be problems")
    place = {i: at for at, i in enumerate(kept)}
    for i in kept:
        column = draft.columns[i]
        if not column.integer or column.lower < 0 or column.upper > 1:
            kind = "an integer" if column.integer else "a continuous"
            raise DataError(
                f"{file}: {column.name} is {kind} variable from {column.lower:g} to {column.upper:g}; "
                f"only programs over binary variables can be problems here"
            )
    linear = np.zeros(len(kept))
    pairs: dict[tuple[int, int], float] = {}
    for i, value in objective.linear.items():
        linear[place[i]] += value
    for (i, j), value in objective.quadratic.items():
        if i == j:
            linear[place[i]] += value  # x² = x for a binary
        else:
            pairs[min(place[i], place[j]), max(place[i], place[j])] = value
    rows = [*rows, *fixings(draft.columns, kept)]
    entries: list[tuple[int, int, float]] = []
    for at, row in enumerate(rows):
        if row.form.quadratic:
            raise DataError(f"{file}: constraint {at + 1} is quadratic; only linear constraints can be kept")
        entries += [(at, place[i], value) for i, value in row.form.linear.items() if value != 0]
    q_row, q_column, q_value = triplets((i, j, v) for (i, j), v in pairs.items() if v != 0)
    a_row, a_column, a_value = triplets(entries)
    return QuadraticProgram(
        constant=objective.constant,
        linear=linear,
        q_row=q_row,
        q_column=q_column,
        q_value=q_value,
        a_row=a_row,
        a_column=a_column,
        a_value=a_value,
        lower=np.array([row.lower - row.form.constant for row in rows]),
        upper=np.array([row.upper - row.form.constant for row in rows]),
    )


def without_objective_variable(
    columns: tuple[Column, ...], objective: Form, rows: tuple[Row, ...]
) -> tuple[Form, list[Row], int | None]:
    """Put the definition of a lone objective variable in its place.

    GAMS and SCIP write min q(x) as min t with a row that says t = q(x) or t >= q(x). A continuous t that
    occurs in one row only is replaced by what that row makes it.
    """
    used = [(i, value) for i, value in objective.linear.items() if value != 0]
    if objective.quadratic or len(used) != 1 or columns[used[0][0]].integer:
        return objective, list(rows), None
    t, weight = used[0]
    having = [
        at
        for at, row in enumerate(rows)
        if row.form.linear.get(t, 0.0) != 0 or any(t in pair for pair in row.form.quadratic)
    ]
    if len(having) != 1 or any(t in pair for pair in rows[having[0]].form.quadratic):
        return objective, list(rows), None
    row = rows[having[0]]
    slope = row.form.linear[t]
    # slope * t + rest touches the limit that stops t from improving further.
    limit = row.lower if weight * slope > 0 else row.upper
    if math.isinf(limit):
        return objective, list(rows), None
    rest = Form(
        row.form.constant - limit, {i: v for i, v in row.form.linear.items() if i != t}, row.form.quadratic
    )
    value = Form(objective.constant).plus(rest, -weight / slope)
    return value, [other for at, other in enumerate(rows) if at != having[0]], t


def fixings(columns: tuple[Column, ...], kept: Iterable[int]) -> list[Row]:
    """A row for every binary that the file's bounds fix."""
    return [
        Row(Form(0.0, {i: 1.0}), math.ceil(columns[i].lower), math.floor(columns[i].upper))
        for i in kept
        if columns[i].lower > 0 or columns[i].upper < 1
    ]


def triplets(entries: Iterable[tuple[int, int, float]]) -> tuple[IntArray, IntArray, FloatArray]:
    """Entries as three arrays."""
    listed = list(entries)
    return (
        np.array([row for row, _, _ in listed], dtype=np.int64),
        np.array([column for _, column, _ in listed], dtype=np.int64),
        np.array([value for _, _, value in listed], dtype=np.float64),
    )
