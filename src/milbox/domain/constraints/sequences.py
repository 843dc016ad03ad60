"""Constraints on sequences of letters: runs, shares, motifs."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from milbox.domain.constraints.automata import Automaton, automaton, letters_of
from milbox.domain.constraints.build import between, whole_number
from milbox.domain.constraints.kinds import AllOf
from milbox.domain.model.constraint import Constraint
from milbox.domain.model.expressions import LinExpr, Literal, combine
from milbox.domain.model.numbers import number

if TYPE_CHECKING:
    from milbox.domain.model.variables import Variable


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
