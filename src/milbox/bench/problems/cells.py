"""Cells of NAS-Bench-101 as graphs, up to renaming of their vertices.

A cell has V vertices, 2 to 7; vertex 0 is the input, V - 1 the output, and each vertex between has an
operation: 0 conv3x3, 1 conv1x1, 2 maxpool3x3. Edges lead from lower to higher vertices: edge x -> y is bit
x + y (y - 1) / 2 of `bits`, whatever V is.
"""

import hashlib
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from milbox.arrays import IntArray
from milbox.compiled.jit import entry

VERTICES = 7
INNER = VERTICES - 2
EDGES = VERTICES * (VERTICES - 1) // 2
NULL = 3
UNUSED = 255


@dataclass(frozen=True, slots=True)
class Cells:
    """Many cells."""

    vertices: IntArray  # (n,)
    bits: IntArray  # (n,)
    ops: IntArray  # (n, 5); 255 beyond the inner vertices

    def __post_init__(self) -> None:
        for name in ("vertices", "bits", "ops"):
            object.__setattr__(self, name, np.ascontiguousarray(getattr(self, name), dtype=np.int64))


# The ends of each edge variable, in the order of the bits.
ENDS = tuple((x, y) for y in range(VERTICES) for x in range(y))


def orders() -> IntArray:
    """Every order of up to 5 inner vertices: entries [k, :k!] rename 0 to k - 1."""
    table = np.zeros((INNER + 1, 120, INNER), dtype=np.int64)
    for k in range(INNER + 1):
        for row, order in enumerate(permutations(range(k))):
            table[k, row, :k] = order
    return table


ORDERS = orders()
COUNTS = np.array([1, 1, 2, 6, 24, 120])


@entry
def reduced(points: IntArray, vertices: IntArray, bits: IntArray, ops: IntArray) -> None:
    """Points of the domain (21 edges, 5 operations or null) -> cells without null vertices, in place."""
    for row in range(len(points)):
        place = np.full(VERTICES, -1)
        place[0] = 0
        count = 1
        for vertex in range(INNER):
            if points[row, EDGES + vertex] != NULL:
                ops[row, count - 1] = points[row, EDGES + vertex]
                place[vertex + 1] = count
                count += 1
        ops[row, count - 1 :] = UNUSED
        place[VERTICES - 1] = count
        vertices[row] = count + 1
        bits[row] = 0
        edge = 0
        for y in range(VERTICES):
            for x in range(y):
                if points[row, edge] == 1 and place[x] >= 0 and place[y] >= 0:
                    bits[row] |= 1 << (place[x] + place[y] * (place[y] - 1) // 2)
                edge += 1


@entry
def least_codes(
    vertices: IntArray, bits: IntArray, ops: IntArray, orders: IntArray, counts: IntArray, codes: IntArray
) -> None:
    """The least code over all renamings of the inner vertices that keep edges going upwards, in place."""
    heads = np.empty(EDGES, dtype=np.int64)
    tails = np.empty(EDGES, dtype=np.int64)
    place = np.empty(VERTICES, dtype=np.int64)
    for row in range(len(codes)):
        inner = vertices[row] - 2
        edges = 0
        for y in range(vertices[row]):
            for x in range(y):
                if bits[row] >> (x + y * (y - 1) // 2) & 1:
                    heads[edges], tails[edges] = x, y
                    edges += 1
        least = np.int64(1) << 62
        place[0], place[inner + 1] = 0, inner + 1
        for order in range(counts[inner]):
            for v in range(inner):
                place[v + 1] = orders[inner, order, v] + 1
            code = np.int64(0)
            upward = True
            for edge in range(edges):
                x, y = place[heads[edge]], place[tails[edge]]
                if x >= y:
                    upward = False
                    break
                code |= np.int64(1) << (2 * INNER + x + y * (y - 1) // 2)
            if upward:
                for v in range(inner):
                    code |= ops[row, v] << (2 * (place[v + 1] - 1))
                least = min(least, code)
        codes[row] = least | vertices[row] << (2 * INNER + EDGES)


def canonical_codes(cells: Cells) -> IntArray:
    """One number per cell, equal exactly for isomorphic cells."""
    codes = np.empty(len(cells.bits), dtype=np.int64)
    least_codes(cells.vertices, cells.bits, cells.ops, ORDERS, COUNTS, codes)
    return codes


def points_of(codes: IntArray) -> IntArray:
    """One point of the domain for each canonical code: inner vertices first, null ones after them."""
    inner = (codes >> (2 * INNER + EDGES)) - 2
    points = np.zeros((len(codes), EDGES + INNER), dtype=np.int64)
    for k, (x, y) in enumerate(ENDS):
        there = codes >> (2 * INNER + k) & 1
        # The output is the vertex after the inner ones in the code, and the last one in the domain.
        last = y == inner + 1
        points[there.astype(bool) & ~last, k] = 1
        points[there.astype(bool) & last, ENDS.index((x, VERTICES - 1))] = 1
    for v in range(INNER):
        points[:, EDGES + v] = np.where(v < inner, codes >> 2 * v & 3, NULL)
    return points


def cells_of(points: IntArray) -> Cells:
    """The cells that points of the domain stand for."""
    count = len(points)
    cells = Cells(np.empty(count, np.int64), np.empty(count, np.int64), np.empty((count, INNER), np.int64))
    reduced(np.ascontiguousarray(points, dtype=np.int64), cells.vertices, cells.bits, cells.ops)
    return cells


def adjacency(vertices: int, bits: int) -> IntArray:
    """The upper triangular matrix of a cell."""
    matrix = np.zeros((vertices, vertices), dtype=np.int64)
    for y in range(vertices):
        for x in range(y):
            matrix[x, y] = bits >> (x + y * (y - 1) // 2) & 1
    return matrix


def packed(matrix: IntArray) -> int:
    """The bits of an upper triangular matrix."""
    return sum(1 << int(x + y * (y - 1) // 2) for x, y in np.argwhere(matrix))


def fingerprint(vertices: int, bits: int, ops: IntArray) -> str:
    """The MD5 name of a cell in NAS-Bench-101 (Ying et al. 2019).

    Each vertex starts from (out-degree, in-degree, label) and absorbs its neighbours' names V times, in
    sorted order; the cell's name is that of its sorted vertices. Labels: input -1, output -2, operations
    as above.
    """
    matrix = adjacency(vertices, bits)
    labels = [-1, *(int(op) for op in ops[: vertices - 2]), -2]
    degrees = zip(matrix.sum(axis=1).tolist(), matrix.sum(axis=0).tolist(), labels, strict=True)
    hashes = [md5(str(start)) for start in degrees]
    before = [np.flatnonzero(matrix[:, v]).tolist() for v in range(vertices)]
    after = [np.flatnonzero(matrix[v]).tolist() for v in range(vertices)]
    for _ in range(vertices):
        hashes = [
            md5(
                "".join(sorted(hashes[w] for w in before[v]))
                + "|"
                + "".join(sorted(hashes[w] for w in after[v]))
                + "|"
                + hashes[v]
            )
            for v in range(vertices)
        ]
    return md5(str(sorted(hashes)))


def md5(text: str) -> str:
    """The hexadecimal digest; a name, not a protection."""
    return hashlib.md5(text.encode("utf-8"), usedforsecurity=False).hexdigest()
