"""Reader of scikit-learn's multi-layer perceptrons."""

from typing import Any

from milbox.surrogates.foreign.tracing import Tensor
from milbox.surrogates.relu import ReluNet


def read_sklearn(model: Any) -> ReluNet:
    """The network of a fitted `MLPRegressor` with ReLU (or identity) activations."""
    kind = type(model).__name__
    if kind != "MLPRegressor":
        raise TypeError(f"of scikit-learn's models an MLPRegressor can be read, not a {kind}")
    if not hasattr(model, "coefs_"):
        raise TypeError("the MLPRegressor has not been fitted; call fit first")
    if model.activation not in ("relu", "identity"):
        raise TypeError(
            f"activation {model.activation!r} is not piecewise linear; train with activation='relu'"
        )
    tensor = Tensor.inputs(len(model.coefs_[0]))
    for depth, (weights, bias) in enumerate(zip(model.coefs_, model.intercepts_, strict=True)):
        if depth and model.activation == "relu":
            tensor = tensor.relu()
        tensor = tensor.dense(weights, bias)
    return tensor.net()
