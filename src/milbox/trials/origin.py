"""Origins of points: who chose a point, and by which method."""

from enum import Enum


class Source(Enum):
    """The source of a point: the user's data, chance, or a strategy's method."""

    KNOWN = "known"
    """The user, who had measured it before."""
    RANDOM = "random"
    """Chance."""
    METHOD = "method"
    """A strategy, by the method that the origin's text names."""


class Origin(str):
    """The origin of a point as the text that a journal keeps: `known`, `random`, `milp`, `mutation of 17`."""

    __slots__ = ()

    @property
    def source(self) -> Source:
        """Who chose the point."""
        return _SOURCES.get(self, Source.METHOD)

    @property
    def detail(self) -> str:
        """The method of a strategy, in its own words; empty where there was none."""
        return "" if self in _SOURCES else str(self)


KNOWN, RANDOM = Origin("known"), Origin("random")
_SOURCES = {
    KNOWN: Source.KNOWN,
    RANDOM: Source.RANDOM,
    # Of domains that cannot be drawn from: a repaired point, or the optimum of a random objective.
    Origin("repaired"): Source.RANDOM,
    Origin("random objective"): Source.RANDOM,
}
