"""Law 2 for each kind of constraint by itself, wherever a constraint may stand, in both encodings."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

import claims as kinds
import structure_claims
from claims import all_claim, any_claim, forbid_claim, implies_claim, not_claim, operator_claim
from generators import Case, Declaration
from meaning import Claim
from milbox.domain import Domain, Variable
from milbox.milp.solvers import Highs
from rows import check_law_2

KINDS: dict[str, Callable[[Sequence[Variable]], SearchStrategy[Claim]]] = {
    "literal": kinds.literal_claims,
    "linear": kinds.linear_claims,
    "pair": kinds.pair_claims,
    "different": kinds.different_claims,
    "table": kinds.table_claims,
    "automaton": structure_claims.automaton_claims,
    "connected": structure_claims.connected_claims,
    "count": lambda variables: kinds.count_claims(kinds.literal_claims(variables)),
}

PLACES: dict[str, Callable[[Claim, Claim], Claim]] = {
    "alone": lambda claim, _: claim,
    "negated": lambda claim, _: not_claim(claim),
    "if": lambda claim, other: implies_claim((claim, other)),
    "then": lambda claim, other: implies_claim((other, claim)),
    "or": lambda claim, other: any_claim([other, claim]),
    "neither": lambda claim, other: not_claim(any_claim([claim, other])),
    "forbidden": lambda claim, other: forbid_claim([claim, other]),
    "xor": lambda claim, other: operator_claim((claim, other)),
    "both or neither": lambda claim, other: any_claim(
        [all_claim([claim, other]), all_claim([not_claim(claim), not_claim(other)])]
    ),
}


def declarations(encoding: Any) -> tuple[Declaration, ...]:
    return (
        Declaration("binary", "x", 2),
        Declaration("integer", "k", low=-1, high=1, encoding=encoding),
        Declaration("categorical", "c", choices=(0, "a", 1), encoding=encoding),
    )


@pytest.mark.parametrize("encoding", ["onehot", "integer"])
@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=10)
@given(st.data())
def test_law_2_for_every_kind_in_every_place(kind: str, encoding: str, data: st.DataObject) -> None:
    chosen = declarations(encoding)
    variables = Domain([declaration.declare() for declaration in chosen]).variables
    claim = data.draw(KINDS[kind](variables))
    other = data.draw(kinds.literal_claims(variables) | kinds.linear_claims(variables))
    place = data.draw(st.sampled_from(list(PLACES)))
    check_law_2(Case(chosen, (PLACES[place](claim, other),)), Highs())
