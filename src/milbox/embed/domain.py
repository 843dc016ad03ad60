"""Domains as columns and rows of a program that is being built.

A constraint is enforced outright, or only when a 0/1 expression is one (`when`); parts of a disjunction
get such an expression each. Negations are pushed to the leaves first, so one direction is enough: the
expression being one makes the part hold, and what it is otherwise does not matter.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import singledispatch

import numpy as np
from scipy.sparse import csr_array, diags_array

from milbox.arrays import FloatArray, IntArray, Point
from milbox.domain import (
    Constraint,
    Domain,
    Literal,
    Table,
)
from milbox.domain.box import Box
from milbox.domain.kept import kept
from milbox.domain.model.monomials import Monomial, reach
from milbox.embed.affine import NOTHING, constant, total
from milbox.milp.program import Affine, MilpBuilder

# A share of more steps is a continuous column; what a solver says of it is rounded to the grid afterwards.
MOST_WHOLE = 4096

# An integer-encoded variable of more codes gets columns only for those that are asked about.
MOST_UNARY = 4096

LARGEST_ACTIVITY = 1e8
"""The largest sum of a row's terms about which a solver's proofs are taken."""


@dataclass(frozen=True, slots=True)
class Formulation:
    """A domain's columns in a program that is being built; `inputs` are the features, in order.

    The whole number behind feature j, which constraints are about, is offset[j] + scale[j] * x[columns[j]].
    """

    domain: Domain
    milp: MilpBuilder
    inputs: IntArray
    columns: IntArray
    offset: FloatArray
    scale: FloatArray
    # The bounds of the whole numbers, and whether they are narrower than the domain's.
    lower: FloatArray
    upper: FloatArray
    narrowed: bool = False
    # Columns made on demand, so that a second use of the same thing costs nothing.
    unary: dict[int, IntArray] = field(default_factory=dict)
    singles: dict[tuple[int, int], int] = field(default_factory=dict)
    products: dict[Monomial, Affine] = field(default_factory=dict)
    beside: dict[tuple[int, int, int], IntArray] = field(default_factory=dict)

    def point(self, x: FloatArray) -> Point:
        """The point nearest to a solution."""
        whole = self.offset + self.scale * x[self.columns]
        return tuple(self.domain.coding.rounded(whole).tolist())

    def code_is(self, variable: int, code: int) -> Affine:
        """The 0/1 indicator that a variable (by index) has a code."""
        if code not in self.domain.variables[variable].codes:
            return NOTHING
        if self.domain.coding.flag[variable]:
            column = self.value(variable)
            return column if code == 1 else -1.0 * column + constant(1.0)
        return Affine(self.code_columns(variable, np.array([code])), np.ones(1))

    def code_columns(self, variable: int, codes: IntArray) -> IntArray:
        """For each of the codes of a variable that is not binary, the column that says that it is taken."""
        places = self.domain.coding
        offsets = codes - places.low[variable]
        if places.onehot[variable]:
            return np.asarray(self.columns[places.start[variable] + offsets])
        if not places.steps[variable] and len(self.domain.variables[variable].codes) <= MOST_UNARY:
            return np.asarray(self.unary_columns(variable)[offsets])
        return np.array([self.single_column(variable, int(code)) for code in codes], dtype=np.int64)

    def single_column(self, variable: int, code: int) -> int:
        """The indicator of one code of an integer-encoded variable that has too many for a column each.

        The value is below the code, equal to it or above it, and a column says which.
        """
        if (variable, code) not in self.singles:
            value = self.value(variable)
            codes = self.domain.variables[variable].codes
            columns = self.milp.columns(np.zeros(3), 1, integer=True)
            self.milp.row(columns, np.ones(3), 1, 1)
            self.at_least(value + Affine(columns, -1.0 * np.array([codes[0], code, code + 1])), 0)
            self.at_least(-1.0 * value + Affine(columns, np.array([code - 1.0, code, codes[-1]])), 0)
            self.milp.define(columns, lambda x: np.sign(np.rint(value.at(x)) - code) == (-1, 0, 1))
            self.singles[variable, code] = int(columns[1])
        return self.singles[variable, code]

    def unary_columns(self, variable: int) -> IntArray:
        """One indicator column per code of an integer-encoded variable."""
        if variable not in self.unary:
            codes = np.array(self.domain.variables[variable].codes, dtype=np.float64)
            source = int(self.columns[self.domain.coding.start[variable]])
            columns = self.milp.columns(np.zeros(len(codes)), 1, integer=True)
            self.milp.row(columns, np.ones(len(codes)), 1, 1)
            self.milp.row([*columns, source], [*codes, -1], 0, 0)
            self.milp.define(columns, lambda x: np.rint(x[source]) == codes)
            self.unary[variable] = columns
        return self.unary[variable]

    def value(self, variable: int) -> Affine:
        """The code of a variable (by index), which is the value of a binary or integer one."""
        features, coefficients = self.domain.coding.code_terms(variable)
        return Affine(
            self.columns[features],
            coefficients * self.scale[features],
            float(coefficients @ self.offset[features]),
        )

    def away(self, variable: int, code: int, apart: int) -> IntArray:
        """Two 0/1 columns, of which one can be one only where a share is at least `apart` steps away."""
        key = variable, code, apart
        if key not in self.beside:
            value, feature = self.value(variable), self.domain.coding.start[variable]
            least, most = float(self.lower[feature]), float(self.upper[feature])
            columns = self.milp.columns(np.zeros(2), 1, integer=True)
            below, above = (Affine(columns[k : k + 1], np.ones(1)) for k in range(2))
            self.limit(value, -math.inf, code - apart, least, most, below)
            self.limit(value, code + apart, math.inf, least, most, above)
            self.milp.define(
                columns, lambda x: [value.at(x) <= code - apart + 0.5, value.at(x) >= code + apart - 0.5]
            )
            self.beside[key] = columns
        return self.beside[key]

    def extent(self, expression: Affine) -> tuple[float, float]:
        """The least and the most that an expression is within the bounds of its columns."""
        lower, upper = self.milp.bounds(expression.columns)
        ends = expression.coefficients * lower, expression.coefficients * upper
        return (
            expression.constant + float(np.minimum(*ends).sum()),
            expression.constant + float(np.maximum(*ends).sum()),
        )

    def monomial(self, monomial: Monomial) -> Affine:
        """A product of factors; of several indicators p: p <= each, p >= sum - (number - 1)."""
        factors = [
            self.value(i) if f.code is None else self.code_is(i, f.code)
            for f, i in ((f, self.domain.index[f.name]) for f in monomial)
        ]
        if len(factors) == 1:
            return factors[0]
        if monomial not in self.products:
            column = Affine(self.milp.columns([0.0], 1.0), np.ones(1))
            for factor in factors:
                self.at_least(factor + -1.0 * column, 0)
            self.at_least(column + -1.0 * total(factors), 1 - len(factors))
            self.milp.define(column.columns, lambda x: [min(round(f.at(x)) for f in factors)])
            self.products[monomial] = column
        return self.products[monomial]

    def at_least(self, expression: Affine, lower: float) -> None:
        """The row expression >= lower."""
        self.milp.row(expression.columns, expression.coefficients, lower - expression.constant, np.inf)

    def equal(self, expression: Affine, value: float) -> None:
        """The row expression = value."""
        side = value - expression.constant
        self.milp.row(expression.columns, expression.coefficients, side, side)

    def holds(self, constraint: Constraint) -> Callable[[FloatArray], list[float]]:
        """Whether the constraint holds, as a definition of an auxiliary column."""

        def answer(x: FloatArray) -> list[float]:
            point = np.array([self.point(x)], dtype=np.int64)
            return [float(np.all(constraint.holds(self.domain.columns(point))))]

        return answer

    def indicator(self, constraint: Constraint) -> Affine:
        """A 0/1 expression that can be one only where the constraint holds."""
        if isinstance(constraint, Literal):
            return self.literal(constraint)
        column = self.milp.columns([0.0], 1.0, integer=True)
        self.milp.define(column, self.holds(constraint))
        expression = Affine(column, np.ones(1))
        self.enforce(constraint, expression)
        return expression

    def literal(self, literal: Literal) -> Affine:
        """The 0/1 expression of a literal."""
        indicator = self.code_is(self.domain.index[literal.variable.name], literal.code)
        return indicator if literal.positive else -1.0 * indicator + constant(1.0)

    def enforce(self, constraint: Constraint, when: Affine) -> None:
        """Rows that make the constraint hold wherever the 0/1 expression `when` is one."""
        enforce(constraint, self, when)

    def limit(
        self, expression: Affine, lower: float, upper: float, least: float, most: float, when: Affine
    ) -> None:
        """The rows lower <= expression <= upper when `when`, for an expression between least and most."""
        if lower > least:
            # when = 1: expression >= lower; when = 0: expression >= least, which says nothing.
            self.at_least(expression + (least - lower) * when, least)
        if upper < most:
            self.at_least(-1.0 * expression + (upper - most) * when, -most)

    def count(self, parts: tuple[Constraint, ...], lower: int, upper: int, when: Affine) -> None:
        """Rows for a count: the lower limit counts what surely holds, the upper what does not surely fail."""
        if lower > 0:
            held = total(self.indicator(part) for part in parts)
            self.limit(held, lower, math.inf, 0, len(parts), when)
        if upper < len(parts):
            failed = total(self.indicator(part.negation()) for part in parts)
            self.limit(failed, len(parts) - upper, math.inf, 0, len(parts), when)

    def table(self, table: Table, when: Affine) -> None:
        """Rows for a table: one of its rows is chosen, and every variable follows; or none may be met."""
        members = [self.domain.index[v.name] for v in table.variables]
        if not table.allowed:
            for row in table.rows:
                met = total(self.code_is(i, code) for i, code in zip(members, row, strict=True))
                self.limit(met, -math.inf, len(members) - 1, 0, len(members), when)
            return
        rows = np.array(table.rows, dtype=np.int64).reshape(len(table.rows), len(members))
        chosen = self.milp.columns(np.zeros(len(rows)), 1, integer=True) if len(rows) else when.columns[:0]
        self.milp.define(
            chosen,
            lambda x: (np.array(self.point(x))[members] == rows).all(axis=1) * round(when.at(x)),
        )
        self.at_least(Affine(chosen, np.ones(len(chosen))) + -1.0 * when, 0)
        for place, i in enumerate(members):
            for code in np.unique(rows[:, place]).tolist():
                with_code = chosen[rows[:, place] == code]
                self.at_least(self.code_is(i, code) + Affine(with_code, -np.ones(len(with_code))), 0)


@singledispatch
def enforce(constraint: Constraint, formulation: Formulation, when: Affine) -> None:
    """Rows that make a constraint hold wherever `when` is one; each kind registers its own."""
    del formulation, when
    raise TypeError(
        f"{type(constraint).__name__} has no rows; write them in a function "
        f"(constraint, formulation, when) and decorate it with @milbox.embed.domain.enforce.register"
    )


def formulate(domain: Domain, milp: MilpBuilder, box: Box | None = None) -> Formulation:
    """Columns for the domain's features, and rows that leave exactly its points, or those in a box.

    Where a share has many steps, its column is continuous, and rows leave what lies between its points too.
    """
    places = domain.coding
    lower, upper = (
        (limit.astype(np.float64) for limit in places.limits) if box is None else box.limits(places)
    )
    share, own = places.start[places.shares], places.shares
    least, most = lower.copy(), upper.copy()
    least[share], most[share] = (
        (side[share] - places.low[own]) / places.steps[own] for side in (lower, upper)
    )
    offset, scale = np.zeros(places.features), np.ones(places.features)
    whole = np.ones(places.features, dtype=bool)
    whole[share] = False
    inputs = milp.columns(least, most, integer=whole)
    columns = inputs.copy()
    for i in places.shares:
        feature, steps, low = int(places.start[i]), int(places.steps[i]), int(places.low[i])
        if steps <= MOST_WHOLE:
            ends = float(lower[feature]), float(upper[feature])
            columns[feature] = whole_column(milp, int(inputs[feature]), steps, low, *ends)
        else:
            offset[feature], scale[feature] = low, steps
    made = constrained(
        Formulation(domain, milp, inputs, columns, offset, scale, lower, upper, narrowed=box is not None)
    )
    if box is not None:
        few_changes(made, box)
    return made


def few_changes(formulation: Formulation, box: Box) -> None:
    """A row that lets few variables without an order differ from the centre of a box."""
    members = np.flatnonzero(box.unordered).tolist()
    if box.changes < len(members):
        kept_codes = total(formulation.code_is(i, int(box.centre[i])) for i in members)
        formulation.at_least(kept_codes, len(members) - box.changes)


def whole_column(milp: MilpBuilder, share: int, steps: int, low: int, least: float, most: float) -> int:
    """An integer column from least to most that is low + steps * share."""
    column = milp.columns([least], most, integer=True)
    milp.row([*column, share], [1.0, -steps], low, low)
    milp.define(column, lambda x: [round(low + steps * x[share])])
    return int(column[0])


def formulate_near(
    domain: Domain, milp: MilpBuilder, point: Point, window: int, box: Box | None = None
) -> Formulation:
    """Columns and rows that leave the domain's points whose shares are at most `window` steps from a point's.

    All other variables have the codes of the point. Columns of shares are steps from it, so that rows are
    as exact as the numbers of few digits in them; they are no features.
    """
    places = domain.coding
    codes = np.array([point], dtype=np.int64)
    whole = places.whole(codes)[0]
    lower, upper, offset = whole.copy(), whole.copy(), np.zeros(places.features)
    share, own = places.start[places.shares], codes[0, places.shares]
    offset[share] = own
    low, high = (places.low, places.high) if box is None else (box.low, box.high)
    # A solver's tolerances may have let the point out of the box.
    lower[share] = np.minimum(own, np.maximum(low[places.shares], own - window))
    upper[share] = np.maximum(own, np.minimum(high[places.shares], own + window))
    columns = milp.columns(lower - offset, upper - offset, integer=True)
    scale = np.ones(places.features)
    return constrained(
        Formulation(domain, milp, columns, columns, offset, scale, lower, upper, narrowed=True)
    )


def constrained(formulation: Formulation) -> Formulation:
    """The formulation with rows for every constraint of its domain."""
    domain, milp, places = formulation.domain, formulation.milp, formulation.domain.coding
    for i in np.flatnonzero(places.onehot):
        group = formulation.columns[places.group(int(i))]
        milp.row(group, np.ones(len(group)), 1, 1)
    matrix, row_lower, row_upper, others = domain.linear_system
    if len(places.shares):
        moved = matrix @ formulation.offset
        matrix, row_lower, row_upper = (
            csr_array(matrix @ diags_array(formulation.scale)),
            row_lower - moved,
            row_upper - moved,
        )
    milp.sparse_rows(matrix, formulation.columns, row_lower, row_upper)
    for constraint in others:
        formulation.enforce(constraint, constant(1.0))
    return formulation


@kept
def trusted(domain: Domain) -> bool:
    """Whether a solver's proofs about the domain's rows count.

    Solvers compare with tolerances relative to a row's side. Where terms of a row add up to more than
    `LARGEST_ACTIVITY`, or a column is as wide, rounding may reach what they still tell apart, and neither
    infeasibility nor a bound is proved.
    """
    milp = MilpBuilder()
    formulate(domain, milp)
    program = milp.build()
    widest = np.maximum(np.abs(program.lower), np.abs(program.upper))
    activity = abs(program.matrix) @ widest
    sides = np.concatenate([program.row_lower, program.row_upper])
    sizes = np.concatenate([widest, activity, np.abs(sides[np.isfinite(sides)])])
    return bool((sizes <= LARGEST_ACTIVITY).all()) and not domain.wide


def activity(terms: Sequence[tuple[Monomial, int]], row: Sequence[float]) -> tuple[float, float]:
    """The least and the most that the row of a sum can be."""
    if all(c == own for c, (_, own) in zip(row, terms, strict=True)):
        least, most = reach(terms)
        return float(least), float(most)
    # Scaled: term by term, and as much more as rounding may amount to.
    ranges = (reach([(m, 1)]) for m, _ in terms)
    ends = [(c * low, c * high) for c, (low, high) in zip(row, ranges, strict=True)]
    slack = 2.0**-50 * sum(max(abs(low), abs(high)) for low, high in ends)
    return sum(min(pair) for pair in ends) - slack, sum(max(pair) for pair in ends) + slack


from milbox.embed import kinds, structures  # noqa: E402, F401 - importing registers the kinds of constraints
