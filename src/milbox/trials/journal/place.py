"""Where a journal is: a file by its path, or a PostgreSQL database by its URL."""

from pathlib import Path
from typing import TypeAlias
from urllib.parse import unquote, urlsplit

SCHEMES = ("postgresql://", "postgres://")


class Url(str):
    """The URL of a database: `postgresql://me@server/lab#polymers`. It is printed without its password."""

    __slots__ = ()

    @property
    def whole(self) -> str:
        """The URL with its password, for the driver alone."""
        return self[:]

    @property
    def study(self) -> str:
        """The name of the study within the database: what follows `#`."""
        return unquote(self.whole.partition("#")[2]) or "milbox"

    @property
    def readable(self) -> bool:
        """Whether it is plain which part is the password; messages of the driver may quote the others."""
        try:
            parts = urlsplit(self.whole)
            return parts.netloc.count("@") <= 1 and (parts.port is None or parts.port > 0)
        except ValueError:  # a port that is no number may be a piece of a password
            return False

    def __str__(self) -> str:
        if not self.readable:
            return "the PostgreSQL journal"
        parts = urlsplit(self.whole)
        user = "" if parts.username is None else f"{parts.username}@"
        port = "" if parts.port is None else f":{parts.port}"
        return f"postgresql://{user}{parts.hostname or ''}{port}{parts.path}#{self.study}"

    def __repr__(self) -> str:
        return repr(str(self))

    def __format__(self, form: str) -> str:
        return format(str(self), form)


Place: TypeAlias = Path | Url


def place_of(given: Path | str) -> Place:
    """A URL, or a path."""
    if isinstance(given, Url):
        return given
    return Url(given) if isinstance(given, str) and given.startswith(SCHEMES) else Path(given)


def name_of(place: Place) -> str:
    """What to call the study at a place."""
    return place.study if isinstance(place, Url) else place.stem
