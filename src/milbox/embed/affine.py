"""Sums and constants as expressions over columns."""

from collections.abc import Iterable

import numpy as np

from milbox.milp.program import Affine

NOTHING = Affine(np.zeros(0, dtype=np.int64), np.zeros(0))


def constant(value: float) -> Affine:
    """A number as an expression."""
    return Affine(NOTHING.columns, NOTHING.coefficients, value)


def total(expressions: Iterable[Affine]) -> Affine:
    """The sum of expressions."""
    parts = [NOTHING, *expressions]
    return Affine(
        np.concatenate([part.columns for part in parts]),
        np.concatenate([part.coefficients for part in parts]),
        sum(part.constant for part in parts),
    )
