"""Linear algebra on one thread.

The matrices of surrogates are small. More threads gain nothing on them; on a busy machine they wait for one
another, which takes several times as long. And one thread adds up in one order, whatever the machine.
"""

import threading
from collections.abc import Callable
from functools import cache, wraps
from typing import Any, ParamSpec, TypeVar

TURN = threading.RLock()
"""Held while the number of threads is one, so that nobody takes that for the number to go back to."""

P = ParamSpec("P")
R = TypeVar("R")


@cache
def libraries() -> Any:
    """What computes for NumPy, and for SciPy, whose own library is found once it is loaded."""
    import scipy.linalg  # noqa: F401
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def one_thread(function: Callable[P, R]) -> Callable[P, R]:
    """The function, whose linear algebra is computed on one thread.

    The number of threads belongs to the whole process, so calls in other Python threads wait for their turn.
    """

    @wraps(function)
    def limited(*args: P.args, **kwargs: P.kwargs) -> R:
        with TURN, libraries().limit(limits=1, user_api="blas"):
            return function(*args, **kwargs)

    return limited
