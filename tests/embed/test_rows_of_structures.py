"""Law 2 for every ready-made structure and for its opposite: the rows leave exactly its points."""

import itertools
from collections.abc import Iterator

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import minimum_spanning_tree, shortest_path

import milbox as on
import milbox.domain as mb
from milbox.domain import Constraint, Domain
from milbox.domain.constraints import graphs
from milbox.embed.domain import formulate
from milbox.embed.nogood import forbid
from milbox.milp.program import Affine, MilpBuilder
from milbox.milp.solution import Limits, Status
from milbox.milp.solvers import Highs, Scip
from rows import completed, formulated
from structure_cases import STRUCTURES, Structure


def opposite(domain: Domain) -> Domain:
    return Domain(domain.declared, [mb.negate(mb.all_of(*domain.constraints))])


def in_integers(domain: Domain) -> Domain:
    form = domain.to_json()
    for variable in form["variables"]:
        if "encoding" in variable:
            variable["encoding"] = "integer"
    return Domain.from_json(form)


@pytest.mark.parametrize(
    "change", [lambda domain: domain, opposite, in_integers], ids=["is", "is not", "integer"]
)
@pytest.mark.parametrize("structure", STRUCTURES, ids=str)
def test_law_2_for_structures(structure: Structure, change: object) -> None:
    domain = change(structure.domain)  # type: ignore[operator]
    formulation = formulated(domain)
    milp = formulation.milp.build()
    points = list(domain)
    for point in points[:: 1 + len(points) // 40]:
        assert completed(milp, formulation, point)
    # Once its points are forbidden, the rows leave nothing: they left nothing else.
    forbid(points, formulation)
    assert Highs().solve(formulation.milp.build(), Limits()).status is Status.INFEASIBLE


def test_a_long_sequence_is_optimised_under_all_its_constraints() -> None:
    letters = mb.categorical("s", "ACGT", 30)
    domain = Domain(
        [letters],
        [
            on.no_runs(letters, 3),
            on.share(letters, "GC", 0.4, 0.5),
            on.without(letters, "GAATTC", "ACG"),
            on.containing(letters, "TATA"),
        ],
    )
    milp = MilpBuilder()
    formulation = formulate(domain, milp)
    milp.maximize(Affine(formulation.inputs, np.random.default_rng(1).normal(size=120)))
    solution = Scip().solve(milp.build(), Limits(seconds=60))
    assert solution.status is Status.OPTIMAL
    assert solution.x is not None
    point = domain.decode(solution.x[formulation.inputs])
    assert domain.contains(point)
    assert "TATA" in "".join(domain.assignment(point)["s"])
    assert solution.objective == pytest.approx(Highs().solve(milp.build(), Limits()).objective, abs=1e-5)


def graph(order: int, count: int, seed: int) -> tuple[list[tuple[int, int]], csr_array]:
    """A connected random graph and the lengths of its edges."""
    rng = np.random.default_rng(seed)
    pairs = [(int(rng.integers(v)), v) for v in range(1, order)]
    rest = [pair for pair in itertools.combinations(range(order), 2) if pair not in pairs]
    pairs += [rest[i] for i in rng.choice(len(rest), count - len(pairs), replace=False)]
    lengths = rng.integers(1, 50, count).astype(float)
    return pairs, csr_array((lengths, tuple(np.array(pairs).T)), shape=(order, order))


def shortest(edges: object, structure: Constraint, pairs: list[tuple[int, int]], lengths: csr_array) -> float:
    """The least length of a choice of edges with the structure."""
    milp = MilpBuilder()
    inputs = formulate(Domain([edges], [structure]), milp).inputs
    milp.maximize(Affine(inputs, -np.array([lengths[pair] for pair in pairs])))
    solution = Scip().solve(milp.build(), Limits(seconds=60))
    assert solution.status is Status.OPTIMAL
    return -solution.objective


def test_the_shortest_spanning_tree_and_path_are_those_of_graph_algorithms() -> None:
    pairs, lengths = graph(12, 30, seed=4)
    x = mb.binary("x", 30)
    tree = shortest(x, graphs.spanning_tree(x, pairs), pairs, lengths)
    assert tree == pytest.approx(minimum_spanning_tree(lengths).sum())
    way = shortest(x, graphs.path(x, pairs, 0, 11), pairs, lengths)
    assert way == pytest.approx(shortest_path(lengths, directed=False)[0, 11])


def test_the_longest_path_still_meets_no_vertex_twice() -> None:
    pairs, lengths = graph(8, 16, seed=5)
    x = mb.binary("x", 16)
    longest = -shortest(x, graphs.path(x, pairs, 0, 7), pairs, -lengths)
    assert longest == max(
        sum(lengths[min(step), max(step)] for step in itertools.pairwise(walk))
        for walk in walks([0], 7, pairs)
    )


def walks(walk: list[int], target: int, pairs: list[tuple[int, int]]) -> Iterator[list[int]]:
    """Every way on from a walk to the target that meets no vertex twice."""
    if walk[-1] == target:
        yield walk
        return
    for u, v in pairs:
        for here, there in ((u, v), (v, u)):
            if here == walk[-1] and there not in walk:
                yield from walks([*walk, there], target, pairs)
