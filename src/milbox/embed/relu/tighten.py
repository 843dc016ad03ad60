"""Tighter bounds of neurons, by linear programs over the domain."""

import math
import time
from collections.abc import Callable

import numpy as np

from milbox.arrays import FloatArray
from milbox.domain import Domain
from milbox.embed.domain import Formulation, formulate
from milbox.embed.relu.bounds import Bounded, block_bounds, box
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
    blocks: bool = True,
) -> Bounded:
    """The network with bounds from two linear programs per neuron, over domain and earlier layers relaxed.

    `extend` may add rows, such as no-goods, that the programs then know. Neurons that interval arithmetic
    already shows to be on or off are not asked about, and each bound is the better of the two. After so many
    seconds it has to do for the rest. Without `blocks` it knows no more of the domain than the bounds of each
    column, over which no linear program is worse: the bounds are then those of the programs alone.
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
                block_bounds(net, domain)[0] if blocks else box(layer, *milp.bounds(formulation.inputs))
            )
        else:
            least, most = box(layer, *(np.maximum(side, 0) for side in found[-1]))
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
