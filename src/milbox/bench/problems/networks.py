"""RandomMLP: the output of a random network over 25 letters (Appendix B.2).

The paper names the architectures and Keras's default initialisation, not its random streams; these are the
same distributions drawn by NumPy, so that a seed gives the same function on every machine. Choices made here:
Conv1D's default padding ("valid"), so 25 positions become 13 and then 1; a dense linear unit on the flattened
last layer; biases zero, as Keras starts them.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from milbox.arrays import FloatArray, IntArray
from milbox.bench.problems.problem import PAPER, Evaluate, Problem
from milbox.domain import Domain, categorical

POSITIONS = 25
LETTERS = 5
UNITS = 128
FILTERS = 64
WIDTH = 13
SEEDS = (0, 13, 42, 77)


@dataclass(frozen=True, slots=True)
class DenseNetwork:
    """Two ReLU layers on one-hot letters, then a linear unit."""

    first: FloatArray  # (positions, letters, units): a letter picks its row, which is the one-hot product
    second: FloatArray  # (units, units)
    output: FloatArray  # (units,)

    def __call__(self, points: IntArray) -> FloatArray:
        """The outputs at points, one row of letters each."""
        hidden = np.maximum(self.first[np.arange(POSITIONS), points].sum(axis=1), 0.0)
        hidden = np.maximum(hidden @ self.second, 0.0)
        return np.asarray(hidden @ self.output)


@dataclass(frozen=True, slots=True)
class ConvolutionalNetwork:
    """Two ReLU convolutions of stride 1 without padding on one-hot letters, then a linear unit."""

    first: FloatArray  # (width, letters, filters)
    second: FloatArray  # (width, filters, filters)
    output: FloatArray  # (remaining positions * filters,)

    def __call__(self, points: IntArray) -> FloatArray:
        """The outputs at points, one row of letters each."""
        signal = convolution(np.eye(LETTERS)[points], self.first)
        signal = convolution(signal, self.second)
        return np.asarray(signal.reshape(len(points), -1) @ self.output)


def convolution(signal: FloatArray, kernel: FloatArray) -> FloatArray:
    """relu(sum_k signal[:, p + k] @ kernel[k]) at every position p where the whole kernel fits."""
    width = len(kernel)
    positions = signal.shape[1] - width + 1
    total = sum(signal[:, k : k + positions] @ kernel[k] for k in range(width))
    return np.asarray(np.maximum(total, 0.0))


def glorot(rng: np.random.Generator, shape: tuple[int, ...], fan_in: int, fan_out: int) -> FloatArray:
    """Uniform on +-sqrt(6 / (fan_in + fan_out)) (Glorot and Bengio 2010)."""
    limit = math.sqrt(6.0 / (fan_in + fan_out))
    return rng.uniform(-limit, limit, size=shape)


def dense_network(seed: int) -> DenseNetwork:
    """RandomFCC: two layers of 128 units."""
    rng = np.random.default_rng(seed)
    inputs = POSITIONS * LETTERS
    return DenseNetwork(
        glorot(rng, (POSITIONS, LETTERS, UNITS), inputs, UNITS),
        glorot(rng, (UNITS, UNITS), UNITS, UNITS),
        glorot(rng, (UNITS,), UNITS, 1),
    )


def convolutional_network(seed: int) -> ConvolutionalNetwork:
    """RandomCNN: two convolutions of 64 filters, width 13, stride 1."""
    rng = np.random.default_rng(seed)
    remaining = (POSITIONS - 2 * (WIDTH - 1)) * FILTERS
    return ConvolutionalNetwork(
        glorot(rng, (WIDTH, LETTERS, FILTERS), WIDTH * LETTERS, WIDTH * FILTERS),
        glorot(rng, (WIDTH, FILTERS, FILTERS), WIDTH * FILTERS, WIDTH * FILTERS),
        glorot(rng, (remaining,), remaining, 1),
    )


ARCHITECTURES: dict[str, Callable[[int], Evaluate]] = {"cnn": convolutional_network, "fcc": dense_network}
NAMES = tuple(f"randommlp/{architecture}-{seed}" for architecture in ARCHITECTURES for seed in SEEDS)


def random_network(name: str) -> Problem:
    """The problem `randommlp/<architecture>-<seed>`: 25 variables of 5 letters each."""
    architecture, seed = name.removeprefix("randommlp/").split("-")
    return Problem(
        name=name,
        domain=Domain([categorical("letter", list(range(LETTERS)), POSITIONS)]),
        evaluate=ARCHITECTURES[architecture](int(seed)),
        source=f"Random{architecture.upper()} with weights drawn by NumPy from seed {seed} (Appendix B.2)",
        citation=PAPER,
    )
