"""Constraints on graphs: paths, trees, tours, acyclic graphs, connected subgraphs.

A graph is a list of pairs of vertices, in the order of the variables that choose its edges. Vertices are
numbers or names.
"""

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

from milbox.domain.constraints.connected import Chosen, Connected, Graph, graph_of
from milbox.domain.constraints.kinds import AllOf
from milbox.domain.constraints.selections import literals
from milbox.domain.model.constraint import Constraint
from milbox.domain.model.expressions import LinExpr, Literal, combine

Pairs = Iterable[Sequence[Hashable]]


def connected_vertices(vertices: Any, graph: Pairs) -> Constraint:
    """The chosen vertices, numbered from 0, hang together by the graph's edges between them."""
    chosen = literals(vertices)
    if not chosen:
        raise ValueError("a graph needs at least one vertex")
    given = graph_of(graph, len(chosen))
    return Connected(chosen, given.edges, given.order, Chosen.VERTICES)


def connected_edges(edges: Any, graph: Pairs) -> Constraint:
    """The chosen edges hang together; vertices without a chosen edge do not matter."""
    chosen, given = matched(edges, graph)
    return Connected(chosen, given.edges, given.order, Chosen.EDGES)


def spanning(edges: Any, graph: Pairs, order: int | None = None) -> Constraint:
    """The chosen edges connect all vertices; `order` counts those that no edge of the graph touches too."""
    chosen, given = matched(edges, graph, order)
    return Connected(chosen, given.edges, given.order, Chosen.SPANNING)


def spanning_tree(edges: Any, graph: Pairs) -> Constraint:
    """The chosen edges connect all vertices, and none of them could be left out."""
    chosen, given = matched(edges, graph)
    connected = Connected(chosen, given.edges, given.order, Chosen.SPANNING)
    return AllOf((combine((1, literal) for literal in chosen) == given.order - 1, connected))


def tour(edges: Any, graph: Pairs) -> Constraint:
    """The chosen edges are one round trip through all vertices."""
    chosen, given = matched(edges, graph)
    if given.order < 3:
        raise ValueError(f"a tour needs at least three vertices, and the graph has {given.order}")
    degrees = [degree(chosen, given, vertex) == 2 for vertex in range(given.order)]
    return AllOf((*degrees, Connected(chosen, given.edges, given.order, Chosen.SPANNING)))


def path(edges: Any, graph: Pairs, source: Hashable, target: Hashable, directed: bool = False) -> Constraint:
    """The chosen edges are one way from source to target that meets no vertex twice.

    An edge may be taken in either direction, unless `directed` says that (a, b) leads from a to b alone.
    """
    chosen, given = matched(edges, graph)
    first, last = given.number(source), given.number(target)
    if first == last:
        raise ValueError(f"a path leads from one vertex to another, and both are {source!r}")
    rows: list[Constraint] = []
    for vertex in range(given.order):
        if directed:
            into, out = (degree(chosen, given, vertex, end) for end in (1, 0))
            rows.append(out - into == (vertex == first) - (vertex == last))
            rows.append(into + out <= (1 if vertex in (first, last) else 2))
        elif vertex in (first, last):
            rows.append(degree(chosen, given, vertex) == 1)
        else:
            near = [chosen[k] for k, edge in enumerate(given.edges) if vertex in edge]
            count = combine((1, literal) for literal in near)
            rows.append(count <= 2)
            # Who comes must go: one edge here needs another.
            rows += [count - 2 * literal >= 0 for literal in near]
    return AllOf((*rows, Connected(chosen, given.edges, given.order, Chosen.EDGES)))


def arcs(order: int) -> list[tuple[int, int]]:
    """Every pair of numbers below `order`, the smaller first: the edges of a cell."""
    return [(u, v) for v in range(order) for u in range(v)]


def dag(edges: Any, graph: Pairs, active: Any = None, most: int | None = None) -> Constraint:
    """The chosen edges lead from vertex 0, the input, to the last, the output, through every active vertex.

    Each active vertex lies on a way from input to output, and an inactive one has no edges. Edges lead from
    smaller to larger numbers, so there is no cycle; then an edge in and an edge out are all it takes.

    Args:
        edges: one binary or literal for each pair of the graph.
        graph: pairs of numbers, the smaller first, such as `arcs(7)`.
        active: one literal for each vertex between input and output, such as `[op != "null" for op in ops]`;
            all are active when it is left out.
        most: the largest number of edges.
    """
    pairs = [tuple(pair) for pair in graph]
    backward = next((pair for pair in pairs if not pair[0] < pair[1]), None)  # type: ignore[operator]
    if backward is not None:
        raise ValueError(f"edges lead from smaller to larger numbers, and one is {backward!r}")
    chosen, given = matched(edges, pairs, 1 + max((int(v) for _, v in pairs), default=0))  # type: ignore[call-overload]
    inner = range(1, given.order - 1)
    switches: list[Literal | None] = [None] * len(inner) if active is None else list(literals(active))
    if len(switches) != len(inner):
        raise ValueError(f"{len(inner)} vertices between input and output have {len(switches)} activities")
    rows: list[Constraint] = [
        degree(chosen, given, 0, 0) >= 1,
        degree(chosen, given, given.order - 1, 1) >= 1,
    ]
    for vertex, switch in zip(inner, switches, strict=True):
        for end in (0, 1):
            count = degree(chosen, given, vertex, end)
            size = sum(edge[end] == vertex for edge in given.edges)
            if switch is None:
                rows.append(count >= 1)
            else:
                # Between one and all of them when it is active, none when it is not.
                rows += [count - switch >= 0, count - size * switch <= 0]
    if most is not None:
        rows.append(combine((1, literal) for literal in chosen) <= most)
    return AllOf(tuple(rows))


def matched(edges: Any, graph: Pairs, order: int | None = None) -> tuple[tuple[Literal, ...], Graph]:
    """One literal for each edge of the graph."""
    chosen, given = literals(edges), graph_of(graph, order)
    if not chosen or len(chosen) != len(given.edges):
        raise ValueError(
            f"a graph of {len(given.edges)} edges is chosen by {len(chosen)} variables; give one per edge"
        )
    return chosen, given


def degree(chosen: Sequence[Literal], graph: Graph, vertex: int, end: int | None = None) -> LinExpr:
    """The number of chosen edges that touch a vertex; with an end, that leave it (0) or enter it (1)."""
    return combine(
        (1, literal)
        for literal, edge in zip(chosen, graph.edges, strict=True)
        if (vertex in edge if end is None else edge[end] == vertex)
    )
