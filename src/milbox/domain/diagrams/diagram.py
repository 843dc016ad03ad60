"""A set of joint codes as the paths of a layered decision diagram.

Layer i decides one variable: every edge from a node of layer i to one of layer i + 1 has a letter, the
variable's code less its first one. Paths from the root to the terminal are exactly the joint codes of the
set. Counting, uniform drawing, listing and locating are passes over the edges.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.random import Generator

from milbox.arrays import BoolArray, FloatArray, IntArray

DRAWN = 1 << 21
"""Random numbers drawn at a time."""


@dataclass(frozen=True, eq=False)
class Diagram:
    """Nodes are numbered layer by layer from the root, 0, to the terminal; edges are sorted by target."""

    variables: IntArray
    """The variable (its index in the domain) that each layer decides."""
    lows: IntArray
    """The first code of each of them."""
    nodes: IntArray
    """(layers + 2,): the first node of each layer, and the number of nodes."""
    first: IntArray
    """(nodes + 1,): the first edge into each node, and the number of edges."""
    source: IntArray
    letter: IntArray

    @property
    def edges(self) -> int:
        """The number of edges."""
        return len(self.source)

    @property
    def widths(self) -> IntArray:
        """The number of nodes of each layer, the terminal's last."""
        return np.diff(self.nodes)

    @cached_property
    def target(self) -> IntArray:
        """The node that each edge leads to."""
        return np.repeat(np.arange(len(self.first) - 1), np.diff(self.first))

    @cached_property
    def counts(self) -> list[int]:
        """For each node the number of paths from there to the terminal."""
        counts: list[int] = [0] * (len(self.first) - 1)
        counts[-1] = 1
        first, source = self.first.tolist(), self.source.tolist()
        for node in range(len(counts) - 1, 0, -1):
            ways = counts[node]
            for edge in range(first[node], first[node + 1]):
                counts[source[edge]] += ways
        return counts

    @property
    def count(self) -> int:
        """The number of paths, that is of joint codes."""
        return self.counts[0]

    @cached_property
    def outgoing(self) -> tuple[IntArray, IntArray]:
        """Edges by source and letter, and where those of each node begin."""
        order = np.lexsort((self.letter, self.source))
        degree = np.bincount(self.source, minlength=len(self.first) - 1)
        return order, np.concatenate([[0], np.cumsum(degree)])

    @cached_property
    def leaving(self) -> tuple[IntArray, IntArray]:
        """The letters and targets of the edges in the order of `outgoing`."""
        order, _ = self.outgoing
        return self.letter[order], self.target[order]

    @cached_property
    def chances(self) -> FloatArray:
        """For each edge of `outgoing`, the share of its source's paths that take it or one before it."""
        order, begin = self.outgoing
        counts = self.counts
        share = np.array(
            [counts[t] / counts[s] for s, t in zip(self.source.tolist(), self.target.tolist(), strict=True)]
        )
        from milbox.domain.diagrams.walks import accumulate

        chances = share[order]
        accumulate(begin, chances)
        return chances

    def draw(self, count: int, rng: Generator) -> IntArray:
        """Joint codes drawn uniformly, one a row, a column for each layer."""
        from milbox.domain.diagrams.walks import walk

        _, begin = self.outgoing
        letter, target = self.leaving
        codes = np.empty((count, len(self.variables)), dtype=np.int64)
        step = max(1, DRAWN // len(self.variables))
        for start in range(0, count, step):
            part = codes[start : start + step]
            walk(begin, letter, target, self.chances, rng.random(part.shape), self.lows, part)
        return codes

    def locate(self, codes: IntArray) -> IntArray:
        """The edge of each layer for joint codes, one a row; -1 from where they leave the diagram."""
        from milbox.domain.diagrams.walks import follow

        order, begin = self.outgoing
        edges = np.full(codes.shape, -1, dtype=np.int64)
        follow(begin, *self.leaving, order, self.lows, codes, edges)
        return edges

    def contains(self, codes: IntArray) -> BoolArray:
        """Which joint codes, one a row, are paths."""
        return np.asarray(self.locate(np.ascontiguousarray(codes))[:, -1] >= 0)

    def extremes(self, tables: Sequence[FloatArray]) -> tuple[FloatArray, FloatArray]:
        """The least and the largest sum over a path of what its letters have in the tables, column by column.

        Args:
            tables: one for each layer, a row for each letter. Paths with an entry that is not a number are
                left out; where none remains, neither sum is a number.
        """
        least = most = np.zeros((1, tables[0].shape[1]))
        for layer, table in enumerate(tables):
            above, here, below = (int(self.nodes[layer + k]) for k in range(3))
            start, end = int(self.first[here]), int(self.first[below])
            groups = self.first[here:below] - start
            source, adds = self.source[start:end] - above, table[self.letter[start:end]]
            least = np.fmin.reduceat(least[source] + adds, groups)
            most = np.fmax.reduceat(most[source] + adds, groups)
        return least[0], most[0]

    def listed(self) -> IntArray:
        """Every joint code in lexicographic order, one a row, a column for each layer."""
        _, begin = self.outgoing
        letter, target = self.leaving
        columns: list[IntArray] = []
        at = np.zeros(1, dtype=np.int64)
        for low in self.lows:
            degree = begin[at + 1] - begin[at]
            row = np.repeat(np.arange(len(at)), degree)
            inner = np.arange(len(row)) - np.repeat(np.cumsum(degree) - degree, degree)
            edge = begin[at][row] + inner
            columns = [column[row] for column in columns]
            columns.append(letter[edge] + low)
            at = target[edge]
        return np.stack(columns, axis=1)

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        """Joint codes in lexicographic order, one at a time."""
        order, begin = self.outgoing
        last = len(self.variables)
        stack: list[tuple[int, int, tuple[int, ...]]] = [(0, 0, ())] if self.edges else []
        while stack:
            layer, node, prefix = stack.pop()
            if layer == last:
                yield prefix
                continue
            for k in range(begin[node + 1] - 1, begin[node] - 1, -1):
                edge = order[k]
                code = int(self.letter[edge] + self.lows[layer])
                stack.append((layer + 1, int(self.target[edge]), (*prefix, code)))
