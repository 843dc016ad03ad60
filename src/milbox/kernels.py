"""How is numerical code compiled? With numba, kept on disk, and at little cost on first use."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numba.extending
from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import cgutils, types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler

Kernel = TypeVar("Kernel", bound=Callable[..., Any])


class _Nowhere:
    def set_env(self, name: str, environment: Any) -> None:
        """Tell machine code where Python's objects are: there is none yet, and none that would ask."""


class _Part(JITCodeLibrary):
    """What only kernels call: an entry optimises and translates it as part of itself, once.

    numba would do so for every kernel, with all that it calls, and again for whatever calls it.
    """

    codegen = _Nowhere()

    def _optimize_functions(self, module: Any) -> None:
        module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalized = True


class _PartCompiler(Compiler):
    def define_pipelines(self) -> Any:
        self.state.library = _Part(self.state.targetctx.codegen(), self.state.func_id.func_qualname)
        return super().define_pipelines()


# Kernels call nothing of NumPy's that numba would rewrite; not looking for it saves the compiler time.
OPTIONS: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    "no_cfunc_wrapper": True,
    "no_rewrites": True,
}
# More time would go into letting Python call each kernel too, and into counting references to arrays, none of
# which a kernel makes.
HIDDEN: dict[str, Any] = {
    **OPTIONS,
    "no_cpython_wrapper": True,
    "_nrt": False,
    "pipeline_class": _PartCompiler,
}

# With these, sums may be reordered and fused, so that loops vectorise; who calls such a kernel allows for it.
REORDERED = {"reassoc", "contract", "arcp", "nsz", "nnan"}


def entry(function: Kernel) -> Kernel:
    """Compile what Python calls, with all that it calls.

    The cache goes by the date of the function's own file: after editing a kernel in another file, delete
    __pycache__ to see the change.
    """
    return cast(Kernel, numba.njit(cache=True, **OPTIONS)(function))


def kernel(function: Kernel) -> Kernel:
    """Compile what only kernels call.

    numba compiles once more for a call with a literal, and for one with a variable that begins as a literal,
    such as a counter: hence some roundabout ways to hand one over.
    """
    return cast(Kernel, numba.njit(**HIDDEN)(function))


def vectorised(function: Kernel) -> Kernel:
    """Compile a kernel of sums and maxima over long loops."""
    return cast(Kernel, numba.njit(fastmath=REORDERED, **HIDDEN)(function))


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


# Two things keep LLVM from vectorising the largest of many numbers, and cost a factor of three to five.
# numba's own max and min are comparisons, which it does not recognise as a reduction: hence these. And an
# index that may be negative counts from the end: so arrays are bundled, where it does not.
larger = _of_two("llvm.maxnum.f64")
smaller = _of_two("llvm.minnum.f64")
