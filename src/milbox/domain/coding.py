"""Codes and features: the one place that knows how each kind of variable is coded.

Every code of a variable sets one of its features, in one of four ways, which the variable names itself
(`Variable.coding`):

- "flag": one feature, zero or one, which is the code (binary variables);
- "onehot": one feature for each code, of which the one of its code is one and the others are zero;
- "number": one feature, which is the code (`encoding="integer"`, Appendix D of the paper);
- "share": one feature, from zero at the lowest code to one at the highest (reals and wide integers).

Constraints are about whole numbers: the codes themselves, and indicators of codes. `whole` gives these, one
for each feature, and `encode` the features, which differ from them in shares alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from scipy.sparse import csr_array

from milbox.arrays import BoolArray, FloatArray, IntArray, SparseMatrix
from milbox.domain.model.variables import Variable, width


# Not slotted: groups are worked out when they are asked for.
@dataclass(frozen=True, eq=False)
class Coding:
    """The features of some variables, one variable after the other.

    Attributes:
        start: the first feature of each variable.
        width: how many features it has.
        low: its lowest code.
        high: its highest code.
        flag: whether its only feature is the indicator of code one.
        onehot: whether it has an indicator for each code.
        steps: how many steps a share of one has, where its only feature is a share; else zero.
        features: how many features there are in all.
    """

    start: IntArray
    width: IntArray
    low: IntArray
    high: IntArray
    flag: BoolArray
    onehot: BoolArray
    steps: IntArray
    features: int

    @classmethod
    def of(cls, variables: Sequence[Variable]) -> Self:
        """Features in the order of the variables."""
        widths = np.array([width(v) for v in variables], dtype=np.int64)
        return cls(
            start=np.concatenate([[0], np.cumsum(widths)[:-1]]).astype(np.int64),
            width=widths,
            low=np.array([v.codes[0] for v in variables], dtype=np.int64),
            high=np.array([v.codes[-1] for v in variables], dtype=np.int64),
            flag=np.array([v.coding == "flag" for v in variables], dtype=bool),
            onehot=np.array([v.coding == "onehot" for v in variables], dtype=bool),
            steps=np.array(
                [max(1, len(v.codes) - 1) if v.coding == "share" else 0 for v in variables], dtype=np.int64
            ),
            features=int(widths.sum()),
        )

    @cached_property
    def shares(self) -> IntArray:
        """The variables, by index, whose feature is a share."""
        return np.flatnonzero(self.steps)

    def encode(self, points: IntArray) -> FloatArray:
        """Points, one a row, as features."""
        features = self.whole(points)
        own = self.shares
        if len(own):
            features[:, self.start[own]] = (points[:, own] - self.low[own]) / self.steps[own]
        return features

    def whole(self, points: IntArray) -> FloatArray:
        """Points, one a row, as the whole numbers behind their features.

        A code that a one-hot variable does not have sets none of its features.
        """
        features = np.zeros((len(points), self.features))
        hot = self.onehot
        codes, low, high = points[:, hot], self.low[hot], self.high[hot]
        columns = self.start[hot] + np.clip(codes, low, high) - low
        features[np.arange(len(points))[:, None], columns] = (codes >= low) & (codes <= high)
        features[:, self.start[~hot]] = points[:, ~hot]
        return features

    def decode(self, features: FloatArray) -> IntArray:
        """The point nearest to one row of features: the largest of a group, else the rounded code."""
        own = self.shares
        if len(own):
            features = np.array(features, dtype=np.float64)
            features[self.start[own]] = self.low[own] + features[self.start[own]] * self.steps[own]
        return self.rounded(features)

    def rounded(self, whole: FloatArray) -> IntArray:
        """The point nearest to one row of the whole numbers behind features."""
        point = np.rint(whole[self.start]).astype(np.int64)
        for i in np.flatnonzero(self.onehot):
            first = self.start[i]
            point[i] = self.low[i] + int(np.argmax(whole[first : first + self.width[i]]))
        return point

    def set_by(self, variables: IntArray | int, codes: IntArray) -> tuple[IntArray, FloatArray]:
        """The feature that each code of its variable (by index) sets, and to what."""
        hot, steps = self.onehot[variables], self.steps[variables]
        above = codes - self.low[variables]
        features = self.start[variables] + np.where(hot, above, 0)
        shares = above / np.maximum(steps, 1)
        return features, np.where(hot, 1.0, np.where(steps > 0, shares, codes))

    def added_by(self, rows: IntArray, variables: IntArray, codes: IntArray, count: int) -> SparseMatrix:
        """(count, features): what the codes in each row add to an encoded point."""
        features, values = self.set_by(variables, codes)
        added = csr_array((values, (rows, features)), shape=(count, self.features))
        added.eliminate_zeros()
        return added

    def contributions(
        self, variables: Sequence[int] | IntArray, states: IntArray, weights: FloatArray
    ) -> FloatArray:
        """Contributions of joint codes of some variables (by index), one a row, to features times weights."""
        total = np.zeros((len(states), weights.shape[1]))
        for i, codes in zip(variables, states.T, strict=True):
            features, values = self.set_by(i, codes)
            total += values[:, None] * weights[features]
        return total

    def group(self, variable: int) -> IntArray:
        """The features of a variable (by index)."""
        return np.arange(self.start[variable], self.start[variable] + self.width[variable])

    def code_terms(self, variable: int) -> tuple[IntArray, IntArray]:
        """Features of a variable (by index) and coefficients of their whole numbers whose sum is the code."""
        group = self.group(variable)
        return group, self.low[variable] + np.arange(len(group)) if self.onehot[variable] else np.ones_like(
            group
        )

    def indicator(self, variable: int, code: int) -> int | None:
        """The feature that is one where a variable (by index) has the code, else zero; None if none is."""
        if self.onehot[variable]:
            return int(self.start[variable]) + code - int(self.low[variable])
        return int(self.start[variable]) if self.flag[variable] and code == 1 else None

    @cached_property
    def owner(self) -> IntArray:
        """The variable of each feature."""
        return np.repeat(np.arange(len(self.width)), self.width)

    @cached_property
    def limits(self) -> tuple[IntArray, IntArray]:
        """The least and the largest of the whole number behind each feature."""
        hot = self.onehot[self.owner]
        return np.where(hot, 0, self.low[self.owner]), np.where(hot, 1, self.high[self.owner])
