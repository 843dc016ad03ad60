"""LABS: binary sequences of low autocorrelation, by their merit factor (Golay 1977)."""

import numpy as np

from milbox.arrays import FloatArray, IntArray
from milbox.bench.problems.problem import Problem
from milbox.domain import Domain, binary

ENERGIES = {20: 26, 30: 59, 40: 108, 50: 153, 60: 218}
"""The least energies of these lengths, proved by enumeration (Packebusch and Mertens 2016)."""

NAMES = tuple(f"labs/{length}" for length in ENERGIES)


def merit(points: IntArray) -> FloatArray:
    """N² / 2E of sequences of zeros and ones that stand for -1 and 1; E sums the squared autocorrelations."""
    signs = 2 * points - 1
    length = signs.shape[1]
    lags = [(signs[:, :-lag] * signs[:, lag:]).sum(axis=1) for lag in range(1, length)]
    return np.asarray(length**2 / (2.0 * np.square(lags).sum(axis=0)))


def labs(name: str) -> Problem:
    """The problem `labs/<length>`."""
    length = int(name.removeprefix("labs/"))
    return Problem(
        name=name,
        domain=Domain([binary("bit", length)]),
        evaluate=merit,
        source="merit factor of a binary sequence",
        citation="Packebusch and Mertens, Low Autocorrelation Binary Sequences, J. Phys. A 49 (2016)",
        optimum=length**2 / (2.0 * ENERGIES[length]),
    )
