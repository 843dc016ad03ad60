"""The ready-made structures, each with a check of one assignment in plain Python."""

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import milbox as on
import milbox.domain as mb
from milbox.domain import Domain
from milbox.domain.constraints import graphs
from structure_claims import in_one_piece

SQUARE = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)]
ROADS = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("b", "d")]
ISLANDS = [(0, 1), (1, 2), (3, 4)]


@dataclass(frozen=True)
class Structure:
    """A small domain with one structure on it, and what the structure means."""

    name: str
    domain: Domain
    truth: Callable[[Mapping[str, Any]], bool]

    def __str__(self) -> str:
        return self.name


def picked(graph: Sequence[tuple[Any, Any]], x: Any) -> list[tuple[Any, Any]]:
    """The chosen edges."""
    return [pair for pair, on_ in zip(graph, x, strict=True) if on_]


def in_one_piece_named(edges: Sequence[tuple[Any, Any]]) -> bool:
    """Whether edges between named vertices hang together."""
    names = {v: i for i, v in enumerate(dict.fromkeys(v for edge in edges for v in edge))}
    return in_one_piece(set(names.values()), [(names[u], names[v]) for u, v in edges])


def is_path(edges: Sequence[tuple[Any, Any]], source: Any, target: Any, directed: bool = False) -> bool:
    """Whether the edges, in some order, walk from source to target without meeting a vertex twice."""
    for order in itertools.permutations(edges):
        here, seen = source, {source}
        for u, v in order:
            if here == u or (here == v and not directed):
                here = v if here == u else u
            else:
                break
            if here in seen:
                break
            seen.add(here)
        else:
            if here == target:
                return True
    return False


def is_cell(edges: Sequence[tuple[int, int]], active: Sequence[bool]) -> bool:
    """Whether every active vertex lies on a way from first to last, and no other vertex has an edge."""
    last = len(active) - 1
    if any(not active[v] for edge in edges for v in edge):
        return False
    forward, backward = {0}, {last}
    for _ in active:
        forward |= {v for u, v in edges if u in forward}
        backward |= {u for u, v in edges if v in backward}
    return all(v in forward & backward for v in range(len(active)) if active[v])


def domain(variable: Any, structure: Callable[..., Any], *others: Any) -> Domain:
    """A domain of some variables with one structure on them."""
    return Domain([variable, *others], [structure(variable, *others)])


def text(assignment: Mapping[str, Any]) -> str:
    """A sequence as a word."""
    return "".join(assignment["s"])


def letters(count: int) -> Any:
    """A sequence of three kinds of letters."""
    return mb.categorical("s", "ABC", count)


X6 = mb.binary("x", 6)
X5 = mb.binary("x", 5)
X3 = mb.binary("x", 3)
X10 = mb.binary("x", 10)
SELECTIONS = [
    Structure(
        "subset of size",
        domain(X6, lambda x: on.subset_of_size(x, 2)),
        lambda a: a["x"].sum() == 2,
    ),
    Structure(
        "subset within sizes",
        domain(mb.categorical("c", "ab", 5), lambda c: on.subset_of_size(c == "b", (1, 3))),
        lambda a: 1 <= (a["c"] == "b").sum() <= 3,
    ),
    Structure(
        "balanced",
        domain(X6, lambda x: on.balanced([x[0:2], x[2:4], x[4:6]])),
        lambda a: a["x"][0:2].sum() == a["x"][2:4].sum() == a["x"][4:6].sum(),
    ),
    Structure(
        "balanced within",
        domain(X6, lambda x: on.balanced([x[0:3], x[3:6]], within=1)),
        lambda a: abs(a["x"][0:3].sum() - a["x"][3:6].sum()) <= 1,
    ),
    Structure(
        "budget",
        domain(X5, lambda x: on.budget(x, [1.5, 2.5, 3, 4, 0.1], 5.6)),
        lambda a: round(a["x"] @ np.array([15, 25, 30, 40, 1])) <= 56,
    ),
    Structure(
        "budget of integers",
        domain(mb.integer("k", 0, 3, 3), lambda k: on.budget(k, [2, 3, 5], 11)),
        lambda a: a["k"] @ np.array([2, 3, 5]) <= 11,
    ),
]
ORDERS = [
    Structure(
        "permutation",
        domain(mb.integer("p", 1, 4, 4), on.permutation),
        lambda a: sorted(a["p"].tolist()) == [1, 2, 3, 4],
    ),
    Structure(
        "permutation of choices",
        domain(mb.categorical("p", "abc", 3), on.permutation),
        lambda a: sorted(a["p"].tolist()) == ["a", "b", "c"],
    ),
    Structure(
        "assignment one to one",
        domain(mb.binary("x", (3, 3)), on.assignment),
        lambda a: (a["x"].sum(axis=1) == 1).all() and (a["x"].sum(axis=0) <= 1).all(),
    ),
    Structure(
        "assignment of a matrix with capacities",
        domain(mb.binary("x", (4, 2)), lambda x: on.assignment(x, [1, 3])),
        lambda a: (a["x"].sum(axis=1) == 1).all() and (a["x"].sum(axis=0) <= [1, 3]).all(),
    ),
    Structure(
        "assignment with capacities",
        domain(
            mb.categorical("t", ["anna", "bob", "eve"], 4), lambda t: on.assignment(t, {"anna": 2, "bob": 3})
        ),
        lambda a: (
            (a["t"] == "anna").sum() <= 2 and (a["t"] == "bob").sum() <= 3 and not (a["t"] == "eve").any()
        ),
    ),
    Structure(
        "assignment with one capacity",
        domain(mb.integer("t", 0, 2, 4), lambda t: on.assignment(t, 2)),
        lambda a: all((a["t"] == k).sum() <= 2 for k in range(3)),
    ),
    Structure(
        "precedence",
        domain(mb.integer("t", 0, 4, 2), lambda t: on.precedes(t[0], t[1], gap=2)),
        lambda a: a["t"][0] + 2 <= a["t"][1],
    ),
    Structure(
        "before",
        domain(letters(4), lambda s: on.before(s, "A", "C")),
        lambda a: all(
            i < j for i, j in itertools.product(range(4), repeat=2) if a["s"][i] == "A" and a["s"][j] == "C"
        ),
    ),
    Structure(
        "ordered",
        domain(mb.integer("t", 0, 3, 3), lambda t: on.ordered(t, gap=1)),
        lambda a: a["t"][0] < a["t"][1] < a["t"][2],
    ),
]
SEQUENCES = [
    Structure(
        "no runs",
        domain(letters(5), lambda s: on.no_runs(s, 2)),
        lambda a: not any(letter * 3 in text(a) for letter in "ABC"),
    ),
    Structure(
        "share",
        domain(letters(5), lambda s: on.share(s, "BC", 0.4, 0.6)),
        lambda a: 2 <= sum(letter in "BC" for letter in text(a)) <= 3,
    ),
    Structure(
        "without",
        domain(letters(5), lambda s: on.without(s, "ABA", "CC")),
        lambda a: "ABA" not in text(a) and "CC" not in text(a),
    ),
    Structure(
        "without any of several letters",
        domain(letters(4), lambda s: on.without(s, ["A", ["B", "C"], "A"])),
        lambda a: "ABA" not in text(a) and "ACA" not in text(a),
    ),
    Structure(
        "containing",
        domain(letters(5), lambda s: on.containing(s, "ABA")),
        lambda a: "ABA" in text(a),
    ),
    Structure(
        "containing any of several letters",
        domain(letters(5), lambda s: on.containing(s, ["A", ["A", "B"], "A", "B"])),
        lambda a: "AAAB" in text(a) or "ABAB" in text(a),
    ),
    Structure(
        "automaton",
        domain(
            letters(4),
            lambda s: mb.automaton(
                s,
                [("even", "A", "odd"), ("odd", "A", "even"), ("even", "B", "even"), ("odd", "B", "odd")],
                "even",
                ["even"],
            ),
        ),
        lambda a: text(a).count("A") % 2 == 0 and "C" not in text(a),
    ),
]
GRAPHS = [
    Structure(
        "connected vertices",
        domain(X5, lambda x: graphs.connected_vertices(x, [(0, 1), (1, 2), (2, 3), (3, 4), (4, 1)])),
        lambda a: in_one_piece(
            set(np.flatnonzero(a["x"]).tolist()),
            [e for e in [(0, 1), (1, 2), (2, 3), (3, 4), (4, 1)] if a["x"][e[0]] and a["x"][e[1]]],
        ),
    ),
    Structure(
        "connected edges",
        domain(X5, lambda x: graphs.connected_edges(x, ROADS)),
        lambda a: in_one_piece_named(picked(ROADS, a["x"])),
    ),
    Structure(
        "connected edges of islands",
        domain(X3, lambda x: graphs.connected_edges(x, ISLANDS)),
        lambda a: in_one_piece_named(picked(ISLANDS, a["x"])),
    ),
    Structure(
        "spanning",
        domain(X5, lambda x: graphs.spanning(x, SQUARE)),
        lambda a: in_one_piece(set(range(4)), picked(SQUARE, a["x"])),
    ),
    Structure(
        "spanning tree",
        domain(X5, lambda x: graphs.spanning_tree(x, SQUARE)),
        lambda a: a["x"].sum() == 3 and in_one_piece(set(range(4)), picked(SQUARE, a["x"])),
    ),
    Structure(
        "tour",
        domain(X6, lambda x: graphs.tour(x, list(itertools.combinations(range(4), 2)))),
        lambda a: (
            [0, 1, 2, 3]
            in [
                sorted(set(t))
                for t in itertools.permutations(range(4))
                if sorted(tuple(sorted((t[i], t[i - 1]))) for i in range(4))
                == picked(list(itertools.combinations(range(4), 2)), a["x"])
            ]
        ),
    ),
    Structure(
        "path",
        domain(X5, lambda x: graphs.path(x, ROADS, "a", "d")),
        lambda a: is_path(picked(ROADS, a["x"]), "a", "d"),
    ),
    Structure(
        "directed path",
        domain(X5, lambda x: graphs.path(x, ROADS, "a", "d", directed=True)),
        lambda a: is_path(picked(ROADS, a["x"]), "a", "d", directed=True),
    ),
    Structure(
        "cell",
        domain(mb.binary("x", 6), lambda x: graphs.dag(x, graphs.arcs(4), most=5)),
        lambda a: a["x"].sum() <= 5 and is_cell(picked(graphs.arcs(4), a["x"]), [True] * 4),
    ),
    Structure(
        "cell with null operations",
        domain(
            mb.binary("x", 6),
            lambda x, op: graphs.dag(x, graphs.arcs(4), active=[each != "null" for each in op]),
            mb.categorical("op", ["conv", "pool", "null"], 2),
        ),
        lambda a: is_cell(picked(graphs.arcs(4), a["x"]), [True, *(a["op"] != "null"), True]),
    ),
]
STRUCTURES = [*SELECTIONS, *ORDERS, *SEQUENCES, *GRAPHS]
