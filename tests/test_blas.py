"""Linear algebra of surrogates is computed on one thread, and the user's own on as many as before."""

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
import scipy.linalg
from threadpoolctl import ThreadpoolController

from milbox.surrogates import Hinges, LinearDraw, LinearLearner, QuadraticLearner
from milbox.system.blas import one_thread

LIBRARIES = ThreadpoolController()


def threads() -> set[int]:
    """How many threads each library would use now."""
    return {library["num_threads"] for library in LIBRARIES.info() if library["user_api"] == "blas"}


def test_one_thread_inside_and_as_many_as_before_outside() -> None:
    before = threads()

    @one_thread
    def outer() -> list[set[int]]:
        return [threads(), one_thread(threads)(), threads()]

    assert outer() == [{1}, {1}, {1}]
    assert threads() == before


def test_other_threads_compute_on_one_thread_too() -> None:
    before = threads()
    assert one_thread(threads)() == {1}
    with ThreadPoolExecutor(1) as another:
        assert another.submit(one_thread(threads)).result() == {1}
        assert another.submit(threads).result() == before
    assert threads() == before


def test_calls_in_many_threads_leave_the_number_as_it_was() -> None:
    before, seen = threads(), []

    @one_thread
    def look() -> None:
        seen.append(threads())
        time.sleep(0.001)

    with ThreadPoolExecutor(8) as others:
        for _ in range(100):
            others.submit(look)
    assert seen == [{1}] * 100
    assert threads() == before


def test_what_is_fitted_by_linear_algebra_is_on_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[set[int]] = []
    factorise = scipy.linalg.cho_factor

    def watched(*args: Any, **kwargs: Any) -> Any:
        seen.append(threads())
        return factorise(*args, **kwargs)

    monkeypatch.setattr(scipy.linalg, "cho_factor", watched)
    features, values = np.random.default_rng(0).random((30, 4)), np.arange(30, dtype=np.float64)
    for learner in (LinearLearner(), LinearDraw(), QuadraticLearner(), Hinges()):
        learner.fit(features, values, np.random.default_rng(0))
    assert len(seen) >= 4
    assert seen == [{1}] * len(seen)
