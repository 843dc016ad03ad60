"""Numerical code is compiled with numba and kept on disk.

Kernels hand arrays to one another in named tuples. Two habits let LLVM vectorise their loops: an index that
may be negative counts from the end, so a loop goes over `range(len(part))` of a part taken beforehand; and
the largest of many numbers is found by `larger`.
"""

import threading
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numba.extending
import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import cgutils, types

from milbox.compiled import cache

Kernel = TypeVar("Kernel", bound=Callable[..., Any])

OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
# Letting Python and C call every kernel takes a quarter of the compiler's time, and only entries are called.
CALLED: dict[str, Any] = {**OPTIONS, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
# Whoever calls a kernel holds its arrays meanwhile. Counting references to them, and to every part of them
# that is looked at, takes an eighth of a search. numba has this option from 0.60 on at least, undocumented; a
# kernel that returned an array under it would hand out memory that nobody holds (tests/test_memory.py).
INNER: dict[str, Any] = {**CALLED, "_nrt": False}
OWNING: dict[str, Any] = {**CALLED, "_nrt": True}

config: Any = numba.config
_settings = threading.Lock()
"""Held while numba is told where its cache is."""

# With these, sums may be reordered and fused, so that loops vectorise; who calls such a kernel allows for it.
REORDERED = {"reassoc", "contract", "arcp", "nsz", "nnan"}


def entry(function: Kernel) -> Kernel:
    """Compile what Python calls, with all that it calls, and keep it in the folder of `cache`."""
    folder = cache.folder()
    with _settings:
        before, config.CACHE_DIR = config.CACHE_DIR, str(folder)
        try:
            return cast(Kernel, numba.njit(cache=folder is not None, **OPTIONS)(function))
        finally:
            config.CACHE_DIR = before


def kernel(function: Kernel) -> Kernel:
    """Compile what only kernels call, and what neither makes arrays nor returns any.

    numba compiles once more for a call with a literal, and for one with a variable that begins as a literal,
    such as a counter: hence some roundabout ways to hand one over.
    """
    return cast(Kernel, numba.njit(**INNER)(function))


def owner(function: Kernel) -> Kernel:
    """Compile what only kernels call, and what makes arrays or returns some."""
    return cast(Kernel, numba.njit(**OWNING)(function))


def inlined(function: Kernel) -> Kernel:
    """Compile a short kernel as part of those that call it, which spares handing over its arguments."""
    return cast(Kernel, numba.njit(forceinline=True, **INNER)(function))


def inlined_sum(function: Kernel) -> Kernel:
    """Compile a short kernel of sums and maxima as part of those that call it."""
    return cast(Kernel, numba.njit(forceinline=True, fastmath=REORDERED, **INNER)(function))


def vectorised(function: Kernel) -> Kernel:
    """Compile a kernel of sums and maxima over long loops."""
    return cast(Kernel, numba.njit(fastmath=REORDERED, **INNER)(function))


# Unsigned indices do not count from the end either; mixed with signed ones they would become floats.
ONE = np.uint64(1)

instruction: Any = numba.extending.intrinsic  # numba types it as if it were called outside compiled code


def _of_two(name: str) -> Any:
    """A function of two floats, neither of them NaN, that is one of the compiler's own."""

    @instruction
    def choose(_context: Any, _a: Any, _b: Any) -> tuple[Any, Callable[..., Any]]:
        def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            double = ir.DoubleType()
            of_two = ir.FunctionType(double, [double, double])
            function = cgutils.get_or_insert_function(builder.module, of_two, name)
            return builder.call(function, arguments, fastmath=("nnan", "nsz"))

        return types.float64(types.float64, types.float64), generate

    return choose


# numba's own max and min are comparisons, which LLVM does not recognise as a reduction and so does not
# vectorise: that costs a factor of three to five.
larger: Any = _of_two("llvm.maxnum.f64")
smaller: Any = _of_two("llvm.minnum.f64")
