"""Rows for one proposal alone: values that are fixed, and constraints that hold besides the domain's."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from milbox.domain import Array, Constraint, Domain, Variable
from milbox.domain.constraints.build import constraints
from milbox.domain.rules.read import rule
from milbox.trials.trial import Proposal


def narrowing(
    domain: Domain, fix: Mapping[str, Any] | None = None, where: Iterable[Any] | Any = ()
) -> tuple[Constraint, ...]:
    """The constraints that fixed values and conditions state.

    Args:
        domain: whose variables they are about.
        fix: values by name: of a scalar, of a whole array, or of an item such as `x[2]`.
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
        rows += rule(each, declared) if isinstance(each, str) else constraints(each)
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
        values = np.array(value, dtype=object)
        if values.shape != thing.shape:
            raise ValueError(f"{name!r} has shape {thing.shape}, but {values.shape} was given to fix it")
        return [is_equal(v, each) for v, each in zip(thing.flat, values.ravel().tolist(), strict=True)]
    place = domain.index.get(name)
    if place is None:
        raise ValueError(f"there is no variable {name!r} to fix; there are {', '.join(declared)}")
    return [is_equal(domain.variables[place], value)]


def is_equal(variable: Variable, value: Any) -> Constraint:
    """The variable has the value; one that it cannot have is refused."""
    equal: Constraint = variable == variable.value(variable.code(value))
    return equal
