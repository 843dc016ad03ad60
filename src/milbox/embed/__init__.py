"""Domains and surrogates as rows of one program.

`embed` is a `singledispatch`: a third party registers its own kind of surrogate with `@embed.register`.
"""

from functools import singledispatch
from typing import Any

from milbox.arrays import IntArray
from milbox.domain import Domain
from milbox.milp.program import Affine, MilpBuilder


@singledispatch
def embed(surrogate: Any, milp: MilpBuilder, inputs: IntArray) -> Affine:
    """Add rows that force an expression to equal the surrogate's prediction; return that expression."""
    del milp, inputs
    raise TypeError(
        f"{type(surrogate).__name__} has no embedding; register one with @milbox.embed.embed.register, "
        f"or use an inner solver that only evaluates it, such as Evolution() or Sample()"
    )


def embeddable(surrogate: Any) -> bool:
    """Whether `embed` knows this kind of surrogate."""
    return embed.dispatch(type(surrogate)) is not embed.dispatch(object)


@singledispatch
def unembeddable(surrogate: Any, domain: Domain) -> str | None:
    """The reason why a surrogate has no rows on a domain; None where it has."""
    del domain
    return None if embeddable(surrogate) else f"{type(surrogate).__name__} has no embedding"


from milbox.embed import linear, quadratic, relu, trees  # noqa: E402, F401 - importing registers the kinds
