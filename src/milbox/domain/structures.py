"""Constraints on selections, orders and sequences: permutations, budgets, motifs and others.

Every function returns one constraint on the variables it is given, which may be nested like any other.
Graphs are in `milbox.domain.networks`.
"""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from milbox.domain.array import Array
from milbox.domain.automata import Automaton, automaton, letters_of
from milbox.domain.builders import all_different, between, constraints, scalars, whole_number
from milbox.domain.constraints import AllOf, Constraint
from milbox.domain.exact import number
from milbox.domain.expressions import LinExpr, Literal, combine
from milbox.domain.logic import shown

if TYPE_CHECKING:
    from milbox.domain.variables import Variable


# Selections ---------------------------------------------------------------------------------------------


def literals(things: Any) -> tuple[Literal, ...]:
    """Binary variables and literals out of any nesting of lists and arrays, as literals."""
    found = []
    for each in constraints(things):
        if not isinstance(each, Literal):
            raise TypeError(f"{shown(each)} is neither a binary variable nor a literal such as op == 'pool'")
        found.append(each)
    return tuple(found)


def count_of(things: Any) -> LinExpr:
    """How many of the binaries and literals are one."""
    return combine((1, literal) for literal in literals(things))


def subset_of_size(members: Any, size: int | tuple[int, int]) -> Constraint:
    """Exactly `size` of the binaries or literals are one; a pair is a range, both ends included."""
    low, high = size if isinstance(size, Sequence) else (size, size)
    return between(whole_number(low), count_of(members), whole_number(high))


def balanced(groups: Iterable[Any], within: int = 0) -> Constraint:
    """As many are chosen from every group as from every other, give or take `within`."""
    counts = [count_of(group) for group in groups]
    if len(counts) < 2:
        raise ValueError(
            f"balanced compares groups, and got {len(counts)}: give at least two lists or arrays"
        )
    return AllOf(
        tuple(between(-within, a - b, whole_number(within)) for a, b in itertools.combinations(counts, 2))
    )


def budget(members: Any, costs: Sequence[Any], limit: float) -> Constraint:
    """What is chosen costs at most `limit`; an integer variable costs its value times its cost."""
    items = list(members.flat) if isinstance(members, Array) else list(members)
    if len(items) != len(costs):
        raise ValueError(f"{len(items)} things have {len(costs)} costs; give one cost each")
    return combine(zip(costs, items, strict=True)) <= limit


# Orders -------------------------------------------------------------------------------------------------


def permutation(variables: Any) -> Constraint:
    """Each of n variables takes another of the same n values."""
    given = scalars([variables])
    values = {v.value(code) for v in given for code in v.codes}
    if len(values) != len(given):
        raise ValueError(
            f"{len(given)} variables take {len(values)} different values; a permutation needs as many values "
            f"as variables, as in integer('p', 0, {len(given) - 1}, {len(given)})"
        )
    return all_different(given)


def assignment(tasks: Any, capacity: int | Mapping[Any, int] | Sequence[int] = 1) -> Constraint:
    """Every task has one taker, and no taker more tasks than it has capacity for.

    Args:
        tasks: integer or categorical variables, whose values are the takers; or a matrix of binaries, where
            tasks[i, j] says that task i goes to taker j.
        capacity: for every taker, or a mapping from takers (or a sequence over the matrix's columns).
    """
    if isinstance(tasks, Array) and len(tasks.shape) == 2:
        one_each = [count_of(tasks[i]) == 1 for i in range(tasks.shape[0])]
        return AllOf((*one_each, *loads({j: count_of(tasks[:, j]) for j in range(tasks.shape[1])}, capacity)))
    variables = scalars([tasks])
    takers = dict.fromkeys(v.value(code) for v in variables for code in v.codes)
    return AllOf(loads({taker: taken(variables, taker) for taker in takers}, capacity))


def taken(variables: Sequence["Variable"], value: Any) -> LinExpr:
    """How many of the variables take a value."""
    return combine((1, Literal(v, code)) for v in variables for code in v.codes if v.value(code) == value)


def loads(counts: Mapping[Any, LinExpr], capacity: Any) -> tuple[Constraint, ...]:
    """Each count within its capacity; a taker that a mapping leaves out takes nothing."""
    if isinstance(capacity, Mapping):
        strange = [taker for taker in capacity if taker not in counts]
        if strange:
            raise ValueError(f"there is no taker {strange[0]!r}; there are {list(counts)}")
        limits = {taker: capacity.get(taker, 0) for taker in counts}
    elif isinstance(capacity, Sequence):
        if len(capacity) != len(counts):
            raise ValueError(f"{len(counts)} takers have {len(capacity)} capacities; give one each")
        limits = dict(zip(counts, capacity, strict=True))
    else:
        limits = dict.fromkeys(counts, capacity)
    return tuple(count <= whole_number(limits[taker]) for taker, count in counts.items())


def precedes(earlier: Any, later: Any, gap: int = 1) -> Constraint:
    """One time, position or expression is at least `gap` before another."""
    return combine([(1, later), (-1, earlier)]) >= gap


def before(slots: Any, earlier: Any, later: Any) -> Constraint:
    """In a sequence of slots, no `later` stands before an `earlier`."""
    variables = letters_of(slots)
    if earlier == later:
        raise ValueError(f"{earlier!r} cannot stand before itself")
    return AllOf(
        tuple(
            combine([(1, Literal(a, a.code(later))), (1, Literal(b, b.code(earlier)))]) <= 1
            for a, b in itertools.combinations(variables, 2)
        )
    )


def ordered(variables: Any, gap: int = 0) -> Constraint:
    """Each number is at least `gap` more than the one before it."""
    given = scalars([variables])
    return AllOf(tuple(precedes(a, b, gap) for a, b in itertools.pairwise(given)))


# Sequences ----------------------------------------------------------------------------------------------


def letters_at(variable: "Variable", letters: Any) -> LinExpr:
    """Whether a position has one of the letters (a value, or a list of them)."""
    several = letters if isinstance(letters, list | tuple | set | frozenset) else [letters]
    return combine((1, Literal(variable, variable.code(letter))) for letter in dict.fromkeys(several))


def motif_of(motif: Any, variables: Sequence["Variable"]) -> list[Any]:
    """A motif as a list of letters, or of lists of letters, that the sequence can have."""
    parts = list(motif)
    if not parts:
        raise ValueError("a motif needs at least one letter")
    for part in parts:
        letters_at(variables[0], part)
    return parts


def no_runs(sequence: Any, longest: int) -> Constraint:
    """No letter stands more than `longest` times in a row."""
    variables = letters_of(sequence)
    if whole_number(longest) < 1:
        raise ValueError(f"the longest run allowed must be at least 1, not {longest}")
    return AllOf(
        tuple(
            combine((1, Literal(v, code)) for v in variables[first : first + longest + 1]) <= longest
            for first in range(len(variables) - longest)
            for code in variables[0].codes
        )
    )


def share(sequence: Any, letters: Iterable[Any], lower: float = 0, upper: float = 1) -> Constraint:
    """The share of positions with one of the letters lies between two fractions, both included."""
    variables = letters_of(sequence)
    count = combine((1, letters_at(v, list(letters))) for v in variables)
    for limit in (lower, upper):
        if not 0 <= limit <= 1:
            raise ValueError(f"a share is a fraction between 0 and 1, not {limit}")
    return between(number(lower) * len(variables), count, number(upper) * len(variables))


def without(sequence: Any, *motifs: Any) -> Constraint:
    """None of the motifs stands anywhere in the sequence.

    A motif is a text or a list of letters; in a list, a list of letters stands for any of them.
    """
    variables = letters_of(sequence)
    rows: list[Constraint] = []
    for given in motifs:
        motif = motif_of(given, variables)
        for first in range(len(variables) - len(motif) + 1):
            window = variables[first : first + len(motif)]
            met = combine((1, letters_at(v, part)) for v, part in zip(window, motif, strict=True))
            rows.append(met <= len(motif) - 1)
    return AllOf(tuple(rows))


def containing(sequence: Any, motif: Any) -> Constraint:
    """The motif stands somewhere in the sequence."""
    variables = letters_of(sequence)
    parts = motif_of(motif, variables)
    return searching(variables, parts)


def searching(variables: Sequence["Variable"], motif: list[Any]) -> Automaton:
    """The automaton that remembers which beginnings of the motif end here, until all of it has been seen."""
    alphabet = [variables[0].value(code) for code in variables[0].codes]
    several = [part if isinstance(part, list | tuple | set | frozenset) else [part] for part in motif]
    found, nothing = frozenset([len(motif)]), frozenset([0])
    steps, waiting, known = [], [nothing], {nothing, found}
    while waiting:
        state = waiting.pop()
        for letter in alphabet:
            grown = {k + 1 for k in state if letter in several[k]}
            after = found if len(motif) in grown else frozenset({0} | grown)
            steps.append((state, letter, after))
            if after not in known:
                known.add(after)
                waiting.append(after)
    steps += [(found, letter, found) for letter in alphabet]
    return automaton(list(variables), steps, nothing, [found])
