"""Type aliases for the arrays and points that the whole package exchanges."""

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]

SparseMatrix: TypeAlias = Any
"""A `scipy.sparse.csr_array`; SciPy has no types."""

Point: TypeAlias = tuple[int, ...]
"""One code per variable: the integer itself, or the index of a choice."""


def ranks(values: FloatArray) -> FloatArray:
    """Places in ascending order, from 1; equal values share the mean of their places."""
    _, group, sizes = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(sizes)
    return np.asarray((ends - (sizes - 1) / 2.0)[group])
