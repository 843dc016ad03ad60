"""Tighter bounds of neurons, by linear programs over the domain."""

import math
import time
from collections.abc import Callable

import numpy as np

from milbox.arrays import FloatArray
from milbox.domain import Domain
from milbox.embed.domain import Formulation, formulate
from milbox.embed.relu.bounds import Bounded, interval, product_bounds
from milbox.embed.relu.rows import embed_layers
from milbox.milp.program import MilpBuilder
from milbox.milp.relaxation import maxima
from milbox.surrogates.relu import ReluNet


def tighten(
    net: ReluNet,
    domain: Domain,
    extend: Callable[[Formulation], None] | None = None,
    seconds: float = math.inf,
    *,
    parts: bool = True,
) -> Bounded:
    """The network with bounds from two linear programs per neuron, over domain and earlier layers relaxed.

    Neurons that interval arithmetic proves to be on or off need no program; elsewhere the better of the two
    bounds is kept. After `seconds`, interval bounds are used for the neurons that are left. `extend` may add
    rows, such as no-goods, to the programs. Without `parts`, interval arithmetic sees only the bounds of
    each column, and no linear program is worse than that: the bounds are then those of the programs alone.
    """
    until = time.perf_counter() + seconds
    found: list[tuple[FloatArray, FloatArray]] = []
    for depth, layer in enumerate(net.hidden):
        milp = MilpBuilder()
        formulation = formulate(domain, milp)
        if extend is not None:
            extend(formulation)
        z = embed_layers(net.hidden[:depth], tuple(found), milp, formulation.inputs).through(layer)
        if depth == 0:
            least, most = (
                product_bounds(net, domain)[0] if parts else interval(layer, *milp.bounds(formulation.inputs))
            )
        else:
            least, most = interval(layer, *(np.maximum(side, 0) for side in found[-1]))
        unstable = np.flatnonzero((least < 0) & (most > 0))
        slopes = np.zeros((len(unstable), milp.width))
        slopes[:, z.columns] = z.mix[:, unstable].T
        left = until - time.perf_counter()
        highest = maxima(milp.build(), np.concatenate([slopes, -slopes]), left)
        shift = z.shift[unstable]
        most[unstable] = np.minimum(most[unstable], highest[: len(unstable)] + shift)
        least[unstable] = np.maximum(least[unstable], shift - highest[len(unstable) :])
        found.append((least, most))
    return Bounded(net, tuple(found))
