"""Steps by pairs and in neighbourhoods: where they search, what they say, and that they are pure."""

import numpy as np
import pytest

import milbox as mb
from milbox.domain import Domain
from milbox.strategies.identity import identity
from milbox.strategies.model_based import ModelBased
from milbox.strategies.named import NAMED
from milbox.strategies.neighbourhood import GAINS, PATIENCE, is_global, radius
from milbox.strategies.pairwise import Pairwise, labels_of
from milbox.study import Study
from milbox.surrogates import Ranked
from milbox.trials import Finished, History, Proposal
from milbox.trials.trial import Certificate


def partition(vertices: int = 12, parts: int = 3) -> Domain:
    """Each vertex in one part."""
    x = mb.binary("x", (vertices, parts))
    return mb.Domain([x], [x[i].sum() == 1 for i in range(vertices)])


def run(study: Study, domain: Domain, weights: np.ndarray, budget: int) -> list[float]:
    """Minimise the weights inside parts."""
    values = []
    for _ in range(budget):
        trial = study.ask()
        label = np.array(trial.point).reshape(len(weights), -1).argmax(axis=1)
        value = -float((weights * (label[:, None] == label)).sum())
        study.tell(trial.number, value)
        values.append(value)
    return values


def test_pairs_find_a_good_partition_with_certificates_about_balls() -> None:
    domain, rng = partition(), np.random.default_rng(0)
    weights = np.triu(rng.normal(size=(12, 12)), 1)
    with Study(domain, NAMED["nn+milp/pairs"].make(10), seed=1) as study:
        values = run(study, domain, weights, 60)
        trials = study.trials
    draws = np.random.default_rng(2).integers(0, 3, (60, 12))
    random = max(-float((weights * (label[:, None] == label)).sum()) for label in draws)
    assert max(values) > random
    about = {trial.certificate.about for trial in trials if trial.certificate}
    assert about == {"all untried points, at most 8 variables away from the best one"}
    assert {trial.certificate.surrogate for trial in trials if trial.certificate} == {"pairs"}
    assert all(trial.certificate.status == "optimal" for trial in trials if trial.certificate)


def test_labels_are_those_of_one_alphabet() -> None:
    assert len(labels_of(partition())) == 12
    assert labels_of(partition())[1] == (3, 4, 5)
    letters = mb.Domain([mb.categorical("s", list("ab"), 3), mb.categorical("t", list("abc"), 4)])
    assert labels_of(letters) == ((6, 7, 8), (9, 10, 11), (12, 13, 14), (15, 16, 17))
    assert labels_of(mb.Domain([mb.binary("x", 5)])) == ()


def test_half_of_the_mixed_steps_are_by_pairs() -> None:
    domain = partition(8)
    weights = np.triu(np.random.default_rng(3).normal(size=(8, 8)), 1)
    with Study(domain, NAMED["nn+milp/mixed"].make(10), seed=1) as study:
        run(study, domain, weights, 50)
        names = [trial.certificate.surrogate for trial in study.trials if trial.certificate]
    assert 8 <= names.count("pairs, by a chance of 50%") <= 32
    assert set(names) == {"pairs, by a chance of 50%", "a network, by a chance of 50%"}


def test_where_trials_fail_a_network_says_so() -> None:
    domain = mb.Domain([mb.binary("x", 8)])
    with Study(domain, NAMED["nn+milp/pairs"].make(5), seed=0) as study:
        for _ in range(20):
            trial = study.ask()
            if trial.point[0]:
                study.fail(trial.number, "burnt")
            else:
                study.tell(trial.number, float(sum(trial.point)))
        last = study.trials[-1].certificate
    assert last is not None
    assert last.surrogate == "a network, since pairs do not learn failures"


def test_a_ball_without_untried_points_is_left() -> None:
    domain = mb.Domain([mb.binary("x", 5)])
    strategy = NAMED["nn+milp/pairs"].make(2)
    with Study(domain, strategy, seed=0) as study:
        for _ in range(32):
            trial = study.ask()
            study.tell(trial.number, float(np.dot(trial.point, [1, 2, -1, 3, -2])))
        assert len({trial.point for trial in study.trials}) == 32
        with pytest.raises(mb.Exhausted):
            study.ask()


def test_a_network_takes_the_steps_in_which_pairs_meet_nothing_new() -> None:
    """Two paths differ in four edges at least, and the ball has points that differ in two."""
    grid = [(i, j) for i in range(5) for j in range(5)]
    edges = [((i, j), (i + 1, j)) for i, j in grid if i < 4]
    edges += [((i, j), (i, j + 1)) for i, j in grid if j < 4]
    x = mb.binary("x", len(edges))
    flows = []
    for vertex in grid:
        out = sum(x[k] for k, edge in enumerate(edges) if edge[0] == vertex)
        into = sum(x[k] for k, edge in enumerate(edges) if edge[1] == vertex)
        flows.append(out - into == (vertex == (0, 0)) - (vertex == (4, 4)))
    domain = mb.Domain([x], flows)
    weights = np.random.default_rng(0).normal(size=len(edges))
    strategy = ModelBased(Ranked(), initial=5, local=Pairwise(radius=2))
    with Study(domain, strategy, seed=0) as study:
        for _ in range(15):
            trial = study.ask()
            study.tell(trial.number, float(weights @ trial.point))
        proofs = [trial.certificate for trial in study.trials if trial.certificate]
    assert len(proofs) == 10
    assert {proof.surrogate for proof in proofs} == {
        "a network, since pairs met no untried point near the best one"
    }
    assert {(proof.status, proof.about) for proof in proofs} == {("optimal", "all untried points")}


def test_strategies_for_discrete_domains_are_refused_elsewhere_and_have_identities() -> None:
    real = mb.Domain([mb.real("x", 0, 1)])
    for name in ("nn+milp/pairs", "nn+milp/mixed", "nn+milp/near"):
        refusal = NAMED[name].refusal(real)
        assert refusal is not None
        assert "discrete" in refusal
        assert NAMED[name].refusal(partition()) is None
        version = 1 if name == "nn+milp/near" else 6
        assert identity(NAMED[name].make(50), partition()) == f"{name}@{version}"


def test_the_next_step_says_how_far_it_looks() -> None:
    """Small balls grow while they are proved; large ones are searched at once."""
    near, far = (Pairwise(radius=radius).next_step(partition(), History()) for radius in (8, 16))
    assert near == "at most 8 variables away from the best one, as far as a proof is found, by pairs"
    assert far == "at most 16 variables away from the best one, by pairs"


def history(values: list[float], random: int, size: int = 10) -> History:
    """A history of binaries, random points first."""
    found = History()
    proof = Certificate("optimal", 0.0, 0.0, 0.0, 0, 0.0, "")  # type: ignore[arg-type]
    for number, value in enumerate(values):
        point = tuple(int(digit) for digit in f"{number:0{size}b}")
        found = found.asked([Proposal(point, "x", proof if number >= random else None)])
        found = found.told(number, Finished(value))
    return found


def test_balls_grow_without_gains_where_groups_are_free() -> None:
    domain, under_a_sum = (mb.Domain([mb.binary("x", 100)]), subset(100))
    for since, reach in ((0, 8), (19, 8), (20, 16), (40, 32), (80, 100), (900, 100)):
        seen = history([1.0, *[0.0] * since], 1, 100)
        assert Pairwise().reach(domain, seen) == reach
        assert Pairwise().reach(under_a_sum, seen) == 8
    drawn = history([1.0, *[0.0] * 60], 61, 100)  # random points are no failures
    assert Pairwise().reach(domain, drawn) == 8


def subset(count: int) -> mb.Domain:
    """Ten of several binaries."""
    x = mb.binary("x", count)
    return mb.Domain([x], [x.sum() == 10])


def test_the_radius_grows_with_gains_and_shrinks_with_failures() -> None:
    domain = mb.Domain([mb.binary("x", 10)])
    assert radius(domain, history([1.0], 1)) == 2
    assert radius(domain, history([1.0, *(2.0 + k for k in range(GAINS))], 1)) == 4
    assert radius(domain, history([1.0, 2.0, 3.0, *[0.0] * (PATIENCE - 1)], 1)) == 4
    falling = [1.0, 2.0, 3.0, *[0.0] * (PATIENCE + 1)]  # one of the failures is that of a global step
    assert radius(domain, history(falling, 1)) == 2
    assert is_global(7)
    assert not is_global(8)
