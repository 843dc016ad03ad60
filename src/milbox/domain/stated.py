"""Rules as the user stated them: a text, perhaps a name, and the constraints behind it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from milbox.domain.constraints.conditions import statements
from milbox.domain.model.constraint import Constraint
from milbox.domain.rules.write import rule_text


@dataclass(frozen=True, slots=True)
class Words:
    """What the user said of the next `count` constraints of a domain."""

    count: int
    text: str | None = None
    """The rule as it was written; None for constraints that were built in Python."""
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Stated:
    """A rule of the user's, and the constraints that state it."""

    constraints: tuple[Constraint, ...]
    text: str
    name: str | None
    own: bool = True
    """Whether the text is milbox's own, since the constraints were built in Python."""

    def __str__(self) -> str:
        return self._with_name(self.text)

    def in_short(self) -> str:
        """The rule for a message: long sums are cut."""
        return self._with_name(" and ".join(map(str, self.constraints)) if self.own else self.text)

    def _with_name(self, text: str) -> str:
        return text if self.name is None else f"{text}  ({self.name})"


def named(given: Mapping[str, Any]) -> tuple[tuple[Constraint, ...], tuple[Words, ...]]:
    """The constraints of a mapping by name, and the names."""
    rules = {name: statements(each) for name, each in given.items()}
    words = tuple(Words(len(each), None, str(name)) for name, each in rules.items())
    return tuple(c for each in rules.values() for c in each), words


def stated(given: Sequence[Constraint], words: Sequence[Words]) -> Iterator[Stated]:
    """The rules that the constraints make up; those without words are a rule each."""
    start = 0
    for each in words:
        behind = tuple(given[start : start + each.count])
        text = " and ".join(map(rule_text, behind)) if each.text is None else " ".join(each.text.split())
        yield Stated(behind, text, each.name, each.text is None)
        start += each.count
    for constraint in given[start:]:
        yield Stated((constraint,), rule_text(constraint), None)


def words_to_json(words: Sequence[Words]) -> list[dict[str, Any]]:
    """The words as plain JSON."""
    return [{"count": each.count, "text": each.text, "name": each.name} for each in words]


def words_from_json(form: Sequence[Mapping[str, Any]]) -> tuple[Words, ...]:
    """The words behind their plain form."""
    return tuple(Words(int(each["count"]), each["text"], each["name"]) for each in form)
