"""Points are converted and encoded once, and nobody sees that they share their arrays."""

import pickle
import sys
import tracemalloc
from dataclasses import dataclass
from types import FrameType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.random import Generator

import milbox as mb
from milbox.arrays import FloatArray, IntArray, Point
from milbox.domain import Domain
from milbox.inner.query import Query
from milbox.strategies import ModelBased
from milbox.surrogates.linear import Linear
from milbox.trials import Answer, Failed, Finished, Found, History, Proposal
from milbox.trials.points import Points


def small() -> Domain:
    return Domain([mb.binary("x", 3), mb.categorical("c", ["a", "b", "d"]), mb.integer("k", 2, 9)])


def check(points: Points, expected: list[Point], domain: Domain) -> None:
    assert list(points) == expected
    assert points == expected
    assert len(points) == len(expected)
    assert [points[i] for i in range(-len(expected), len(expected))] == expected * 2
    assert points[1:3] == expected[1:3]
    np.testing.assert_array_equal(points.codes(domain), domain.codes(expected))
    np.testing.assert_array_equal(points.features(domain), domain.encode(expected))
    everything = list(domain)
    assert [point in points for point in everything] == [point in expected for point in everything]


@given(st.data())
def test_sequences_that_share_a_store_see_their_own_points(data: st.DataObject) -> None:
    domain = small()
    everything = list(domain)
    made: list[tuple[Points, list[Point]]] = [(Points(), [])]
    for _ in range(data.draw(st.integers(1, 12))):
        points, expected = data.draw(st.sampled_from(made))
        more = data.draw(st.lists(st.sampled_from(everything), max_size=3))
        if data.draw(st.booleans()):
            made.append((points.extended(more), [*expected, *more]))
        elif more:
            place = data.draw(st.integers(0, len(expected)))
            made.append((points.inserted(place, more[0]), [*expected[:place], more[0], *expected[place:]]))
        if data.draw(st.booleans()):
            check(*data.draw(st.sampled_from(made)), domain)
    for points, expected in made:
        check(points, expected, domain)


def test_arrays_are_read_only_and_follow_the_domain() -> None:
    domain, other = small(), Domain([mb.integer(name, 0, 9, encoding="integer") for name in "abcde"])
    points = Points(list(domain)[:5])
    with pytest.raises(ValueError, match="read-only"):
        points.codes(domain)[0, 0] = 1
    with pytest.raises(ValueError, match="read-only"):
        points.features(domain)[0, 0] = 1.0
    np.testing.assert_array_equal(points.features(other), other.encode(list(points)))
    np.testing.assert_array_equal(points.features(domain), domain.encode(list(points)))
    assert pickle.loads(pickle.dumps(points)) == points


@given(st.data())
def test_a_history_that_grew_equals_one_that_is_made_at_once(data: st.DataObject) -> None:
    domain = small()
    everything = list(domain)
    history = History()
    for number in range(data.draw(st.integers(1, 10))):
        if data.draw(st.booleans()):
            assert history.asked_points is not None
            assert history.measured is not None
        history = history.asked([Proposal(everything[number], "a")])
        pending = [trial.number for trial in history.pending]
        if data.draw(st.booleans()):
            outcome = Finished(float(number)) if data.draw(st.booleans()) else Failed("spilled")
            history = history.told(data.draw(st.sampled_from(pending)), outcome)
    again = History(history.trials)
    assert history == again
    assert (history.finished, history.points, history.asked_points) == (
        again.finished,
        again.points,
        again.asked_points,
    )
    np.testing.assert_array_equal(history.values, again.values)
    np.testing.assert_array_equal(history.points.features(domain), domain.encode(list(again.points)))


@dataclass(frozen=True)
class FirstFeatures:
    """A learner that costs nothing."""

    def fit(self, features: FloatArray, values: FloatArray, rng: Generator) -> Linear:
        return Linear(features[0] + rng.random(), float(values[0]))


@dataclass(frozen=True)
class AnyPoint:
    """An inner solver that costs nothing: a random point that is not forbidden."""

    def refusal(self, query: Query) -> None:
        del query

    def solve(self, query: Query, rng: Generator) -> Answer:
        point = tuple(rng.integers(0, 2, len(query.domain.variables)).tolist())
        assert point not in query.exclude
        return Found((Proposal(point, "any"),))


def long_study(trials: int, *, minimize: bool) -> mb.Study:
    """A study of 100 binaries with as many known points."""
    x = mb.binary("x", 100)
    domain = Domain([x])
    points = np.unique(np.random.default_rng(1).integers(0, 2, (trials, 100)), axis=0)
    known = [({"x": point}, float(point.sum())) for point in points]
    return mb.Study(domain, ModelBased(FirstFeatures(), AnyPoint()), known=known, minimize=minimize)


def step(study: mb.Study) -> None:
    """One point, asked and told."""
    trial = study.ask()
    study.tell(trial.number, float(sum(trial.point)))


def work(study: mb.Study) -> tuple[int, int]:
    """The instructions of Python that one step runs, and the most memory that it takes in bytes."""
    instructions = 0

    def count(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal instructions
        frame.f_trace_opcodes = True
        instructions += event == "opcode"
        return count

    before = sys.gettrace()
    tracemalloc.start()
    sys.settrace(count)
    try:
        step(study)
    finally:
        sys.settrace(before)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    return instructions, peak


def test_each_point_is_encoded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    encoded: list[int] = []
    original = Domain.encode

    def counted(self: Domain, points: IntArray) -> FloatArray:
        encoded.append(len(points))
        return original(self, points)

    study = long_study(60, minimize=True)
    monkeypatch.setattr(Domain, "encode", counted)
    for _ in range(20):
        step(study)
    assert sum(encoded) == 60 + 19, "every point but the last, which no step has seen yet"


@pytest.mark.parametrize("minimize", [False, True])
def test_steps_of_a_long_study_do_next_to_nothing_for_each_trial(minimize: bool) -> None:
    """All but the fit and the search: a look at each trial, and some references to it."""
    short, long = long_study(500, minimize=minimize), long_study(5000, minimize=minimize)
    # The least of five steps, of which the first encodes all points.
    before, after = (np.min([work(study) for _ in range(5)], axis=0) for study in (short, long))
    assert before.min() > 0
    instructions, memory = (after - before) / (len(long.trials) - len(short.trials))
    assert instructions < 20
    assert memory < 100, "the features of a trial alone are 800 bytes"


def test_arrays_made_piece_by_piece_are_those_made_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    domain = small()
    listed = list(domain)
    expected = domain.encode(domain.codes(listed))
    monkeypatch.setattr("milbox.trials.points.AT_ONCE", 3)
    monkeypatch.setattr("milbox.trials.outside.AT_ONCE", 3)
    points = Points(listed[:5])
    points.features(domain)
    points = points.extended(listed[5:])
    assert np.array_equal(points.features(domain), expected)
    assert np.array_equal(points.inside(domain), domain.codes(listed))
    study = mb.Study(domain, known=[(domain.assignment(point), float(k)) for k, point in enumerate(listed)])
    assert [trial.point for trial in study.trials] == listed
    assert [domain.point(trial.assignment) for trial in study.trials] == listed
