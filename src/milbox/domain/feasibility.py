"""Exact search for a feasible point: intervals, tightened by sums in Python's integers, and halved.

It decides what solvers cannot, since they work to tolerances: whether a sum of large numbers can be met at
all. It is complete where few variables are left open, and gives up after a number of nodes elsewhere.
"""

import enum
import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from milbox.arrays import Point
from milbox.domain.constraints.kinds import conjuncts
from milbox.domain.domain import Domain
from milbox.domain.model.constraint import Constraint
from milbox.domain.model.expressions import Linear, Literal
from milbox.domain.states import simple

NODES = 2_000
"""Nodes after which the search gives up."""

GLANCE = 50
"""Nodes that are worth it before a solver is asked."""

ROUNDS = 8
"""The most rounds in which all sums tighten the intervals of a node."""

STEPS = 64
"""The most codes that an interval loses one by one in a round."""


class Verdict(enum.Enum):
    """The outcome of a search without a point."""

    EMPTY = "empty"
    """Proved: there is no such point."""
    OPEN = "open"
    """The search gave up."""


@dataclass(frozen=True, slots=True)
class Part:
    """One variable's contribution to a sum: slope * code, and more at single codes."""

    variable: int
    slope: int
    jumps: dict[int, int]

    def at(self, code: int) -> int:
        """The contribution of a code."""
        return self.slope * code + self.jumps.get(code, 0)

    def range(self, low: int, high: int) -> tuple[int, int]:
        """The least and the most that codes of an interval add."""
        if not self.jumps:
            ends = self.slope * low, self.slope * high
            return ends if self.slope >= 0 else ends[::-1]
        codes = range(low, high + 1)
        outer = (next((c for c in way if c not in self.jumps), None) for way in (codes, reversed(codes)))
        added = [self.at(code) for code in (*outer, *self.jumps) if code is not None and code in codes]
        return min(added), max(added)


@dataclass(frozen=True, slots=True)
class Row:
    """A sum between limits."""

    parts: tuple[Part, ...]
    lower: int | None
    upper: int | None


def find(domain: Domain, excluded: Collection[Point] = (), nodes: int = NODES) -> Point | Verdict:
    """A feasible point that is not excluded, or whether it is proved that there is none."""
    rows, others = read(domain)
    boxes = [[(v.codes[0], v.codes[-1]) for v in domain.variables]]
    while boxes:
        if nodes <= 0:
            return Verdict.OPEN
        nodes -= 1
        box = tightened(rows, boxes.pop())
        if box is None or not possible(domain, others, box):
            continue
        widths = [high - low for low, high in box]
        if not any(widths):
            point = tuple(low for low, _ in box)
            if point not in excluded and domain.contains(point):
                return point
            continue
        place = min((i for i, width in enumerate(widths) if width), key=widths.__getitem__)
        low, high = box[place]
        middle = (low + high) // 2
        for half in ((middle + 1, high), (low, middle)):
            boxes.append([*box[:place], half, *box[place + 1 :]])
    return Verdict.EMPTY


def read(domain: Domain) -> tuple[list[Row], list[Constraint]]:
    """The sums without products as rows, and the other constraints."""
    rows: list[Row] = []
    others: list[Constraint] = []
    for constraint in conjuncts(domain.constraints):
        if isinstance(constraint, Literal):
            part = Part(domain.index[constraint.variable.name], 0, {constraint.code: 1})
            side = int(constraint.positive)
            rows.append(Row((part,), side, side))
        elif isinstance(constraint, Linear) and simple(constraint):
            slopes: dict[int, int] = {}
            jumps: dict[int, dict[int, int]] = {}
            for (factor,), c in constraint.terms:
                i = domain.index[factor.name]
                own = jumps.setdefault(i, {})
                if factor.code is None:
                    slopes[i] = slopes.get(i, 0) + c
                else:
                    own[factor.code] = own.get(factor.code, 0) + c
            parts = tuple(Part(i, slopes.get(i, 0), own) for i, own in jumps.items())
            lower, upper = (
                None if math.isinf(side) else int(side) for side in (constraint.lower, constraint.upper)
            )
            rows.append(Row(parts, lower, upper))
        else:
            others.append(constraint)
    return rows, others


def tightened(rows: Sequence[Row], box: list[tuple[int, int]]) -> list[tuple[int, int]] | None:
    """The intervals without ends that some sum excludes; None when one is empty."""
    for _ in range(ROUNDS):
        before = list(box)
        for row in rows:
            ranges = [part.range(*box[part.variable]) for part in row.parts]
            least, most = sum(low for low, _ in ranges), sum(high for _, high in ranges)
            lower = least if row.lower is None else max(least, row.lower)
            upper = most if row.upper is None else min(most, row.upper)
            if lower > upper:
                return None
            for part, (low, high) in zip(row.parts, ranges, strict=True):
                floor = None if row.lower is None else row.lower - (most - high)
                ceiling = None if row.upper is None else row.upper - (least - low)
                interval = cut(part, *box[part.variable], floor, ceiling)
                if interval is None:
                    return None
                box[part.variable] = interval
            if row.lower is not None and row.lower == row.upper and not congruent(row, row.lower, box):
                return None
        if box == before:
            break
    return box


def congruent(row: Row, side: int, box: list[tuple[int, int]]) -> bool:
    """Move the ends of intervals to codes with which an equation can hold modulo its other slopes.

    slope * code = side modulo the greatest common divisor of the other open slopes; False if no code can.
    """
    open_parts = []
    for part in row.parts:
        low, high = box[part.variable]
        if low == high:
            side -= part.at(low)
        elif part.jumps:
            return True
        else:
            open_parts.append(part)
    for part in open_parts:
        others = math.gcd(*(other.slope for other in open_parts if other is not part))
        if others == 0:
            continue
        common = math.gcd(part.slope, others)
        if side % common:
            return False
        step = others // common
        code = side // common * pow(part.slope // common, -1, step) % step
        low, high = box[part.variable]
        box[part.variable] = low + (code - low) % step, high - (high - code) % step
        if box[part.variable][0] > box[part.variable][1]:
            return False
    return True


def cut(part: Part, low: int, high: int, floor: int | None, ceiling: int | None) -> tuple[int, int] | None:
    """The interval without codes at its ends that add less than the floor or more than the ceiling."""

    def allowed(code: int) -> bool:
        return (floor is None or part.at(code) >= floor) and (ceiling is None or part.at(code) <= ceiling)

    if part.slope and not part.jumps:
        first, last = (floor, ceiling) if part.slope > 0 else (ceiling, floor)
        if first is not None:
            low = max(low, -(-first // part.slope))
        if last is not None:
            high = min(high, last // part.slope)
        return (low, high) if low <= high else None
    for _ in range(STEPS):
        if low > high:
            return None
        if not allowed(low):
            low += 1
        elif not allowed(high):
            high -= 1
        else:
            break
    return (low, high) if low <= high else None


def possible(domain: Domain, others: Sequence[Constraint], box: Sequence[tuple[int, int]]) -> bool:
    """Whether the constraints on variables that are all settled hold."""
    for constraint in others:
        places = [domain.index[v.name] for v in constraint.variables]
        if places and all(box[i][0] == box[i][1] for i in places):
            codes = {v.name: np.array([box[domain.index[v.name]][0]]) for v in constraint.variables}
            if not np.all(constraint.holds(codes)):
                return False
    return True
