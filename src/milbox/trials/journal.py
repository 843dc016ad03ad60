"""The journal: one SQLite file with a header and one row per trial, written before anyone sees it."""

import contextlib
import json
import os
import sqlite3
import warnings
import weakref
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from milbox.domain import Domain
from milbox.errors import JournalError, JournalMismatch
from milbox.trials import lock, rows
from milbox.trials.header import Header, difference, version_change
from milbox.trials.trial import Trial

# Journals open in this process. A study that is opened again here (a notebook cell run twice, say) takes the
# journal over from its predecessor, which can do nothing with it from then on.
_open: "weakref.WeakValueDictionary[Path, Journal]" = weakref.WeakValueDictionary()


class Journal:
    """The file behind a study. One process writes it; any number may read it meanwhile."""

    def __init__(self, path: Path | str, header: Header) -> None:
        """Open the journal, or create it; refuse one that was written for something else."""
        self.path = Path(path)
        self._pid = os.getpid()
        with _explained(self.path):
            # Absolute, since the user's code may change the working folder.
            self._real = self.path.resolve()
            _check_place(self.path)
            predecessor = _open.get(self._real)
            if predecessor is not None and predecessor._pid == self._pid and predecessor._closed is None:
                _check_same(predecessor._connection, self.path, header)
                predecessor._end("another Study of this process has opened it since")
            held = lock.acquire(self.path)
            try:
                self._connection: sqlite3.Connection = _connect_to_write(self.path, header)
            except BaseException:
                held.release()
                raise
            self._closed: str | None = None
            # Runs when the journal is closed, forgotten or when the interpreter ends, whichever is first.
            self._release = weakref.finalize(self, _close, self._connection, held)
            self._file = self._real.stat()
        _open[self._real] = self

    @staticmethod
    def read(path: Path | str) -> tuple[Header, tuple[Trial, ...]]:
        """The header and the trials of a journal, also while a run is writing it; nothing is changed."""
        path = Path(path)
        with _explained(path):
            if not path.exists():
                raise JournalError(f"there is no journal {path}; check the name")
            _check_place(path)
            with contextlib.closing(_connect_to_read(path)) as connection:
                # One transaction, so that both are of the same moment.
                connection.execute("BEGIN")
                rows.check(connection, path)
                header, trials = rows.header(connection), rows.trials(connection)
        domain = Domain.from_json(header.domain)
        return header, tuple(replace(trial, assignment=domain.assignment(trial.point)) for trial in trials)

    def trials(self) -> tuple[Trial, ...]:
        """Every trial of the file, without assignments."""
        with self._usable():
            return rows.trials(self._connection)

    def asked(self, trials: Sequence[Trial]) -> None:
        """Add trials, all of them or none; they are on disk when this returns."""
        with self._usable(), self._transaction() as connection:
            connection.executemany(rows.INSERT, [rows.row(trial) for trial in trials])

    def told(self, trial: Trial) -> None:
        """Record how a pending trial ended; it is on disk when this returns."""
        with self._usable(), self._transaction() as connection:
            done = connection.execute(rows.UPDATE, rows.ending(trial))
            if done.rowcount != 1:
                raise JournalError(f"{self.path} has no pending trial {trial.number}; open it again")

    def note(self, notes: Mapping[str, Any]) -> None:
        """Add to the header's notes, or change them."""
        with self._usable(), self._transaction() as connection:
            kept = {**rows.header(connection).notes, **notes}
            connection.execute(rows.NOTE, [json.dumps(kept, allow_nan=False)])

    def close(self) -> None:
        """Close the file, which is then a single one and complete, and let others write it."""
        self._end("it is closed")

    def _end(self, why: str) -> None:
        self._closed = self._closed or why
        self._release()

    @contextlib.contextmanager
    def _usable(self) -> Iterator[None]:
        if self._closed is not None:
            raise JournalError(f"{self.path} can no longer be used by this study: {self._closed}")
        if self._pid != os.getpid():
            raise JournalError(f"{self.path} can only be used by the process that opened it, {self._pid}")
        with _explained(self.path):
            # SQLite would go on writing into a file that has no name any more.
            if not (self._real.exists() and os.path.samestat(self._real.stat(), self._file)):
                raise JournalError(
                    f"{self.path} was moved, deleted or replaced while the study had it open; "
                    f"put it back and open it again"
                )
            yield

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield self._connection
            self._connection.execute("COMMIT")
        except BaseException:
            # SQLite itself rolls back after some errors, a full disk among them.
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise


def _connect_to_write(path: Path, header: Header) -> sqlite3.Connection:
    """The file, created if need be, checked, and set up so that a commit is on disk."""
    if not path.exists():
        _create(path, header)
    connection = _connect(path, "rw")
    try:
        # Before anything is set: this may be a file of another program, or damaged.
        rows.check(connection, path)
        _check_same(connection, path, header)
        rows.trials(connection)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
    except BaseException:
        connection.close()
        raise
    return connection


def _check_same(connection: sqlite3.Connection, path: Path, header: Header) -> None:
    """Refuse a journal that was written for something else."""
    written = rows.header(connection)
    differs = difference(written, header)
    if differs is not None:
        raise JournalMismatch(f"{path} was written {differs}; open it as it was, or choose another file")
    changed = version_change(written, header)
    if changed is not None:
        warnings.warn(f"{path} was written {changed}", stacklevel=2)


def _connect_to_read(path: Path) -> sqlite3.Connection:
    connection = _connect(path, "ro")
    try:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError:
        connection.close()
        # In a folder we may not write, SQLite cannot make the file through which readers and writer of a
        # WAL database meet. Without one, nobody is writing.
        if Path(f"{path}-wal").exists() or Path(f"{path}-journal").exists():
            raise
        return _connect(path, "ro&immutable=1")
    return connection


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    return sqlite3.connect(
        f"{path.resolve().as_uri()}?mode={mode}",
        uri=True,
        timeout=10.0,
        isolation_level=None,
        check_same_thread=False,
    )


def _create(path: Path, header: Header) -> None:
    """Make a journal under another name and rename it: a process killed half-way leaves no half journal."""
    draft = Path(f"{path.resolve()}.new")
    for remains in (draft, Path(f"{draft}-journal")):
        remains.unlink(missing_ok=True)
    with contextlib.closing(sqlite3.connect(draft, isolation_level=None)) as connection:
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("BEGIN")
        rows.create(connection, header)
        connection.execute("COMMIT")
    draft.rename(path)
    folder = os.open(path.resolve().parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _close(connection: sqlite3.Connection, held: lock.WriterLock) -> None:
    if held.pid != os.getpid():
        return  # a forked child has no business with its parent's file
    # Back to a single file that opens anywhere, read-only folders included. A reader may be in the way, or
    # the disk may be full: then the log stays beside the file, which is as good.
    with contextlib.suppress(sqlite3.Error):
        connection.execute("PRAGMA busy_timeout = 0")
        connection.execute("PRAGMA journal_mode = DELETE")
    with contextlib.suppress(sqlite3.Error):
        connection.close()
    held.release()


def _check_place(path: Path) -> None:
    """Refuse what cannot be a journal before SQLite opens it."""
    if path.is_dir():
        raise JournalError(f"{path} is a folder; give a file name, such as {path / 'run.db'}")
    if not path.parent.is_dir():
        raise JournalError(f"the folder {path.parent} does not exist; create it, or choose another file")
    if not path.exists():
        return
    with path.open("rb") as file:
        start = file.read(512)  # the least that a database has
    if not start:
        raise JournalError(f"{path} is empty, which no journal is; delete it, or choose another file")
    if not start.startswith(b"SQLite format 3\0"):
        raise JournalError(f"{path} is not a journal of milbox; choose another file")
    if len(start) < 512:
        raise JournalError(f"{path} is cut short; restore a copy, or choose another file")


@contextlib.contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Turn errors of SQLite and of the file system into one sentence that says what to do."""
    try:
        yield
    except sqlite3.Error as error:
        name = getattr(error, "sqlite_errorname", "")
        match name.removeprefix("SQLITE_").partition("_")[0]:
            case "FULL":
                advice = "the disk is full: free some space and go on; what was told before is kept"
            case "CORRUPT" | "NOTADB":
                advice = "it is damaged or cut short: restore a copy, or choose another file"
            case "BUSY" | "LOCKED":
                advice = "another program keeps it locked: close that program and try again"
            case "READONLY" | "CANTOPEN" | "PERM" | "AUTH":
                advice = "the file or its folder may not be written: check the permissions"
            case "IOERR":
                advice = "the disk refused it: check its space and health; what was told before is kept"
            case _:
                advice = "check that no other program has changed it"
        raise JournalError(f"{path} cannot be used ({error}); {advice}") from error
    except OSError as error:
        raise JournalError(
            f"{path} cannot be used ({error.strerror or error}); check that its folder may be written"
        ) from error
