"""How do kernels hand arrays to one another? In bundles: as a pointer to where all of them are.

numba passes a named tuple of arrays as seven numbers or more for each of them, at every call, and how to
index an array of any layout is a page of code at every place. Compiling that was half of the time on first
use.

A class marked `@bundle` is a `NamedTuple` of C-contiguous arrays. Compiled code reads its fields and gets
plain arrays: `a[i]`, `a[i, j]`, rows and parts `a[i:j]`, `len(a)` and `a.shape`. Indices do not count from
the end, so a loop over part of an array vectorises.
"""

import operator
from typing import Any, TypeVar

from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import cgutils, types
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    lower_builtin,
    lower_getattr,
    lower_getattr_generic,
    models,
    register_model,
    typeof_impl,
    unbox,
)

Class = TypeVar("Class", bound=type[tuple[Any, ...]])


def bundle(arrays: Class) -> Class:
    """Let kernels take a NamedTuple of arrays as a pointer."""

    @typeof_impl.register(arrays)
    def _(value: Any, context: Any) -> "Bundle":
        fields = []
        for name, array in zip(value._fields, value, strict=True):
            kind = typeof_impl(array, context)
            if not isinstance(kind, types.Array) or kind.layout != "C" or kind.ndim not in (1, 2):
                raise TypeError(f"{arrays.__name__}.{name} is {kind}, not a C array of one or two dimensions")
            fields.append((name, Plain(kind.dtype, kind.ndim)))
        return Bundle(arrays.__name__, tuple(fields))

    return arrays


class Plain(types.Buffer):  # type: ignore[misc, name-defined]
    """numba's name for an array of a bundle: where it is, and its shape."""

    def __init__(self, dtype: Any, ndim: int, layout: str = "C", readonly: bool = False) -> None:
        super().__init__(dtype, ndim, layout, readonly, name=f"Plain({dtype}, {ndim})")


@register_model(Plain)
class _PlainModel(models.StructModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        data, shape = types.CPointer(kind.dtype), types.UniTuple(types.intp, kind.ndim)
        super().__init__(manager, kind, [("data", data), ("shape", shape)])


class Bundle(types.Type):
    """numba's name for a bundle, by the names and kinds of its arrays."""

    def __init__(self, name: str, fields: tuple[tuple[str, Plain], ...]) -> None:
        self.fields = fields
        super().__init__(name=f"{name}{fields}")

    def field(self, name: str) -> tuple[int, Plain]:
        """Which one it is, and its kind."""
        number = [known for known, _ in self.fields].index(name)
        return number, self.fields[number][1]


@register_model(Bundle)
class _BundleModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        arrays = ir.LiteralStructType([manager.lookup(array).get_value_type() for _, array in kind.fields])
        super().__init__(manager, kind, arrays.as_pointer())


@unbox(Bundle)
def _unbox(kind: Any, value: Any, tools: Any) -> NativeValue:
    """Lay down where the arrays are, for the time of the call."""
    context, builder = tools.context, tools.builder
    full = types.Tuple([types.Array(array.dtype, array.ndim, "C") for _, array in kind.fields])
    native = tools.unbox(full, value)
    places = cgutils.alloca_once(builder, context.get_value_type(kind).pointee)
    for number, (_, array) in enumerate(kind.fields):
        given = builder.extract_value(native.value, number)
        given = context.make_array(full.types[number])(context, builder, given)
        field = cgutils.gep_inbounds(builder, places, 0, number)
        builder.store(_plain(context, builder, array, given.data, given.shape), field)
    # Readers rely on what is there not to change, so none may be moved to before it is written: the compiler
    # cannot look through an instruction of assembler, even if it is empty.
    through = ir.FunctionType(places.type, [places.type])
    places = builder.asm(through, "", "=r,0,~{memory}", [places], side_effect=True)
    return NativeValue(places, is_error=native.is_error, cleanup=native.cleanup)


@infer_getattr
class _BundleFields(AttributeTemplate):
    key = Bundle

    def generic_resolve(self, kind: Any, name: str) -> Any:  # type: ignore[override]
        return dict(kind.fields).get(name)


@lower_getattr_generic(Bundle)
def _field(context: Any, builder: Any, kind: Any, places: Any, name: str) -> Any:
    """Read one of the arrays; that it stays where it is lets the compiler read it once, before a loop."""
    number, array = kind.field(name)

    def read(*path: int) -> Any:
        at = cgutils.gep_inbounds(builder, places, 0, number, *path)
        loaded = builder.load(at)
        loaded.set_metadata("invariant.load", builder.module.add_metadata([]))
        return loaded

    shape = cgutils.pack_array(builder, [read(1, axis) for axis in range(array.ndim)])
    return _plain(context, builder, array, read(0), shape)


@infer_getattr
class _PlainShape(AttributeTemplate):
    key = Plain

    def resolve_shape(self, kind: Any) -> Any:
        return types.UniTuple(types.intp, kind.ndim)


@lower_getattr(Plain, "shape")
def _shape(_context: Any, builder: Any, _kind: Any, array: Any) -> Any:
    return builder.extract_value(array, 1)


@lower_builtin(len, Plain)
def _length(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
    return builder.extract_value(arguments[0], (1, 0))


def _get(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """An entry of an array, or a row of a matrix."""
    place = _place(context, builder, signature, arguments)
    if not isinstance(signature.return_type, Plain):
        return context.unpack_value(builder, signature.return_type, place)
    shape = cgutils.pack_array(builder, [builder.extract_value(arguments[0], (1, 1))])
    return _plain(context, builder, signature.return_type, place, shape)


def _set(context: Any, builder: Any, signature: Any, arguments: Any) -> None:
    array, _, given = signature.args
    value = context.cast(builder, arguments[2], given, array.dtype)
    context.pack_value(builder, array.dtype, value, _place(context, builder, signature, arguments))


for _index in types.Integer, types.BaseTuple:
    lower_builtin(operator.getitem, Plain, _index)(_get)
    lower_builtin(operator.setitem, Plain, _index, types.Any)(_set)


@lower_builtin(operator.getitem, Plain, types.SliceType)
def _part(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Part of an array of one dimension, without steps."""
    array, limits = arguments[0], context.make_helper(builder, signature.args[1], arguments[1])
    if signature.args[0].ndim != 1 or signature.args[1].has_step:
        raise TypeError("parts are taken of arrays of one dimension, and without steps")
    length = builder.extract_value(array, (1, 0))
    stop = builder.select(builder.icmp_signed("<", limits.stop, length), limits.stop, length)
    place = builder.gep(builder.extract_value(array, 0), [limits.start], inbounds=True)
    shape = cgutils.pack_array(builder, [builder.sub(stop, limits.start)])
    return _plain(context, builder, signature.return_type, place, shape)


def _place(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Where an entry is, or a row begins; checked if numba is told to (NUMBA_BOUNDSCHECK=1)."""
    array, index = arguments[:2]
    indices = [index]
    if isinstance(signature.args[1], types.BaseTuple):
        indices = cgutils.unpack_tuple(builder, index)
    if context.enable_boundscheck:
        for axis, one in enumerate(indices):
            extent = builder.extract_value(array, (1, axis))
            cgutils.do_boundscheck(context, builder, one, extent, axis)
    offset = indices[0]
    if signature.args[0].ndim == 2:
        offset = builder.mul(offset, builder.extract_value(array, (1, 1)), flags=["nsw"])
    for more in indices[1:]:
        offset = builder.add(offset, more, flags=["nsw"])
    return builder.gep(builder.extract_value(array, 0), [offset], inbounds=True)


def _plain(context: Any, builder: Any, kind: Any, data: Any, shape: Any) -> Any:
    array = cgutils.create_struct_proxy(kind)(context, builder)
    array.data = data
    array.shape = shape
    return array._getvalue()
