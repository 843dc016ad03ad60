"""Words that an automaton accepts and connected choices of a graph, decided by plain walks."""

import itertools
from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

import milbox.domain as mb
from meaning import Claim, Names, Values, values_of
from milbox.domain import Variable
from milbox.domain.constraints.graphs import connected_edges, connected_vertices, spanning


@st.composite
def automaton_claims(draw: st.DrawFn, variables: Sequence[Variable]) -> Claim:
    """A sequence of variables with one alphabet is accepted by an automaton of up to three states."""
    first = draw(st.sampled_from(variables))
    alphabet = values_of(first)
    alike = [v for v in variables if values_of(v) == alphabet and v.kind == first.kind]
    chosen = draw(st.lists(st.sampled_from(alike), min_size=1, max_size=4, unique_by=lambda v: v.name))
    names = [v.name for v in chosen]
    states = draw(st.lists(st.sampled_from("pqr"), min_size=1, max_size=3, unique=True))
    one = st.sampled_from(states)
    # A list of pairs: choices need not be hashable alike, and a missing step rejects.
    steps: dict[tuple[str, int], str] = draw(
        st.dictionaries(st.tuples(one, st.integers(0, len(alphabet) - 1)), one, max_size=9)
    )
    start, accepting = draw(one), draw(st.lists(one, max_size=2, unique=True))

    def accepted(values: Values) -> bool:
        state: str | None = start
        for name in names:
            letter = alphabet.index(values[name])
            state = steps.get((state, letter)) if state is not None else None
        return state in accepting

    return Claim(
        lambda v: mb.automaton(
            [v[name] for name in names],
            [(state, alphabet[i], after) for (state, i), after in steps.items()],
            start,
            accepting,
        ),
        accepted,
        f"automaton({names}, {steps}, {start}, {accepting})",
    )


@st.composite
def connected_claims(draw: st.DrawFn, variables: Sequence[Variable]) -> Claim:
    """Literals choose vertices or edges of a graph of up to five vertices, and they hang together."""
    kind = draw(st.sampled_from(["vertices", "edges", "spanning"]))
    order = draw(st.integers(1 if kind == "vertices" else 2, 5))
    everywhere = list(itertools.permutations(range(order), 2))
    pairs = (
        draw(st.lists(st.sampled_from(everywhere), min_size=kind != "vertices", max_size=6))
        if everywhere
        else []
    )
    picks = []
    for _ in range(order if kind == "vertices" else len(pairs)):
        variable = draw(st.sampled_from(variables))
        picks.append((variable.name, draw(st.sampled_from(values_of(variable))), draw(st.booleans())))

    def literals(v: Names) -> list[Any]:
        return [v[name] == value if positive else v[name] != value for name, value, positive in picks]

    def build(v: Names) -> Any:
        match kind:
            case "vertices":
                return connected_vertices(literals(v), pairs)
            case "edges":
                return connected_edges(literals(v), pairs)
            case _:
                return spanning(literals(v), pairs, order)

    def truth(values: Values) -> bool:
        on = [(values[name] == value) == positive for name, value, positive in picks]
        if kind == "vertices":
            present = {i for i in range(order) if on[i]}
            joins = [pair for pair in pairs if present.issuperset(pair)]
        else:
            joins = [pair for pair, chosen in zip(pairs, on, strict=True) if chosen]
            present = set(range(order)) if kind == "spanning" else {v for pair in joins for v in pair}
        return in_one_piece(present, joins)

    return Claim(build, truth, f"connected({kind}, {order}, {pairs}, {picks})")


def in_one_piece(vertices: set[int], edges: Sequence[tuple[int, int]]) -> bool:
    """Whether a walk from any vertex reaches all."""
    if not vertices:
        return True
    reached = {min(vertices)}
    while True:
        more = {b for pair in edges for a, b in (pair, pair[::-1]) if a in reached} - reached
        if not more:
            return reached == vertices
        reached |= more
