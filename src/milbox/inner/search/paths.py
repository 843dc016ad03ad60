"""A domain as the paths of one acyclic graph, for searching.

The diagrams of a product stand one behind the other, free variables as parallel edges. An edge has a
letter, and a letter stands for one or several options, an option being a variable with a code. Where a
node has one way out or one way in, edges are joined into longer ones if that leaves fewer edges and
letters to look at: a diagram of flows on the arcs of a graph becomes that graph, and "exactly one of n"
becomes n parallel edges.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from milbox.arrays import BoolArray, FloatArray, IntArray
from milbox.domain.diagrams.diagram import Diagram
from milbox.domain.diagrams.machines import added
from milbox.domain.diagrams.product import Product

Small = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Paths:
    """The graph, its letters, and the ties between them."""

    first: Small
    """(nodes + 1,): the first edge into each node; the root is node 0, the terminal the last."""
    source: Small
    letter: Small
    pair: Small
    """(letters + 1,): the first option of each letter."""
    option: Small
    variable: Small
    """(options,)"""
    code: IntArray
    """(options,)"""
    start: IntArray
    """(variables,): the first option of each variable."""
    longest: int
    """The most letters of a path."""
    points: float
    """The number of paths, or 1e18 where there are more."""
    feature: IntArray
    """(options,): the feature that each option sets."""
    value: FloatArray
    """(options,): what it sets it to."""
    joined: bool
    """Whether some letter stands for several options; else each letter is its option."""
    tie_table: FloatArray
    """(options, ties): whole numbers; a point must have tie_bias + the sum over its options <= 0, or = 0."""
    tie_bias: FloatArray
    tie_equal: BoolArray
    tie_low: FloatArray
    tie_high: FloatArray
    tie_size: FloatArray
    """(ties,): the least, the largest and the largest absolute sum, if any options may be taken."""
    tie_mean: FloatArray
    """(ties,): the mean size of what options add."""
    option_key: IntArray
    """(options,): random bits. A point's key is the exclusive or of its options' keys."""
    key: IntArray
    """(letters,): the same for letters."""

    @property
    def letters(self) -> int:
        """The number of letters."""
        return len(self.pair) - 1

    @property
    def nodes(self) -> int:
        """The number of nodes."""
        return len(self.first) - 1

    def by_letter(self, by_option: FloatArray) -> FloatArray:
        """Sums over the options of each letter."""
        if not self.joined:
            return by_option
        # Long letters are mostly options that add nothing; the first of each stays, so that none is empty.
        adds = np.asarray(by_option.any(axis=1))[self.option]
        adds[self.pair[:-1]] = True
        left = np.flatnonzero(adds)
        begin = np.searchsorted(left, self.pair[:-1])
        sums: FloatArray = np.add.reduceat(by_option[self.option[left]], begin, axis=0)
        return sums

    def by_option(self, by_feature: FloatArray) -> FloatArray:
        """What each option adds, given what each feature does."""
        sums: FloatArray = by_feature[self.feature] * self.value[:, None]
        return sums


Edge = tuple[int, int, tuple[int, ...]]
"""Source, target, and the options of the letter."""


def paths_of(product: Product) -> Paths | None:
    """The product as paths, without the constraints that are its rest; None if a part has none."""
    domain = product.domain
    if any(not part.edges for part in product.parts):
        return None
    counts = np.array([len(v.codes) for v in domain.variables])
    start = np.concatenate([[0], np.cumsum(counts)])
    lows = np.array([v.codes[0] for v in domain.variables])
    letters: dict[tuple[int, ...], int] = {}
    edges: list[tuple[IntArray, IntArray, IntArray]] = []
    node = longest = 0
    for part in product.parts:
        plain, joined = plain_edges(part, start), joined_edges(part, start)
        chosen = joined if effort(joined) < effort(plain) else plain
        names = sorted({target for _, target, _ in chosen} | {source for source, _, _ in chosen})
        number = {name: k for k, name in enumerate(names)}
        source = np.array([number[s] for s, _, _ in chosen], dtype=np.int64)
        target = np.array([number[t] for _, t, _ in chosen], dtype=np.int64)
        letter = np.array([letters.setdefault(o, len(letters)) for _, _, o in chosen], dtype=np.int64)
        edges.append((node + source, node + target, letter))
        node += len(names) - 1
        longest += most_edges(source, target, len(names))
    free = product.free
    if len(free):
        options = np.concatenate([np.arange(start[i], start[i + 1]) for i in free])
        where = np.repeat(np.arange(len(free)), counts[free])
        fresh = np.array([letters.setdefault((int(o),), len(letters)) for o in options], dtype=np.int64)
        edges.append((node + where, node + where + 1, fresh))
        node += len(free)
        longest += len(free)
    source, target, letter = (np.concatenate(part) for part in zip(*edges, strict=True))
    order = np.argsort(target, kind="stable")
    names_by_letter = list(letters)
    several = any(len(name) > 1 for name in names_by_letter) or len(letters) < start[-1]
    if not several:
        # Letters take the numbers of their options.
        letter = np.array([name[0] for name in names_by_letter])[letter]
        names_by_letter = [(o,) for o in range(int(start[-1]))]
    pair = np.concatenate([[0], np.cumsum([len(name) for name in names_by_letter])]).astype(np.int32)
    option = np.concatenate([np.array(name) for name in names_by_letter]).astype(np.int32)
    table, bias, equal = ties_of(product, start)
    variable = np.repeat(np.arange(len(counts)), counts)
    code = np.arange(start[-1]) - start[variable] + lows[variable]
    feature, value = domain.coding.set_by(variable, code)
    option_key = np.random.default_rng(0).integers(0, 2**63, len(code))
    return Paths(
        first=np.concatenate([[0], np.cumsum(np.bincount(target, minlength=node + 1))]).astype(np.int32),
        source=source[order].astype(np.int32),
        letter=letter[order].astype(np.int32),
        pair=pair,
        option=option,
        variable=variable.astype(np.int32),
        code=code.astype(np.int64),
        start=start[:-1].astype(np.int64),
        longest=int(longest),
        points=float(min(product.count, 10**18)),
        feature=feature,
        value=value,
        joined=several,
        tie_table=table,
        tie_bias=bias,
        tie_equal=equal,
        tie_low=bias + np.minimum.reduceat(table, start[:-1], axis=0).sum(axis=0),
        tie_high=bias + np.maximum.reduceat(table, start[:-1], axis=0).sum(axis=0),
        tie_size=np.abs(bias) + np.maximum.reduceat(np.abs(table), start[:-1], axis=0).sum(axis=0),
        tie_mean=np.abs(table).mean(axis=0),
        option_key=option_key,
        key=np.bitwise_xor.reduceat(option_key[option], pair[:-1]) if several else option_key,
    )


def plain_edges(part: Diagram, start: IntArray) -> list[Edge]:
    """The edges of a diagram, one option each."""
    layer = np.searchsorted(part.nodes, part.source, side="right") - 1
    options = start[part.variables[layer]] + part.letter
    return [
        (s, t, (o,))
        for s, t, o in zip(part.source.tolist(), part.target.tolist(), options.tolist(), strict=True)
    ]


def joined_edges(part: Diagram, start: IntArray) -> list[Edge]:
    """The edges, those into nodes of one way out joined with it, and some out of nodes of one way in."""
    edges = plain_edges(part, start)
    last = len(part.first) - 2
    leaving = Counter(s for s, _, _ in edges)
    ways_on: dict[int, tuple[int, tuple[int, ...]]] = {}
    only = {s: (t, o) for s, t, o in edges if leaving[s] == 1 and s > 0}
    for node in range(last - 1, 0, -1):
        if node in only:
            target, options = only[node]
            ways_on[node] = (
                (ways_on[target][0], options + ways_on[target][1]) if target in ways_on else (target, options)
            )
    edges = [
        (s, *((ways_on[t][0], o + ways_on[t][1]) if t in ways_on else (t, o)))
        for s, t, o in edges
        if s not in ways_on
    ]
    # One way in: joined only where the letters that go out are used nowhere else, so that none are added.
    used = Counter(o for _, _, o in edges)
    coming = Counter(t for _, t, _ in edges)
    shared = {s for s, _, o in edges if used[o] > 1}
    into = {t: (s, o) for s, t, o in edges if coming[t] == 1 and t != last and t not in shared}
    ways_here: dict[int, tuple[int, tuple[int, ...]]] = {}
    for node in sorted(into):
        source, options = into[node]
        ways_here[node] = (
            (ways_here[source][0], ways_here[source][1] + options)
            if source in ways_here
            else (source, options)
        )
    return [
        (*((ways_here[s][0], t, ways_here[s][1] + o) if s in ways_here else (s, t, o)),)
        for s, t, o in edges
        if t not in ways_here
    ]


def effort(edges: Sequence[Edge]) -> int:
    """What a bound costs: a look at every edge, and a longer one at every letter."""
    return len(edges) + 2 * len({options for _, _, options in edges})


def most_edges(source: IntArray, target: IntArray, nodes: int) -> int:
    """The number of edges of the path that has most."""
    depth = [0] * nodes
    order = np.argsort(target, kind="stable")
    for s, t in zip(source[order].tolist(), target[order].tolist(), strict=True):
        depth[t] = max(depth[t], depth[s] + 1)
    return depth[-1]


def ties_of(product: Product, start: IntArray) -> tuple[FloatArray, FloatArray, BoolArray]:
    """What each option adds to each side of each tie that has one, the limits, and which are equalities."""
    tables: list[FloatArray] = []
    bias: list[float] = []
    equal: list[bool] = []
    domain = product.domain
    for tie in product.ties:
        table = np.zeros(int(start[-1]))
        for i, adds in added(tie, domain.variables, domain.index).items():
            table[start[i] : start[i + 1]] = adds
        # A limit between two whole numbers is reached at the one inside.
        sides = [
            (way, -float(math.floor(way * limit)))
            for way, limit in ((1.0, tie.upper), (-1.0, tie.lower))
            if math.isfinite(limit)
        ]
        level = len(sides) == 2 and sides[0][1] == -sides[1][1]
        for way, rest in sides[:1] if level else sides:
            tables.append(way * table)
            bias.append(rest)
            equal.append(level)
    if not tables:
        return np.zeros((int(start[-1]), 0)), np.zeros(0), np.zeros(0, dtype=bool)
    return np.column_stack(tables), np.array(bias), np.array(equal)
