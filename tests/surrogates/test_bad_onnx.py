"""ONNX graphs that are broken, or that hold what nothing can be proved about, are refused by name."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from milbox.surrogates.foreign import read
from milbox.surrogates.relu import ReluNet

node = helper.make_node
NET = [node("Gemm", ["x", "w"], ["h"]), node("Relu", ["h"], ["r"]), node("Gemm", ["r", "v"], ["y"])]


def model(
    nodes: Sequence[Any] = NET,
    outputs: Sequence[str] = ("y",),
    shape: Sequence[int] = (3,),
    entry: float = 1.0,
) -> Any:
    """A network of three inputs and two units, with one weight to be spoiled."""
    weights = np.ones((3, 2), np.float32)
    weights[0, 0] = entry
    graph = helper.make_graph(
        nodes,
        "net",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [None, *shape])],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, [None, 1]) for name in outputs],
        [numpy_helper.from_array(weights, "w"), numpy_helper.from_array(np.ones((2, 1), np.float32), "v")],
    )
    return helper.make_model(graph)


def test_the_model_that_is_spoiled_below_can_be_read() -> None:
    assert read(model()).predict(np.eye(3)).tolist() == [2.0, 2.0, 2.0]


@pytest.mark.parametrize("entry", [np.nan, np.inf, -np.inf])
def test_weights_that_are_no_numbers(tmp_path: Path, entry: float) -> None:
    with pytest.raises(ValueError, match="the ONNX tensor 'w' has entries that are infinite or NaN"):
        read(model(entry=entry))
    onnx.save(model(entry=entry), str(tmp_path / "net.onnx"))
    with pytest.raises(ValueError, match=r"net\.onnx: the ONNX tensor 'w'"):
        read(tmp_path / "net.onnx")


def test_a_network_of_numbers_that_are_none() -> None:
    with pytest.raises(ValueError, match="layer 1 has weights or biases that are infinite or NaN"):
        ReluNet.of([(np.ones((2, 2)), np.zeros(2)), (np.array([[1.0], [np.nan]]), np.zeros(1))])


@pytest.mark.parametrize(
    ("bad", "complaint"),
    [
        (model(outputs=()), r"has 0 outputs, \[\]; export it with exactly one"),
        (model(outputs=("y", "r")), r"has 2 outputs, \['y', 'r'\]; export it with exactly one"),
        (model(outputs=("z",)), r"output 'z' is made by none of its nodes, which make \['h', 'r', 'y'\]"),
        (model(nodes=NET[1:]), "node Relu takes 'h', which nothing before it makes"),
        (model(shape=(10**9,)), r"input 'x' has the shape \[1000000000\]; at most 20,000"),
        (model(shape=(10**6, 10**6)), "at most 20,000 numbers can be read"),
        (model(nodes=[node("Transpose", ["x"], ["y"])]), "node Transpose .* it moves the batch"),
        (model(nodes=[node("Conv", ["x", "w"], ["y"])]), "node Conv .* cannot be read: 'kernel_shape'"),
        (model(nodes=[node("Mul", ["x", "w"], ["y"])], shape=(7,)), "node Mul .* could not be broadcast"),
        (
            model(nodes=[node("Relu", ["x"], ["h"]), node("Gemm", ["h", "x"], ["y"])]),
            "operator Gemm .* cannot",
        ),
        (model(nodes=[node("Constant", [], ["c"], value_string=b"a"), *NET]), "constant 'c' holds"),
    ],
)
def test_broken_graphs(bad: Any, complaint: str) -> None:
    with pytest.raises(TypeError, match=complaint):
        read(bad)


def test_a_constant_may_be_a_plain_number() -> None:
    nodes = [node("Constant", [], ["c"], value_float=2.0), node("Add", ["x", "c"], ["a"])]
    net = read(model(nodes=[*nodes, node("Gemm", ["a", "w"], ["h"]), *NET[1:]]))
    assert net.predict(np.zeros((1, 3))).tolist() == [12.0]


def test_tensors_and_nodes_that_no_program_writes() -> None:
    strange, silent = model(), model()
    strange.graph.initializer[0].data_type = 65
    with pytest.raises(TypeError, match="the ONNX tensor 'w' has a type or shape that is not read"):
        read(strange)
    del silent.graph.node[0].output[:]
    with pytest.raises(TypeError, match="the ONNX node Gemm has no output"):
        read(silent)
