"""Constraints in a form in which equal ones are found equal, after a renaming of variables and codes.

A renaming maps statements "this variable has this code". `form` gives what a constraint says of the image
of a point as a statement about the point itself. Two constraints with equal forms hold at the same points;
the converse need not be true.
"""

import itertools
import math
from collections.abc import Mapping
from functools import singledispatch
from typing import Any, TypeAlias

from milbox.domain.constraints.automata import Automaton
from milbox.domain.constraints.connected import Chosen, Connected
from milbox.domain.constraints.kinds import AllDifferent, AllOf, AnyOf, Count, Implies, Not, Table
from milbox.domain.model.constraint import Constraint
from milbox.domain.model.expressions import Linear, Literal
from milbox.domain.model.monomials import Factor
from milbox.domain.model.variables import Variable

Statement: TypeAlias = tuple[str, int]
"""A variable's name and its code."""

MOST_LISTED = 256
"""The most codes of a variable of which a sum is written with an indicator for each."""

Form: TypeAlias = tuple[Any, ...]
"""Nested tuples that can be compared, sorted by their text, and hashed."""


def form(constraint: Constraint, move: Mapping[Statement, Statement]) -> Form:
    """What the constraint says of the image of a point, about the point."""
    back = {image: statement for statement, image in move.items()}
    return written(constraint, back)


@singledispatch
def written(constraint: Constraint, back: Mapping[Statement, Statement]) -> Form:
    """The form of one kind; `back` leads from statements about the image to those about the point."""
    return unmoved(constraint, back, "; register its kind with milbox.domain.rewriting.written")


def unmoved(constraint: Constraint, back: Mapping[Statement, Statement], advice: str = "") -> Form:
    """The form of a constraint that cannot be rewritten, for symmetries that leave its variables alone."""
    moved = {name for pair in back.items() for name, _ in pair}
    if any(v.name in moved for v in constraint.variables):
        raise ValueError(f"symmetries cannot rewrite the constraint {constraint}{advice}")
    return (constraint.kind, repr(sorted(constraint.to_json().items(), key=str)))


@written.register
def _(constraint: Literal, back: Mapping[Statement, Statement]) -> Form:
    name, code = before(back, constraint.variable, constraint.code)
    codes = constraint.variable.codes
    if constraint.positive or len(codes) != 2:
        return ("is" if constraint.positive else "is not", name, code)
    other = next(each for each in codes if each != constraint.code)
    return ("is", *before(back, constraint.variable, other))


@written.register
def _(constraint: Linear, back: Mapping[Statement, Statement]) -> Form:
    total: dict[tuple[Any, ...], int] = {}
    for monomial, coefficient in constraint.terms:
        for choice in itertools.product(*(indicators(factor, back) for factor in monomial)):
            # Twice the same indicator is once; those of two codes of a variable are never one together.
            true = {
                statement for statement, _ in choice if statement is not None and statement[1] is not None
            }
            if len({name for name, _ in true}) == len(true):
                plain = [
                    statement for statement, _ in choice if statement is not None and statement[1] is None
                ]
                key = tuple(sorted([*true, *plain], key=str))
                total[key] = total.get(key, 0) + coefficient * math.prod(weight for _, weight in choice)
    shift = total.pop((), 0)
    terms = sorted(((key, size) for key, size in total.items() if size), key=str)
    lower, upper = constraint.lower - shift, constraint.upper - shift
    if terms and terms[0][1] < 0:
        terms, lower, upper = [(key, -size) for key, size in terms], -upper, -lower
    return ("sum", tuple(terms), lower, upper)


def indicators(
    factor: Factor, back: Mapping[Statement, Statement]
) -> list[tuple[tuple[str, int | None] | None, int]]:
    """A factor as weighted indicators beside a constant: none of a variable's lowest code.

    The code of a variable with many codes stays as it is.
    """
    variable = factor.variable
    if len(variable.codes) > MOST_LISTED:
        if any(name == variable.name for name, _ in back):
            raise ValueError(
                f"{variable} has {len(variable.codes):,} values; a symmetry may concern variables of at most "
                f"{MOST_LISTED}"
            )
        return [((factor.name, factor.code), 1)]
    weights = {code: code if factor.code is None else int(code == factor.code) for code in variable.codes}
    sums = {before(back, variable, code): weight for code, weight in weights.items()}
    base = sums.pop(min(sums))
    return [(None, base), *((statement, w - base) for statement, w in sorted(sums.items()) if w != base)]


@written.register(AllOf)
@written.register(AnyOf)
def _(constraint: AllOf | AnyOf, back: Mapping[Statement, Statement]) -> Form:
    return (constraint.kind, tuple(sorted({written(part, back) for part in constraint.parts}, key=str)))


@written.register
def _(constraint: Not, back: Mapping[Statement, Statement]) -> Form:
    return (constraint.kind, written(constraint.part, back))


@written.register
def _(constraint: Implies, back: Mapping[Statement, Statement]) -> Form:
    return (constraint.kind, written(constraint.condition, back), written(constraint.consequence, back))


@written.register
def _(constraint: Count, back: Mapping[Statement, Statement]) -> Form:
    parts = sorted((written(part, back) for part in constraint.parts), key=str)
    return (constraint.kind, tuple(parts), constraint.lower, constraint.upper)


@written.register
def _(constraint: AllDifferent, back: Mapping[Statement, Statement]) -> Form:
    alike: dict[Any, list[Statement]] = {}
    for variable in constraint.variables:
        for code in variable.codes:
            alike.setdefault(variable.value(code), []).append(before(back, variable, code))
    return (constraint.kind, tuple(sorted(tuple(sorted(statements)) for statements in alike.values())))


@written.register
def _(constraint: Table, back: Mapping[Statement, Statement]) -> Form:
    rows = {
        tuple(sorted(before(back, v, code) for v, code in zip(constraint.variables, row, strict=True)))
        for row in constraint.rows
    }
    names = sorted(before(back, v, v.codes[0])[0] for v in constraint.variables)
    return (constraint.kind, constraint.allowed, tuple(names), tuple(sorted(rows)))


@written.register
def _(constraint: Connected, back: Mapping[Statement, Statement]) -> Form:
    literals = [written(literal, back) for literal in constraint.literals]
    if len(set(literals)) < len(literals):  # and so do not tell the places in the graph apart
        return unmoved(constraint, back)
    if constraint.chosen is Chosen.VERTICES:
        graph = [tuple(sorted((literals[u], literals[v]), key=str)) for u, v in constraint.edges]
        whole = tuple(sorted(literals, key=str))
    else:
        # A vertex is known by the edges at it.
        at: list[list[Form]] = [[] for _ in range(constraint.order)]
        for literal, edge in zip(literals, constraint.edges, strict=True):
            for vertex in edge:
                at[vertex].append(literal)
        graph = [tuple(sorted(near, key=str)) for near in at]
        whole = ()
    chosen = (constraint.chosen.value, constraint.connected)
    return (constraint.kind, *chosen, whole, tuple(sorted(graph, key=str)))


@written.register
def _(constraint: Automaton, back: Mapping[Statement, Statement]) -> Form:
    """The words of the automaton as its smallest diagram, read in one of two directions."""
    layers: list[list[tuple[int, int, int]]] = []
    names: list[str] = []
    for variable, steps in zip(constraint.variables, constraint.useful(), strict=True):
        sources = [before(back, variable, code) for code in variable.codes]
        names.append(sources[0][0])
        layers.append([(state, sources[letter][1], after) for state, letter, after in steps.tolist()])
    starts = {constraint.start}
    if names[::-1] < names:
        names.reverse()
        starts = {after for _, _, after in layers[-1]}
        layers = [[(after, code, state) for state, code, after in layer] for layer in reversed(layers)]
    return (constraint.kind, tuple(names), smallest(layers, starts))


def smallest(layers: list[list[tuple[int, int, int]]], starts: set[int]) -> Form:
    """The smallest layered diagram of the words that steps (state, code, next state) spell.

    It is the same for all steps that spell the same words: sets of states are followed forwards, and what has
    the same continuations is one node.
    """
    forward: list[dict[frozenset[int], dict[int, frozenset[int]]]] = []
    current = {frozenset(starts)}
    for layer in layers:
        nodes: dict[frozenset[int], dict[int, frozenset[int]]] = {}
        for states in current:
            reached: dict[int, set[int]] = {}
            for state, code, after in layer:
                if state in states:
                    reached.setdefault(code, set()).add(after)
            nodes[states] = {code: frozenset(after) for code, after in reached.items()}
        forward.append(nodes)
        current = {after for edges in nodes.values() for after in edges.values()}
    number = dict.fromkeys(current, 0)
    found: list[Form] = []
    for nodes in reversed(forward):
        shapes = {
            states: tuple(sorted((code, number[after]) for code, after in edges.items()))
            for states, edges in nodes.items()
        }
        distinct = sorted(set(shapes.values()))
        number = {states: distinct.index(shape) for states, shape in shapes.items()}
        found.append(tuple(distinct))
    return tuple(found)


def before(back: Mapping[Statement, Statement], variable: Variable, code: int) -> Statement:
    """The statement about the point that is `variable = code` in its image."""
    statement = (variable.name, code)
    return back.get(statement, statement)
