"""The search over pairs finds the best point of a quadratic surrogate in a ball, and proves it."""

import re
from collections.abc import Collection

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import milbox as mb
from generators import small_domains
from milbox.arrays import FloatArray, Point
from milbox.domain import Domain
from milbox.domain.box import Box
from milbox.domain.diagrams.product import for_search
from milbox.inner.pairs.moves import STATES, Groups, _grouped, groups_of
from milbox.inner.pairs.solve import WORK, Around, Near, Pairs, wandered
from milbox.inner.query import Query, Region
from milbox.milp.solution import Status
from milbox.surrogates import Quadratic
from milbox.trials.answer import Answer, Empty, Found, Unknown
from milbox.trials.origin import Origin, Source
from milbox.trials.points import Points


def quadratic(features: int, seed: int) -> Quadratic:
    """A random quadratic function."""
    rng = np.random.default_rng(seed)
    pairs = np.triu(rng.normal(size=(features, features)), 1)
    return Quadratic(rng.normal(size=features), pairs, float(rng.normal()))


def near(domain: Domain, centre: Point, changes: int) -> list[Point]:
    """All points of a domain that differ from a centre in few variables."""
    return [p for p in domain if sum(a != b for a, b in zip(p, centre, strict=True)) <= changes]


def check(domain: Domain, centre: Point, changes: int, tried: list[Point], seed: int) -> None:
    """Compare with enumeration."""
    surrogate = quadratic(domain.features, seed)
    region = Region(domain, Points(tried), box=Box.ball(domain, centre, changes))
    answer = Pairs().solve(Query(surrogate, region), np.random.default_rng(0))
    left = [point for point in near(domain, centre, changes) if point not in set(tried)]
    if not left:
        assert isinstance(answer, Empty)
        return
    assert isinstance(answer, Found)
    values: FloatArray = surrogate.predict(domain.encode(left))
    (proposal,) = answer.proposals
    assert proposal.point in left
    certificate = proposal.certificate
    assert certificate is not None
    assert certificate.status is Status.OPTIMAL
    assert certificate.value == pytest.approx(values.max(), abs=1e-8)
    assert certificate.bound >= values.max() - 1e-9
    assert f"at most {changes} variable" in certificate.about


def check_pointless(query: Query, answer: Answer, left: Collection[Point]) -> None:
    """An answer without a point proves that none is left, or was cut short where more work finds one."""
    if isinstance(answer, Empty):
        assert not left
        return
    assert isinstance(answer, Unknown)
    assert query.region.box is not None, "elsewhere any untried point will do"
    assert re.fullmatch(r"the search over pairs met no untried point in \d+ nodes?", answer.reason)
    answer = Pairs().solve(query, np.random.default_rng(0))
    if not left:
        assert isinstance(answer, Empty)
        return
    assert isinstance(answer, Found)
    assert answer.proposals[0].point in left
    assert answer.proposals[0].certificate is not None


@settings(max_examples=150, deadline=None)
@given(st.data(), small_domains(most=64), st.integers(0, 10_000), st.integers(1, 4))
def test_the_best_of_a_ball_is_that_of_enumeration(
    data: st.DataObject, domain: Domain, seed: int, changes: int
) -> None:
    everything = list(domain)
    assume(everything)
    centre = data.draw(st.sampled_from(everything))
    tried = data.draw(st.lists(st.sampled_from(everything), max_size=8, unique=True))
    query = Query(quadratic(domain.features, 0), Region(domain, box=Box.ball(domain, centre, changes)))
    assume(Pairs().refusal(query) is None)
    check(domain, centre, changes, [*tried, centre], seed)


@settings(max_examples=60, deadline=None)
@given(st.data(), st.integers(0, 10_000), st.integers(1, 6))
def test_a_tabu_search_keeps_to_the_ball_and_to_untried_points(
    data: st.DataObject, seed: int, changes: int
) -> None:
    domain = mb.Domain([mb.binary("x", 3), mb.categorical("s", "abc", 3)])
    groups = groups_of(domain)
    assert not isinstance(groups, str)
    assert groups.free
    everything = list(domain)
    centre = data.draw(st.sampled_from(everything))
    tried = data.draw(st.lists(st.sampled_from(everything), max_size=30, unique=True))
    surrogate, codes = quadratic(domain.features, seed), np.array([*tried, centre])
    rng = np.random.default_rng(seed)
    around = Around(surrogate, domain, groups, codes, np.array(centre))
    met_among_untried(around, wandered(around, changes, WORK, rng), changes, few=10)


def met_among_untried(around: Around, found: Near, changes: int, few: int) -> None:
    """A tabu search looks for good points, and may miss the last few."""
    domain, tried = around.domain, set(map(tuple, around.tried.tolist()))
    near_by = near(domain, tuple(around.centre.tolist()), changes)
    left = [point for point in near_by if point not in tried]
    if found.point is None:
        assert len(left) < few
        return
    point = tuple(found.point.tolist())
    assert point in left
    assert found.value == pytest.approx(around.value_of(found.point), abs=1e-9)


def test_a_tabu_search_leaves_local_optima() -> None:
    """It starts where it mostly does, at a tried point that no single change makes better."""
    domain = mb.Domain([mb.binary("x", 12)])
    groups, everything = groups_of(domain), np.array(list(domain))
    assert not isinstance(groups, str)
    met, stuck = 0, 0
    for seed in range(20):
        surrogate = quadratic(12, seed)
        values = surrogate.predict(domain.encode(everything))
        table = values.reshape((2,) * 12)
        beside = np.stack([np.flip(table, axis).ravel() for axis in range(12)])
        centre = int(np.flatnonzero((values >= beside).all(axis=0))[-1])
        left = np.delete(values, centre)
        rng, tried = np.random.default_rng(seed), everything[[centre]]
        best = left.max() - 1e-9
        around = Around(surrogate, domain, groups, tried, everything[centre])
        met += wandered(around, 12, WORK, rng).value >= best
        stuck += Pairs().climbed(around, 12).value < best
    assert met == 20
    assert stuck > 0


def knapsack() -> Domain:
    """Ten of different weights, with a least and a largest total."""
    x, weights = mb.binary("x", 10), [103, 211, 307, 401, 503, 601, 701, 809, 907, 1009]
    total = sum(w * v for w, v in zip(weights, x, strict=True))
    return mb.Domain([x], [total <= 2400, total >= 2000])


def assignment() -> Domain:
    """Six jobs on three machines with capacities."""
    x, sizes = mb.binary("x", (6, 3)), [103, 211, 307, 401, 503, 601]
    loads = [sum(size * x[i, k] for i, size in enumerate(sizes)) for k in range(3)]
    return mb.Domain([x], [x[i].sum() == 1 for i in range(6)] + [load <= 1000 for load in loads])


def with_sums(domain: Domain) -> Groups:
    """The groups of a domain, whose constraints stay sums even where they would make small diagrams."""
    groups = _grouped(domain, for_search(domain, 0), STATES)
    assert len(groups.lower)
    assert not groups.diagrams
    return groups


@settings(max_examples=100, deadline=None)
@given(st.data(), st.integers(0, 10_000), st.sampled_from([2, 4, 8, 18]))
def test_ejection_chains_keep_sums_the_ball_and_to_untried_points(
    data: st.DataObject, seed: int, changes: int
) -> None:
    domain = data.draw(st.sampled_from([knapsack(), assignment(), partition(), subset()]))
    everything = list(domain)
    centre = data.draw(st.sampled_from(everything))
    tried = data.draw(st.lists(st.sampled_from(everything), max_size=30, unique=True))
    surrogate, codes = quadratic(domain.features, seed), np.array([*tried, centre])
    around = Around(surrogate, domain, with_sums(domain), codes, np.array(centre))
    met_among_untried(around, wandered(around, changes, WORK, np.random.default_rng(seed)), changes, few=40)


def test_ejection_chains_leave_local_optima_under_sums() -> None:
    """An ascent in small balls ends too early, and under an equality no single change is possible at all."""
    stuck = 0
    for domain in (knapsack(), assignment(), partition(), subset()):
        groups, everything, reach = with_sums(domain), np.array(list(domain)), len(domain.variables)
        met = 0
        for seed in range(20):
            surrogate = quadratic(domain.features, seed)
            values = surrogate.predict(domain.encode(everything))
            start = everything[int(np.argsort(values)[-2])]  # good, tried, and not the best
            around = Around(surrogate, domain, groups, start[None], start)
            found = wandered(around, reach, WORK, np.random.default_rng(seed))
            met += found.value >= values.max() - 1e-9
            stuck += Pairs().climbed(around, reach).value < values.max() - 1e-9
        assert met >= 19  # of 20: it looks for good points
    assert stuck > 10


@settings(max_examples=100, deadline=None)
@given(st.data(), st.integers(0, 10_000), st.sampled_from([1, 20, 100, 500, 3000]), st.booleans())
def test_a_proof_that_ends_early_is_about_the_ball_that_it_names(
    data: st.DataObject, seed: int, work: int, everywhere: bool
) -> None:
    domain = data.draw(st.sampled_from([partition(), subset(), mb.Domain([mb.categorical("s", "abc", 5)])]))
    everything = list(domain)
    centre = data.draw(st.sampled_from(everything))
    tried = [centre, *data.draw(st.lists(st.sampled_from(everything), max_size=20))]
    surrogate = quadratic(domain.features, seed)
    box = None if everywhere else Box.ball(domain, centre, 8)
    query = Query(surrogate, Region(domain, Points(tried), box=box))
    answer = Pairs(work=work).solve(query, np.random.default_rng(seed))
    left = set(everything if everywhere else near(domain, centre, 8)) - set(tried)
    if not isinstance(answer, Found):
        check_pointless(query, answer, left)
        return
    (proposal,) = answer.proposals
    proof, value = proposal.certificate, float(surrogate.predict(domain.encode([proposal.point]))[0])
    assert proposal.point in left
    if proof is None:  # nothing was met in time, and any point will do
        assert everywhere
        assert Origin(proposal.origin).source is Source.RANDOM
        more = Pairs().solve(query, np.random.default_rng(seed))
        assert isinstance(more, Found)
        assert more.proposals[0].certificate is not None
        return
    named = re.search(r"at most (\d+) variables? away from (.*)", proof.about)
    if everywhere:
        assert named is None or named[2] == "the point that the search began with"
        best = tried[int(np.argmax(surrogate.predict(domain.encode(tried))))]
        reach = len(domain.variables) if named is None else int(named[1])
    else:
        assert named is not None
        assert named[2] == "the best one"
        best, reach = centre, int(named[1])
    ball = [point for point in near(domain, best, reach) if point not in set(tried)]
    assert proposal.point in ball
    highest = float(surrogate.predict(domain.encode(ball)).max())
    assert proof.bound >= highest - 1e-9
    if proof.status is Status.OPTIMAL:
        assert value == pytest.approx(highest, abs=1e-8)


def partition() -> Domain:
    """Five vertices in three parts, each part with at most two of them."""
    x = mb.binary("x", (5, 3))
    return mb.Domain([x], [x[i].sum() == 1 for i in range(5)] + [x[:, k].sum() <= 2 for k in range(3)])


def subset() -> Domain:
    """Three of nine."""
    x = mb.binary("x", 9)
    return mb.Domain([x], [x.sum() == 3])


def sequence() -> Domain:
    """Six letters without two equal neighbours, and all different numbers."""
    s, p = mb.categorical("s", list("abc"), 6), mb.integer("p", 0, 3, 4)
    return mb.Domain([s, p], [mb.no_runs(s, 1), mb.all_different(p)])


@pytest.mark.parametrize("make", [partition, subset, sequence])
@pytest.mark.parametrize("changes", [1, 2, 4, 6])
def test_groups_diagrams_and_sums_are_kept(make: object, changes: int) -> None:
    domain = make()  # type: ignore[operator]
    everything = list(domain)
    rng = np.random.default_rng(changes)
    for seed in range(6):
        centre = everything[int(rng.integers(len(everything)))]
        around = near(domain, centre, changes)
        tried = [around[int(i)] for i in rng.integers(len(around), size=5)]
        check(domain, centre, changes, [centre, *tried], seed)


def test_small_parts_are_groups_and_large_ones_diagrams() -> None:
    x = mb.binary("x", (30, 3))
    rows = [x[i].sum() == 1 for i in range(30)]
    groups = groups_of(mb.Domain([x], rows + [x[:, k].sum() <= 11 for k in range(3)]))
    assert not isinstance(groups, str)
    assert np.bincount(groups.group).tolist() == [3] * 30
    assert groups.ties.shape[1] == 3
    y = mb.binary("y", 10)
    groups = groups_of(mb.Domain([y], [y[:5].sum() == y[5:].sum()]))
    assert not isinstance(groups, str)
    assert len(groups.diagrams) == 1
    assert groups.count == 10


def test_without_a_ball_a_small_domain_is_searched_to_the_end() -> None:
    domain = subset()
    surrogate = quadratic(domain.features, 3)
    everything = list(domain)
    answer = Pairs().solve(Query.of(surrogate, domain, everything[:5]), np.random.default_rng(0))
    assert isinstance(answer, Found)
    certificate = answer.proposals[0].certificate
    assert certificate is not None
    assert certificate.status is Status.OPTIMAL
    assert certificate.value == pytest.approx(surrogate.predict(domain.encode(everything[5:])).max())
    assert isinstance(Pairs().solve(Query.of(surrogate, domain, everything), np.random.default_rng(0)), Empty)


def test_what_is_not_proved_has_a_bound_that_holds() -> None:
    domain = mb.Domain([mb.binary("x", 14)])
    surrogate = quadratic(14, 5)
    everything = list(domain)
    predicted = dict(zip(everything, surrogate.predict(domain.encode(everything)).tolist(), strict=True))
    centre = (0,) * 14
    said = []
    for work in (20, 100, 300, 1_000, 3_000, 10_000, 10**9):
        region = Region(domain, Points([centre]), box=Box.ball(domain, centre, 14))
        answer = Pairs(work).solve(Query(surrogate, region), np.random.default_rng(0))
        assert isinstance(answer, Found)
        (proposal,) = answer.proposals
        proof = proposal.certificate
        assert proof is not None
        named = re.search(r"at most (\d+) variables? away from (.*)", proof.about)
        assert named is not None
        near_itself = named[2].startswith("this one")
        round_about = proposal.point if near_itself else centre
        best = max(predicted[point] for point in near(domain, round_about, int(named[1])) if point != centre)
        assert proof.bound >= best - 1e-9
        if proof.status is Status.OPTIMAL:
            assert predicted[proposal.point] == pytest.approx(best, abs=1e-8)
        said.append((proof.status, near_itself))
    assert said[-1] == (Status.OPTIMAL, False)
    assert (Status.OPTIMAL, True) in said
    assert said[0][0] is Status.FEASIBLE


@settings(max_examples=60, deadline=None)
@given(st.data(), st.integers(0, 10_000), st.sampled_from([40, 400, 2000]), st.booleans())
def test_far_from_the_centre_a_point_is_the_best_one_round_itself(
    data: st.DataObject, seed: int, work: int, level: bool
) -> None:
    """Also where many points have one value, so that a search could go round in circles."""
    domain = data.draw(st.sampled_from([mb.Domain([mb.binary("x", 14)]), rows()]))
    everything = list(domain)
    centre = data.draw(st.sampled_from(everything))
    tried = [centre, *data.draw(st.lists(st.sampled_from(everything), max_size=20))]
    surrogate = quadratic(domain.features, seed)
    if level:
        surrogate = Quadratic(np.zeros(domain.features), np.sign(surrogate.pairs) / 3.0, 0.1)
    query = Query(surrogate, Region(domain, Points(tried), box=Box.ball(domain, centre, 14)))
    answer = Pairs(work).solve(query, np.random.default_rng(seed))
    inside = set(near(domain, centre, 14)) - set(tried)
    if not isinstance(answer, Found):
        assert work == 40, "more is enough to meet a point"
        check_pointless(query, answer, inside)
        return
    (proposal,) = answer.proposals
    proof = proposal.certificate
    assert proof is not None
    named = re.search(r"at most (\d+) variables? away from (.*)", proof.about)
    assert named is not None
    itself = named[2].startswith("this one")
    round_about = proposal.point if itself else centre
    ball = [point for point in near(domain, round_about, int(named[1])) if point in inside]
    assert proposal.point in ball
    highest = float(surrogate.predict(domain.encode(ball)).max())
    assert proof.bound >= highest - 1e-9
    if itself:
        assert proof.status is Status.OPTIMAL
    if proof.status is Status.OPTIMAL:
        assert proof.value == pytest.approx(highest, abs=1e-8)


def rows() -> Domain:
    """Six vertices in three parts."""
    x = mb.binary("x", (6, 3))
    return mb.Domain([x], [x[i].sum() == 1 for i in range(6)])


def test_two_points_are_the_two_best() -> None:
    domain = subset()
    surrogate = quadratic(domain.features, 7)
    answer = Pairs().solve(Query.of(surrogate, domain, list(domain)[:1], count=3), np.random.default_rng(0))
    assert isinstance(answer, Found)
    values = [proposal.certificate.value for proposal in answer.proposals if proposal.certificate]
    expected = np.sort(surrogate.predict(domain.encode(list(domain)[1:])))[::-1][:3]
    assert values == pytest.approx(expected.tolist())


def test_what_it_cannot_search_is_refused_by_name() -> None:
    x = mb.real("x", 0, 1, 2)
    domain = mb.Domain([x])
    refusal = Pairs().refusal(Query(quadratic(2, 0), Region(domain)))
    assert refusal is not None
    assert "ranges" in refusal
    small = subset()
    box = Box.around(small, tuple([1] * 3 + [0] * 6), 0.5)
    assert Pairs().refusal(Query(quadratic(9, 0), Region(small, box=box))) is None  # all binary: a ball
    outside = Box.ball(small, (0,) * 9, 2)
    refusal = Pairs().refusal(Query(quadratic(9, 0), Region(small, box=outside)))
    assert refusal is not None
    assert "centre" in refusal


def test_where_nothing_is_met_any_untried_point_is_proposed() -> None:
    x = mb.binary("x", 60)
    domain = mb.Domain([x], [x[i] + x[i + 1] <= 1 for i in range(59)])  # a diagram, where an ascent starts
    start = (0,) * 60
    query = Query.of(quadratic(60, 1), domain, [start])
    answer = Pairs(work=1).solve(query, np.random.default_rng(0))
    assert isinstance(answer, Found)
    assert answer.proposals[0].certificate is None
    assert answer.proposals[0].point != start
    assert domain.contains(answer.proposals[0].point)
    ball = Region(domain, Points([start]), box=Box.ball(domain, start, 8))
    assert isinstance(Pairs(work=1).solve(Query(query.objective, ball), np.random.default_rng(0)), Unknown)


@settings(max_examples=80, deadline=None)
@given(st.data(), st.integers(0, 10_000), st.sampled_from([30, 120, 400, 1176, 4000]), st.integers(1, 8))
def test_a_proof_is_about_the_ball_that_it_names_where_the_smallest_is_used_up(
    data: st.DataObject, seed: int, work: int, changes: int
) -> None:
    """All points beside the centre are tried, so that the first ball with a point may be too large."""
    domain = data.draw(st.sampled_from([mb.Domain([mb.binary("x", 10)]), rows(), subset()]))
    everything = list(domain)
    centre = data.draw(st.sampled_from(everything))
    tried = near(domain, centre, 1 if data.draw(st.booleans()) else 2)
    surrogate = quadratic(domain.features, seed)
    query = Query(surrogate, Region(domain, Points(tried), box=Box.ball(domain, centre, changes)))
    answer = Pairs(work).solve(query, np.random.default_rng(seed))
    inside = set(near(domain, centre, changes)) - set(tried)
    if not isinstance(answer, Found):
        check_pointless(query, answer, inside)
        return
    (proposal,) = answer.proposals
    proof = proposal.certificate
    assert proof is not None
    named = re.search(r"at most (\d+) variables? away from (.*)", proof.about)
    assert named is not None
    assert proposal.point in inside
    round_about = proposal.point if named[2].startswith("this one") else centre
    ball = [point for point in near(domain, round_about, int(named[1])) if point in inside]
    highest = float(surrogate.predict(domain.encode(ball)).max())
    assert proof.bound >= highest - 1e-9
    if proof.status is Status.OPTIMAL:
        assert proof.value == pytest.approx(highest, abs=1e-8)


def test_a_second_ball_as_large_as_the_first_is_named() -> None:
    """The first is too large for a proof, the one round the point it met is not."""
    count = 24
    domain = mb.Domain([mb.binary("x", count)])
    tried = [(0,) * count, *map(tuple, np.eye(count, dtype=int).tolist())]
    pairs = np.triu(np.full((count, count), -1.9), 1)
    pairs[-2, -1] = -1.5
    surrogate = Quadratic(np.linspace(1.0, 0.9, count), pairs, 0.0)
    region = Region(domain, Points(tried), box=Box.ball(domain, (0,) * count, 2))
    answer = Pairs(3450).solve(Query(surrogate, region), np.random.default_rng(0))
    assert isinstance(answer, Found)
    proof = answer.proposals[0].certificate
    assert proof is not None
    assert "away from this one and at most 2 away from the best one" in proof.about


def test_balls_of_four_changes_are_proved_among_four_hundred_binaries() -> None:
    """What the node above knows rules most moves out before their interactions are looked at."""
    count, rng = 400, np.random.default_rng(5)
    x = mb.binary("x", count)
    blocks = range(0, count, 10)
    domain = mb.Domain([x], [x[i : i + 5].sum() == x[i + 5 : i + 10].sum() for i in blocks])
    surrogate = quadratic(count, 6)
    centre = tuple(np.tile(rng.permutation([1, 1, 0, 0, 0]), count // 5).tolist())
    values = []
    for changes in (2, 4):
        region = Region(domain, Points([centre]), box=Box.ball(domain, centre, changes))
        answer = Pairs().solve(Query(surrogate, region), rng)
        assert isinstance(answer, Found)
        proof = answer.proposals[0].certificate
        assert proof is not None
        assert proof.status is Status.OPTIMAL
        assert f"at most {changes} variables away from the best one" in proof.about
        values.append(proof.value)
    # All exchanges inside a block, of two places that are in one half or together keep the balance.
    here, best = np.array(centre), -np.inf
    for begin in blocks:
        for i in range(begin, begin + 10):
            for j in range(i + 1, begin + 10):
                other = here.copy()
                other[[i, j]] = 1 - other[[i, j]]
                if domain.contains(other.tolist()):
                    best = max(best, float(surrogate.predict(domain.encode(other[None]))[0]))
    assert values[0] == pytest.approx(best, abs=1e-8)
    assert values[1] > values[0]
