"""A linear surrogate needs no rows: it is an expression already."""

from milbox.arrays import IntArray
from milbox.embed import embed
from milbox.milp.program import Affine, MilpBuilder
from milbox.surrogates.linear import Linear


@embed.register
def _(surrogate: Linear, milp: MilpBuilder, inputs: IntArray) -> Affine:
    """Y = weights·x + bias."""
    del milp
    return Affine(inputs, surrogate.weights, surrogate.bias)
