"""Points as assignments, {name: value}, which the objective sees; and these as plain lists and numbers."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from milbox.arrays import Point
from milbox.domain.kept import kept
from milbox.domain.model.array import Array

if TYPE_CHECKING:
    from milbox.domain.domain import Domain
    from milbox.domain.model.variables import Variable


def plain(assignment: Mapping[str, Any]) -> dict[str, Any]:
    """The assignment with arrays as nested lists and numbers as Python's own, as `json.dumps` takes it."""
    return {
        name: value.tolist() if isinstance(value, np.ndarray | np.generic) else value
        for name, value in assignment.items()
    }


def assignment_of(domain: "Domain", point: Sequence[int]) -> dict[str, Any]:
    """The values of a point by name; None for variables that do not exist there."""
    codes = [int(code) for code in domain.checked(point)]
    missing = domain.absent(domain.codes([codes]))[0] if domain.conditions else np.zeros(len(codes), bool)
    values: dict[str, Any] = {}
    start = 0
    for thing in domain.declared:
        name = str(thing.name)
        if not isinstance(thing, Array):
            values[name] = None if missing[start] else thing.value(codes[start])
            start += 1
            continue
        own = slice(start, start + thing.size)
        start += thing.size
        together = array_conditions(domain).get(name)
        if together and missing[own].all():
            values[name] = None
            continue
        items = next(thing.flat).values(codes[own])
        values[name] = (with_none(items, missing[own]) if together is False else items).reshape(thing.shape)
    return values


def with_none(items: npt.NDArray[Any], missing: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The items as objects, None where they are missing."""
    mixed = np.empty(len(items), dtype=object)
    mixed[:] = [None if gone else item for gone, item in zip(missing, items.tolist(), strict=True)]
    return mixed


@kept
def array_conditions(domain: "Domain") -> dict[str, bool]:
    """The arrays with conditional items by name, and whether all their items have one condition."""
    found: dict[str, bool] = {}
    for thing in domain.declared:
        if isinstance(thing, Array):
            own = [domain.conditions.get(domain.index[v.name]) for v in thing.flat]
            texts = {None if each is None else json.dumps(each.stated.to_json()) for each in own}
            if texts != {None}:
                found[str(thing.name)] = len(texts) == 1
    return found


def own_code(variable: "Variable", value: Any) -> int:
    """The code of a value that the variable takes."""
    return variable.code(value)


def point_of(
    domain: "Domain", assignment: Mapping[str, Any], code: "Callable[[Variable, Any], int]" = own_code
) -> Point:
    """The point behind an assignment, or an error that names what is wrong with it; `code` reads values."""
    names = [str(thing.name) for thing in domain.declared]
    conditional = {domain.variables[i].name for i in domain.conditions} | set(array_conditions(domain))
    missing = [name for name in names if name not in assignment and name not in conditional]
    extra = [name for name in assignment if name not in names]
    if missing or extra:
        raise ValueError(
            f"an assignment needs exactly the variables {names}"
            + (f"; {missing} are missing" if missing else "")
            + (f"; {extra} are not variables" if extra else "")
        )
    values: list[Any] = []
    for thing in domain.declared:
        given = assignment.get(str(thing.name))
        if not isinstance(thing, Array):
            values.append(given)
        elif given is None and str(thing.name) in conditional:
            values += [None] * thing.size
        else:
            items = np.array(given, dtype=object)
            if items.shape != thing.shape:
                raise ValueError(f"{thing.name!r} has shape {thing.shape}, but {items.shape} was given")
            values += list(items.ravel())
    return point_of_values(domain, values, code)


def point_of_values(
    domain: "Domain", values: Sequence[Any], code: "Callable[[Variable, Any], int]" = own_code
) -> Point:
    """The point behind a value for each scalar variable, in order: None where it does not exist."""
    codes = np.array(
        [
            v.codes[0] if i in domain.conditions else code(v, value)
            for i, (v, value) in enumerate(zip(domain.variables, values, strict=True))
        ],
        dtype=np.int64,
    )
    for place, condition in domain.conditions.items():  # each behind those that it depends on
        variable, value = domain.variables[place], values[place]
        exists = not condition.condition.holds(domain.columns(codes[None, :]))[0]
        if exists and value is None:
            raise ValueError(f"{variable.name!r} is missing, and exists here: {condition}")
        if value is not None and not exists:
            raise ValueError(
                f"{variable.name!r} does not exist here, since {condition} fails; leave it out, or write None"
            )
        if exists:
            codes[place] = code(variable, value)
    return tuple(codes.tolist())
