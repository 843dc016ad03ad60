"""The paper's inexact inner solvers: lawful everywhere, and as published where that can be checked."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import milbox.domain as md
from generators import histories, relu_nets, small_domains
from milbox.arrays import FloatArray, IntArray, Point
from milbox.domain import Domain
from milbox.inner import Evolution, InnerSolver, Sample
from milbox.inner.evolution.genes import block_genes, variable_genes
from milbox.inner.evolution.kernels import cross, exchange, mutate, mutate_balanced, tournaments
from milbox.inner.evolution.mutators import Balanced, Mutator, Pointwise, paired_subsets
from milbox.inner.query import Query
from milbox.inner.untried import sample
from milbox.surrogates.linear import Linear
from milbox.surrogates.relu import ReluLearner, ReluNet
from milbox.testing.answers import all_proposed, proposed

SOLVERS: tuple[InnerSolver, ...] = (
    Evolution(evaluations=60, batch=20),
    Evolution(Balanced(), evaluations=60, batch=25, tournament=3, alive=10),
    Evolution(Pointwise(0.2, 0.3, blind=True), evaluations=60, batch=20),
    Sample(points=50),
)


def state(seed: int) -> np.ndarray:
    return np.array([seed], dtype=np.uint64)


def balanced(n: int) -> Domain:
    """Pairs of subsets of 5 with equally many ones, as in the paper's constrained problems."""
    x = md.binary("x", n)
    return Domain([x], [x[s : s + 5].sum() == x[s + 5 : s + 10].sum() for s in range(0, n, 10)])


def cliques() -> Domain:
    """Twelve items in one of three groups each, the first two groups of at most 4: no small blocks."""
    x = md.binary("x", (12, 3))
    return Domain([x], [*(x[i].sum() == 1 for i in range(12)), x[:, 0].sum() <= 4, x[:, 1].sum() <= 4])


@given(data=st.data(), solver=st.sampled_from(SOLVERS), count=st.integers(1, 3), seed=st.integers(0, 99))
def test_only_new_feasible_distinct_points_and_all_that_are_left(
    data: st.DataObject, solver: InnerSolver, count: int, seed: int
) -> None:
    domain = data.draw(small_domains(most=32, feasible=True))
    forbidden = data.draw(histories(domain, most=40)).asked_points
    net = data.draw(relu_nets(domain.features))
    found = all_proposed(solver.solve(Query.of(net, domain, forbidden, count), np.random.default_rng(seed)))
    left = set(domain) - set(forbidden)
    points = [proposal.point for proposal in found]
    assert len(set(points)) == len(points) == min(count, len(left))
    assert set(points) <= left
    for proposal in found:
        certificate = proposal.certificate
        assert certificate is not None
        own = float(net.predict(domain.encode([proposal.point]))[0])
        assert certificate.value == pytest.approx(own, abs=1e-9)
        assert certificate.bound == np.inf
        assert certificate.status == "feasible"
    again = all_proposed(solver.solve(Query.of(net, domain, forbidden, count), np.random.default_rng(seed)))
    assert [proposal.point for proposal in again] == points


class Plain:
    """A network that does not say it is one, so that no compiled path can be taken."""

    def __init__(self, net: ReluNet) -> None:
        self.net = net

    def predict(self, features: FloatArray) -> FloatArray:
        return self.net.predict(features)


@pytest.mark.parametrize(
    ("domain", "mutator"),
    [
        (Domain([md.categorical("base", list("ACGT"), 8)]), Pointwise(0.2, 0.05)),
        (Domain([md.integer("k", -3, 6, 5), md.binary("b", 4)]), Pointwise(0.2, 0.1)),
        (Domain([md.integer("k", 1, 9, 5, encoding="integer")]), Pointwise(0.5, 0.1)),
        (balanced(20), Pointwise(0.2, 0.1)),
        (balanced(30), Balanced()),
    ],
    ids=["letters", "mixed", "integers", "blocks", "pairs"],
)
def test_the_compiled_evolution_is_the_plain_one(domain: Domain, mutator: Mutator) -> None:
    rng = np.random.default_rng(4)
    founders = sample(domain, 70, rng)
    net = ReluLearner(hidden=(5,), steps=40).fit(domain.encode(founders), rng.normal(size=70), rng)
    evolution = Evolution(mutator, evaluations=730, batch=50, alive=200)
    fast = evolution.visited(net, domain, founders, np.random.default_rng(1))
    slow = evolution.visited(Plain(net), domain, founders, np.random.default_rng(1))
    np.testing.assert_array_equal(fast[0], slow[0])
    np.testing.assert_allclose(fast[1], slow[1], atol=1e-9)
    assert domain.feasible(fast[0]).all()


def test_evolution_finds_better_points_than_chance() -> None:
    domain = Domain([md.categorical("base", list("ACGT"), 12)])
    rng = np.random.default_rng(7)
    model = Linear(rng.normal(size=domain.features), 0.0)
    top = float(model.weights.reshape(12, 4).max(axis=1).sum())
    tried = [tuple(p) for p in sample(domain, 50, rng).tolist()]
    evolved = proposed(Evolution().solve(Query.of(model, domain, tried), np.random.default_rng(1)))[
        0
    ].certificate
    drawn = proposed(Sample().solve(Query.of(model, domain, tried), np.random.default_rng(1)))[0].certificate
    assert evolved is not None
    assert drawn is not None
    assert drawn.value < evolved.value <= top + 1e-9
    assert evolved.value > 0.98 * top


@pytest.mark.parametrize("mutator", [Pointwise(0.2, 0.05), Balanced(0.1)], ids=["pointwise", "balanced"])
def test_where_constraints_assign_and_count_children_are_feasible_and_new(mutator: Mutator) -> None:
    domain = cliques()
    assert block_genes(domain) is None
    x = np.zeros((12, 3), dtype=np.int64)
    x[:4, 0] = x[4:8, 1] = x[8:, 2] = 1
    parent = np.repeat(x.reshape(1, -1), 200, axis=0)
    children = mutator.children(domain, parent, parent, state(3))
    assert domain.feasible(children).all()
    assert len({tuple(child) for child in children.tolist()}) > 20


def test_a_blind_mutator_leaves_the_domain_and_is_not_believed() -> None:
    domain = balanced(10)
    founders = sample(domain, 40, np.random.default_rng(0))
    mutator = Pointwise(0.2, 0.2, blind=True)
    children = mutator.children(domain, founders, founders[::-1].copy(), state(1))
    assert not domain.feasible(children).all()
    # It likes many ones on the left, which no feasible point has alone.
    model = Linear(np.array([1.0] * 5 + [-1.0] * 5), 0.0)
    found = proposed(
        Evolution(mutator, evaluations=500).solve(
            Query.of(model, domain, [tuple(p) for p in founders.tolist()], 3), np.random.default_rng(2)
        )
    )
    assert all(domain.contains(proposal.point) for proposal in found)


@given(domain=small_domains(feasible=True))
def test_genes_and_points_are_two_names_of_the_same(domain: Domain) -> None:
    points = np.array(list(domain), dtype=np.int64)
    for genes in (block_genes(domain), variable_genes(domain)):
        assert genes is not None
        codes = genes.genes(points)
        assert ((codes >= 0) & (codes < genes.sizes)).all()
        np.testing.assert_array_equal(genes.points(codes), points)
        built = np.zeros((len(points), domain.features))
        for p in range(len(genes.sizes)):
            built += genes.features[genes.first[p] + codes[:, p]].toarray()
        np.testing.assert_allclose(built, domain.encode(points))


def test_tournaments_draw_different_members_and_return_the_best_two() -> None:
    values: FloatArray = np.arange(12, dtype=np.float64)[::-1].copy()
    best, second = np.empty(4000, dtype=np.int64), np.empty(4000, dtype=np.int64)
    tournaments(values, 3, best, second, state(5))
    assert (values[best] > values[second]).all()
    # Member 0 is the best of all: it wins whenever it takes part, in 3 of 12 tournaments.
    assert Counter(best.tolist())[0] / 4000 == pytest.approx(3 / 12, abs=0.03)
    # Two of the others are always worse, so the two worst never come first.
    assert best.max() <= 9
    tournaments(values, 50, best, second, state(5))
    assert set(best) == {0}
    assert set(second) == {1}
    alone = np.array([1.0])
    tournaments(alone, 10, best, second, state(5))
    assert set(best) == set(second) == {0}


def test_crossover_changes_over_with_its_probability() -> None:
    first, second = np.zeros((3000, 20), dtype=np.int64), np.ones((3000, 20), dtype=np.int64)
    made = np.empty_like(first)
    cross(first, second, 0.2, made, state(1))
    assert (made[:, 1:] != made[:, :-1]).mean() == pytest.approx(0.2, abs=0.01)
    assert made[:, 0].mean() == pytest.approx(0.5, abs=0.05)
    cross(first, second, 0.0, made, state(1))
    assert (made == made[:, :1]).all()


def test_mutation_changes_each_gene_with_its_rate_to_any_other_value() -> None:
    made = np.tile(np.array([2, 0, 2, 1]), (6000, 1))
    mutate(made, np.array([4, 1, 4, 2]), np.array([0.3, 1.0, 0.0, 1.0]), state(9))
    changed = made[:, 0] != 2
    assert changed.mean() == pytest.approx(0.3, abs=0.03)
    shares = Counter(made[changed, 0].tolist())
    assert set(shares) == {0, 1, 3}
    assert min(shares.values()) / changed.sum() > 0.28
    assert (made[:, 1] == 0).all(), "one value has no other"
    assert (made[:, 2] == 2).all(), "a rate of nothing"
    assert (made[:, 3] == 0).all(), "a rate of one, and the only other value"


def test_the_paired_mutator_flips_as_published() -> None:
    domain = balanced(20)
    pairs = paired_subsets(domain)
    assert pairs is not None
    made = np.repeat(sample(domain, 1, np.random.default_rng(2)), 8000, axis=0)
    parent = made[0].copy()
    mutate_balanced(made, pairs.members, pairs.starts, 0.1, state(4))
    assert domain.feasible(made).all()
    flips = made != parent
    # In each pair, one side flips 5 * 0.1 items on average and the other what it takes to balance.
    per_pair = flips.reshape(8000, 2, 10).sum(axis=2).mean()
    assert 0.5 < per_pair < 1.0
    untouched = (~flips).reshape(8000, 2, 10).all(axis=2).mean()
    assert untouched == pytest.approx(0.9**5, abs=0.02)
    # A net change on the free side is answered by exactly as many on the other.
    ones = made.reshape(8000, 2, 2, 5).sum(axis=3)
    assert (ones[:, :, 0] == ones[:, :, 1]).all()


def test_pairs_are_read_from_constraints_and_from_nothing_else() -> None:
    domain = balanced(20)
    pairs = paired_subsets(domain)
    assert pairs is not None
    assert sorted(pairs.members.tolist()) == list(range(20))
    assert pairs.starts.tolist() == [0, 5, 10, 15, 20]
    x, k = md.binary("x", 6), md.integer("k", 0, 3)
    mixed = Domain([x, k], [x[0] + x[1] == x[2] + x[3]])
    found = paired_subsets(mixed)
    assert found is not None
    assert found.covered.tolist() == [True] * 4 + [False] * 3
    for others in (
        [],
        [x[0] + x[1] == x[2]],
        [x[0] + x[1] == x[2] + x[3], x[0] + x[4] == x[2] + x[5]],
        [x[0] + x[1] <= x[2] + x[3]],
        [2 * x[0] == 2 * x[1], x[2] + k == x[3] + x[4]],
        [x[0] * x[1] == x[2]],
    ):
        assert paired_subsets(Domain([x, k], others)) is None


def test_exchanges_keep_the_values_of_a_constraint_and_move_them() -> None:
    made = np.repeat(np.array([[1, 0, 0, 3, 4]]), 500, axis=0)
    exchange(made, np.array([2, 2, 2, 5, 5]), np.array([0, 1, 2, 3, 4]), np.array([0, 3, 5]), state(8))
    assert (np.sort(made[:, :3], axis=1) == [0, 0, 1]).all()
    assert (np.sort(made[:, 3:], axis=1) == [3, 4]).all()
    assert len({tuple(row) for row in made.tolist()}) == 6


@settings(max_examples=10)
@given(seed=st.integers(0, 1000))
def test_samples_of_a_product_of_blocks_are_uniform(seed: int) -> None:
    x = md.binary("x", 4)
    domain = Domain([x, md.integer("k", 2, 3)], [x[0] + x[1] == x[2] + x[3]])
    points = list(domain)
    drawn: IntArray = sample(domain, 6000, np.random.default_rng(seed))
    counts: Counter[Point] = Counter(tuple(p) for p in drawn.tolist())
    assert set(counts) == set(points)
    expected = 6000 / len(points)
    chi2 = sum((counts[p] - expected) ** 2 / expected for p in points)
    assert chi2 < 40  # 11 degrees of freedom: one in 20,000
