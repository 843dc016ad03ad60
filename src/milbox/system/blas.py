"""Linear algebra on one thread.

The matrices of surrogates are small. More threads gain nothing on them; on a busy machine they wait for one
another, which takes several times as long. And one thread adds up in one order, whatever the machine.
"""

import threading
from collections.abc import Callable
from functools import cached_property, wraps
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


class Limit:
    """How many threads are used, by the caller's thread or, with other libraries, by the whole process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._calls = 0
        self._before = 1

    @cached_property
    def libraries(self) -> Any:
        """What computes for NumPy, and for SciPy, whose own library is found once it is loaded."""
        import scipy.linalg  # noqa: F401
        from threadpoolctl import ThreadpoolController

        return ThreadpoolController().select(user_api="blas")

    def enter(self) -> None:
        """One from now on; what it was is known to the first of the calls that overlap."""
        with self._lock:
            if self._calls == 0:
                self._before = max((each["num_threads"] for each in self.libraries.info()), default=1)
            self._calls += 1
            self.libraries.limit(limits=1)

    def leave(self) -> None:
        """As many as before the first of the calls that overlap."""
        with self._lock:
            self._calls -= 1
            self.libraries.limit(limits=self._before)


LIMIT = Limit()


def one_thread(function: Callable[P, R]) -> Callable[P, R]:
    """The function, whose linear algebra is computed on one thread."""

    @wraps(function)
    def limited(*args: P.args, **kwargs: P.kwargs) -> R:
        LIMIT.enter()
        try:
            return function(*args, **kwargs)
        finally:
            LIMIT.leave()

    return limited
