"""Scaling of inputs and values to ordinary size, and back."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from milbox.arrays import FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Scale:
    """shrink(x) = (x - centre) / spread: one scale for a vector of values, or one per column of features."""

    centre: FloatArray
    spread: FloatArray

    @classmethod
    def of_values(cls, values: FloatArray) -> Self:
        """The scale that gives the values mean 0 and standard deviation 1; equal values become 0."""
        largest = np.abs(values).max()
        if largest == 0.0:
            return cls(np.array(0.0), np.array(1.0))
        # Dividing first keeps sums and squares of huge and tiny values within the range of floats.
        unit = values / largest
        deviation = unit.std()
        if deviation <= 4 * np.finfo(np.float64).eps:  # equal, up to the rounding of the mean
            deviation = 1.0
        return cls(np.asarray(unit.mean() * largest), np.asarray(deviation * largest))

    @classmethod
    def of_columns(cls, features: FloatArray, floor: float = 0.0) -> Self:
        """Columns of zeros and ones as they are; each other column to mean 0 and standard deviation 1.

        Where a column's standard deviation is below the floor, it is divided by the floor.
        """
        centre = np.zeros(features.shape[1])
        spread = np.ones(features.shape[1])
        for column in np.flatnonzero(~((features == 0.0) | (features == 1.0)).all(axis=0)):
            scale = cls.of_values(features[:, column])
            centre[column], spread[column] = scale.centre, max(float(scale.spread), floor)
        return cls(centre, spread)

    @property
    def neutral(self) -> bool:
        """Whether raw units are ordinary ones."""
        return not self.centre.any() and bool((self.spread == 1.0).all())

    def shrink(self, raw: FloatArray) -> FloatArray:
        """From raw units to ordinary ones."""
        return raw if self.neutral else (raw - self.centre) / self.spread


def checked(features: FloatArray, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The data as float64 arrays, or a ValueError that says why no surrogate can be fitted to them."""
    features = np.asarray(features, dtype=np.float64)
    values = np.asarray(values, dtype=np.float64)
    if features.ndim != 2 or values.shape != features.shape[:1]:
        raise ValueError(
            f"features of shape {features.shape} and values of shape {values.shape} do not belong together; "
            f"they should be (n, d) and (n,)"
        )
    if not len(values):
        raise ValueError("a surrogate needs at least one value to be fitted to, and got none")
    if not (np.isfinite(features).all() and np.isfinite(values).all()):
        raise ValueError("a surrogate can be fitted to finite numbers only, and some are infinite or NaN")
    return features, values
