"""A kind of constraint takes a class and a function of rows, and nothing else has to know it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import milbox as mb
from milbox.arrays import BoolArray
from milbox.domain import Constraint, Domain, Literal, Variable
from milbox.domain.model.monomials import Codes
from milbox.domain.model.text import Writer
from milbox.embed.affine import total
from milbox.embed.domain import Formulation, enforce
from milbox.inner import Branch, Enumerate, Mip
from milbox.inner.query import Query
from milbox.milp.program import Affine
from milbox.surrogates import ReluNet
from milbox.surrogates.relu import glorot
from milbox.testing.answers import proposed


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Parity(Constraint):
    """An odd number of the binaries is one, or an even number."""

    kind = "parity"

    variables: tuple[Variable, ...]
    odd: bool

    def holds(self, codes: Codes) -> BoolArray:
        ones = sum(codes[v.name] for v in self.variables)
        return np.asarray((ones % 2 == 1) == self.odd)

    def negation(self) -> "Parity":
        return Parity(self.variables, not self.odd)

    def rule(self, write: Writer) -> str:
        del write
        return f"{'odd' if self.odd else 'even'}({', '.join(v.name for v in self.variables)})"

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "variables": [v.name for v in self.variables], "odd": self.odd}

    @classmethod
    def from_json(cls, form: Mapping[str, Any], variables: Mapping[str, Variable]) -> "Parity":
        return cls(tuple(variables[name] for name in form["variables"]), form["odd"])


@enforce.register
def _(parity: Parity, formulation: Formulation, when: Affine) -> None:
    """The binaries add up to twice a whole number, and one more where it is odd."""
    half = len(parity.variables) // 2
    column = formulation.milp.columns([0.0], float(half), integer=True)
    ones = total(formulation.literal(Literal(v, 1)) for v in parity.variables)
    formulation.milp.define(column, lambda x: [round(ones.at(x)) // 2])
    rest = ones + Affine(column, np.array([-2.0]))
    formulation.limit(rest, parity.odd, parity.odd, -2.0 * half, len(parity.variables), when)


def declared() -> tuple[Any, Any, list[Variable]]:
    x, k = mb.binary("x", 5), mb.integer("k", 0, 2)
    return x, k, list(x)


def domains() -> dict[str, Domain]:
    x, k, members = declared()
    odd = Parity(tuple(members), True)
    return {
        "alone": Domain([x, k], [odd]),
        "negated": Domain([x, k], [mb.negate(odd)]),
        "nested": Domain([x, k], [mb.any_of(mb.all_of(odd, k == 0), mb.implies(odd, k == 2) & (k >= 1))]),
        "counted": Domain([x, k], [mb.exactly(1, [odd, x[0] == 1, k == 1])]),
    }


@pytest.mark.parametrize("name", domains())
def test_every_exact_method_takes_it(name: str) -> None:
    domain = domains()[name]
    rng = np.random.default_rng(0)
    net = ReluNet.of(glorot((domain.features, 6, 1), rng))
    tried = list(domain)[::3]
    values = []
    for inner in (Enumerate(), Branch(), Mip()):
        (proposal,) = proposed(inner.solve(Query.of(net, domain, tried), rng))
        assert proposal.certificate is not None
        assert proposal.certificate.status == "optimal"
        values.append(proposal.certificate.value)
    assert values == pytest.approx([values[0]] * 3, abs=1e-6)


def test_points_are_what_it_says() -> None:
    assert all(sum(point[:5]) % 2 == 1 for point in domains()["alone"])
    assert domains()["alone"].size == domains()["negated"].size == 48


def test_journals_and_messages_can_write_it_down() -> None:
    domain = domains()["nested"]
    assert Domain.from_json(json.loads(json.dumps(domain.to_json()))) == domain
    assert str(domains()["alone"].violations((1, 1, 0, 0, 0, 0))) == "[odd(x[0], x[1], x[2], x[3], x[4])]"


def test_a_kind_without_rows_says_what_to_do() -> None:
    @dataclass(frozen=True, eq=False, repr=False, slots=True)
    class Rowless(Parity):
        kind = "rowless"

    enforce.register(Rowless, enforce.dispatch(Constraint))
    _, k, members = declared()
    domain = Domain([declared()[0], k], [Rowless(tuple(members), True)])
    net = ReluNet.of(glorot((domain.features, 3, 1), np.random.default_rng(0)))
    with pytest.raises(TypeError, match=r"Rowless has no rows; .*enforce\.register"):
        Mip().solve(Query.of(net, domain), np.random.default_rng(0))
