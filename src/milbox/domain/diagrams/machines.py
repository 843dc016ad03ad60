"""Constraints as layered automata.

A `Machine` reads the variables of one constraint in a given order and accepts exactly the joint codes at
which the constraint holds. Its states are residual constraints: two prefixes share a state exactly when the
same continuations are accepted, since every machine is minimised bottom-up. Nested constraints are products
of the machines of their parts, so that negations, implications and counts of anything need no case of their
own.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from milbox.arrays import BoolArray, IntArray
from milbox.domain.constraints.automata import NOWHERE, Automaton
from milbox.domain.constraints.kinds import AllDifferent, AllOf, AnyOf, Count, Implies, Not, Table
from milbox.domain.model.constraint import Constraint
from milbox.domain.model.expressions import Linear, Literal
from milbox.domain.model.numbers import Number
from milbox.domain.model.variables import Variable

Numbers: TypeAlias = npt.NDArray[Any]
"""Whole numbers of 64 bits, or of any length."""

ENTRIES = 1 << 20
"""The largest transition table of one layer, in entries."""

SHORT = 1 << 60
"""Sums below this are exact in 64 bits, with room for two marks."""

TRUTH_TABLE = 1 << 16
"""Constraints of no special form are compiled from all joint codes of their variables, up to this many."""


@dataclass(frozen=True, slots=True, eq=False)
class Machine:
    """A deterministic layered automaton; every layer starts at state 0 for the first."""

    places: tuple[int, ...]
    """The variables that are read, ascending places in some order of variables."""
    steps: tuple[IntArray, ...]
    """`steps[k][state, letter]` is the next state; letter 0 is the variable's first code."""
    accepts: BoolArray
    """Which of the last states accept."""
    dead: tuple[int, ...]
    """For each layer the state from which nothing is accepted, or -1."""

    @property
    def widths(self) -> list[int]:
        """The number of states of each layer."""
        return [len(step) for step in self.steps]


class TooLarge(Exception):
    """A machine or diagram would exceed its limit."""


def machine(
    constraint: Constraint,
    variables: Sequence[Variable],
    place: Mapping[str, int],
    limit: int = ENTRIES,
    total: int | None = None,
) -> Machine:
    """The constraint over the variables in the order of their places.

    Raises:
        TooLarge: the machine would have more than `limit` transitions in a layer, or that of a sum more than
            `total`, before equal states are merged.
    """
    names = [v.name for v in constraint.variables]
    places = tuple(sorted(place[name] for name in names))
    sizes = [len(variables[i].codes) for i in places]
    if not places:
        holds = bool(np.all(constraint.holds({variables[0].name: np.zeros(1, dtype=np.int64)})))
        return Machine((), (), np.array([holds]), (-1 if holds else 0,))
    simple = len(set(places)) == len(places)
    match constraint:
        case Literal():
            codes = np.array(variables[places[0]].codes)
            steps = [((codes == constraint.code) == constraint.positive).astype(np.int64)[None, :]]
            return minimised(places, steps, np.array([False, True]))
        case Linear() if constraint.terms and all(len(monomial) == 1 for monomial, _ in constraint.terms):
            return sums(constraint, variables, place, places, limit, total)
        case AllOf() | AnyOf() | Not() | Implies() | Count():
            return composed(constraint, variables, place, places, limit)
        case AllDifferent() if simple and len(constraint.variables) == len(places):
            return minimised(places, *used_values(constraint, variables, places, limit))
        case Table() if simple and len(constraint.variables) == len(places):
            return minimised(places, *tabled(constraint, variables, place, places, limit))
        case Automaton() if [place[name] for name in names] == list(places) and simple:
            return minimised(places, *read(constraint))
        case _:
            return minimised(places, *listed(constraint, variables, places, sizes, limit))


Raw = tuple[list[IntArray], BoolArray]
"""Transitions and acceptance before minimisation."""


def minimised(places: tuple[int, ...], steps: Sequence[IntArray], accepts: BoolArray) -> Machine:
    """The machine with equal residuals merged, layer by layer from the last."""
    group = accepts.astype(np.int64)
    last = accepts
    if accepts.all() or not accepts.any():
        group, last = np.zeros(len(accepts), dtype=np.int64), accepts[:1]
    else:
        last = np.array([False, True])
    ids = np.flatnonzero(~last)
    dead = [int(ids[0]) if len(ids) else -1]
    kept: list[IntArray] = []
    for step in reversed(steps):
        table = group[step]
        first, group = unique_rows(table)
        kept.append(table[first])
        gone = np.flatnonzero((kept[-1] == dead[-1]).all(axis=1)) if dead[-1] >= 0 else np.zeros(0, np.int64)
        dead.append(int(gone[0]) if len(gone) else -1)
    return Machine(places, tuple(kept[::-1]), last, tuple(dead[::-1]))


def unique_rows(table: IntArray) -> tuple[IntArray, IntArray]:
    """The first row of each kind in order of appearance, and the kind of each row."""
    least, columns = table.min(initial=0), table.shape[1]
    base = int(table.max(initial=0) - least) + 1
    if base**columns < SHORT:  # a row is one number, which is sorted faster
        raw = (table - least) @ base ** np.arange(columns)
    else:
        narrow = np.ascontiguousarray(table.astype(np.int32))
        raw = narrow.view(np.dtype((np.void, narrow.itemsize * columns)))[:, 0]
    _, first, inverse = np.unique(raw, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return first[order], rank[inverse.ravel()]


def grown(
    states: Numbers,
    sizes: Sequence[int],
    step: Callable[[int, Numbers], Numbers],
    limit: int,
    total: int | None = None,
) -> tuple[list[IntArray], Numbers]:
    """Transitions between numbers as states: `step(k, states)` is (states, letters) next ones."""
    steps: list[IntArray] = []
    made = 0
    for k, size in enumerate(sizes):
        made += len(states) * size
        if len(states) * size > limit or (total is not None and made > total):
            raise TooLarge
        after = step(k, states)
        states, inverse = np.unique(after, return_inverse=True)
        steps.append(inverse.reshape(after.shape).astype(np.int64))
    return steps, states


def sums(
    constraint: Linear,
    variables: Sequence[Variable],
    place: Mapping[str, int],
    places: tuple[int, ...],
    limit: int,
    total: int | None,
) -> Machine:
    """Partial sums; those that cannot leave the limits any more, or not reach them, are one state each."""
    adds = added(constraint, variables, place)
    tables = tuple(tuple(adds[i].tolist()) for i in places)
    return replace(partial_sums(tables, constraint.lower, constraint.upper, limit, total), places=places)


@lru_cache(maxsize=64)
def partial_sums(
    tables: tuple[tuple[int, ...], ...], low: Number, high: Number, limit: int, total: int | None
) -> Machine:
    """The machine of a sum of one number from each table, whatever the variables; windows share it."""
    size = sum(max(abs(number) for number in table) for table in tables)
    # Where 64 bits are too few, Python's integers have enough; they take longer.
    kind: Any = np.int64 if size < SHORT else object
    limit = limit if size < SHORT else limit // 16
    arrays = [np.array(table, dtype=kind) for table in tables]
    least, most = [0], [0]
    for table in reversed(tables[1:]):
        least.insert(0, least[0] + min(table))
        most.insert(0, most[0] + max(table))
    always = 1 << 62 if size < SHORT else 4 * size
    never = -always

    def step(k: int, states: Numbers) -> Numbers:
        settled = (states == never) | (states == always)
        after = np.where(settled, 0, states)[:, None] + arrays[k][None, :]
        out = (after + least[k] > high) | (after + most[k] < low)
        sure = (after + most[k] <= high) & (after + least[k] >= low)
        after = np.where(out, never, np.where(sure, always, after))
        return np.where(settled[:, None], states[:, None], after)

    steps, states = grown(np.zeros(1, dtype=kind), [len(array) for array in arrays], step, limit, total)
    return minimised(tuple(range(len(tables))), steps, states == always)


def added(constraint: Linear, variables: Sequence[Variable], place: Mapping[str, int]) -> dict[int, Numbers]:
    """What each code of each variable adds to a sum without products."""
    tables: dict[int, Numbers] = {}
    kind: Any = np.int64 if constraint.size < SHORT else object
    for (factor,), coefficient in constraint.terms:
        i = place[factor.name]
        codes = np.array(variables[i].codes)
        codes = codes if factor.code is None else codes == factor.code
        part = coefficient * codes.astype(kind)
        tables[i] = tables[i] + part if i in tables else part
    return tables


def used_values(
    constraint: AllDifferent, variables: Sequence[Variable], places: tuple[int, ...], limit: int
) -> Raw:
    """Sets of used values as bits; values that no later variable takes are forgotten."""
    number = {value: k for k, value in enumerate(constraint.values)}
    if len(number) > 62:
        raise TooLarge
    labels = [np.array([number[variables[i].value(c)] for c in variables[i].codes]) for i in places]
    later = np.zeros(len(places) + 1, dtype=np.int64)
    for k in range(len(places) - 1, -1, -1):
        later[k] = later[k + 1] | np.bitwise_or.reduce(np.int64(1) << labels[k])
    never = np.int64(-1)

    def step(k: int, states: Numbers) -> Numbers:
        bit = np.int64(1) << labels[k]
        clash = (states[:, None] == never) | ((states[:, None] & bit[None, :]) != 0)
        return np.where(clash, never, (states[:, None] | bit[None, :]) & later[k + 1])

    steps, states = grown(np.zeros(1, dtype=np.int64), [len(label) for label in labels], step, limit)
    return steps, states != never


def tabled(
    constraint: Table,
    variables: Sequence[Variable],
    place: Mapping[str, int],
    places: tuple[int, ...],
    limit: int,
) -> Raw:
    """The trie of the rows, and one more state for whatever is none of them."""
    rows = np.array(constraint.rows, dtype=np.int64).reshape(len(constraint.rows), len(places))
    order = np.argsort([place[v.name] for v in constraint.variables])
    columns = [rows[:, order[k]] - variables[i].codes[0] for k, i in enumerate(places)]
    legal = np.ones(len(rows), dtype=bool)
    for column, i in zip(columns, places, strict=True):
        legal &= (column >= 0) & (column < len(variables[i].codes))
    state = np.zeros(int(legal.sum()), dtype=np.int64)
    steps, count = [], 1
    for column, i in zip(columns, places, strict=True):
        size = len(variables[i].codes)
        if (count + 1) * size > limit:
            raise TooLarge
        pair = state * size + column[legal]
        found, inverse = np.unique(pair, return_inverse=True)
        table = np.full((count + 1, size), len(found), dtype=np.int64)  # the last state: outside the trie
        table[found // size, found % size] = np.arange(len(found))
        steps.append(table)
        state, count = inverse.ravel(), len(found)
    steps[0] = steps[0][:1]
    accepts = np.append(np.ones(count, dtype=bool), False)
    return steps, accepts == constraint.allowed


def read(constraint: Automaton) -> Raw:
    """The automaton itself, once per variable, with a state for rejected words."""
    dead = len(constraint.transitions)
    table = np.full((dead + 1, len(constraint.transitions[0])), dead)
    table[:dead] = constraint.transitions
    table[table == NOWHERE] = dead
    accepts = np.zeros(dead + 1, dtype=bool)
    accepts[list(constraint.accepting)] = True
    steps = [table] * len(constraint.variables)
    steps[0] = table[constraint.start][None, :]
    return steps, accepts


def listed(
    constraint: Constraint,
    variables: Sequence[Variable],
    places: tuple[int, ...],
    sizes: Sequence[int],
    limit: int,
) -> Raw:
    """Every joint code, asked once whether the constraint holds there."""
    count = math.prod(sizes)
    if count > min(limit, TRUTH_TABLE):
        raise TooLarge
    index = np.arange(count)
    codes, steps, states = {}, [], 1
    for k, (i, size) in enumerate(zip(places, sizes, strict=True)):
        stride = math.prod(sizes[k + 1 :])
        codes[variables[i].name] = (index // stride) % size + variables[i].codes[0]
        steps.append(np.arange(states * size).reshape(states, size))
        states *= size
    return steps, np.broadcast_to(constraint.holds(codes), count).copy()


def composed(
    constraint: AllOf | AnyOf | Not | Implies | Count,
    variables: Sequence[Variable],
    place: Mapping[str, int],
    places: tuple[int, ...],
    limit: int,
) -> Machine:
    """The product of the parts' machines, accepting by how many of them accept.

    A part that has been read is forgotten but for whether it held; all parts are, once the answer is certain.
    """
    match constraint:
        case Not():
            inner = machine(constraint.part, variables, place, limit)
            return minimised(inner.places, inner.steps, ~inner.accepts)
        case Implies():
            given: tuple[Constraint, ...] = (Not(constraint.condition), constraint.consequence)
            lower, upper = 1, 2
        case AllOf():
            given, lower, upper = constraint.parts, len(constraint.parts), len(constraint.parts)
        case AnyOf():
            given, lower, upper = constraint.parts, 1, len(constraint.parts)
        case Count():
            given, lower, upper = constraint.parts, constraint.lower, constraint.upper
    parts = [machine(part, variables, place, limit) for part in given]
    held = sum(bool(part.accepts[0]) for part in parts if not part.places)
    parts = [part for part in parts if part.places]
    no, yes = -1, -2  # in place of the number of parts that held: the answer is certain
    at = np.zeros((1, 1 + len(parts)), dtype=np.int64)
    at[0, 0] = held
    taken = [0] * len(parts)
    steps: list[IntArray] = []
    for i in places:
        size = len(variables[i].codes)
        if len(at) * size * (1 + len(parts)) > 16 * limit:
            raise TooLarge
        after = np.repeat(at[:, None, :], size, axis=1)
        count, certain = after[:, :, 0], after[:, :, 0] < 0
        for j, part in enumerate(parts):
            if taken[j] < len(part.places) and part.places[taken[j]] == i:
                after[:, :, 1 + j] = part.steps[taken[j]][at[:, 1 + j]]
                taken[j] += 1
                if taken[j] == len(part.places):
                    count += np.where(certain, 0, part.accepts[after[:, :, 1 + j]])
                    after[:, :, 1 + j] = 0
        left = sum(taken[j] < len(part.places) for j, part in enumerate(parts))
        answer = np.where((count > upper) | (count + left < lower), no, count)
        answer = np.where((count >= lower) & (count + left <= upper), yes, answer)
        after[:, :, 0] = np.where(certain, count, answer)
        after[after[:, :, 0] < 0, 1:] = 0
        flat = after.reshape(-1, 1 + len(parts))
        first, inverse = unique_rows(flat)
        if len(first) * size > limit:
            raise TooLarge
        steps.append(inverse.reshape(len(at), size))
        at = flat[first]
    if not places:
        return minimised(places, steps, np.array([lower <= held <= upper]))
    return minimised(places, steps, at[:, 0] == yes)
