"""Reader of torch's `nn.Sequential`."""

from typing import Any

import numpy as np

from milbox.arrays import FloatArray
from milbox.surrogates.foreign.tracing import Tensor
from milbox.surrogates.relu import ReluNet

READABLE = "Linear, ReLU, Conv1d, MaxPool1d, Flatten, Unflatten, Dropout and Identity"


def read_torch(model: Any, features: int | None = None) -> ReluNet:
    """The network of an `nn.Sequential`, as it predicts in evaluation mode."""
    from torch import nn

    if not isinstance(model, nn.Sequential):
        raise TypeError(f"of torch's modules an nn.Sequential can be read, not a {type(model).__name__}")
    modules = [m for m in flat(model) if not isinstance(m, nn.Dropout | nn.Identity)]
    first = next((m for m in modules if isinstance(m, nn.Linear | nn.Conv1d | nn.Unflatten)), None)
    if first is None:
        raise TypeError(
            f"the network has no layer that says how many inputs it takes; readable are {READABLE}"
        )
    tensor = Tensor.inputs(0)
    for module in modules:
        if module is first:
            tensor = entered(first, features)
        tensor = passed(tensor, module)
    return tensor.net()


def flat(model: Any) -> list[Any]:
    """The modules of nested Sequentials, in order."""
    from torch import nn

    return [m for child in model for m in (flat(child) if isinstance(child, nn.Sequential) else [child])]


def entered(first: Any, features: int | None) -> Tensor:
    """The inputs as the first layer takes them; for a convolution, letters as channels."""
    from torch import nn

    if isinstance(first, nn.Linear):
        return Tensor.inputs(first.in_features)
    if isinstance(first, nn.Unflatten):
        return Tensor.inputs(int(np.prod(first.unflattened_size)))
    if features is None or features % first.in_channels:
        raise TypeError(
            f"a Conv1d of {first.in_channels} channels comes first: say how many features there are, "
            f"a multiple of that, with read(model, features=...); given was {features}"
        )
    length = features // first.in_channels
    return Tensor.inputs(length * first.in_channels).mapped(
        lambda x: x.reshape(len(x), length, first.in_channels).transpose(0, 2, 1)
    )


def passed(tensor: Tensor, module: Any) -> Tensor:
    """The tensor after one module."""
    from torch import nn

    match module:
        case nn.Linear():
            bias = np.zeros(module.out_features) if module.bias is None else array(module.bias)
            return tensor.dense(array(module.weight).T, bias)
        case nn.ReLU():
            return tensor.relu()
        case nn.Conv1d():
            if module.groups != 1 or module.padding_mode != "zeros":
                raise TypeError("a Conv1d with groups or non-zero padding cannot be read")
            bias = np.zeros(module.out_channels) if module.bias is None else array(module.bias)
            return tensor.convolved(
                array(module.weight), bias, module.stride[0], padding_of(module), module.dilation[0]
            )
        case nn.MaxPool1d():
            if single(module.dilation) != 1 or module.ceil_mode:
                raise TypeError("a MaxPool1d with dilation or ceil_mode cannot be read")
            pad = single(module.padding)
            return tensor.max_pooled(single(module.kernel_size), single(module.stride), (pad, pad))
        case nn.Flatten():
            return tensor.reshaped(-1)
        case nn.Unflatten():
            return tensor.reshaped(*(int(n) for n in module.unflattened_size))
    raise TypeError(f"a {type(module).__name__} layer cannot be read; readable are {READABLE}")


def padding_of(module: Any) -> tuple[int, int]:
    """The zeros before and after a convolution's input."""
    if module.padding == "valid":
        return (0, 0)
    if module.padding == "same":
        total = module.dilation[0] * (module.kernel_size[0] - 1)
        return (total // 2, total - total // 2)
    return (module.padding[0], module.padding[0])


def single(setting: Any) -> int:
    """A setting that torch keeps as a number or as a tuple of one."""
    return int(setting[0] if isinstance(setting, tuple) else setting)


def array(parameter: Any) -> FloatArray:
    """A parameter as float64."""
    values: FloatArray = parameter.detach().cpu().numpy().astype(np.float64)
    return values
