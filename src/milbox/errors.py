"""The few exceptions a caller may want to catch; misuse raises TypeError or ValueError."""


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
    """An objective could not measure a point and says why, or too many of the latest evaluations failed."""


class SolverUnavailable(MilboxError):
    """The library behind a solver is not installed."""


class UnsupportedProgram(MilboxError):
    """A solver or inner solver cannot take this program."""


class DataError(MilboxError):
    """A data file is missing, damaged or of the wrong shape."""
