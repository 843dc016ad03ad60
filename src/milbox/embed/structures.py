"""Rows of automata and of connected graphs, as flows over auxiliary columns."""

from collections.abc import Callable

import numpy as np

from milbox.arrays import BoolArray, FloatArray, IntArray
from milbox.domain.constraints.automata import Automaton
from milbox.domain.constraints.connected import Chosen, Connected
from milbox.embed.affine import constant, total
from milbox.embed.domain import Formulation, enforce
from milbox.milp.program import Affine


@enforce.register
def enforce_automaton(automaton: Automaton, formulation: Formulation, when: Affine) -> None:
    """One unit of flow walks from the start to an accepting state, a letter a step (Côté et al. 2007).

        sum of f[0, start, ·] = when;   flow in = flow out of every state between two steps;
        sum over states of f[t, ·, a] <= [x_t = a].

    A word leaves the flow one way at most, so that whole letters make whole flows.
    """
    milp = formulation.milp
    steps = automaton.useful()
    if not all(len(found) for found in steps):
        formulation.at_least(-1.0 * when, 0)
        return
    flows = [milp.columns(np.zeros(len(found)), 1.0) for found in steps]
    milp.define(
        np.concatenate(flows),
        lambda x: np.concatenate(walked(formulation, automaton, steps, x)) * round(when.at(x)),
    )
    first = Affine(flows[0], np.ones(len(flows[0]))) + -1.0 * when
    formulation.equal(first, 0)
    for here, after, flow, flow_after in zip(steps, steps[1:], flows, flows[1:], strict=False):
        for state in np.unique(here[:, 2]):
            into, out = flow[here[:, 2] == state], flow_after[after[:, 0] == state]
            formulation.equal(Affine(into, np.ones(len(into))) + Affine(out, -np.ones(len(out))), 0)
    for variable, found, flow in zip(automaton.variables, steps, flows, strict=True):
        i = formulation.domain.index[variable.name]
        for letter in np.unique(found[:, 1]):
            used = flow[found[:, 1] == letter]
            indicator = formulation.code_is(i, int(letter) + variable.codes[0])
            formulation.at_least(indicator + Affine(used, -np.ones(len(used))), 0)


def walked(
    formulation: Formulation, automaton: Automaton, steps: list[IntArray], x: FloatArray
) -> list[FloatArray]:
    """The flow of the word that x spells: one on each of its steps, as far as it leads."""
    point = formulation.point(x)
    state = automaton.start
    flows = []
    for variable, found in zip(automaton.variables, steps, strict=True):
        letter = point[formulation.domain.index[variable.name]] - variable.codes[0]
        taken = (found[:, 0] == state) & (found[:, 1] == letter)
        flows.append(taken.astype(np.float64))
        state = int(found[taken][0, 2]) if taken.any() else -1
    return flows


@enforce.register
def enforce_connected(piece: Connected, formulation: Formulation, when: Affine) -> None:
    """Every present vertex takes one unit of what flows from a single root over open edges.

        flow in - flow out + n root_v >= present_v + when - 1,   sum of roots <= 1,
        flow on an edge <= (n - 1) [open], (n - 1) [present] at both ends.

    Or, for more than one piece: a side for each vertex, equal along open edges, and a present vertex on each.
    """
    literals = [formulation.literal(literal) for literal in piece.literals]
    present = presence(formulation, piece, literals)
    if piece.connected:
        enforce_one_piece(formulation, piece, literals, present, when)
    else:
        enforce_pieces(formulation, piece, literals, present, when)


def presence(formulation: Formulation, piece: Connected, literals: list[Affine]) -> list[Affine]:
    """For each vertex the 0/1 expression that it is part of the choice."""
    if piece.chosen is Chosen.VERTICES:
        return literals
    if piece.chosen is Chosen.SPANNING:
        return [constant(1.0)] * piece.order
    found = []
    for vertex in range(piece.order):
        near = [literals[k] for k, edge in enumerate(piece.edges) if vertex in edge]
        column = formulation.milp.columns([0.0], 1.0, integer=True)
        present = Affine(column, np.ones(1))
        for literal in near:
            formulation.at_least(present + -1.0 * literal, 0)
        formulation.at_least(total(near) + -1.0 * present, 0)
        formulation.milp.define(column, some(near))
        found.append(present)
    return found


def some(literals: list[Affine]) -> Callable[[FloatArray], list[float]]:
    """Whether any of the literals is one, as a definition of a column."""
    return lambda x: [float(any(round(literal.at(x)) for literal in literals))]


def enforce_one_piece(
    formulation: Formulation, piece: Connected, literals: list[Affine], present: list[Affine], when: Affine
) -> None:
    """Rows for a choice that is one piece."""
    milp, order, count = formulation.milp, piece.order, len(piece.edges)
    # With every vertex present, any of them will do as the root; else each may be chosen.
    free = piece.chosen is not Chosen.SPANNING
    root = milp.columns(np.zeros(order), 1.0 if free else np.arange(order) == 0, integer=True)
    flow = milp.columns(np.zeros(2 * count), order - 1.0) if count else root[:0]
    milp.define(
        np.concatenate([root, flow]),
        lambda x: drained(piece, np.array([round(each.at(x)) for each in literals], dtype=bool)),
    )
    milp.row(root, np.ones(order), upper=1)
    forward, backward = flow[:count], flow[count:]
    ends = np.array(piece.edges, dtype=np.int64).reshape(-1, 2)
    for vertex in range(order):
        tail, head = ends[:, 0] == vertex, ends[:, 1] == vertex
        into = np.concatenate([forward[head], backward[tail]])
        out = np.concatenate([forward[tail], backward[head]])
        balance = Affine(into, np.ones(len(into))) + Affine(out, -np.ones(len(out)))
        supply = Affine(root[[vertex]], np.array([float(order)]))
        formulation.at_least(balance + supply + -1.0 * present[vertex] + -1.0 * when, -1)
    for k, (u, v) in enumerate(piece.edges):
        both = Affine(flow[[k, k + count]], -np.ones(2))
        for gate in [present[u], present[v]] if piece.chosen is Chosen.VERTICES else [literals[k]]:
            formulation.at_least(float(order - 1) * gate + both, 0)


def drained(piece: Connected, picked: BoolArray) -> FloatArray:
    """The root, and on each edge and its reverse the number of vertices that the root reaches through it."""
    present, is_open = (part[0] for part in piece.parts(picked[None, :]))
    root, flow = np.zeros(piece.order), np.zeros(2 * len(piece.edges))
    if not present.any():
        return np.concatenate([root, flow])
    first = int(np.flatnonzero(present)[0])
    root[first] = 1.0
    seen, order = {first: -1}, [first]
    for vertex in order:
        for k, (u, v) in enumerate(piece.edges):
            if is_open[k] and vertex in (u, v):
                other, way = (v, k) if vertex == u else (u, k + len(piece.edges))
                if other not in seen:
                    seen[other] = way
                    order.append(other)
    size = dict.fromkeys(order, 1.0)
    for vertex in reversed(order[1:]):
        way = seen[vertex]
        u, v = piece.edges[way % len(piece.edges)]
        flow[way] = size[vertex]
        size[u if way < len(piece.edges) else v] += size[vertex]
    return np.concatenate([root, flow])


def enforce_pieces(
    formulation: Formulation, piece: Connected, literals: list[Affine], present: list[Affine], when: Affine
) -> None:
    """Rows for a choice that is more than one piece."""
    milp, order = formulation.milp, piece.order
    side, one, other = (milp.columns(np.zeros(order), 1.0, integer=True) for _ in range(3))
    milp.define(
        np.concatenate([side, one, other]),
        lambda x: separated(piece, np.array([round(each.at(x)) for each in literals], dtype=bool)),
    )
    for k, (u, v) in enumerate(piece.edges):
        gates = [present[u], present[v]] if piece.chosen is Chosen.VERTICES else [literals[k]]
        # |side_u - side_v| <= 0 when every gate is one and the rows are in force.
        shut = total([*gates, when])
        for sign in (1.0, -1.0):
            difference = Affine(side[[u, v]], np.array([sign, -sign]))
            formulation.at_least(-1.0 * (difference + shut), -float(len(gates) + 1))
    for vertex in range(order):
        for mark, where in (
            (one[vertex], Affine(side[[vertex]], np.ones(1))),
            (other[vertex], Affine(side[[vertex]], -np.ones(1), 1.0)),
        ):
            marked = Affine(np.array([mark]), -np.ones(1))
            formulation.at_least(where + marked, 0)
            formulation.at_least(present[vertex] + marked, 0)
    for marks in (one, other):
        formulation.at_least(Affine(marks, np.ones(order)) + -1.0 * when, 0)


def separated(piece: Connected, picked: BoolArray) -> FloatArray:
    """The sides of the vertices, and one present vertex on each side."""
    present = piece.parts(picked[None, :])[0][0]
    reached = drained_vertices(piece, picked)
    one = np.zeros(piece.order)
    other = np.zeros(piece.order)
    one[np.flatnonzero(reached)[:1]] = 1.0
    other[np.flatnonzero(present & ~reached)[:1]] = 1.0
    return np.concatenate([reached.astype(np.float64), one, other])


def drained_vertices(piece: Connected, picked: BoolArray) -> BoolArray:
    """The vertices that are connected with the first present one."""
    flows = drained(piece, picked)
    reached = flows[: piece.order] > 0
    for way, amount in enumerate(flows[piece.order :]):
        if amount:
            u, v = piece.edges[way % len(piece.edges)]
            reached[v if way < len(piece.edges) else u] = True
    return np.asarray(reached)
