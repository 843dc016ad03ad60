"""Generators of the small domains, points, networks and histories that the laws quantify over.

Everything drawn here is small enough to enumerate, since enumeration is the oracle.
"""

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

import milbox.domain as mb
from claims import claims
from meaning import Claim
from milbox.arrays import Point
from milbox.domain import Constraint, Domain, Variable
from milbox.domain.model.array import Array
from milbox.surrogates.relu import ReluNet
from milbox.trials import Failed, Finished, History, Proposal

# Choices that overlap between variables, of every type a choice may have.
CHOICES: tuple[tuple[Any, ...], ...] = (
    ("a", "b", "c"),
    ("b", "c", "d"),
    ("c", "a"),
    ("a",),
    (1, 2, 3),
    (0.5, 2, "a"),
    (None, "a"),
    (False, True),
)


@dataclass(frozen=True)
class Declaration:
    """One declared variable or array, as data, so that it can be declared again in another way."""

    kind: str
    name: str
    size: int | tuple[int, ...] | None = None
    low: int = 0
    high: int = 1
    choices: tuple[Any, ...] = ()
    encoding: Any = "onehot"

    def declare(self) -> Any:
        """The variable or array."""
        if self.kind == "binary":
            return mb.binary(self.name, self.size)
        if self.kind == "integer":
            return mb.integer(self.name, self.low, self.high, self.size, encoding=self.encoding)
        return mb.categorical(self.name, self.choices, self.size, encoding=self.encoding)

    @property
    def box(self) -> int:
        """How many values it can take in all."""
        each = {"binary": 2, "integer": self.high - self.low + 1}.get(self.kind, len(self.choices))
        count = 1 if self.size is None else int(np.prod(self.size))
        return int(each**count)


@dataclass(frozen=True)
class Case:
    """A domain as data: declarations, and claims about their scalars by name."""

    declarations: tuple[Declaration, ...]
    claims: tuple[Claim, ...] = ()

    @property
    def domain(self) -> Domain:
        """The domain, declared afresh."""
        declared = [declaration.declare() for declaration in self.declarations]
        variables = by_name(Domain(declared).variables)
        return Domain(declared, [claim.build(variables) for claim in self.claims])

    def truth(self, values: Mapping[str, Any]) -> bool:
        """Whether every claim is true of the scalars' values."""
        return all(claim.truth(values) for claim in self.claims)

    def encoded(self, encoding: str) -> "Case":
        """The same case with every variable encoded in one way."""
        return replace(self, declarations=tuple(replace(d, encoding=encoding) for d in self.declarations))


def by_name(variables: Sequence[Variable]) -> dict[str, Variable]:
    """Variables by name."""
    return {v.name: v for v in variables}


def scalar_values(domain: Domain, point: Sequence[int]) -> dict[str, Any]:
    """What each scalar variable is at a point, by name."""
    return {v.name: v.value(code) for v, code in zip(domain.variables, point, strict=True)}


def box(domain: Domain) -> list[Point]:
    """Every point the variables allow, whatever the constraints say."""
    return list(itertools.product(*(v.codes for v in domain.variables)))


@st.composite
def declarations(draw: st.DrawFn, name: str) -> Declaration:
    """A scalar or a small array of any kind, in either encoding."""
    kind = draw(st.sampled_from(["binary", "integer", "categorical"]))
    sizes = [None, None, 1, 2, 3] + ([(2, 2), (1, 3)] if kind == "binary" else [(1, 2)])
    size = draw(st.sampled_from(sizes))
    low = draw(st.integers(-2, 2))
    high = low + draw(st.integers(0, 2 if size else 4))
    choices = draw(st.sampled_from(CHOICES))
    encoding = draw(st.sampled_from(["onehot", "integer"]))
    if kind == "binary":
        return Declaration(kind, name, size)
    if kind == "integer":
        return Declaration(kind, name, size, low=low, high=high, encoding=encoding)
    return Declaration(kind, name, size, choices=choices, encoding=encoding)


@st.composite
def small_cases(draw: st.DrawFn, most: int = 64, depth: int = 2, max_claims: int = 3) -> Case:
    """A case whose box has at most `most` points; it may well be infeasible."""
    chosen: list[Declaration] = []
    for name in "abcd"[: draw(st.integers(1, 4))]:
        declaration = draw(declarations(name))
        if math.prod(d.box for d in [*chosen, declaration]) <= most:
            chosen.append(declaration)
    if not chosen:
        chosen.append(Declaration("binary", "a", 2))
    variables = Domain([d.declare() for d in chosen]).variables
    drawn = draw(st.lists(claims(variables, depth), max_size=max_claims))
    return Case(tuple(chosen), tuple(drawn))


@st.composite
def small_domains(
    draw: st.DrawFn, most: int = 64, depth: int = 2, max_claims: int = 3, feasible: bool = False
) -> Domain:
    """A domain of any kind whose box has at most `most` points; `feasible` asks for at least one point."""
    domain = draw(small_cases(most, depth, max_claims)).domain
    if feasible:
        assume(next(iter(domain), None) is not None)
    return domain


def constraints(variables: Sequence[Variable], depth: int = 2) -> SearchStrategy[Constraint]:
    """Any constraint on the variables, nested up to a depth."""
    named = by_name(list(flat(variables)))
    return claims(tuple(named.values()), depth).map(lambda claim: claim.build(named))


def flat(variables: Sequence[Any]) -> list[Variable]:
    """The scalars of variables and arrays."""
    return [v for thing in variables for v in (thing.flat if isinstance(thing, Array) else (thing,))]


def points(domain: Domain) -> SearchStrategy[Point]:
    """The feasible points of a domain that has some."""
    return st.sampled_from(list(domain))


@st.composite
def relu_nets(
    draw: st.DrawFn, features: int, hidden: Sequence[int] | None = None, whole: bool | None = None
) -> ReluNet:
    """A network with one to three hidden layers; whole weights make ties, some neurons are constant."""
    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=3)) if hidden is None else list(hidden)
    whole = draw(st.booleans()) if whole is None else whole
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    layers = []
    for inputs, units in itertools.pairwise([features, *sizes, 1]):
        drawn = rng.integers(-2, 3, (inputs + 1, units)) if whole else rng.normal(size=(inputs + 1, units))
        weights, bias = drawn[:-1].astype(np.float64), drawn[-1].astype(np.float64)
        weights[rng.random((inputs, units)) < 0.2] = 0.0
        layers.append((weights, bias))
    for weights, bias in layers[:-1]:
        for unit in range(len(bias)):
            fate = draw(st.sampled_from(["alive", "alive", "alive", "zero", "off", "on"]))
            if fate != "alive":  # l = u: always 0, always negative, always positive
                weights[:, unit] = 0.0
                bias[unit] = {"zero": 0.0, "off": -1.0, "on": 1.5}[fate]
    return ReluNet.of(layers)


@st.composite
def histories(draw: st.DrawFn, domain: Domain, most: int = 20) -> History:
    """Distinct feasible points of a domain, asked one by one; some finished, some failed, some pending."""
    possible = list(domain)
    assume(possible)
    asked = draw(st.lists(st.sampled_from(possible), max_size=min(most, len(possible)), unique=True))
    history = History().asked([Proposal(point, "random") for point in asked])
    for number in range(len(asked)):
        match draw(st.sampled_from(["finished", "finished", "finished", "failed", "pending"])):
            case "finished":
                value = draw(st.integers(-5, 5).map(float) | st.floats(-1e3, 1e3))
                history = history.told(number, Finished(value))
            case "failed":
                history = history.told(number, Failed("the cable came loose"))
    return history
