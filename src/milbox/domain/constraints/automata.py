"""The constraint that a sequence of variables is a word accepted by an automaton."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from milbox.arrays import BoolArray, IntArray
from milbox.domain.model.constraint import Constraint
from milbox.domain.model.monomials import Codes
from milbox.domain.model.text import Writer, names_text, value_text

if TYPE_CHECKING:
    from milbox.domain.model.variables import Variable

NOWHERE = -1


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Automaton(Constraint):
    """The variables, read in order, lead from the start to an accepting state.

    All variables take the same values; `transitions[state][letter]` is the next state, where letter 0 is
    the variables' first code, or -1 where the word is rejected.
    """

    kind = "automaton"
    binds_tightly = True

    variables: tuple["Variable", ...]
    transitions: tuple[tuple[int, ...], ...]
    start: int
    accepting: tuple[int, ...]

    def holds(self, codes: Codes) -> BoolArray:
        """Whether the values are accepted, at each of many points."""
        # A rejected word stays in one more state, the last, which no transition leaves.
        dead = len(self.transitions)
        table = np.full((dead + 1, len(self.transitions[0])), dead)
        table[:dead] = self.transitions
        table[table == NOWHERE] = dead
        good = np.zeros(dead + 1, dtype=bool)
        good[list(self.accepting)] = True
        state = np.full(len(codes[self.variables[0].name]), self.start)
        for variable in self.variables:
            state = table[state, codes[variable.name] - variable.codes[0]]
        return np.asarray(good[state])

    def negation(self) -> "Automaton":
        """The automaton that accepts exactly the other words."""
        dead = len(self.transitions)
        rows = [tuple(dead if s == NOWHERE else s for s in row) for row in self.transitions]
        rows.append((dead,) * len(self.transitions[0]))
        others = tuple(s for s in range(dead + 1) if s not in self.accepting)
        return Automaton(self.variables, tuple(rows), self.start, others)

    def useful(self) -> list[IntArray]:
        """The steps (state, letter, next state) at each position that lie on an accepted word."""
        ahead = [{self.start}]
        for _ in self.variables:
            ahead.append({s for state in ahead[-1] for s in self.transitions[state] if s != NOWHERE})
        back = [ahead[-1] & set(self.accepting)]
        steps: list[IntArray] = []
        for states in reversed(ahead[:-1]):
            found = [
                (state, letter, after)
                for state in sorted(states)
                for letter, after in enumerate(self.transitions[state])
                if after in back[-1]
            ]
            back.append({state for state, _, _ in found})
            steps.append(np.array(found, dtype=np.int64).reshape(len(found), 3))
        return steps[::-1]

    def rule(self, write: Writer) -> str:
        """The steps of an automaton, its start and its accepting states; shortened, the number of states."""
        names = names_text(self.variables)
        if not write.whole:
            return f"automaton([{names}], {len(self.transitions)} states)"
        first = self.variables[0]
        steps = (
            f"[{state}, {value_text(first.value(first.codes[letter]))}, {after}]"
            for state, row in enumerate(self.transitions)
            for letter, after in enumerate(row)
            if after != NOWHERE
        )
        return f"automaton([{names}], [{', '.join(steps)}], {self.start}, {list(self.accepting)})"

    def to_json(self) -> dict[str, Any]:
        """Its parts, as plain JSON."""
        return {
            "kind": self.kind,
            "variables": [v.name for v in self.variables],
            "transitions": [list(row) for row in self.transitions],
            "start": self.start,
            "accepting": list(self.accepting),
        }

    @classmethod
    def from_json(cls, form: Mapping[str, Any], variables: Mapping[str, "Variable"]) -> "Automaton":
        """The constraint behind its plain form."""
        return cls(
            tuple(variables[name] for name in form["variables"]),
            tuple(tuple(row) for row in form["transitions"]),
            form["start"],
            tuple(form["accepting"]),
        )


def automaton(
    sequence: Any, steps: Iterable[Sequence[Any]], start: Hashable, accepting: Iterable[Hashable]
) -> Automaton:
    """The sequence, read letter by letter, is accepted.

    Args:
        sequence: variables with the same values, such as a categorical array.
        steps: (state, letter, next state); a letter without a step rejects the word. States may be numbers,
            texts or anything hashable.
        start: the state before the first letter.
        accepting: the states that may be reached after the last.
    """
    variables = letters_of(sequence)
    first, values = variables[0], [variables[0].value(code) for code in variables[0].codes]
    table: dict[tuple[Hashable, int], Hashable] = {}
    for step in steps:
        if len(step) != 3:
            raise ValueError(f"a step should be (state, letter, next state), and is {step!r}")
        state, letter, after = step
        place = first.code(letter) - first.codes[0]
        if table.setdefault((state, place), after) != after:
            raise ValueError(
                f"state {state!r} has two steps with {letter!r}, to {table[state, place]!r} and {after!r}; "
                f"give it one"
            )
    ends = list(accepting)
    states: dict[Hashable, int] = {start: 0}
    for state in [*(s for pair in table.items() for s in (pair[0][0], pair[1])), *ends]:
        states.setdefault(state, len(states))
    rows = tuple(
        tuple(states[table[state, i]] if (state, i) in table else NOWHERE for i in range(len(values)))
        for state in states
    )
    return Automaton(variables, rows, 0, tuple(sorted({states[state] for state in ends})))


def letters_of(sequence: Any) -> tuple["Variable", ...]:
    """The variables of a sequence, which must all take the same values."""
    from milbox.domain.constraints.build import scalars

    variables = scalars([sequence])
    if not variables:
        raise ValueError("a sequence needs at least one variable")
    first = variables[0]
    for other in variables[1:]:
        if [other.value(code) for code in other.codes] != [first.value(code) for code in first.codes]:
            raise ValueError(f"{first} and {other} take different values; a sequence has one alphabet")
    return variables
