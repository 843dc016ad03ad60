"""Threads of the libraries in worker processes, so that these do not get in one another's way."""

import contextlib
import os
import threading
from collections.abc import Iterator, Mapping

LIMITS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
"""What BLAS, OpenMP and numba look at when they are loaded."""

_changing = threading.Lock()


@contextlib.contextmanager
def threads_each(count: int) -> Iterator[None]:
    """Processes started meanwhile compute with so many threads, unless the user has set another number."""
    with _changing, environment({name: str(count) for name in LIMITS if name not in os.environ}):
        yield


@contextlib.contextmanager
def environment(values: Mapping[str, str]) -> Iterator[None]:
    """Variables of the environment have these values meanwhile."""
    before = {name: os.environ.get(name) for name in values}
    os.environ |= values
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def share_of_cores(workers: int) -> int:
    """The threads that each of so many processes may use of this machine's cores: at least one."""
    allowed = getattr(os, "sched_getaffinity", None)  # not on macOS and Windows
    cores = len(allowed(0)) if allowed is not None else os.cpu_count() or 1
    return max(1, cores // workers)
