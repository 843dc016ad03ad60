"""SplitMix64 (Steele et al. 2014): the random numbers of compiled code.

A generator is one 64-bit counter. Each draw adds `STEP` to it and mixes the bits of the sum.
"""

from collections.abc import Callable
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from milbox.compiled.jit import inlined

Bits = TypeVar("Bits", np.uint64, npt.NDArray[np.uint64])

# As uint64 constants: mixed with int64, numba would turn them into floats.
STEP = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_30, _27, _31, _32, _11 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(32), np.uint64(11)


def splitmix64(counter: Bits) -> Bits:
    """Sixty-four random bits for each value of the counter; `mixed` is the same, compiled."""
    z = (counter ^ (counter >> _30)) * _MIX_1
    z = (z ^ (z >> _27)) * _MIX_2
    return z ^ (z >> _31)


mixed: Callable[[np.uint64], np.uint64] = inlined(splitmix64)


@inlined
def bounded(size: int, bits: np.uint64) -> int:
    """A number from 0 to size - 1; sizes are far below 2**32, so the bias of the product is too."""
    return np.int64(((bits >> _32) * np.uint64(size)) >> _32)  # type: ignore[return-value]  # an int, compiled


@inlined
def fraction(bits: np.uint64) -> float:
    """A number from 0 to 1, without 1, in steps of 2**-53."""
    return (bits >> _11) * (1.0 / 9007199254740992.0)
