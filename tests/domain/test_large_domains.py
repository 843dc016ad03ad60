"""Domains with more values or points than can be listed, counted by a float or written by Python."""

import numpy as np

import milbox.domain as mb
from milbox.domain import Domain
from milbox.domain.model.numbers import digits
from milbox.inner import Enumerate
from milbox.inner.query import Query
from milbox.strategies import NNMILP
from milbox.study import Study
from milbox.surrogates.linear import Linear
from milbox.surrogates.ranked import Ranked
from milbox.surrogates.relu import ReluLearner


def test_an_integer_of_a_billion_values_is_searched_without_listing_them() -> None:
    n = mb.integer("n", 0, 10**9, encoding="integer")
    b = mb.binary("b")
    study = Study(Domain([n, b], [n + 5 * b <= 10**9 - 7]), NNMILP(Ranked(ReluLearner(steps=30)), initial=3))
    for _ in range(5):
        trial = study.ask()
        study.tell(trial.number, -abs(trial.assignment["n"] / 1e9 - 0.3) + trial.assignment["b"])
    assert study.trials[-1].certificate is not None


def test_a_number_of_points_that_python_does_not_write() -> None:
    domain = Domain([mb.binary("x", 15_000)])
    assert domain.size == 2**15_000
    refusal = Enumerate().refusal(Query.of(Linear(np.zeros(15_000), 0.0), domain))
    assert refusal == "the domain has about 10^4515 points, more than 200000"
    assert digits(10**5000) == "1" + 5000 * "0"


def test_wide_integers_are_one_feature_unless_said_otherwise() -> None:
    encodings = [mb.integer("n", 0, most).encoding for most in (999, 1000, 10**9)]
    assert encodings == ["onehot", "integer", "integer"]
    assert mb.integer("n", 0, 5000, encoding="onehot").encoding == "onehot"
    assert Domain([mb.integer("n", 0, 10**9, 3)]).features == 3
