"""Climbs from the best points known to a good untried point, quickly and without proof.

The answer starts an exact search: it guarantees a proposal whatever the limit, and shows which tried points
can be left out of the program.
"""

from typing import TYPE_CHECKING

import numpy as np
from numpy.random import Generator

from milbox.arrays import FloatArray, IntArray, Point
from milbox.domain import Domain
from milbox.domain.kept import kept
from milbox.surrogates.base import Surrogate
from milbox.surrogates.linear import Linear
from milbox.surrogates.relu import ReluNet
from milbox.trials.points import Points

if TYPE_CHECKING:
    from milbox.inner.climb.kernel import Options

STARTS = 4
ROUNDS = 20
KEPT = 32
# Values of all variables together that are listed for a climb; a wide integer alone may have more.
MOST_OPTIONS = 1 << 17


def climbed(
    surrogate: Surrogate, domain: Domain, forbidden: Points, rng: Generator
) -> tuple[Point, float] | None:
    """A feasible point that is not forbidden, and its prediction; None when no climb meets one.

    Networks and linear surrogates only: a climb looks at many thousands of points, which needs compiled
    code that knows them. Nor is there one where variables have too many values to be listed.
    """
    network = as_network(surrogate)
    if network is None or not forbidden or sum(len(v.codes) for v in domain.variables) > MOST_OPTIONS:
        return None
    from milbox.inner.climb.kernel import LONGEST, Desk, Found, Layers, Tried, climb, label_all

    options, feature, size = listed_options(domain)
    first, rest = network.layers[0], network.layers[1:]
    layers = Layers(
        table=np.ascontiguousarray(size[:, None] * first.weights[feature]),
        bias=np.array(first.bias),
        weights=np.concatenate([np.append(layer.weights.ravel(), layer.bias) for layer in rest]),
        sizes=np.array([len(layer.bias) for layer in network.layers]),
    )

    points = forbidden.codes(domain)
    low, high = domain.coding.low, domain.coding.high
    points = points[((low <= points) & (points <= high)).all(axis=1)]
    tried = Tried(options.first[:-1] + points - low, np.zeros(len(points), np.int64))
    label_all(tried)
    tried.label.sort()
    found = Found(np.zeros((KEPT, len(low)), np.int64), np.full(KEPT, -np.inf))
    predictions = surrogate.predict(domain.encode(points))
    for start in np.argsort(-predictions, kind="stable")[:STARTS]:
        desk = Desk(
            state=tried.state[start].copy(),
            order=rng.permutation(len(options.variable)),
            hidden=np.empty(len(first.bias)),
            activity=np.empty(len(options.lower)),
            scratch=np.empty((2, layers.sizes.max())),
            moved=np.empty(LONGEST, np.int64),
            olds=np.empty(LONGEST, np.int64),
        )
        climb(layers, options, tried, found, desk, ROUNDS)
    return best_of(found.options, found.values, options, surrogate, domain, forbidden)


def best_of(
    states: IntArray,
    values: FloatArray,
    options: "Options",
    surrogate: Surrogate,
    domain: Domain,
    seen: Points,
) -> tuple[Point, float] | None:
    """The best visited point that is feasible and untried."""
    met = states[np.argsort(-values, kind="stable")][: int((values > -np.inf).sum())]
    points = met - options.first[:-1] + domain.coding.low
    for point in map(tuple, points[domain.feasible(points)].tolist()):
        if point not in seen:
            return point, float(surrogate.predict(domain.encode([point]))[0])
    return None


def as_network(surrogate: Surrogate) -> ReluNet | None:
    """The surrogate as a network with at least one hidden layer, where it is one."""
    if isinstance(surrogate, Linear):
        # y = max(0, w·x) - max(0, -w·x) + b
        weights = np.stack([surrogate.weights, -surrogate.weights], axis=1)
        return ReluNet.of(
            [(weights, np.zeros(2)), (np.array([[1.0], [-1.0]]), np.array([float(surrogate.bias)]))]
        )
    return surrogate if isinstance(surrogate, ReluNet) and surrogate.hidden else None


@kept
def listed_options(domain: Domain) -> tuple["Options", IntArray, FloatArray]:
    """Every (variable, code), with the feature it sets and to what, and its part in the linear rows."""
    from milbox.inner.climb.kernel import Options

    counts = np.array([len(v.codes) for v in domain.variables])
    first = np.concatenate([[0], np.cumsum(counts)])
    variable = np.repeat(np.arange(len(counts)), counts)
    code = np.arange(first[-1]) - first[variable] + domain.coding.low[variable]
    feature, size = domain.coding.set_by(variable, code)
    whole = np.where(domain.coding.onehot[variable], 1.0, code)

    matrix, lower, upper, _ = domain.linear_system
    by_option = (matrix[:, feature].multiply(whole[None, :])).tocsc()
    by_option.eliminate_zeros()
    by_row = by_option.tocsr()
    options = Options(
        variable=variable.astype(np.int64),
        first=first.astype(np.int64),
        row_start=by_option.indptr.astype(np.int64),
        row=by_option.indices.astype(np.int64),
        adds=by_option.data.astype(np.float64),
        option_start=by_row.indptr.astype(np.int64),
        option=by_row.indices.astype(np.int64),
        lower=np.ascontiguousarray(lower),
        upper=np.ascontiguousarray(upper),
    )
    return options, feature, size
