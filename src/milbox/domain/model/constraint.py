"""The base of every kind of constraint: what a kind says of itself, in one place."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from milbox.arrays import BoolArray
from milbox.domain.model.monomials import Codes
from milbox.domain.model.operators import Logical
from milbox.domain.model.text import Writer

if TYPE_CHECKING:
    from milbox.domain.model.variables import Variable

KINDS: dict[str, type["Constraint"]] = {}
"""Every kind of constraint by the name that its JSON has."""


class Constraint(Logical):
    """A statement that is true or false at a point.

    A kind is a frozen dataclass that derives from this and overrides everything below. Its rows are
    registered with `milbox.embed.domain.enforce`.
    """

    __slots__ = ()

    kind: ClassVar[str]
    """The name in JSON."""
    binds_tightly: ClassVar[bool] = False
    """Whether its rule needs no parentheses beside `and`, `or` and `->`."""
    stands_alone: ClassVar[bool] = False
    """Whether it is given to a domain by itself, and never part of another constraint."""

    def __init_subclass__(cls) -> None:
        if "kind" in vars(cls):
            KINDS[cls.kind] = cls

    if TYPE_CHECKING:  # a field of some kinds and a property of others

        @property
        def variables(self) -> tuple["Variable", ...]:
            """The variables the constraint is about, each once."""

    def holds(self, codes: Codes) -> BoolArray:
        """Whether it holds, at each of many points."""
        raise NotImplementedError

    def negation(self) -> "Constraint":
        """A constraint without an outer `Not` that holds exactly where this one fails."""
        raise NotImplementedError

    def rule(self, write: Writer) -> str:
        """The constraint as a rule."""
        raise NotImplementedError

    def to_json(self) -> dict[str, Any]:
        """The constraint as plain JSON: its kind and its parts."""
        raise NotImplementedError

    @classmethod
    def from_json(cls, form: Mapping[str, Any], variables: Mapping[str, "Variable"]) -> "Constraint":
        """The constraint behind its plain form."""
        raise NotImplementedError

    def __str__(self) -> str:
        return Writer(whole=False).text(self)


def constraint_from_json(form: Mapping[str, Any], variables: Mapping[str, "Variable"]) -> Constraint:
    """The constraint of any kind behind its plain form."""
    if form["kind"] not in KINDS:
        raise ValueError(f"no kind of constraint is called {form['kind']!r}")
    return KINDS[form["kind"]].from_json(form, variables)
