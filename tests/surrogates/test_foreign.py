"""Networks trained elsewhere predict the same after they are read, and their optimum is the true one."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import torch
from skl2onnx import to_onnx
from sklearn.ensemble import RandomForestRegressor
from sklearn.neural_network import MLPRegressor
from torch import nn

import milbox as mb
from milbox.arrays import FloatArray
from milbox.errors import DataError
from milbox.inner.mip import Mip
from milbox.surrogates.foreign import read
from milbox.surrogates.foreign.learner import TorchLearner

POINTS = np.random.default_rng(0).integers(0, 4, size=(40, 8))
DOMAIN = mb.Domain([mb.categorical("s", "ACGT", 8)])
FEATURES: FloatArray = DOMAIN.encode(POINTS)


def plain_net() -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(
        nn.Sequential(nn.Linear(32, 16), nn.ReLU(), nn.Dropout(0.5)),
        nn.Linear(16, 8, bias=False),
        nn.ReLU(),
        nn.Linear(8, 1),
    ).eval()


def conv_net(padding: Any = 1, pool: int = 3) -> nn.Sequential:
    torch.manual_seed(1)
    body = nn.Sequential(
        nn.Conv1d(4, 6, 3, padding=padding),
        nn.ReLU(),
        nn.MaxPool1d(pool, 2),
        nn.Conv1d(6, 5, 2),
        nn.MaxPool1d(2),
    )
    width = body(torch.zeros(1, 4, 8)).numel()
    return nn.Sequential(*body, nn.Flatten(), nn.Linear(width, 4), nn.ReLU(), nn.Linear(4, 1)).eval()


def as_sequence(features: FloatArray) -> torch.Tensor:
    return torch.tensor(features.reshape(-1, 8, 4).transpose(0, 2, 1).copy(), dtype=torch.float32)


def predictions(model: nn.Module, inputs: torch.Tensor) -> FloatArray:
    with torch.no_grad():
        out: FloatArray = model(inputs).numpy()[:, 0].astype(np.float64)
    return out


def fitted_perceptron(**settings: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few iterations on purpose
        return MLPRegressor(hidden_layer_sizes=(12, 6), max_iter=60, random_state=0, **settings).fit(
            FEATURES, FEATURES @ np.arange(32.0)
        )


def test_torch_perceptron() -> None:
    model = plain_net()
    expected = predictions(model, torch.tensor(FEATURES, dtype=torch.float32))
    np.testing.assert_allclose(read(model).predict(FEATURES), expected, atol=1e-5)


@pytest.mark.parametrize(("padding", "pool"), [(1, 3), (0, 2), ("same", 4), ("valid", 2)])
def test_torch_convolutions_and_pooling(padding: Any, pool: int) -> None:
    model = conv_net(padding, pool)
    expected = predictions(model, as_sequence(FEATURES))
    np.testing.assert_allclose(read(model, features=32).predict(FEATURES), expected, atol=1e-5)


def test_torch_unflatten_keeps_the_order_of_features() -> None:
    model = nn.Sequential(nn.Unflatten(1, (4, 8)), *conv_net())
    expected = predictions(model, torch.tensor(FEATURES, dtype=torch.float32))
    np.testing.assert_allclose(read(model).predict(FEATURES), expected, atol=1e-5)


@pytest.mark.parametrize("activation", ["relu", "identity"])
def test_sklearn_and_its_onnx(activation: str) -> None:
    model = fitted_perceptron(activation=activation)
    expected = model.predict(FEATURES)
    np.testing.assert_allclose(read(model).predict(FEATURES), expected, atol=1e-9 * np.abs(expected).max())
    exported = to_onnx(model, FEATURES[:1].astype(np.float32))
    np.testing.assert_allclose(read(exported).predict(FEATURES), expected, rtol=1e-5, atol=1e-4)


@pytest.mark.filterwarnings("ignore")  # torch's own exporter warns about itself
def test_torch_onnx_file_and_argmax(tmp_path: Path) -> None:
    model = conv_net()
    file = tmp_path / "model.onnx"
    torch.onnx.export(model, (torch.zeros(1, 4, 8),), str(file), dynamo=False)
    np.testing.assert_allclose(
        read(file).predict(FEATURES), predictions(model, as_sequence(FEATURES)), atol=1e-5
    )
    every = np.array(list(DOMAIN))
    best = predictions(model, as_sequence(DOMAIN.encode(every))).max()
    found = mb.argmax(str(file), DOMAIN)
    assert found.certificate.status == "optimal"
    assert found.value == pytest.approx(best, abs=1e-5)


def test_argmax_under_constraints_equals_enumeration_and_respects_forbidden() -> None:
    s = mb.categorical("s", "ACGT", 6)
    domain = mb.Domain([s], [(s == "A").sum() == 2, mb.implies(s[0] == "C", s[5] == "G")])
    torch.manual_seed(3)
    model = nn.Sequential(nn.Linear(24, 5), nn.ReLU(), nn.Linear(5, 1)).eval()
    every = list(domain)
    values = predictions(model, torch.tensor(domain.encode(every), dtype=torch.float32))
    order = np.argsort(-values)
    top = mb.argmax(model, domain, inner=Mip())
    assert top.value == pytest.approx(values[order[0]], abs=1e-5)
    second = mb.argmax(model, domain, forbidden=[top.assignment])
    assert second.value == pytest.approx(values[order[1]], abs=1e-5)
    assert second.point != top.point


def test_torch_learner_trains_convolutions_in_raw_units() -> None:
    values = 1e6 + 1e3 * (FEATURES @ np.random.default_rng(1).normal(size=32))
    learner = TorchLearner(
        lambda _: nn.Sequential(
            nn.Conv1d(4, 8, 3), nn.ReLU(), nn.MaxPool1d(2), nn.Flatten(), nn.Linear(24, 1)
        ),
        steps=200,
    )
    net = learner.fit(FEATURES, values, np.random.default_rng(0))
    again = learner.fit(FEATURES, values, np.random.default_rng(0))
    assert np.corrcoef(net.predict(FEATURES), values)[0, 1] > 0.9
    assert abs(net.predict(FEATURES).mean() - values.mean()) < values.std()
    np.testing.assert_array_equal(net.predict(FEATURES), again.predict(FEATURES))


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (nn.Linear(3, 1), "an nn.Sequential can be read, not a Linear"),
        (nn.Sequential(nn.Linear(3, 2), nn.Tanh(), nn.Linear(2, 1)), "a Tanh layer cannot be read"),
        (nn.Sequential(nn.Linear(3, 2)), "2 outputs"),
        (nn.Sequential(nn.ReLU()), "no layer that says how many inputs"),
        (conv_net(), "say how many features"),
        (MLPRegressor(), "has not been fitted"),
        (RandomForestRegressor(), "an MLPRegressor can be read, not a RandomForestRegressor"),
        (object(), "cannot be read; give"),
    ],
)
def test_what_cannot_be_read_says_why(model: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        read(model)


def test_tanh_perceptron_is_refused() -> None:
    with pytest.raises(TypeError, match="'tanh' is not piecewise linear"):
        read(fitted_perceptron(activation="tanh"))


def test_bad_files(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="does not exist"):
        read(tmp_path / "none.onnx")
    (tmp_path / "bad.onnx").write_bytes(b"not a model at all")
    with pytest.raises(DataError, match="not a readable ONNX model"):
        read(tmp_path / "bad.onnx")


def test_a_model_of_another_width_is_refused() -> None:
    with pytest.raises(ValueError, match="32 features"):
        mb.argmax(nn.Sequential(nn.Linear(5, 1)), DOMAIN)


@pytest.mark.filterwarnings("ignore")
def test_onnx_operators_that_are_not_linear_are_refused(tmp_path: Path) -> None:
    file, model = str(tmp_path / "model.onnx"), nn.Sequential(nn.Linear(3, 1), nn.Sigmoid())
    torch.onnx.export(model, (torch.zeros(1, 3),), file, dynamo=False)
    with pytest.raises(TypeError, match="Sigmoid"):
        read(onnx.load(file))
