"""A domain as columns of whole numbers between limits, and sums of them between limits.

A binary, an integer or a real that is one feature is one column, however many codes it has. A variable with
a feature for each code has a column of zero or one for each, which add up to one: a group.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from milbox.arrays import FloatArray, IntArray
from milbox.display import cut
from milbox.domain import Domain
from milbox.domain.box import Box
from milbox.domain.components import as_sums
from milbox.domain.constraints.kinds import conjuncts
from milbox.domain.kept import kept
from milbox.domain.model.constraint import Constraint
from milbox.domain.model.expressions import Linear
from milbox.domain.states import simple

COLUMNS = 2000
"""Domains of more columns than this are left to others."""

LARGEST = 2**50
"""Sums stay below this, so that they are exact in floating point too."""


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Columns count from zero: a variable's code less the lowest, or the indicator of a code."""

    variable: IntArray
    """(columns,): the variable, by index."""
    code: IntArray
    """(columns,): the lowest code of a range, and the code that a column of a group stands for."""
    steps: IntArray
    """(columns,): the largest value."""
    group: IntArray
    """(columns,): the number of the group, or -1."""
    feature: IntArray
    """(columns,): the feature that it sets."""
    per_step: FloatArray
    """(columns,): what one step adds to that feature."""
    base: FloatArray
    """(features,): the features where all columns are zero."""
    sums: IntArray
    """(sums, columns)"""
    least: IntArray
    """(sums,): the lower limits."""
    most: IntArray

    def rows(self, points: IntArray) -> IntArray:
        """Points of the domain, one a row, as columns."""
        own = points[:, self.variable]
        return np.where(self.group >= 0, own == self.code, own - self.code).astype(np.int64)

    def between(self, low: IntArray, high: IntArray) -> tuple[IntArray, IntArray]:
        """The least and the largest values of columns where variables lie between two codes."""
        least, most = low[self.variable], high[self.variable]
        inside = (least <= self.code) & (self.code <= most)
        hot = self.group >= 0
        first = np.where(hot, 0, np.maximum(least - self.code, 0))
        last = np.where(hot, inside, np.minimum(most - self.code, self.steps))
        return first.astype(np.int64), last.astype(np.int64)

    def around(self, box: Box) -> "Columns":
        """The columns with one more sum: how many variables without an order differ from the box's centre."""
        centre, own = box.centre[self.variable], box.unordered[self.variable]
        hot = self.group >= 0
        # A column of a group says that nothing changed, and so does a flag at one, if that is the centre.
        same = own & np.where(hot, self.code == centre, centre - self.code == 1)
        changed = own & ~hot & (centre == self.code)
        row = changed.astype(np.int64) - same
        return replace(
            self,
            sums=np.concatenate([self.sums, row[None, :]]),
            least=np.append(self.least, -len(row)),
            most=np.append(self.most, box.changes - int(same.sum())),
        )

    def point(self, row: IntArray) -> tuple[int, ...]:
        """The point behind the values of all columns."""
        codes = np.zeros(int(self.variable.max()) + 1, dtype=np.int64)
        single = self.group < 0
        codes[self.variable[single]] = self.code[single] + row[single]
        hot = (self.group >= 0) & (row == 1)
        codes[self.variable[hot]] = self.code[hot]
        return tuple(codes.tolist())


@kept
def columns_of(domain: Domain) -> Columns | str:
    """The domain as columns, or the reason why it is none."""
    coding = domain.coding
    width = np.where(coding.onehot, coding.high - coding.low + 1, 1)
    if width.sum() > COLUMNS:
        return f"{width.sum()} columns are more than {COLUMNS}"
    start = np.concatenate([[0], np.cumsum(width)])
    variable = np.repeat(np.arange(len(width)), width)
    within = np.arange(start[-1]) - start[variable]
    hot = coding.onehot[variable]
    steps = np.where(hot, 1, coding.high[variable] - coding.low[variable])
    group = np.where(hot, np.cumsum(coding.onehot)[variable] - 1, -1)
    code = coding.low[variable] + np.where(hot, within, 0)
    feature, value = coding.set_by(variable, code)
    _, next_value = coding.set_by(variable, code + np.where(hot, 0, 1))
    base = np.zeros(domain.features)
    np.add.at(base, feature[~hot], value[~hot])
    constraints = tuple(conjuncts(domain.constraints))
    found = [as_sum(constraint, domain) for constraint in constraints]
    refused = [constraint for constraint, sums in zip(constraints, found, strict=True) if not sums]
    if refused:
        return f"{cut(str(refused[0]), 80)} is no sum with whole coefficients"
    table, least, most = [], [], []
    for one in (one for sums in found for one in sums):
        row, constant = np.zeros(start[-1], dtype=np.int64), 0
        for (factor,), coefficient in one.terms:
            i = domain.index[factor.name]
            first = int(start[i])
            if coding.onehot[i]:
                codes = np.arange(coding.low[i], coding.high[i] + 1)
                row[first : first + int(width[i])] += coefficient * (
                    codes if factor.code is None else codes == factor.code
                )
            elif factor.code is None:
                row[first] += coefficient
                constant += coefficient * int(coding.low[i])
            elif steps[first] == 1:
                on = factor.code - int(coding.low[i])
                row[first] += coefficient * (1 if on == 1 else -1 if on == 0 else 0)
                constant += coefficient * (1 if on == 0 else 0)
            else:
                return f"{cut(str(one), 80)} is about single values of {factor.name!r}, which is a range"
        if abs(constant) + int(np.abs(row) @ steps) > LARGEST:
            return f"{cut(str(one), 80)} is too large: it may reach {LARGEST:,.0f}"
        table.append(row)
        least.append(math.ceil(max(one.lower, -2 * LARGEST)) - constant)
        most.append(math.floor(min(one.upper, 2 * LARGEST)) - constant)
    return Columns(
        variable=variable.astype(np.int64),
        code=code.astype(np.int64),
        steps=steps.astype(np.int64),
        group=group.astype(np.int64),
        feature=feature,
        per_step=np.where(hot, 1.0, next_value - value),
        base=base,
        sums=np.array(table, dtype=np.int64).reshape(-1, int(start[-1])),
        least=np.array(least, dtype=np.int64),
        most=np.array(most, dtype=np.int64),
    )


def as_sum(constraint: Constraint, domain: Domain) -> tuple[Linear, ...]:
    """The constraint as sums; none where it is none, or would have to be spelled out over a range."""
    if isinstance(constraint, Linear):
        whole = constraint.terms and constraint.size < LARGEST and simple(constraint)
        return (constraint,) if whole else ()
    hot = domain.coding.onehot
    if all(hot[i] or len(domain.variables[i].codes) == 2 for i in indices(constraint, domain)):
        return as_sums(constraint)
    return ()


def indices(constraint: Constraint, domain: Domain) -> Iterator[int]:
    """The variables of a constraint, by index."""
    return (domain.index[v.name] for v in constraint.variables)
