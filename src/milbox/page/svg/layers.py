"""Layered layout of a directed acyclic graph, with few crossings.

Layers by longest way, bends where long edges pass a layer, orders with few crossings (Sugiyama et al. 1981),
and then the places that are closest to their neighbours' at the distances that boxes need.
"""

import itertools
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

SWEEPS, BEGINNINGS = 10, 8


@dataclass(frozen=True, slots=True)
class Layout:
    """Where everything goes; negative numbers are bends."""

    rows: tuple[tuple[int, ...], ...]
    """Vertices and bends from top to bottom, from left to right."""
    routes: tuple[tuple[int, ...], ...]
    """For each edge what it leads through, its ends included."""
    across: Mapping[int, float]
    """The middle of each, in pixels from the left edge of the leftmost."""
    width: float


def layered(vertices: Sequence[int], edges: Sequence[tuple[int, int]], box: float) -> Layout | None:
    """A layout with boxes of this width, margin included; None when there is a cycle."""
    depth = depths(vertices, edges)
    if depth is None:
        return None
    rows: list[list[int]] = [[] for _ in range(max(depth.values()) + 1)]
    for vertex in vertices:
        rows[depth[vertex]].append(vertex)
    routes: list[tuple[int, ...]] = []
    bends = itertools.count(-1, -1)
    for u, v in edges:
        passed = [(row, next(bends)) for row in range(depth[u] + 1, depth[v])]
        for row, bend in passed:
            rows[row].append(bend)
        routes.append((u, *(bend for _, bend in passed), v))
    near = neighbours(routes)
    rows = untangled(rows, near)
    across = aligned(rows, near, box)
    left = min(across[v] - width_of(v, box) / 2 for row in rows for v in row)
    right = max(across[v] + width_of(v, box) / 2 for row in rows for v in row)
    shifted = {vertex: x - left for vertex, x in across.items()}
    return Layout(tuple(tuple(row) for row in rows), tuple(routes), shifted, right - left)


def depths(vertices: Sequence[int], edges: Sequence[tuple[int, int]]) -> dict[int, int] | None:
    """The length of the longest way to each vertex; None when there is a cycle."""
    depth = dict.fromkeys(vertices, 0)
    for _ in range(len(depth)):
        before = dict(depth)
        for u, v in edges:
            depth[v] = max(depth[v], depth[u] + 1)
        if depth == before:
            return depth
    return None


@dataclass(frozen=True, slots=True)
class Neighbours:
    """What is joined to each vertex and bend in the row above and in the row below."""

    above: dict[int, list[int]]
    below: dict[int, list[int]]


def neighbours(routes: Sequence[tuple[int, ...]]) -> Neighbours:
    """Who is joined to whom along the routes."""
    near = Neighbours({}, {})
    for upper, lower in itertools.chain.from_iterable(map(itertools.pairwise, routes)):
        near.below.setdefault(upper, []).append(lower)
        near.above.setdefault(lower, []).append(upper)
    return near


def untangled(rows: Sequence[Sequence[int]], near: Neighbours) -> list[list[int]]:
    """The rows in the order with the fewest crossings that was found from a few beginnings."""
    rng = random.Random(0)
    best, fewest = [list(row) for row in rows], crossings(rows, near.below)
    for beginning in range(BEGINNINGS):
        if fewest == 0:
            break
        tried = [list(row) if beginning == 0 else rng.sample(row, len(row)) for row in rows]
        for sweep in range(SWEEPS):
            place_by_neighbours(tried, near, down=sweep % 2 == 0)
        tried = switched(tried, near)
        count = crossings(tried, near.below)
        if count < fewest:
            best, fewest = tried, count
    return best


def place_by_neighbours(rows: list[list[int]], near: Neighbours, down: bool) -> None:
    """Sort each row by the mean place of its neighbours in the row before it, one row after the other."""
    joined = near.above if down else near.below
    for k in range(1, len(rows)) if down else range(len(rows) - 2, -1, -1):
        other = rows[k - 1] if down else rows[k + 1]
        place = {v: (i + 1) / (len(other) + 1) for i, v in enumerate(other)}
        own = {v: (i + 1) / (len(rows[k]) + 1) for i, v in enumerate(rows[k])}
        wish = {v: mean([place[w] for w in joined.get(v, [])], own[v]) for v in rows[k]}
        rows[k].sort(key=wish.__getitem__)


def switched(rows: list[list[int]], near: Neighbours) -> list[list[int]]:
    """The rows with neighbours exchanged as long as that takes crossings away."""
    place = {vertex: k for row in rows for k, vertex in enumerate(row)}

    def crossed(left: int, right: int) -> int:
        return sum(
            place[a] > place[b]
            for joined in (near.above, near.below)
            for a in joined.get(left, [])
            for b in joined.get(right, [])
        )

    for _ in range(SWEEPS):
        changed = False
        for row in rows:
            for k, (u, v) in enumerate(itertools.pairwise(list(row))):
                # The pair may have been parted by the exchange before it.
                if row[k : k + 2] == [u, v] and crossed(v, u) < crossed(u, v):
                    row[k : k + 2] = [v, u]
                    place[u], place[v] = place[v], place[u]
                    changed = True
        if not changed:
            break
    return rows


def aligned(rows: Sequence[Sequence[int]], near: Neighbours, box: float) -> dict[int, float]:
    """Places across: each row in turn as close to its neighbours' means as the boxes allow."""
    across: dict[int, float] = {}
    for row in rows:
        offsets = separations(row, box)
        across |= {v: x - offsets[-1] / 2 for v, x in zip(row, offsets, strict=True)}
    for sweep in range(SWEEPS):
        for row in rows if sweep % 2 == 0 else reversed(rows):
            wishes = [
                mean([across[w] for w in near.above.get(v, []) + near.below.get(v, [])], across[v])
                for v in row
            ]
            across |= dict(zip(row, spaced(wishes, separations(row, box)), strict=True))
    return across


def separations(row: Sequence[int], box: float) -> list[float]:
    """The least place of each after the first of its row."""
    steps = (width_of(a, box) / 2 + width_of(b, box) / 2 for a, b in itertools.pairwise(row))
    return list(itertools.accumulate(steps, initial=0.0))


def width_of(vertex: int, box: float) -> float:
    """A bend takes less room than a box."""
    return box if vertex >= 0 else box / 4


def spaced(wishes: Sequence[float], offsets: Sequence[float]) -> list[float]:
    """The places nearest to the wishes, in squares, that keep their distances: isotonic regression."""
    blocks: list[tuple[float, int]] = []
    for wish, offset in zip(wishes, offsets, strict=True):
        blocks.append((wish - offset, 1))
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            (a, m), (b, n) = blocks.pop(-2), blocks.pop()
            blocks.append(((a * m + b * n) / (m + n), m + n))
    level = [value for value, size in blocks for _ in range(size)]
    return [value + offset for value, offset in zip(level, offsets, strict=True)]


def mean(places: Sequence[float], otherwise: float) -> float:
    """The mean, or another number where there is nothing to take it of."""
    return sum(places) / len(places) if places else otherwise


def crossings(rows: Sequence[Sequence[int]], below: Mapping[int, Sequence[int]]) -> int:
    """How many pairs of lines cross."""
    count = 0
    for upper, lower in itertools.pairwise(rows):
        place = {vertex: k for k, vertex in enumerate(lower)}
        lines = [(k, place[w]) for k, vertex in enumerate(upper) for w in below.get(vertex, [])]
        count += sum((a - c) * (b - d) < 0 for (a, b), (c, d) in itertools.combinations(lines, 2))
    return count
