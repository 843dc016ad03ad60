"""The few exceptions a caller may want to catch; misuse raises TypeError or ValueError."""

from collections.abc import Iterable


class MilboxError(Exception):
    """The base of every exception that is milbox's own."""


class DomainError(MilboxError):
    """No point satisfies the constraints of a domain."""


class Exhausted(MilboxError):
    """Every point of the domain has been asked already."""


class Undecided(MilboxError):
    """No new point was found within the limits, and it is not proved that none is left."""


class JournalError(MilboxError):
    """A file is not a journal, is damaged, is in use, or cannot be written."""


class JournalMismatch(JournalError):
    """A journal was written for another domain, strategy, seed or sense."""


class ObjectiveFailed(MilboxError):
    """An objective could not measure a point and says why, or too many of the latest evaluations failed.

    Raised by an objective, `infeasible` says whether the point is to blame.
    """

    def __init__(self, message: str = "", *, infeasible: bool = True) -> None:
        super().__init__(message)
        self.infeasible = infeasible


class Unavailable(MilboxError):
    """An optional package is not installed, or a service does not answer; the text says how to get it."""


class SolverUnavailable(Unavailable):
    """The library behind a solver is not installed."""


class UnsupportedProgram(MilboxError):
    """A solver or inner solver cannot take this program."""


class DataError(MilboxError):
    """A data file is missing, damaged or of the wrong shape."""


def close_names(name: str, known: Iterable[str], most: int = 1) -> list[str]:
    """The known names that come closest to one that is not known; none where none is close."""
    import difflib  # only where something went wrong

    return difflib.get_close_matches(name, list(known), n=most, cutoff=0.5)


def nearest(name: str, known: Iterable[str]) -> str:
    """A suggestion for a name that is not known, as the end of a sentence."""
    names = list(known)
    close = close_names(name, names)
    if close:
        return f"; did you mean {close[0]!r}?"
    if len(names) < 2:
        return f"; there is only {names[0]!r}" if names else "; there are none"
    return f"; there are {', '.join(names[:8])}" + (", ..." if len(names) > 8 else "")
