"""Points of a batch keep their distance, and each is the best that does, by enumeration."""

import itertools

import numpy as np

import milbox as mb
from milbox.inner import Auto, Enumerate
from milbox.inner.query import Query, Region
from milbox.strategies.apart import away
from milbox.strategies.named import NAMED
from milbox.study import Study
from milbox.surrogates import ReluLearner
from milbox.trials.answer import Found


def some_domain() -> mb.Domain:
    x, letters, k = mb.binary("x", 6), mb.categorical("s", list("abc"), 3), mb.integer("k", 0, 3)
    return mb.Domain([x, letters, k], [x.sum() == 3])


def test_what_is_away_is_what_differs_enough() -> None:
    domain, rng = some_domain(), np.random.default_rng(0)
    every = [p for p in itertools.product(*(v.codes for v in domain.variables)) if domain.contains(p)]
    points = [every[5], every[200]]
    far = away(domain, points, 4)
    assert far is not None
    for point in every:
        distances = [sum(a != b for a, b in zip(point, other, strict=True)) for other in points]
        assert far.contains(point) == (min(distances) >= 4)
    features = domain.encode(every)
    net = ReluLearner(steps=50).fit(features, rng.normal(size=len(every)), rng)
    found = [inner.solve(Query(net, Region(far)), rng) for inner in (Auto(), Enumerate())]
    assert all(isinstance(answer, Found) for answer in found)
    held = [point for point in every if far.contains(point)]
    best = net.predict(domain.encode(held)).max()
    for answer in found:
        assert isinstance(answer, Found)
        assert abs(float(net.predict(domain.encode([answer.proposals[0].point]))[0]) - best) < 1e-9


def test_a_batch_is_apart_and_says_so() -> None:
    domain = mb.Domain([mb.binary("x", 20)])
    with Study(domain, NAMED["nn+milp/apart"].make(5), seed=0) as study:
        for trial in study.ask_many(5):
            study.tell(trial.number, float(sum(trial.point[:10]) - sum(trial.point[10:])))
        batch = study.ask_many(6)
    for one, other in itertools.combinations(batch, 2):
        assert sum(a != b for a, b in zip(one.point, other.point, strict=True)) >= 3
    proofs = [trial.certificate for trial in batch]
    assert all(proof is not None and proof.status == "optimal" for proof in proofs)
    words = ", at least 3 variables away from the others of its batch"
    assert [proof is not None and proof.about.endswith(words) for proof in proofs] == [False] + 5 * [True]


def test_where_none_is_far_enough_a_near_one_is_proposed() -> None:
    domain = mb.Domain([mb.binary("x", 4)])
    with Study(domain, NAMED["nn+milp/apart"].make(2), seed=0) as study:
        for trial in study.ask_many(2):
            study.tell(trial.number, float(sum(trial.point)))
        assert len({trial.point for trial in study.ask_many(14)}) == 14
