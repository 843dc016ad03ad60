"""Networks trained elsewhere, read into a `ReluNet` whose optimum can be certified."""

from pathlib import Path
from typing import Any

from milbox.surrogates.foreign.learner import TorchLearner
from milbox.surrogates.relu import ReluNet

__all__ = ["TorchLearner", "read"]


def read(model: Any, features: int | None = None) -> ReluNet:
    """The network behind a scikit-learn `MLPRegressor`, a torch `nn.Sequential`, or an ONNX model or file.

    Inputs are a domain's encoded points. A network that begins with a convolution takes them as a
    one-hot sequence, position by position, with the letters as channels; for torch, `features` then says how
    many there are, since a convolution takes sequences of any length.

    Raises:
        TypeError: the model is of another kind, or has a layer that is not piecewise linear.
    """
    if isinstance(model, ReluNet):
        return model
    if isinstance(model, str | Path):
        from milbox.surrogates.foreign.onnx import read_onnx_file

        return read_onnx_file(Path(model))
    package = type(model).__module__.partition(".")[0]
    match package:
        case "sklearn":
            from milbox.surrogates.foreign.sklearn import read_sklearn

            return read_sklearn(model)
        case "torch":
            from milbox.surrogates.foreign.torch import read_torch

            return read_torch(model, features)
        case "onnx":
            from milbox.surrogates.foreign.onnx import read_onnx

            return read_onnx(model)
    raise TypeError(
        f"a {type(model).__module__}.{type(model).__qualname__} cannot be read; give a ReluNet, a "
        f"scikit-learn MLPRegressor, a torch nn.Sequential, an ONNX model or the path of one"
    )
