"""The cells of NAS-Bench-101: their names, and whether the formulation describes exactly them."""

from fractions import Fraction
from itertools import permutations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from milbox.arrays import IntArray
from milbox.bench.problems.cells import ENDS, Cells, adjacency, canonical_codes, cells_of, fingerprint, packed
from milbox.bench.problems.nasbench import cell_domain
from milbox.domain import Domain, Linear
from small_data import random_cells

EVERY_CELL = 423_624  # Ying et al. 2019
NULL = 3


def renamed(vertices: int, bits: int, ops: list[int], order: tuple[int, ...]) -> tuple[int, list[int]] | None:
    """The cell with inner vertex v called order[v], or None when an edge would lead down."""
    place = [0, *(v + 1 for v in order), vertices - 1]
    matrix = np.zeros((vertices, vertices), dtype=np.int64)
    for x, y in np.argwhere(adjacency(vertices, bits)):
        matrix[place[x], place[y]] = 1
    if np.tril(matrix).any():
        return None
    labels = [0] * len(order)
    for v, to in enumerate(order):
        labels[to] = ops[v]
    return packed(matrix), labels


def forms(cells: Cells, row: int) -> set[tuple[int, int, tuple[int, ...]]]:
    """A cell under all its names: vertices, edges and operations."""
    v, bits = int(cells.vertices[row]), int(cells.bits[row])
    ops = cells.ops[row, : v - 2].tolist()
    named = [renamed(v, bits, ops, order) for order in permutations(range(v - 2))]
    return {(v, form[0], tuple(form[1])) for form in named if form is not None}


def test_codes_are_equal_exactly_for_renamed_cells() -> None:
    cells = cells_of(random_cells(3, tries=20_000))
    codes = canonical_codes(cells)
    classes: dict[int, set[tuple[int, int, tuple[int, ...]]]] = {}
    for row, code in enumerate(codes.tolist()):
        same = forms(cells, row)
        assert classes.setdefault(code, same) == same
    # Cells of different codes have no name in common.
    assert sum(map(len, classes.values())) == len(set().union(*classes.values()))
    assert 100 < len(classes) < len(codes)
    for code, same in list(classes.items())[:100]:
        v = next(iter(same))[0]
        ops = np.full((len(same), 5), 255)
        ops[:, : v - 2] = [labels for _, _, labels in same]
        bits = np.array([b for _, b, _ in same])
        assert set(canonical_codes(Cells(np.full(len(same), v), bits, ops)).tolist()) == {code}
        # The fingerprint is an invariant of its own: it does not change either.
        assert len({fingerprint(v, b, np.array(labels)) for _, b, labels in list(same)[:6]}) == 1


def test_the_real_cells_are_the_feasible_set_by_their_real_names(nasbench: Path) -> None:
    with np.load(nasbench / "nasbench101" / "nb101_all_cells.npz") as archive:
        cells = Cells(archive["V"], archive["bits"], archive["ops"])
    with np.load(nasbench / "nasbench101" / "nb101_sample20001.npz") as archive:
        keys = archive["key"]

    def name(row: int) -> str:
        return fingerprint(int(cells.vertices[row]), int(cells.bits[row]), cells.ops[row])

    assert all(name(row) == keys[row].tobytes().hex() for row in range(0, len(keys), 20))
    # The others are sorted by their fingerprints.
    others = [name(row) for row in range(len(keys), len(cells.bits), 2_000)]
    assert others == sorted(others)
    # As many cells as the feasible set has, no two alike, and each of them feasible.
    assert len(np.unique(canonical_codes(cells))) == len(cells.bits) == EVERY_CELL
    points = np.full((EVERY_CELL, 26), NULL)
    points[:, 21:] = np.where(cells.ops == 255, NULL, cells.ops)
    for k, (x, y) in enumerate(ENDS):
        # The output is vertex 6 of a point, and the last of a cell.
        last = cells.vertices - 1
        place = x + (last * (last - 1) // 2 if y == 6 else np.full(EVERY_CELL, y * (y - 1) // 2))
        points[:, k] = (cells.bits >> place & 1) * ((x < last) & ((y == 6) | (y < last)))
    assert cell_domain(symmetry=True).feasible(points).all()


def survivors(domain: Domain, edges: Any, null: tuple[bool, ...]) -> Any:
    """The columns of edges that satisfy every constraint with these vertices null and the others not."""
    for constraint in sorted(
        domain.constraints, key=lambda c: (c.variables[0].name < "o", -len(c.variables))
    ):
        codes = {
            v.name: edges[int(v.name[5:-1])]
            if v.name.startswith("edge")
            else np.full(edges.shape[1], NULL if null[int(v.name[3:-1])] else 0)
            for v in constraint.variables
        }
        keep = constraint.holds(codes)
        edges = edges if keep.all() else edges[:, keep]
    return edges


@pytest.mark.parametrize("symmetry", [False, True])
def test_the_feasible_set_up_to_isomorphism_is_all_cells(symmetry: bool) -> None:
    domain = cell_domain(symmetry=symmetry)
    # Operations matter to the constraints only through being null, so one of each kind stands for all.
    assert all(isinstance(constraint, Linear) for constraint in domain.constraints)
    factors = [f for c in domain.constraints for monomial, _ in c.terms for f in monomial]
    assert {f.code for f in factors if f.name.startswith("op")} == {NULL}
    every: Any = (np.arange(2**21, dtype=np.int32) >> np.arange(21)[:, None] & 1).astype(np.int8)
    (most,) = [c for c in domain.constraints if len(c.variables) == 21]
    few = every[:, most.holds({f"edge[{k}]": every[k] for k in range(21)})]
    assert few.shape[1] == np.count_nonzero(every.sum(axis=0) <= 9)
    graphs: dict[int, set[int]] = {v: set() for v in range(2, 8)}
    for null in product((False, True), repeat=5):
        edges = survivors(domain, few, null)
        if symmetry and list(null) != sorted(null):
            assert edges.shape[1] == 0
            continue
        ops = np.where(null, NULL, 0)
        cells = cells_of(np.vstack([edges, np.repeat(ops[:, None], edges.shape[1], axis=1)]).T)
        v = 7 - sum(null)
        assert set(cells.vertices.tolist()) == {v}
        shapes = set(canonical_codes(cells).tolist())
        # Wherever the null vertices are, the same graphs remain.
        assert graphs[v] in (set(), shapes)
        graphs[v] = shapes
    found = np.unique(np.concatenate([labelled(v, shapes) for v, shapes in graphs.items()]))
    assert len(found) == EVERY_CELL


def labelled(vertices: int, shapes: set[int]) -> IntArray:
    """The codes of all cells with these graphs: every inner vertex gets every operation."""
    inner = vertices - 2
    labels = np.array(list(product(range(3), repeat=inner)), dtype=np.int64).reshape(3**inner, inner)
    bits = np.array([shape >> 10 & (1 << 21) - 1 for shape in sorted(shapes)])
    ops = np.full((len(bits) * len(labels), 5), 255)
    ops[:, :inner] = np.tile(labels, (len(bits), 1))
    return canonical_codes(Cells(np.full(len(ops), vertices), np.repeat(bits, len(labels)), ops))


def is_cell(point: list[int]) -> bool:
    """NAS-Bench-101's own rule, in plain Python: at most 9 edges, every vertex in use on a way through."""
    edges = [ends for k, ends in enumerate(ENDS) if point[k]]
    used = {0, 6} | {v for v in range(1, 6) if point[20 + v] != NULL}
    if len(edges) > 9 or any(x not in used or y not in used for x, y in edges):
        return False
    forward, backward = {0}, {6}
    for _ in range(7):
        forward |= {y for x, y in edges if x in forward}
        backward |= {x for x, y in edges if y in backward}
    return forward == backward == used


def test_the_domain_contains_exactly_what_the_rules_allow() -> None:
    domain = cell_domain(symmetry=False)
    rng = np.random.default_rng(0)
    points = rng.integers(0, 4, (40_000, 26))
    points[:, :21] = rng.random((40_000, 21)) < rng.uniform(0.05, 0.5, (40_000, 1))
    # Clear edges at null vertices in half of the points, so that both answers occur.
    for k, (x, y) in enumerate(ENDS):
        for v in (x, y):
            if 0 < v < 6:
                points[::2, k] *= points[::2, 20 + v] != NULL
    expected = [is_cell(point) for point in points.tolist()]
    assert 300 < sum(expected) < 39_000
    assert domain.feasible(points).tolist() == expected
    monotone = [list(p[21:] == NULL) == sorted(p[21:] == NULL) for p in points]
    broken = cell_domain(symmetry=True).feasible(points)
    assert broken.tolist() == [a and b for a, b in zip(expected, monotone, strict=True)]


def test_null_vertices_vanish_from_a_cell() -> None:
    point = [0] * 21 + [NULL, 1, NULL, 2, NULL]
    for x, y in ((0, 2), (2, 4), (4, 6), (0, 6)):
        point[ENDS.index((x, y))] = 1
    cells = cells_of(np.array([point]))
    assert cells.vertices.tolist() == [4]
    assert cells.ops.tolist() == [[1, 2, 255, 255, 255]]
    assert np.argwhere(adjacency(4, int(cells.bits[0]))).tolist() == [[0, 1], [0, 3], [1, 2], [2, 3]]


def test_the_constraints_describe_as_many_cells_as_there_are() -> None:
    """423,624 cells, counted from the constraints alone by Burnside's lemma.

    A cell is an orbit of graphs with operations under relabelling of the inner vertices. Edges lead upwards
    in the domain, so an orbit with T relabellings that keep them upwards, A of which change nothing, has T/A
    points there, and each counts A/T. A relabelling leaves operations that are constant on its cycles.
    """
    domain = cell_domain(symmetry=True)
    found = Fraction(0)
    for inner in range(6):
        edges = graphs_within(domain, inner)
        orders, fixed = np.zeros(len(edges), np.int64), np.zeros(len(edges), np.int64)
        for order in permutations(range(inner)):
            place = [0, *(v + 1 for v in order), *range(inner + 1, 7)]
            upward, same = np.ones(len(edges), bool), np.ones(len(edges), bool)
            for k, (x, y) in enumerate(ENDS):
                if place[x] > place[y]:
                    upward &= ~edges[:, k]
                else:
                    same &= edges[:, k] == edges[:, ENDS.index((place[x], place[y]))]
            orders += upward
            fixed += np.where(upward & same, 3 ** cycles(order), 0)
        for ways in np.unique(orders):
            found += Fraction(int(fixed[orders == ways].sum()), int(ways))
    assert found == EVERY_CELL


def graphs_within(domain: Domain, inner: int) -> NDArray[np.bool_]:
    """The edges of all feasible points with the first `inner` vertices in use, whatever their operations."""
    used = [k for k, (x, y) in enumerate(ENDS) if x <= inner and (y <= inner or y == 6)]
    codes = np.arange(2 ** len(used))
    bits = (codes[:, None] >> np.arange(len(used))) & 1
    bits = bits[bits.sum(axis=1) <= 9]
    points = np.zeros((len(bits), len(domain.variables)), dtype=np.int64)
    points[:, used] = bits
    points[:, len(ENDS) + inner :] = NULL
    return points[domain.feasible(points), : len(ENDS)].astype(bool)


def cycles(order: tuple[int, ...]) -> int:
    """Of a permutation."""
    left, count = set(range(len(order))), 0
    while left:
        count += 1
        v = next(iter(left))
        while v in left:
            left.remove(v)
            v = order[v]
    return count
