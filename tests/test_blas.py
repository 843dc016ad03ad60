"""Linear algebra of surrogates is computed on one thread, and the user's own on as many as before."""

import threading
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


def test_calls_that_overlap_leave_the_number_as_it_was() -> None:
    entered, go_on = threading.Event(), threading.Event()
    before = threads()

    @one_thread
    def first() -> None:
        entered.set()
        go_on.wait(60)

    @one_thread
    def second() -> set[int]:
        inside = threads()
        go_on.set()
        thread.join(60)
        return inside

    thread = threading.Thread(target=first)
    thread.start()
    entered.wait(60)
    assert second() == {1}
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
