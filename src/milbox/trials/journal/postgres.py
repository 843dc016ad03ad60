"""The journal in a PostgreSQL database, for many writers at once.

It has the tables of the file, in a schema that is named after the study, and two more. `writes` lists which
trial was written when, so that a study reads only what others have done since it last looked; every write
holds a lock until its transaction ends, so that entries are in the order in which others see them. `leases`
says until when a worker answers for a trial; a lease that ran out may be taken over by another worker.
"""

import contextlib
import os
import threading
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from milbox.domain import Domain
from milbox.errors import JournalError, Unavailable
from milbox.trials.change import Change
from milbox.trials.header import Header
from milbox.trials.journal import opening, tables
from milbox.trials.journal.place import Url
from milbox.trials.trial import State, Trial

LEASE = 60.0
"""Seconds that a worker answers for a trial without renewing."""

POLL = 0.02
"""Seconds between two looks whether it is our turn."""

_MORE = (
    "CREATE TABLE format (application INTEGER NOT NULL, version INTEGER NOT NULL)",
    "CREATE TABLE writes (place BIGSERIAL PRIMARY KEY, number INTEGER NOT NULL)",
    "CREATE TABLE leases (number INTEGER PRIMARY KEY, worker TEXT NOT NULL, until TIMESTAMPTZ NOT NULL)",
)
_DOMAIN = -1
"""In `writes`, in the place of a trial's number: the domain has changed."""
_UNTIL = "now() + make_interval(secs => ?)"


class Connection:
    """A connection that takes the statements of `tables`."""

    def __init__(self, place: Url) -> None:
        try:
            import psycopg
        except ImportError:
            raise Unavailable(
                "a PostgreSQL journal needs psycopg: run `pip install 'milbox[postgres]'`"
            ) from None
        self.schema: str = place.study
        self._sql = psycopg.sql
        try:
            settings = psycopg.conninfo.conninfo_to_dict(place.whole.partition("#")[0])
        except psycopg.Error:  # which may quote a piece of the password
            settings = None
        if settings is None or not place.readable:
            raise JournalError(
                "the URL of the PostgreSQL journal cannot be read; write "
                "postgresql://user@host:5432/database#study, with %40 for an @ in a password, or keep the "
                "password in ~/.pgpass"
            )
        if "application_name" not in settings:
            settings["application_name"] = "milbox"
        given: Any = settings
        self.raw: Any = psycopg.connect(**given, autocommit=True)
        self._path = self._sql.SQL("SET search_path TO {}").format(self._sql.Identifier(self.schema))
        self.raw.execute(self._path)

    def execute(self, statement: str, given: Sequence[Any] = ()) -> Any:
        """Run a statement that is written for SQLite."""
        if statement.lstrip().startswith("CREATE TABLE"):
            statement = statement.replace(" REAL", " DOUBLE PRECISION")
            statement = statement.replace("CHECK (one = 1)", "DEFAULT 1 CHECK (one = 1)")
        run: Any = self.raw.execute
        return run(statement.replace("%", "%%").replace("?", "%s"), tuple(map(_plain, given)))

    def exists(self) -> bool:
        """Whether the database has the study."""
        return self.execute("SELECT to_regclass('format')").fetchone()[0] is not None

    def create_schema(self) -> None:
        """Make room for the study."""
        self.raw.execute(
            self._sql.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(self._sql.Identifier(self.schema))
        )

    @contextlib.contextmanager
    def transaction(self, *, writes: bool = True) -> Iterator[Any]:
        """All of what is written within or nothing, one writer after the other; or a view of one moment."""
        with self.raw.transaction():
            if writes:
                self.execute("SELECT pg_advisory_xact_lock(hashtextextended(?, 1))", (self.schema,))
            else:
                self.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            yield self

    # What SQLite keeps in the head of its file (`tables`).

    def marks(self) -> tuple[int, int]:
        """The program that the tables belong to, and their format."""
        application, version = self.execute("SELECT application, version FROM format").fetchone()
        return application, version

    def mark(self, application: int, version: int) -> None:
        """Say which program the tables belong to, and their format."""
        self.execute("DELETE FROM format")
        self.execute("INSERT INTO format VALUES (?, ?)", (application, version))

    def damage(self) -> None:
        """Nothing: the server looks after its pages."""


def _plain(entry: Any) -> Any:
    """An entry as a type that the driver knows."""
    return str(entry) if isinstance(entry, str) else entry


class SharedJournal:
    """A study in a database. Any number of processes read and write it, and take turns in asking."""

    shared = True

    def __init__(self, place: Url, header: Header, domain: Domain | None = None) -> None:
        """Open the study, or create it; refuse one that was written for something else."""
        self.path = place
        self._pid = os.getpid()
        self._worker: str | None = None
        self._lock = threading.RLock()
        self._closed = False
        with self._explained():
            self._connection = Connection(place)
            try:
                self.domain: Domain = Domain.from_json(header.domain) if domain is None else domain
                with self._connection.transaction() as connection:
                    if not connection.exists():
                        connection.create_schema()
                        for statement in _MORE:
                            connection.execute(statement)
                        tables.create(connection, header)
                    tables.check(connection, self.path)
                    opening.check_same(connection, self.path, header)
                    self._seen = self._last(connection)
                    self._unread: tuple[Trial, ...] | None = opening.checked_trials(
                        connection, self.path, self.domain
                    )
                    tables.upgrade(connection, self.path, self._unread)
                    self.header: Header = tables.header(connection, self.path)
                    self.changes: tuple[Change, ...] = tables.changes(connection, self.path)
            except BaseException:
                self._connection.raw.close()
                raise

    def trials(self) -> tuple[Trial, ...]:
        """Every trial."""
        with self._usable() as connection, connection.transaction(writes=False):
            self._seen = self._last(connection)
            unread, self._unread = self._unread, None
            return opening.checked_trials(connection, self.path, self.domain) if unread is None else unread

    def news(self) -> tuple[Trial, ...] | None:
        """The trials that were asked or changed, here or elsewhere, since they were last read.

        None where the domain has changed, and with it every trial.
        """
        with self._usable() as connection:
            last = self._last(connection)
            if last == self._seen:
                return ()
            with connection.transaction(writes=False):
                query = "number IN (SELECT number FROM writes WHERE place > ?)"
                moved = "SELECT count(*) FROM writes WHERE place > ? AND number = ?"
                if connection.execute(moved, (self._seen, _DOMAIN)).fetchone()[0]:
                    self._look(connection)
                    self._unread = None
                    return None
                found = tables.some_trials(connection, self.path, query, (self._seen,))
                self._seen = self._last(connection)
            return found

    def asked(self, trials: Sequence[Trial]) -> None:
        """Add trials, all of them or none."""
        with self._usable() as connection, connection.transaction():
            for trial in trials:
                tables.insert(connection, trial)
                self._changed(connection, trial.number)
                if self._worker is not None and trial.state == "pending":
                    connection.execute(
                        f"INSERT INTO leases VALUES (?, ?, {_UNTIL})", (trial.number, self._worker, LEASE)
                    )

    def told(self, trial: Trial, was: State = "pending") -> None:
        """Record what has become of a trial that was in some state."""
        with self._usable() as connection, connection.transaction():
            tables.change(connection, self.path, trial, was)
            self._changed(connection, trial.number)
            connection.execute("DELETE FROM leases WHERE number = ?", (trial.number,))

    def changed(self, domain: Domain, header: Header, change: Change, trials: Sequence[Trial]) -> None:
        """Go on with another domain, in which the trials are these; other processes follow."""
        with self._usable() as connection, connection.transaction():
            tables.move(connection, self.path, header, change, trials)
            self._changed(connection, _DOMAIN)
            self._look(connection, domain)

    def _look(self, connection: Connection, like: Domain | None = None) -> None:
        """Read everything but the trials."""
        self.header = tables.header(connection, self.path)
        self.changes = tables.changes(connection, self.path)
        for known in (self.domain, like):
            if known is not None and known.fingerprint == self.header.domain_fingerprint:
                self.domain = known
                return
        self.domain = Domain.from_json(self.header.domain)

    def filled(self, changes: Sequence[Change], trials: Sequence[Trial]) -> None:
        """Write what another journal has into this one, which has no trials yet."""
        with self._usable() as connection, connection.transaction():
            tables.fill(connection, changes, trials)
            self._look(connection)

    def note(self, notes: Mapping[str, Any]) -> None:
        """Add to the header's notes, or change them."""
        with self._usable() as connection, connection.transaction():
            written = tables.header(connection, self.path)
            changed = {**written.notes, **notes}
            tables.note(connection, self.path, changed)
        self.header = replace(written, notes=changed)

    @contextlib.contextmanager
    def turn(self) -> Iterator[None]:
        """The right to ask, which one process has at a time; the server takes it back when a process ends."""
        # Not by waiting on the server: leases are renewed over the same connection meanwhile.
        query = "SELECT pg_try_advisory_lock(hashtextextended(?, 2))"
        while True:
            with self._usable() as connection:
                (ours,) = connection.execute(query, (connection.schema,)).fetchone()
            if ours:
                break
            time.sleep(POLL)
        try:
            yield
        finally:
            with self._usable() as connection:
                connection.execute("SELECT pg_advisory_unlock(hashtextextended(?, 2))", (connection.schema,))

    @contextlib.contextmanager
    def working(self) -> Iterator[None]:
        """Answer for the trials that are asked within: their leases are renewed until they end."""
        self._worker = uuid.uuid4().hex
        over = threading.Event()

        def renew() -> None:
            while not over.wait(LEASE / 4):
                # A connection that was lost is reported to whoever asks or tells next.
                with contextlib.suppress(JournalError), self._usable() as connection:
                    connection.execute(
                        f"UPDATE leases SET until = {_UNTIL} WHERE worker = ?", (LEASE, self._worker)
                    )

        renewing = threading.Thread(target=renew, daemon=True, name="milbox leases")
        renewing.start()
        try:
            yield
        finally:
            over.set()
            renewing.join()
            with contextlib.suppress(JournalError), self._usable() as connection:
                # What is left pending may be taken over at once.
                connection.execute("UPDATE leases SET until = now() WHERE worker = ?", (self._worker,))
            self._worker = None

    def taken_over(self, count: int) -> list[int]:
        """Up to `count` pending trials whose workers let their leases run out; they are this worker's now."""
        query = f"""
            UPDATE leases SET worker = ?, until = {_UNTIL} WHERE number IN (
                SELECT number FROM leases WHERE until < now() ORDER BY number LIMIT ? FOR UPDATE SKIP LOCKED
            ) RETURNING number
        """
        with self._usable() as connection:
            return sorted(n for (n,) in connection.execute(query, (self._worker, LEASE, count)).fetchall())

    def close(self) -> None:
        """Close the connection."""
        self._closed = True
        if self._pid == os.getpid():
            self._connection.raw.close()

    def _changed(self, connection: Connection, number: int) -> None:
        connection.execute("INSERT INTO writes (number) VALUES (?)", (number,))

    def _last(self, connection: Connection) -> int:
        """The place of the latest change."""
        return int(connection.execute("SELECT coalesce(max(place), 0) FROM writes").fetchone()[0])

    @contextlib.contextmanager
    def _usable(self) -> Iterator[Any]:
        if self._closed:
            raise JournalError(f"{self.path} can no longer be used by this study: it is closed")
        if self._pid != os.getpid():
            raise JournalError(f"{self.path} can only be used by the process that opened it, {self._pid}")
        with self._lock, self._explained():
            yield self._connection

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        with explained(self.path):
            yield


@contextlib.contextmanager
def explained(path: Url) -> Iterator[None]:
    """Turn errors of the server into one sentence that says what to do, and that has no password in it."""
    try:
        yield
    except Exception as error:
        import psycopg

        if not isinstance(error, psycopg.Error):
            raise
        words = " ".join(str(error).split())
        if isinstance(error, psycopg.errors.UniqueViolation):
            advice = "another process has just written the same trial or point: ask again"
        elif isinstance(error, psycopg.OperationalError):
            advice = (
                "check that the server runs and answers, and who may log in; what was told before is kept"
            )
        else:
            advice = "check the rights of the user, and that no other program has changed the tables"
        raise JournalError(f"{path} cannot be used ({words}); {advice}") from None


@contextlib.contextmanager
def reading(place: Url) -> Iterator[Any]:
    """A study to read from: checked, and of one moment, whatever is written meanwhile."""
    with explained(place):
        connection: Any = Connection(place)
        with contextlib.closing(connection.raw), connection.transaction(writes=False):
            if not connection.exists():
                raise JournalError(f"there is no journal {place}; check the name")
            tables.check(connection, place)
            yield connection


def exists(place: Url) -> bool:
    """Whether the database has the study."""
    with explained(place):
        connection: Any = Connection(place)
        with contextlib.closing(connection.raw):
            return bool(connection.exists())
