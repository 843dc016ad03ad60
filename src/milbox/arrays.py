"""Names for the few shapes of data that every room speaks."""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]

Point: TypeAlias = tuple[int, ...]
"""One code per variable: the integer itself, or the index of a choice."""
