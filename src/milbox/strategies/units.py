"""Units in which huge values can be learnt: surrogates and solvers compute with differences and squares.

Values up to 1e100 are learnt as they are. Where some are larger, all are divided by a power of two first,
which rounds nothing, and what is proved about a proposal is turned back into the values' own units.
"""

import math
import sys
from dataclasses import replace

import numpy as np

from milbox.arrays import FloatArray
from milbox.trials import Proposal

LARGEST = 1e100


def unit_of(values: FloatArray) -> float:
    """One; where values are larger than `LARGEST`, the power of two that they have to be divided by."""
    largest = float(np.abs(values).max(initial=0.0))
    return 1.0 if largest <= LARGEST else 2.0 ** math.ceil(math.log2(largest) - math.log2(LARGEST))


def in_own_units(proposal: Proposal, unit: float) -> Proposal:
    """A proposal from values divided by `unit`, with its certificate in the values' own units."""
    proof = proposal.certificate
    if proof is None or unit == 1.0:
        return proposal
    return replace(
        proposal,
        certificate=replace(
            proof,
            value=_times(proof.value, unit),
            bound=_times(proof.bound, unit),
            residual=_times(proof.residual, unit),
        ),
    )


def _times(number: float, unit: float) -> float:
    """The product; a finite number stays one, though a prediction may be larger than any float."""
    product = number * unit
    return (
        product
        if math.isinf(number) or math.isfinite(product)
        else math.copysign(sys.float_info.max, product)
    )
