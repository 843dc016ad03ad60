"""Constrained objectives that are neither linear nor quadratic: `constrained/<function>/<shape>/<instance>`.

The shapes are those of `structured.py`; the function is a random network or a random sum of trees over the
encoded point, drawn from the problem's name, so that no class of surrogates is right by construction.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from milbox.arrays import FloatArray, IntArray
from milbox.bench.problems.problem import Problem
from milbox.bench.problems.structured import DOMAINS
from milbox.domain import Domain

SHAPES = (
    "blocks-100",
    "subset-10of100",
    "budget-100",
    "chain-15x20",
    "dna-60",
    "grid-10",
    "permutation-12",
    "permutation-20",
    "machines-40x12",
    "blocks-400",
    "subset-50of500",
    "chain-32x32",
    "dna-150",
)
INSTANCES = 4
UNITS = 32
TREES, DEPTH = 40, 5


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """Two layers of tanh units, then a linear one. Features are centred at their means over random points."""

    centre: FloatArray
    first: FloatArray
    second: FloatArray
    output: FloatArray

    def __call__(self, features: FloatArray) -> FloatArray:
        """The outputs at encoded points, one a row."""
        hidden = np.tanh((features - self.centre) @ self.first)
        return np.asarray(np.tanh(hidden @ self.second) @ self.output)


@dataclass(frozen=True, slots=True, eq=False)
class Trees:
    """The sum of complete trees that all split at one half. Every node has a feature, every leaf a value."""

    feature: IntArray
    """(trees, inner nodes)"""
    leaf: FloatArray
    """(trees, leaves)"""

    def __call__(self, features: FloatArray) -> FloatArray:
        """The sums at encoded points, one a row."""
        tree = np.arange(len(self.feature))
        node = np.zeros((len(features), len(tree)), dtype=np.int64)
        rows = np.arange(len(features))[:, None]
        while node[0, 0] < self.feature.shape[1]:
            above = features[rows, self.feature[tree, node]] > 0.5
            node = 2 * node + 1 + above
        return np.asarray(self.leaf[tree, node - self.feature.shape[1]].sum(axis=1))


def network(domain: Domain, rng: np.random.Generator) -> Network:
    """A random network whose first layer sees differences between feasible points at their own size.

    Where feasible points cannot be drawn uniformly, points that may break the constraints stand for them.
    """
    drawing = domain.drawing or Domain(domain.variables).drawing
    assert drawing is not None, "every domain without constraints can be drawn from"
    sample = domain.encode(drawing.draw(500, rng))
    size = np.sqrt(sample.var(axis=0).sum())
    return Network(
        sample.mean(axis=0),
        2.0 * rng.standard_normal((domain.features, UNITS)) / size,
        2.0 * rng.standard_normal((UNITS, UNITS)) / np.sqrt(UNITS),
        rng.standard_normal(UNITS) / np.sqrt(UNITS),
    )


def trees(domain: Domain, rng: np.random.Generator) -> Trees:
    """A random sum of trees; the features of one tree are all different."""
    inner = 2**DEPTH - 1
    chosen = [rng.choice(domain.features, inner, replace=domain.features < inner) for _ in range(TREES)]
    return Trees(np.array(chosen), rng.standard_normal((TREES, inner + 1)) / np.sqrt(TREES))


FUNCTIONS: dict[str, Callable[[Domain, np.random.Generator], Callable[[FloatArray], FloatArray]]] = {
    "network": network,
    "trees": trees,
}
NAMES = tuple(
    f"constrained/{function}/{shape}/{instance}"
    for function in FUNCTIONS
    for shape in SHAPES
    for instance in range(INSTANCES)
)


def constrained(name: str) -> Problem:
    """The problem `constrained/<function>/<shape>/<instance>`."""
    _, function, shape, _ = name.split("/")
    domain = DOMAINS[shape]()
    values = FUNCTIONS[function](domain, np.random.default_rng(list(name.encode())))

    def evaluate(points: IntArray) -> FloatArray:
        """The function of the encoded points."""
        return values(domain.encode(points))

    source = f"a random {'network' if function == 'network' else 'sum of trees'} drawn by NumPy from its name"
    return Problem(name, domain, evaluate, source=source, citation="milbox")
