"""The best point drawn as a graph, for domains whose binaries choose edges.

Two kinds are recognised: a constraint on a graph's chosen vertices or edges (`connected`, `spanning_tree`,
`path`, ...), which knows its edges; and an array of binaries called edge, edges, m, arc, arcs, link, links or
adjacency with one entry for each pair of vertices, in the order (0,1), (0,2), (1,2), (0,3), ..., or a square
matrix of them. An array of choices called op or ops, one for each vertex or for all but the first and the
last, names the vertices.
"""

import math
from dataclasses import dataclass

from milbox.domain import Array, Binary, Categorical, Connected
from milbox.domain.assignments import array_conditions
from milbox.domain.constraints.connected import Chosen
from milbox.domain.constraints.kinds import conjuncts
from milbox.page.formats import number, short
from milbox.page.svg.charts import chart, figure
from milbox.page.svg.markup import Markup, tag, text
from milbox.trials import Trial
from milbox.trials.record import Record

NAMES = frozenset({"edge", "edges", "m", "arc", "arcs", "link", "links", "adjacency"})
LABELS = frozenset({"op", "ops", "operation", "operations"})
# Choices that switch a vertex off.
NOTHING = frozenset({"null", "none", "None", "off"})
MOST_VERTICES, MOST_EDGES = 40, 200
TOP = 3
SIZE = 300


@dataclass(frozen=True, slots=True)
class Picture:
    """The drawing of one point: vertices, edges and labels."""

    vertices: tuple[int, ...]
    edges: tuple[tuple[int, int], ...]
    labels: tuple[str, ...]
    """For every vertex of the graph, present or not."""
    possible: tuple[tuple[int, int], ...] = ()
    """Edges that could have been chosen; empty for directed graphs, where they would hide the others."""
    directed: bool = False


@dataclass(frozen=True, slots=True)
class Edges:
    """An array of binaries that stand for the edges of a directed graph."""

    array: str
    order: int
    pairs: tuple[tuple[int, int], ...]
    """The ends of each entry, entry by entry."""
    names: str | None
    """The array of choices that names the vertices."""


def edges_of(record: Record) -> Edges | None:
    """The array of binaries that looks like the edges of a graph, if there is one."""
    conditional = array_conditions(record.domain)
    arrays = [
        thing
        for thing in record.domain.declared
        if isinstance(thing, Array) and thing.name not in conditional
    ]
    for thing in arrays:
        if str(thing.name).lower() not in NAMES or not isinstance(next(thing.flat), Binary):
            continue
        if len(thing.shape) == 1:
            order = (1 + math.isqrt(1 + 8 * thing.size)) // 2
            if order * (order - 1) // 2 != thing.size or order < 3:
                continue
            pairs = tuple((u, v) for v in range(order) for u in range(v))
        elif len(thing.shape) == 2 and thing.shape[0] == thing.shape[1] > 2:
            order = thing.shape[0]
            pairs = tuple((u, v) for u in range(order) for v in range(order))
        else:
            continue
        names = next(
            (
                str(other.name)
                for other in arrays
                if str(other.name).lower() in LABELS
                and isinstance(next(other.flat), Categorical)
                and other.shape in ((order,), (order - 2,))
            ),
            None,
        )
        return Edges(str(thing.name), order, pairs, names)
    return None


def drawn_names(record: Record) -> frozenset[str]:
    """The arrays that the drawing shows already."""
    edges = edges_of(record)
    return frozenset() if edges is None or edges.names is None else frozenset({edges.names})


def graphs(record: Record) -> Markup | None:
    """The best points as graphs; None where the domain has none."""
    if not record.ranked:
        return None
    top = record.ranked[:TOP]
    edges = edges_of(record)
    if edges is not None:
        pictures = [directed_picture(trial, edges) for trial in top]
        words = (
            f"Entries of {edges.array} are taken as edges u → v, u < v, in the order (0,1), (0,2), (1,2), "
            f"(0,3), …; hollow vertices have no edges."
            if len(edges.pairs) < edges.order**2
            else f"{edges.array}[u, v] is taken as the edge u → v; hollow vertices have no edges."
        )
    else:
        rule = next((c for c in conjuncts(record.domain.constraints) if isinstance(c, Connected)), None)
        if rule is None:
            return None
        pictures = [chosen_picture(record, trial, rule) for trial in top]
        words = f"The {rule.chosen} of the graph that the points choose; thin lines could have been chosen."
    if any(len(p.vertices) > MOST_VERTICES or len(p.edges) > MOST_EDGES for p in pictures):
        return tag("p", text("The best point is a graph too large to draw."), class_="quiet")
    drawings = [
        figure(
            drawn(picture, trial), text(f"{rank_text(k)}: {number(trial.value or 0)}, trial {trial.number}")
        )
        for k, (picture, trial) in enumerate(zip(pictures, top, strict=True))
    ]
    return tag("div", tag("div", *drawings, class_="thirds"), tag("p", text(words), class_="caption"))


def rank_text(place: int) -> str:
    """Best, second, third."""
    return ("Best", "Second", "Third")[place]


def directed_picture(trial: Trial, edges: Edges) -> Picture:
    """The graph behind an array of edges."""
    entries = trial.assignment[edges.array].ravel().tolist()
    labels = [str(vertex) for vertex in range(edges.order)]
    off: set[int] = set()
    if edges.names is not None:
        given = [str(item) for item in trial.assignment[edges.names]]
        first = (edges.order - len(given)) // 2
        if first:
            labels[0], labels[-1] = "input", "output"
        labels[first : first + len(given)] = given
        off = {first + k for k, item in enumerate(given) if item in NOTHING}
    chosen = tuple(
        (u, v)
        for (u, v), entry in zip(edges.pairs, entries, strict=True)
        if entry and u != v and u not in off and v not in off
    )
    vertices = tuple(sorted({vertex for edge in chosen for vertex in edge}))
    return Picture(vertices, chosen, tuple(labels), directed=True)


def chosen_picture(record: Record, trial: Trial, rule: Connected) -> Picture:
    """The vertices or edges that a constraint's literals choose."""
    codes = record.domain.columns(record.domain.codes([trial.point]))
    picked = [bool(literal.holds(codes)[0]) for literal in rule.literals]
    labels = tuple(str(vertex) for vertex in range(rule.order))
    if rule.chosen is Chosen.VERTICES:
        vertices = tuple(vertex for vertex in range(rule.order) if picked[vertex])
        edges = tuple((u, v) for u, v in rule.edges if picked[u] and picked[v])
    else:
        edges = tuple(edge for edge, on in zip(rule.edges, picked, strict=True) if on)
        touched = {vertex for edge in edges for vertex in edge}
        vertices = tuple(range(rule.order)) if rule.chosen is Chosen.SPANNING else tuple(sorted(touched))
    return Picture(vertices, edges, labels, possible=rule.edges)


def drawn(picture: Picture, trial: Trial) -> Markup:
    """The vertices round a circle, where no edge hides another; or a word where there are no edges."""
    words = ", ".join(f"{picture.labels[u]} to {picture.labels[v]}" for u, v in picture.edges[:30])
    label = f"Graph of trial {trial.number}: {words or 'no edges'}."
    if not picture.vertices:
        parts = [tag("text", text("no edges"), x=SIZE / 2, y=30, class_="tick middle")]
        return chart(SIZE, 50, parts, label)
    return circle(picture, label)


def circle(picture: Picture, label: str) -> Markup:
    """Vertices round a circle, chosen edges thick; a directed edge is thick at its end."""
    middle, radius = SIZE / 2, SIZE / 2 - 62
    order = len(picture.labels)

    def place(vertex: int, r: float = radius) -> tuple[float, float]:
        angle = 2 * math.pi * vertex / order - math.pi / 2
        return middle + r * math.cos(angle), middle + r * math.sin(angle)

    parts = []
    chosen = set(picture.edges)
    faint = [edge for edge in picture.possible if edge not in chosen]
    for kind, edges in (("edge faint", faint[:MOST_EDGES]), ("edge", picture.edges)):
        for u, v in edges:
            (x1, y1), (x2, y2) = place(u), place(v)
            parts.append(tag("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=kind))
            if picture.directed:
                parts.append(
                    tag("line", x1=(x1 + 3 * x2) / 4, y1=(y1 + 3 * y2) / 4, x2=x2, y2=y2, class_="edge head")
                )
    present = set(picture.vertices)
    for vertex in range(order):
        (x, y), (tx, ty) = place(vertex), place(vertex, radius + 12)
        note = tag("title", text(f"vertex {vertex}: {picture.labels[vertex]}"))
        kind = "node on" if vertex in present else "node"
        parts.append(tag("circle", note, cx=x, cy=y, r=5, class_=kind))
        # Names point away from the circle.
        side = "middle" if abs(tx - middle) < radius / 3 else "end" if tx < middle else ""
        name = text(short(picture.labels[vertex], 7))
        parts.append(tag("text", name, x=tx, y=ty + 4, class_=f"tick {side}".strip()))
    return chart(SIZE, SIZE, parts, label)
