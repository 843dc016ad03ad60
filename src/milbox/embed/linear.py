"""A linear surrogate as an expression; it needs no rows."""

from milbox.arrays import IntArray
from milbox.embed import embed
from milbox.milp.program import Affine, MilpBuilder
from milbox.surrogates.linear import Linear


@embed.register
def _(surrogate: Linear, milp: MilpBuilder, inputs: IntArray) -> Affine:
    """Y = weights·x + bias."""
    del milp
    return Affine(inputs, surrogate.weights, surrogate.bias)
