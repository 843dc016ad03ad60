"""Does every edge lead down, does everything have its place, and is no line crossed that need not be?"""

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import isotonic_regression

from milbox.page.svg.layers import crossings, layered, neighbours, spaced


@st.composite
def dags(draw: st.DrawFn) -> tuple[list[int], list[tuple[int, int]]]:
    """A few vertices and edges from smaller to larger numbers."""
    order = draw(st.integers(2, 8))
    possible = list(itertools.combinations(range(order), 2))
    edges = draw(st.lists(st.sampled_from(possible), min_size=1, unique=True))
    return sorted({v for edge in edges for v in edge}), edges


@given(dags())
def test_layouts(graph: tuple[list[int], list[tuple[int, int]]]) -> None:
    vertices, edges = graph
    layout = layered(vertices, edges, 100)
    assert layout is not None
    depth = {v: k for k, row in enumerate(layout.rows) for v in row}
    assert sorted(v for v in depth if v >= 0) == vertices
    assert [(route[0], route[-1]) for route in layout.routes] == edges
    for route in layout.routes:
        assert [depth[v] for v in route] == list(range(depth[route[0]], depth[route[-1]] + 1))
        assert all(v < 0 for v in route[1:-1])
    for row in layout.rows:
        places = [layout.across[v] for v in row]
        for (u, a), (v, b) in itertools.pairwise(zip(row, places, strict=True)):
            assert b - a >= (100 if u >= 0 <= v else 25) - 1e-6
    for v in vertices:
        assert 50 - 1e-6 <= layout.across[v] <= layout.width - 50 + 1e-6


def test_a_cycle_has_no_layers() -> None:
    assert layered([0, 1, 2], [(0, 1), (1, 2), (2, 0)], 100) is None


def test_crossings_that_can_be_avoided_are() -> None:
    edges = [(0, 4), (0, 3), (1, 3), (2, 4), (1, 5), (3, 6), (4, 6), (5, 6)]
    layout = layered(range(7), edges, 100)
    assert layout is not None
    assert crossings(layout.rows, neighbours(layout.routes).below) == 0


@given(st.lists(st.floats(-100, 100), min_size=1, max_size=8), st.floats(1, 30))
def test_places_are_the_nearest_that_keep_their_distance(wishes: list[float], step: float) -> None:
    offsets = [step * k for k in range(len(wishes))]
    expected = isotonic_regression(np.array(wishes) - offsets).x + offsets
    np.testing.assert_allclose(spaced(wishes, offsets), expected, atol=1e-9)
