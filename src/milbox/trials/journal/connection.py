"""A connection to the database of a journal, whichever it is."""

import sqlite3
from collections.abc import Sequence
from typing import Any, Protocol


class Connection(Protocol):
    """What the statements of `tables` need of a database."""

    def execute(self, statement: str, given: Sequence[Any] = (), /) -> Any:
        """Run a statement that is written for SQLite."""

    def marks(self) -> tuple[int, int]:
        """The program that the tables belong to, and their format."""

    def mark(self, application: int, version: int) -> None:
        """Say which program the tables belong to, and their format."""

    def damage(self) -> str | None:
        """What is wrong with the pages of the database; None when nothing is."""


class FileConnection(sqlite3.Connection):
    """A connection to a file of SQLite, which keeps the marks in its head."""

    def __init__(self, *place: Any, **settings: Any) -> None:
        super().__init__(*place, **settings)
        # Bytes that are no text become lone surrogates, which no checksum agrees with.
        self.text_factory = lambda stored: stored.decode(errors="surrogateescape")

    def marks(self) -> tuple[int, int]:
        """The program that the tables belong to, and their format."""
        (application,) = self.execute("PRAGMA application_id").fetchone()
        (version,) = self.execute("PRAGMA user_version").fetchone()
        return int(application), int(version)

    def mark(self, application: int, version: int) -> None:
        """Say which program the tables belong to, and their format."""
        self.execute(f"PRAGMA application_id = {application}")
        self.execute(f"PRAGMA user_version = {version}")

    def damage(self) -> str | None:
        """What is wrong with the pages of the file; None when nothing is."""
        (finding,) = self.execute("PRAGMA integrity_check(1)").fetchone()
        # The first line only names the database.
        return None if finding == "ok" else str(finding).splitlines()[-1]
