"""What SQLite keeps in the head of its file, and other databases in a table.

A connection to another database takes the statements of `tables` and has `marks`, `mark` and `damage` itself.
"""

import sqlite3
from typing import Any


def marks(connection: Any) -> tuple[int, int]:
    """The program that the tables belong to, and their format."""
    if not isinstance(connection, sqlite3.Connection):
        application, version = connection.marks()
        return application, version
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(application), int(version)


def mark(connection: Any, application: int, version: int) -> None:
    """Say which program the tables belong to, and their format."""
    if not isinstance(connection, sqlite3.Connection):
        connection.mark(application, version)
        return
    connection.execute(f"PRAGMA application_id = {application}")
    connection.execute(f"PRAGMA user_version = {version}")


def damage(connection: Any) -> str | None:
    """What is wrong with the pages of the database; None when nothing is."""
    if not isinstance(connection, sqlite3.Connection):
        return None  # the server looks after its pages
    (finding,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    # The first line only names the database.
    return None if finding == "ok" else str(finding).splitlines()[-1]
