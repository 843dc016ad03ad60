"""Ready-made structures mean what their names say, compared with plain Python at every point.

`STRUCTURES` lists them with that reading; the rows are held to the same list in `tests/embed`.
"""

import itertools
import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

import milbox as on
import milbox.domain as mb
from milbox.domain import Domain
from milbox.domain.constraints import graphs
from structure_cases import STRUCTURES, Structure


@pytest.mark.parametrize("structure", STRUCTURES, ids=str)
def test_a_structure_means_what_its_name_says(structure: Structure) -> None:
    domain = structure.domain
    feasible = set(domain)
    truths = 0
    for point in itertools.product(*(v.codes for v in domain.variables)):
        truth = structure.truth(domain.assignment(point))
        assert (point in feasible) == domain.contains(point) == truth, domain.assignment(point)
        truths += truth
    assert 0 < truths < domain.box_size
    assert domain.size == truths


@pytest.mark.parametrize("structure", STRUCTURES, ids=str)
def test_a_structure_may_be_negated_and_written_down(structure: Structure) -> None:
    domain = structure.domain
    opposite = Domain(domain.declared, [~each for each in [mb.all_of(*domain.constraints)]])
    assert opposite.size == domain.box_size - len(list(domain))
    rebuilt = Domain.from_json(domain.to_json())
    assert rebuilt == domain
    assert list(rebuilt) == list(domain)


X = mb.binary("x", 4)
S = mb.categorical("s", "ACGT", 6)
P = mb.integer("p", 0, 3, 4)
RING = [(0, 1), (1, 2), (2, 3), (3, 0)]

MISTAKES: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: on.permutation(mb.integer("p", 0, 4, 4)), ValueError, "4 variables take 5 different values"),
    (lambda: on.subset_of_size([P[0]], 2), TypeError, r"Integer\('p\[0\]', 0, 3\) is not a constraint"),
    (lambda: on.subset_of_size([P[0] <= 1], 2), TypeError, "neither a binary variable nor a literal"),
    (lambda: on.subset_of_size(X, 2.5), TypeError, "a count must be a whole number"),  # type: ignore[arg-type]
    (lambda: on.balanced([X]), ValueError, "balanced compares groups, and got 1"),
    (lambda: on.budget(X, [1, 2], 3), ValueError, "4 things have 2 costs"),
    (lambda: on.budget(X, [1, 2, 3, float("nan")], 3), TypeError, "nan is not a finite number"),
    (lambda: on.assignment(P, {0: 1, 9: 1}), ValueError, r"there is no taker 9; there are \[0, 1, 2, 3\]"),
    (lambda: on.assignment(mb.binary("y", (2, 2)), [1]), ValueError, "2 takers have 1 capacities"),
    (lambda: on.before(S, "A", "A"), ValueError, "'A' cannot stand before itself"),
    (lambda: on.before(S, "A", "Z"), ValueError, "no choice 'Z'"),
    (lambda: on.no_runs(S, 0), ValueError, "at least 1, not 0"),
    (lambda: on.no_runs([], 2), ValueError, "a sequence needs at least one variable"),
    (lambda: on.no_runs([S[0], P[0]], 2), ValueError, "take different values; a sequence has one alphabet"),
    (lambda: on.share(S, "GC", 0.4, 60), ValueError, "a share is a fraction between 0 and 1, not 60"),
    (lambda: on.share(S, "GX"), ValueError, "no choice 'X'"),
    (lambda: on.without(S, "GAB"), ValueError, "no choice 'B'"),
    (lambda: on.without(S, ""), ValueError, "a motif needs at least one letter"),
    (
        lambda: mb.automaton(S, [(0, "A")], 0, [0]),
        ValueError,
        r"\(state, letter, next state\), and is \(0, 'A'\)",
    ),
    (
        lambda: mb.automaton(S, [(0, "A", 0), (0, "A", 1)], 0, [0]),
        ValueError,
        "two steps with 'A', to 0 and 1",
    ),
    (lambda: mb.automaton(S, [(0, "B", 0)], 0, [0]), ValueError, "no choice 'B'"),
    (lambda: graphs.connected_vertices(X, [(0, 4)]), ValueError, "numbers from 0 to 3, and one is 4"),
    (
        lambda: graphs.connected_vertices(X, [(0, 0)]),
        ValueError,
        r"pair of different vertices, and is \(0, 0\)",
    ),
    (lambda: graphs.connected_vertices([], []), ValueError, "at least one vertex"),
    (lambda: graphs.connected_edges(X, RING[:3]), ValueError, "3 edges is chosen by 4 variables"),
    (lambda: graphs.path(X, RING, 0, 7), ValueError, r"no vertex 7; it has \[0, 1, 2, 3\]"),
    (lambda: graphs.path(X, RING, 0, 0), ValueError, "both are 0"),
    (lambda: graphs.tour(X[:1], [(0, 1)]), ValueError, "at least three vertices"),
    (lambda: graphs.dag(X, RING), ValueError, r"smaller to larger numbers, and one is \(3, 0\)"),
    (
        lambda: graphs.dag(X[:3], graphs.arcs(3), active=X[:2]),
        ValueError,
        "1 vertices .* have 2 activities",
    ),
]


@pytest.mark.parametrize(("wrong", "error", "message"), MISTAKES)
def test_a_mistake_in_a_structure_is_told(
    wrong: Callable[[], Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        wrong()


def test_a_long_sequence_is_judged_quickly_and_rightly() -> None:
    letters = mb.categorical("s", "ACGT", 60)
    domain = Domain(
        [letters],
        [
            on.no_runs(letters, 3),
            on.share(letters, "GC", 0.4, 0.6),
            on.without(letters, "GAATTC", "GGATCC"),
            on.containing(letters, "TATA"),
        ],
    )
    points = np.random.default_rng(3).integers(0, 4, (4000, 60))
    feasible = domain.feasible(points)
    for point, kept in zip(points, feasible, strict=True):
        text = "".join("ACGT"[code] for code in point)
        assert kept == (
            not re.search(r"(.)\1\1\1|GAATTC|GGATCC", text)
            and 24 <= len(re.findall("[GC]", text)) <= 36
            and "TATA" in text
        )
    assert feasible.any()


def test_names_may_be_anything() -> None:
    roads = [("home", "shop"), ("shop", "work"), ("home", "work")]
    x = mb.binary("x", 3)
    ways = Domain([x], [graphs.path(x, roads, "home", "work")])
    assert set(ways) == {(1, 1, 0), (0, 0, 1)}
    states: Mapping[str, Any] = ways.assignment((1, 1, 0))
    assert states["x"].tolist() == [1, 1, 0]
