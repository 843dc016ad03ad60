"""How is numerical code compiled? With numba, kept on disk, and at little cost on first use."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

Kernel = TypeVar("Kernel", bound=Callable[..., Any])

# Kernels call nothing of NumPy's that numba would rewrite; not looking for it saves the compiler time.
OPTIONS: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    "no_cfunc_wrapper": True,
    "no_rewrites": True,
}
# Most of the compiler's time would go into letting Python call each kernel too, and into counting references
# to arrays, none of which a kernel makes.
HIDDEN: dict[str, Any] = {**OPTIONS, "no_cpython_wrapper": True, "_nrt": False}

# With these, sums may be reordered and fused, so that loops vectorise; who calls such a kernel allows for it.
REORDERED = {"reassoc", "contract", "arcp", "nsz", "nnan"}


def entry(function: Kernel) -> Kernel:
    """Compile what Python calls, with all that it calls.

    The cache goes by the date of the function's own file: after editing a kernel in another file, delete
    __pycache__ to see the change.
    """
    return cast(Kernel, numba.njit(cache=True, **OPTIONS)(function))


def kernel(function: Kernel) -> Kernel:
    """Compile what only kernels call."""
    return cast(Kernel, numba.njit(**HIDDEN)(function))


def vectorised(function: Kernel) -> Kernel:
    """Compile a kernel of sums and maxima over long loops."""
    return cast(Kernel, numba.njit(fastmath=REORDERED, **HIDDEN)(function))
