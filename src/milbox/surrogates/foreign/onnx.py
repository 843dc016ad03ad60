"""Reader of ONNX graphs, for the operators that scikit-learn and torch export."""

import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from milbox.arrays import FloatArray
from milbox.errors import DataError
from milbox.surrogates.foreign.tracing import Tensor
from milbox.surrogates.relu import ReluNet

# A matrix of so many columns and rows is where reading begins.
MOST_INPUTS = 20_000

READABLE = "Gemm, MatMul, Add, Sub, Mul, Relu, Conv, MaxPool, Flatten, Reshape, Transpose, Cast, Identity"


def read_onnx_file(path: Path) -> ReluNet:
    """The network in an `.onnx` file."""
    try:
        import onnx
    except ImportError as error:
        raise TypeError(
            "reading an ONNX file needs the onnx package; run `pip install milbox[onnx]`"
        ) from error
    if not path.is_file():
        raise DataError(f"{path} does not exist; give the path of an ONNX file")
    try:
        model = onnx.load(str(path))
        onnx.checker.check_model(model)
    except Exception as error:
        raise DataError(f"{path} is not a readable ONNX model: {str(error).splitlines()[0]}") from error
    try:
        return read_onnx(model)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{path}: {error}") from None


def read_onnx(model: Any) -> ReluNet:
    """The network of an ONNX `ModelProto` with one input and one output."""
    graph = model.graph
    constants = {each.name: numbers_of(each.name, each) for each in graph.initializer}
    given = [each for each in graph.input if each.name not in constants]
    if len(given) != 1:
        raise TypeError(f"the ONNX model has {len(given)} inputs; only one can be read")
    if len(graph.output) != 1:
        names = [each.name for each in graph.output]
        raise TypeError(f"the ONNX model has {len(names)} outputs, {names}; export it with exactly one")
    shape = [axis.dim_value for axis in given[0].type.tensor_type.shape.dim][1:]
    if not shape or any(size < 1 for size in shape):
        raise TypeError(
            f"the ONNX model's input {given[0].name!r} has no fixed shape after the batch: {shape}"
        )
    if math.prod(shape) > MOST_INPUTS:
        raise TypeError(
            f"the ONNX model's input {given[0].name!r} has the shape {shape}; at most {MOST_INPUTS:,} "
            f"numbers can be read"
        )
    tensors = {given[0].name: entered(shape)}
    for node in graph.node:
        if len(node.output) == 0:
            raise TypeError(f"the ONNX node {node.op_type} has no output")
        if node.op_type == "Constant":
            constants[node.output[0]] = finite(node.output[0], constant(node))
        elif all(name in constants for name in node.input):
            raise TypeError(f"the ONNX node {node.op_type} computes with constants only, which is not read")
        else:
            tensors[node.output[0]] = taken(node, tensors, constants)
    wanted = graph.output[0].name
    if wanted not in tensors:
        made = [node.output[0] for node in graph.node]
        raise TypeError(f"the ONNX model's output {wanted!r} is made by none of its nodes, which make {made}")
    return tensors[wanted].net()


def numbers_of(name: str, tensor: Any) -> Any:
    """The numbers of a tensor, all of them finite, or an error that names it."""
    from onnx import numpy_helper

    try:
        values = numpy_helper.to_array(tensor)
    except (LookupError, TypeError, ValueError) as error:
        raise TypeError(f"the ONNX tensor {name!r} has a type or shape that is not read: {error}") from None
    return finite(name, values)


def finite(name: str, values: Any) -> Any:
    """The numbers of a tensor, or an error that names it."""
    if np.issubdtype(np.asarray(values).dtype, np.floating) and not np.isfinite(values).all():
        raise ValueError(
            f"the ONNX tensor {name!r} has entries that are infinite or NaN, so that nothing can be proved "
            f"about the network; did its training diverge?"
        )
    return values


def constant(node: Any) -> Any:
    """The value of a Constant node."""
    held = {a.name: attribute(a) for a in node.attribute}
    if "value" in held:
        return numbers_of(node.output[0], held["value"])
    for name in ("value_float", "value_int", "value_floats", "value_ints"):
        if name in held:
            return np.asarray(held[name], dtype=np.float64)
    raise TypeError(f"the ONNX constant {node.output[0]!r} holds {list(held)}, which is not read")


def taken(node: Any, tensors: dict[str, Tensor], constants: dict[str, Any]) -> Tensor:
    """The output of one node, or an error that names the node."""
    names = list(node.input)
    unknown = [name for name in names if name and name not in tensors and name not in constants]
    if unknown:
        raise TypeError(f"the ONNX node {node.op_type} takes {unknown[0]!r}, which nothing before it makes")
    try:
        return passed(node, tensors, constants)
    except (ValueError, LookupError) as error:  # shapes that do not fit, or a setting that is not there
        raise TypeError(f"the ONNX node {node.op_type} with inputs {names} cannot be read: {error}") from None


def entered(shape: list[int]) -> Tensor:
    """The inputs in the graph's shape; (channels, length) is a one-hot sequence with letters as channels."""
    if len(shape) == 2:
        channels, length = shape
        return Tensor.inputs(channels * length).mapped(
            lambda x: x.reshape(len(x), length, channels).transpose(0, 2, 1)
        )
    return Tensor.inputs(int(np.prod(shape))).reshaped(*shape)


def passed(node: Any, tensors: dict[str, Tensor], constants: dict[str, Any]) -> Tensor:
    """The output of one node."""
    names = list(node.input)
    source = next(name for name in names if name in tensors)
    tensor = tensors[source]
    fixed = [np.asarray(constants[name], dtype=np.float64) for name in names if name in constants]
    settings = {a.name: attribute(a) for a in node.attribute}
    match node.op_type:
        case "Identity" | "Cast" | "Dropout":
            return tensor
        case "Relu":
            return tensor.relu()
        case "Flatten":
            return tensor.reshaped(-1)
        case "Reshape":
            return tensor.reshaped(*([int(n) for n in fixed[0].ravel()[1:]] or [-1]))
        case "Transpose":
            axes = settings.get("perm", list(range(len(tensor.shape), -1, -1)))
            if sorted(axes) != list(range(len(tensor.shape) + 1)) or axes[0] != 0:
                raise ValueError(f"it moves the batch or axes that are not there: {axes}")
            return tensor.mapped(lambda x: x.transpose(axes))
        case "MatMul" if fixed and names[0] == source:
            return tensor.dense(fixed[0], np.zeros(fixed[0].shape[-1]))
        case "Gemm" if fixed and names[0] == source and not settings.get("transA"):
            weights = fixed[0].T if settings.get("transB") else fixed[0]
            bias = fixed[1] if len(fixed) > 1 else np.zeros(weights.shape[-1])
            return tensor.dense(
                settings.get("alpha", 1.0) * weights, settings.get("beta", 1.0) * bias.ravel()
            )
        case "Add" if fixed:
            return tensor.shifted(unbatched(fixed[0], tensor))
        case "Sub" if fixed and names[0] == source:
            return tensor.shifted(-unbatched(fixed[0], tensor))
        case "Mul" if fixed:
            factor = unbatched(fixed[0], tensor)
            return tensor.mapped(lambda x: x * factor)
        case "Conv" if len(settings["kernel_shape"]) == 1 and settings.get("group", 1) == 1:
            bias = fixed[1] if len(fixed) > 1 else np.zeros(len(fixed[0]))
            return tensor.convolved(
                fixed[0], bias, stride(settings), padding(settings), settings.get("dilations", [1])[0]
            )
        case "MaxPool" if len(settings["kernel_shape"]) == 1 and settings.get("dilations", [1])[0] == 1:
            return tensor.max_pooled(settings["kernel_shape"][0], stride(settings), padding(settings))
    raise TypeError(
        f"the ONNX operator {node.op_type} with inputs {names} cannot be read; readable are {READABLE}"
    )


def attribute(given: Any) -> Any:
    """An attribute's value in Python."""
    from onnx import helper

    value = helper.get_attribute_value(given)
    return list(value) if isinstance(value, Iterable) and not isinstance(value, bytes | str) else value


def stride(settings: dict[str, Any]) -> int:
    """The only stride."""
    return int(settings.get("strides", [1])[0])


def padding(settings: dict[str, Any]) -> tuple[int, int]:
    """The zeros before and after."""
    if settings.get("auto_pad", b"NOTSET") not in (b"NOTSET", b"VALID"):
        raise TypeError("auto_pad cannot be read; export with explicit pads")
    before, after = settings.get("pads", [0, 0])
    return (int(before), int(after))


def unbatched(constant: FloatArray, tensor: Tensor) -> FloatArray:
    """A constant without a leading axis for the batch."""
    return constant[0] if constant.ndim > len(tensor.shape) else constant
