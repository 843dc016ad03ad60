"""Models in LP, MPS and OSiL files, read by SCIP as domains."""

import contextlib
import math
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pyscipopt import Model

from milbox.domain.domain import Domain
from milbox.domain.model.array import binary, integer
from milbox.domain.model.constraint import Constraint
from milbox.domain.model.expressions import LinExpr, combine
from milbox.domain.model.variables import Encoding, Real, Variable, decimal, default_step
from milbox.errors import DataError

FORMATS = (".lp", ".mps", ".osil")

MOST_ONEHOT = 100
"""Integers of more values have one feature; a user who wants it otherwise declares the variable."""


def read_domain(path: Path | str) -> Domain:
    """The variables and rows of a model file as a domain; an objective in it is left out with a warning.

    Raises:
        DataError: the file cannot be read, or has what a domain cannot keep; the error names it.
    """
    file = Path(path)
    model = loaded(file)
    columns = sorted(model.getVars(), key=lambda column: int(column.getIndex()))  # as the file has them
    if not columns:
        raise DataError(f"{file} has no variables")
    for row in model.getConss():  # before the columns, to which SCIP adds some for other rows
        if row.getConshdlrName() != "linear":
            raise DataError(
                f"{file}: the constraint {row.name} is {row.getConshdlrName()}; only linear rows can be kept"
            )
    variables = {column.name: as_variable(column, model.infinity(), file) for column in columns}
    rows: list[Constraint] = []
    for row in model.getConss():
        terms = combine((value, variables[name]) for name, value in model.getValsLinear(row).items())
        lower, upper = (limit(side, model.infinity()) for side in (model.getLhs(row), model.getRhs(row)))
        with named(f"{file}: the constraint {row.name}"):
            rows += [terms == lower] if lower == upper else between(lower, terms, upper)
    if model.getObjective().degree() > 0:
        warnings.warn(
            f"the objective of {file} was left out: milbox measures the objective, a domain has none",
            UserWarning,
            stacklevel=3,
        )
    return Domain(list(variables.values()), rows)


@contextlib.contextmanager
def named(what: str) -> Iterator[None]:
    """Errors that begin with what cannot be kept."""
    try:
        yield
    except ValueError as error:
        raise DataError(f"{what} cannot be kept: {error}") from None


def between(lower: float, terms: LinExpr, upper: float) -> list[Constraint]:
    """The sides of a row that are finite."""
    sides: list[Constraint] = [terms >= lower] if math.isfinite(lower) else []
    return [*sides, terms <= upper] if math.isfinite(upper) else sides


def loaded(file: Path) -> Any:
    """The file as SCIP's model."""
    if file.suffix.lower() not in FORMATS:
        raise DataError(f"{file} is none of {', '.join(FORMATS)}, the formats that models are read from")
    if not file.is_file():
        raise DataError(f"{file} is not a file")
    model = Model()
    model.hideOutput()
    try:
        model.readProblem(str(file))
    except Exception as error:
        raise DataError(f"{file} is no model that SCIP can read: {error}") from None
    return model


def as_variable(column: Any, infinity: float, file: Path) -> Variable:
    """A column as a binary, an integer, or a real on its default grid, as far as that reaches from low."""
    low, high = limit(column.getLbOriginal(), infinity), limit(column.getUbOriginal(), infinity)
    if not (math.isfinite(low) and math.isfinite(high)):
        side = "upper" if math.isfinite(low) else "lower"
        raise DataError(f"{file}: {column.name} has no {side} bound; give it one in the file")
    with named(f"{file}: {column.name}"):
        if column.vtype() == "CONTINUOUS":
            first, last = decimal("low", low), decimal("high", high)
            step = default_step(column.name, first, last)
            return Real(column.name, first, first + (last - first) // step * step, step)
        lowest, highest = math.ceil(low), math.floor(high)
        if (lowest, highest) == (0, 1):
            return binary(column.name)
        encoding: Encoding = "onehot" if highest - lowest < MOST_ONEHOT else "integer"
        return integer(column.name, lowest, highest, encoding=encoding)


def limit(side: float, infinity: float) -> float:
    """A bound or side of SCIP's as a float."""
    return side if abs(side) < infinity else math.copysign(math.inf, side)
