"""The constraint that the chosen vertices or edges of a graph are connected."""

import enum
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from milbox.arrays import BoolArray
from milbox.domain.model.constraint import Constraint
from milbox.domain.model.expressions import Literal
from milbox.domain.model.monomials import Codes, distinct
from milbox.domain.model.text import Writer

if TYPE_CHECKING:
    from milbox.domain.model.variables import Variable

Edge: TypeAlias = tuple[int, int]


class Chosen(enum.StrEnum):
    """The part of a graph that the literals of `Connected` choose."""

    VERTICES = "vertices"
    """Vertices, and every edge of the graph between two of them."""
    EDGES = "edges"
    """Edges, and the vertices at their ends."""
    SPANNING = "spanning edges"
    """Edges, among all the vertices."""


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Connected(Constraint):
    """The chosen part of a graph is one connected piece (or more than one, if not `connected`).

    Nothing at all and a single vertex count as one piece.
    """

    kind = "connected"

    literals: tuple[Literal, ...]
    edges: tuple[Edge, ...]
    order: int
    """The number of vertices."""
    chosen: Chosen
    connected: bool = True

    def holds(self, codes: Codes) -> BoolArray:
        """Whether the choice is one piece, at each of many points."""
        picked = np.stack([literal.holds(codes) for literal in self.literals], axis=1)
        present, open_edges = self.parts(picked)
        # Each present vertex takes the least label among its neighbours until nothing changes.
        label = np.where(present, np.arange(self.order), self.order)
        for _ in range(self.order):
            before = label.copy()
            for k, (u, v) in enumerate(self.edges):
                least = np.where(open_edges[:, k], np.minimum(label[:, u], label[:, v]), self.order)
                label[:, u] = np.minimum(label[:, u], least)
                label[:, v] = np.minimum(label[:, v], least)
            if (label == before).all():
                break
        one = ((label == label.min(axis=1, keepdims=True)) | ~present).all(axis=1)
        return np.asarray(one == self.connected)

    def parts(self, picked: BoolArray) -> tuple[BoolArray, BoolArray]:
        """The vertices present and the edges between them, for each row of picks."""
        ends = np.array(self.edges, dtype=np.int64).reshape(-1, 2)
        if self.chosen is Chosen.VERTICES:
            return picked, picked[:, ends[:, 0]] & picked[:, ends[:, 1]]
        present = np.full((len(picked), self.order), self.chosen is Chosen.SPANNING)
        if self.chosen is Chosen.EDGES:
            for k, (u, v) in enumerate(self.edges):
                present[:, u] |= picked[:, k]
                present[:, v] |= picked[:, k]
        return present, picked

    @property
    def variables(self) -> tuple["Variable", ...]:
        """The variables the constraint is about, each once."""
        return distinct(literal.variable for literal in self.literals)

    def negation(self) -> "Connected":
        """More than one piece, or one."""
        return replace(self, connected=not self.connected)

    def rule(self, write: Writer) -> str:
        """The chosen literals and the graph's edges; shortened, the size of the graph."""
        if not write.whole:
            word = "connected" if self.connected else "disconnected"
            return f"{word}({self.chosen} of a graph with {self.order} vertices and {len(self.edges)} edges)"
        parts = f"[{write.listed(self.literals)}], {[list(edge) for edge in self.edges]}"
        match self.chosen:
            case Chosen.VERTICES:
                text = f"connected_vertices({parts})"
            case Chosen.EDGES:
                text = f"connected_edges({parts})"
            case Chosen.SPANNING:
                text = f"spanning({parts}, {self.order})"
        return text if self.connected else f"not {text}"

    def to_json(self) -> dict[str, Any]:
        """Its parts, as plain JSON."""
        return {
            "kind": self.kind,
            "literals": [literal.to_json() for literal in self.literals],
            "edges": [list(edge) for edge in self.edges],
            "order": self.order,
            "chosen": self.chosen.value,
            "connected": self.connected,
        }

    @classmethod
    def from_json(cls, form: Mapping[str, Any], variables: Mapping[str, "Variable"]) -> "Connected":
        """The constraint behind its plain form."""
        return cls(
            tuple(Literal.from_json(each, variables) for each in form["literals"]),
            tuple((u, v) for u, v in form["edges"]),
            form["order"],
            Chosen(form["chosen"]),
            form["connected"],
        )


@dataclass(frozen=True, slots=True)
class Graph:
    """A graph by numbers, and the number of each name its vertices were given by."""

    edges: tuple[Edge, ...]
    numbers: dict[Hashable, int]

    @property
    def order(self) -> int:
        """The number of vertices."""
        return len(self.numbers)

    def number(self, vertex: Hashable) -> int:
        """The number of a vertex, or an error that says which there are."""
        if vertex not in self.numbers:
            raise ValueError(f"the graph has no vertex {vertex!r}; it has {list(self.numbers)}")
        return self.numbers[vertex]


def graph_of(pairs: Iterable[Sequence[Hashable]], order: int | None = None) -> Graph:
    """The graph with these edges; vertices are 0 to order - 1, or any names in order of appearance."""
    given = [tuple(pair) for pair in pairs]
    for pair in given:
        if len(pair) != 2 or pair[0] == pair[1]:
            raise ValueError(f"an edge should be a pair of different vertices, and is {pair!r}")
    names: list[Any] = list(dict.fromkeys(vertex for pair in given for vertex in pair))
    if order is not None:
        strange = [name for name in names if name not in range(order)]
        if strange:
            raise ValueError(f"vertices should be numbers from 0 to {order - 1}, and one is {strange[0]!r}")
        names = list(range(order))
    elif all(isinstance(name, int) for name in names):
        names.sort()
    numbers = {name: i for i, name in enumerate(names)}
    return Graph(tuple((numbers[u], numbers[v]) for u, v in given), numbers)
