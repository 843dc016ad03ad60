"""Rows for one proposal alone: values that are fixed, and constraints that hold besides the domain's."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from milbox.domain import Array, Constraint, Domain
from milbox.domain.constraints.build import constraints
from milbox.domain.rules.read import rule
from milbox.domain.rules.write import rule_text
from milbox.errors import nearest
from milbox.trials.trial import Proposal


def narrowing(
    domain: Domain, fix: Mapping[str, Any] | None = None, where: Iterable[Any] | Any = ()
) -> tuple[Constraint, ...]:
    """The constraints that fixed values and conditions state.

    Args:
        domain: whose variables they are about.
        fix: values by name: of a scalar, of a whole array, or of an item such as `x[2]`. A conditional
            variable with a value exists, and one that is None does not.
        where: constraints or rules, or one of them.

    Raises:
        ValueError: there is no such variable, it has no such value, or a rule cannot be read.
    """
    declared = {str(thing.name): thing for thing in domain.declared}
    rows: list[Constraint] = []
    for name, value in (fix or {}).items():
        rows += fixed(domain, declared, name, value)
    given = list(where) if isinstance(where, Iterable) and not isinstance(where, str) else [where]
    for each in given:
        rows += constraints(rule(each, declared) if isinstance(each, str) else each)
    return tuple(rows)


def narrowed(proposal: Proposal, where: tuple[str, ...]) -> Proposal:
    """The proposal, whose certificate names the rules that its point was asked to keep."""
    certificate = proposal.certificate
    if certificate is None or not where:
        return proposal
    about = f"{certificate.about} with {' and '.join(where)}"
    return replace(proposal, certificate=replace(certificate, about=about))


def fixed(domain: Domain, declared: Mapping[str, Any], name: str, value: Any) -> list[Constraint]:
    """The constraints that give a variable, or each item of an array, its value."""
    thing = declared.get(name)
    if isinstance(thing, Array):
        values = np.array([None] * thing.size if value is None else value, dtype=object)
        if value is not None and values.shape != thing.shape:
            raise ValueError(f"{name!r} has shape {thing.shape}, but {values.shape} was given to fix it")
        rows: dict[str, Constraint] = {}  # items of one condition say it once
        for v, each in zip(thing.flat, values.ravel().tolist(), strict=True):
            rows |= {rule_text(row): row for row in is_equal(domain, domain.index[v.name], each)}
        return list(rows.values())
    return is_equal(domain, domain.index[scalar_name(domain, name)], value)


def scalar_name(domain: Domain, name: str) -> str:
    """The name of a scalar variable or of an array's item, `x[0, 1]`, however its spaces are written.

    Raises:
        ValueError: there is none.
    """
    spaced = re.sub(r"\s*,\s*", ", ", re.sub(r"\s*([\[\]])\s*", r"\1", name.strip()))
    for known in (name, spaced):
        if known in domain.index:
            return known
    declared = {str(thing.name): thing for thing in domain.declared}
    array = declared.get(spaced.partition("[")[0])
    if isinstance(array, Array) and "[" in spaced:
        raise ValueError(f"there is no {spaced} to fix: {array.name} has the shape {array.shape}")
    raise ValueError(f"there is no variable {name!r} to fix{nearest(name, declared)}")


def is_equal(domain: Domain, place: int, value: Any) -> list[Constraint]:
    """The variable has the value, and exists; one that it cannot have is refused."""
    variable, condition = domain.variables[place], domain.conditions.get(place)
    if condition is not None and value is None:
        return [condition.condition]
    equal: Constraint = variable == variable.value(variable.code(value))
    return [equal] if condition is None else [equal, condition.presence]
