"""The journal: one SQLite file with a header and one row per trial, written before anyone sees it."""

import contextlib
import os
import sqlite3
import weakref
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from milbox import system
from milbox.domain import Domain
from milbox.errors import JournalError
from milbox.trials.change import Change
from milbox.trials.header import Header
from milbox.trials.journal import lock, opening, tables
from milbox.trials.journal.connection import FileConnection
from milbox.trials.trial import State, Trial

DATABASE = b"SQLite format 3\0"
"""How files of SQLite begin."""

# Journals open in this process. A study that is opened again here (a notebook cell run twice, say) takes the
# journal over from its predecessor, which can do nothing with it from then on.
_open: "weakref.WeakValueDictionary[Path, Journal]" = weakref.WeakValueDictionary()


class Journal:
    """The file behind a study. One process writes it; any number may read it meanwhile."""

    shared = False
    header: Header
    domain: Domain
    changes: tuple[Change, ...]
    _connection: FileConnection
    _unread: tuple[Trial, ...] | None

    def __init__(self, path: Path | str, header: Header, domain: Domain | None = None) -> None:
        """Open the journal, or create it; refuse one that was written for something else.

        Args:
            path: the file.
            header: what the study is that it is opened for.
            domain: the domain of the header, where there is one already.
        """
        self.path: Path = Path(path)
        self._pid = os.getpid()
        with _explained(self.path):
            # Absolute, since the user's code may change the working folder.
            self._real = self.path.resolve()
            _check_place(self.path)
            predecessor = _opened_here(self._real)
            if predecessor is not None:
                opening.check_same(predecessor._connection, self.path, header)
                predecessor._end("another Study of this process has opened it since")
            held = _locked(self.path, header)
            try:
                self.domain = Domain.from_json(header.domain) if domain is None else domain
                self._connection, self._unread = _connect_to_write(self.path, header, self.domain)
                self.header = tables.header(self._connection, self.path)
                self.changes = tables.changes(self._connection, self.path)
                held.sign()
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
        from milbox.trials.journal.reading import read_journal  # which reads databases too

        header, _, trials = read_journal(path)
        return header, trials

    def trials(self) -> tuple[Trial, ...]:
        """Every trial of the file."""
        with self._usable():
            # Opening has read them to check them; nobody else writes the file.
            unread, self._unread = self._unread, None
            if unread is not None:
                return unread
            self._look()
            return opening.checked_trials(self._connection, self.path, self.domain)

    def changed(self, domain: Domain, header: Header, change: Change, trials: Sequence[Trial]) -> None:
        """Go on with another domain, in which the trials are these; it is on disk when this returns."""
        self._unread = None
        with self._usable(), _transaction(self._connection) as connection:
            tables.move(connection, self.path, header, change, trials)
        self._look(domain)

    def _look(self, like: Domain | None = None) -> None:
        """Read everything but the trials."""
        self.header = tables.header(self._connection, self.path)
        self.changes = tables.changes(self._connection, self.path)
        if self.domain.fingerprint != self.header.domain_fingerprint:
            same = like is not None and like.fingerprint == self.header.domain_fingerprint
            self.domain = like if same and like is not None else Domain.from_json(self.header.domain)

    def filled(self, changes: Sequence[Change], trials: Sequence[Trial]) -> None:
        """Write what another journal has into this one, which has no trials yet."""
        self._unread = None
        with self._usable(), _transaction(self._connection) as connection:
            tables.fill(connection, changes, trials)

    def asked(self, trials: Sequence[Trial]) -> None:
        """Add trials, all of them or none; they are on disk when this returns."""
        self._unread = None
        with self._usable(), _transaction(self._connection) as connection:
            for trial in trials:
                tables.insert(connection, trial)

    def told(self, trial: Trial, was: State = "pending") -> None:
        """Record what has become of a trial that was in some state; it is on disk when this returns."""
        self._unread = None
        with self._usable(), _transaction(self._connection) as connection:
            tables.change(connection, self.path, trial, was)

    def note(self, notes: Mapping[str, Any]) -> None:
        """Add to the header's notes, or change them."""
        with self._usable(), _transaction(self._connection) as connection:
            written = tables.header(connection, self.path)
            changed = {**written.notes, **notes}
            tables.note(connection, self.path, changed)
        self.header = replace(written, notes=changed)

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
def reading(path: Path) -> Iterator[FileConnection]:
    """A journal to read from: checked, and of one moment, whatever is written meanwhile."""
    with _explained(path):
        if not path.exists():
            raise JournalError(f"there is no journal {path}; check the name")
        _check_place(path)
        with contextlib.closing(_connect_to_read(path)) as connection:
            connection.execute("BEGIN")
            tables.check(connection, path)
            yield connection


@contextlib.contextmanager
def _transaction(connection: FileConnection) -> Iterator[FileConnection]:
    """A block whose writes are all on disk at its end, or none of them."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield connection
        connection.execute("COMMIT")
    except BaseException:
        # SQLite itself rolls back after some errors, a full disk among them.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _opened_here(real: Path) -> Journal | None:
    """The journal of this process that has a file open."""
    journal = _open.get(real)
    return journal if journal is not None and journal._pid == os.getpid() and not journal._closed else None


def _locked(path: Path, header: Header) -> lock.WriterLock:
    """The right to write a journal, which is created if there is none."""
    real = path.resolve()
    while True:
        held = lock.acquire(real, path) or _created(real, path, header)
        if held is not None:
            return held


def _created(real: Path, path: Path, header: Header) -> lock.WriterLock | None:
    """A new journal, locked; None if somebody else has just made one.

    It is made under another name and renamed: a process killed half-way leaves no half journal, and nobody
    else gets in, since the lock belongs to the file and not to its name.
    """
    draft = Path(f"{real}.new")
    held = lock.acquire(draft, path, create=True)
    if held is None:
        return None
    try:
        if real.exists():
            draft.unlink()
            held.release()
            return None
        os.ftruncate(held.descriptor, 0)
        Path(f"{draft}-journal").unlink(missing_ok=True)
        with contextlib.closing(FileConnection(draft, isolation_level=None)) as connection:
            connection.execute("PRAGMA synchronous = FULL")
            with _transaction(connection):
                tables.create(connection, header)
        draft.rename(real)
        system.flush_folder(real.parent)
    except BaseException:
        held.release()
        raise
    return held


def _connect_to_write(
    path: Path, header: Header, domain: Domain
) -> tuple[FileConnection, tuple[Trial, ...] | None]:
    """The file, checked, in the format of today, set up so that a commit is on disk; and its trials."""
    connection = _connect(path, "rw")
    try:
        # Before anything is set: this may be a file of another program, or damaged.
        tables.check(connection, path)
        opening.check_same(connection, path, header)
        trials = opening.checked_trials(connection, path, domain)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        with _transaction(connection):
            tables.upgrade(connection, path, trials)
    except BaseException:
        connection.close()
        raise
    return connection, trials


def _connect_to_read(path: Path) -> FileConnection:
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


def _connect(path: Path, mode: str) -> FileConnection:
    return FileConnection(
        f"{path.resolve().as_uri()}?mode={mode}",
        uri=True,
        timeout=10.0,
        isolation_level=None,
        check_same_thread=False,
    )


def _close(connection: FileConnection, held: lock.WriterLock) -> None:
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
    for folder in (path.parent, path.resolve().parent):  # of a link, and of what it leads to
        if not folder.is_dir():
            raise JournalError(f"the folder {folder} does not exist; create it, or choose another file")
    # Closing a file drops the locks that SQLite has on it in this process: one that is open is not touched.
    if not path.exists() or _opened_here(path.resolve()) is not None:
        return
    with path.open("rb") as file:
        start = file.read(512)  # the least that a database has
    if not start:
        raise JournalError(f"{path} is empty, which no journal is; delete it, or choose another file")
    if not start.startswith(DATABASE):
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
        words = " ".join(str(error).split())  # SQLite may quote a line of a table's definition
        raise JournalError(f"{path} cannot be used ({words}); {advice}") from error
    except UnicodeDecodeError as error:  # SQLite quotes names of tables and columns that are no text any more
        raise JournalError(f"{path} is damaged: its tables have lost their names; restore a copy") from error
    except OSError as error:
        raise JournalError(
            f"{path} cannot be used ({error.strerror or error}); check that it and its folder may be written"
        ) from error
