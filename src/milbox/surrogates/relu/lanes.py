"""Sixteen floats at once in a numba kernel.

numba leaves LLVM's SLP vectoriser off, and the loop vectoriser gives up on (or unrolls) loops of sixteen
iterations, so a plain loop over the units of a layer runs one float at a time: six times slower than this in
the training kernel, and no faster with SLP switched on. A `Vector` is sixteen
float32 lanes as one value of LLVM's vector type, with `+` and `*`; LLVM splits it into whatever registers the
processor has. Every operation is lane by lane and `total` adds in a fixed order, so results do not depend on
the register width.

These functions work inside `@njit` code only.
"""

import operator
from collections.abc import Callable
from typing import Any, TypeAlias

from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import cgutils, types
from numba.core.typing.templates import AbstractTemplate, infer_global
from numba.extending import lower_builtin, models, register_model

from milbox.compiled.jit import instruction

LANES = 16

_FLOATS = ir.VectorType(ir.FloatType(), LANES)
_ZERO = ir.Constant(_FLOATS, [0.0] * LANES)
_ANY = ir.Constant(_FLOATS, ir.Undefined)


class Vector(types.Type):
    """numba's name for sixteen float32 lanes."""

    def __init__(self) -> None:
        super().__init__(name=f"float32x{LANES}")


vector: Any = Vector()
Lanes: TypeAlias = Any
"""A vector, as an argument of compiled code."""


@register_model(Vector)
class _VectorModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _FLOATS)


def _address(context: Any, builder: Any, array_type: Any, array: Any, offset: Any) -> Any:
    data = cgutils.create_struct_proxy(array_type)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [offset]), _FLOATS.as_pointer())


@instruction
def load(_context: Any, array: Any, offset: Any) -> tuple[Any, Callable[..., Any]]:
    """The lanes at `array[offset : offset + 16]`, of a contiguous float32 array; unchecked."""
    del offset

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load(_address(context, builder, signature.args[0], *arguments), align=4)

    return vector(array, types.int64), generate


@instruction
def store(_context: Any, array: Any, offset: Any, lanes: Any) -> tuple[Any, Callable[..., Any]]:
    """Write the lanes to `array[offset : offset + 16]`; unchecked."""
    del offset, lanes

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, offset, lanes = arguments
        builder.store(lanes, _address(context, builder, signature.args[0], array, offset), align=4)
        return context.get_dummy_value()

    return types.void(array, types.int64, vector), generate


@instruction
def fill(_context: Any, scalar: Any) -> tuple[Any, Callable[..., Any]]:
    """Sixteen lanes that all hold the scalar."""
    del scalar

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        first = builder.insert_element(_ANY, arguments[0], ir.Constant(ir.IntType(32), 0))
        return builder.shuffle_vector(first, _ANY, _lanes([0] * LANES))

    return vector(types.float32), generate


@instruction
def where_positive(_context: Any, test: Any, lanes: Any) -> tuple[Any, Callable[..., Any]]:
    """`lanes` where `test` is positive, zero elsewhere; `where_positive(z, z)` is a ReLU."""
    del test, lanes

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        test, lanes = arguments
        return builder.select(builder.fcmp_ordered(">", test, _ZERO), lanes, _ZERO)

    return vector(vector, vector), generate


@instruction
def total(_context: Any, lanes: Any) -> tuple[Any, Callable[..., Any]]:
    """The sum of the lanes, halves folded onto each other."""
    del lanes

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        (folded,) = arguments
        half = LANES // 2
        while half:
            upper = [half + lane if lane < half else 0 for lane in range(LANES)]
            folded = builder.fadd(folded, builder.shuffle_vector(folded, _ANY, _lanes(upper)))
            half //= 2
        return builder.extract_element(folded, ir.Constant(ir.IntType(32), 0))

    return types.float32(vector), generate


class _OfTwo(AbstractTemplate):
    def generic(self, kinds: Any, _named: Any) -> Any:
        return vector(vector, vector) if all(isinstance(kind, Vector) for kind in kinds) else None


infer_global(operator.add)(_OfTwo)
infer_global(operator.iadd)(_OfTwo)
infer_global(operator.mul)(_OfTwo)


@lower_builtin(operator.add, Vector, Vector)
@lower_builtin(operator.iadd, Vector, Vector)
def _add(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
    return builder.fadd(*arguments)


@lower_builtin(operator.mul, Vector, Vector)
def _multiply(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
    return builder.fmul(*arguments)


def _lanes(indices: list[int]) -> Any:
    return ir.Constant(ir.VectorType(ir.IntType(32), LANES), indices)
