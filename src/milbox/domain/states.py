"""The feasible joint codes of a few variables, listed."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from milbox.arrays import BoolArray, FloatArray, IntArray
from milbox.domain.model.constraint import Constraint
from milbox.domain.model.expressions import Linear
from milbox.domain.model.variables import Variable


def joint_states(
    variables: Sequence[Variable], constraints: Sequence[Constraint], limit: int | None
) -> IntArray | None:
    """Every feasible joint code of the variables in lexicographic order; None when too many arise.

    States grow by one variable at a time. A state is a code and the place of the state it extends, so that
    growing costs the same at every length; whole states are put together only where they are needed.
    """
    place = {v.name: i for i, v in enumerate(variables)}
    due: dict[int, list[Constraint]] = {}
    sums: dict[int, list[PartialSum]] = {}
    for constraint in constraints:
        members = sorted(place[v.name] for v in constraint.variables)
        if isinstance(constraint, Linear) and members and simple(constraint):
            partial = PartialSum.of(constraint, variables, members)
            for i in members:
                sums.setdefault(i, []).append(partial)
        if not (isinstance(constraint, Linear) and members and simple(constraint) and constraint.narrow):
            due.setdefault(members[-1] if members else 0, []).append(constraint)

    parents: list[IntArray] = []
    codes: list[IntArray] = []
    values: dict[int, FloatArray] = {}
    count = 1
    for i, variable in enumerate(variables):
        width = len(variable.codes)
        if limit is not None and count * width > 4 * limit:
            return None
        parent, code = np.divmod(np.arange(count * width), width)
        values = {key: value[parent] for key, value in values.items()}
        keep = np.ones(len(parent), dtype=bool)
        for partial in sums.get(i, ()):
            value = values.get(id(partial), 0.0) + partial.tables[i][code]
            keep &= partial.possible(value, i)
            values[id(partial)] = value
            if i == partial.last:
                values.pop(id(partial))
        values = {key: value[keep] for key, value in values.items()}
        parents.append(parent[keep])
        codes.append(code[keep] + variable.codes[0])
        for constraint in due.get(i, ()):
            holds = constraint.holds(
                traced(parents, codes, variables, {v.name for v in constraint.variables})
            )
            holds = np.broadcast_to(holds, len(codes[i]))
            parents[i], codes[i] = parents[i][holds], codes[i][holds]
            values = {key: value[holds] for key, value in values.items()}
        count = len(codes[i])
        if limit is not None and count > limit:
            return None
    columns = traced(parents, codes, variables, set(place))
    return np.stack([columns[v.name] for v in variables], axis=1)


def traced(
    parents: Sequence[IntArray], codes: Sequence[IntArray], variables: Sequence[Variable], names: set[str]
) -> dict[str, IntArray]:
    """The codes of the named variables in the latest states, found by going back from each."""
    found: dict[str, IntArray] = {}
    place = np.arange(len(codes[-1]))
    for i in range(len(codes) - 1, -1, -1):
        if variables[i].name in names or not names:
            found[variables[i].name] = codes[i][place]
        place = parents[i][place]
    return found


def simple(constraint: Linear) -> bool:
    """Whether no term multiplies variables."""
    return all(len(monomial) == 1 for monomial, _ in constraint.terms)


@dataclass(frozen=True, slots=True, eq=False)
class PartialSum:
    """A linear constraint seen while its variables are fixed one after another."""

    tables: dict[int, FloatArray]
    """The contribution of each code of a variable (by place)."""
    least: dict[int, float]
    """The least that the variables after a place can still add."""
    most: dict[int, float]
    lower: float
    upper: float
    last: int

    @classmethod
    def of(cls, constraint: Linear, variables: Sequence[Variable], members: Sequence[int]) -> "PartialSum":
        """The constraint's tables over the places of its variables."""
        tables = {i: np.zeros(len(variables[i].codes)) for i in members}
        place = {variables[i].name: i for i in members}
        for (factor,), coefficient in constraint.terms:
            i = place[factor.name]
            codes = np.array(variables[i].codes)
            tables[i] += float(coefficient) * (codes if factor.code is None else codes == factor.code)
        least, most = {}, {}
        low = high = 0.0
        for i in reversed(members):
            least[i], most[i] = low, high
            low, high = low + tables[i].min(), high + tables[i].max()
        # Sums that floating point cannot hold are only sorted out here; `holds` decides.
        lower, upper = constraint.limits
        slack = 2 * constraint.rounding
        return cls(tables, least, most, lower - slack, upper + slack, members[-1])

    def possible(self, value: FloatArray, place: int) -> BoolArray:
        """Whether each sum up to a place can still meet the limits."""
        possible: BoolArray = (value + self.least[place] <= self.upper) & (
            value + self.most[place] >= self.lower
        )
        return possible
