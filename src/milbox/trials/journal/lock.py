"""A journal has one writer: the process that holds the lock on the journal itself.

There is no lock file that could be deleted, copied or left behind. Readers need no lock.
"""

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path

from milbox import system
from milbox.errors import JournalError

# A forked child inherits the descriptor and, with it, the lock: were it to outlive a killed parent, the
# journal would stay locked. So children close what they inherit.
_held: set[int] = set()


def _forget_in_child() -> None:
    for descriptor in _held:
        with contextlib.suppress(OSError):
            os.close(descriptor)
    _held.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_in_child)


@dataclass(frozen=True, slots=True)
class WriterLock:
    """An exclusive lock that the kernel takes back when its process ends, however it ends."""

    descriptor: int
    pid: int

    def sign(self) -> None:
        """Let whoever is refused know which process has the lock."""
        system.sign_lock(self.descriptor)

    def release(self) -> None:
        """Let another process write."""
        if self.descriptor in _held and self.pid == os.getpid():
            _held.discard(self.descriptor)
            os.close(self.descriptor)


def acquire(file: Path, journal: Path, *, create: bool = False) -> WriterLock | None:
    """The right to write a file; None if it vanished meanwhile; a JournalError if another process has it.

    Args:
        file: the journal, or the draft of one.
        journal: the name for errors.
        create: whether to make the file when there is none.
    """
    try:
        descriptor = system.open_file(file, create)
    except FileNotFoundError:
        if create:  # the folder is gone, or takes no files
            raise
        return None
    try:
        ours = system.lock_file(descriptor)
        if not ours:
            holder = system.lock_holder(descriptor)
            owner = "another process" if holder is None else f"process {holder}"
            raise JournalError(
                f"{journal} is in use by {owner}; a journal has one writer: wait until that run has ended "
                f"or stop it, or choose another file"
            )
        # Whoever had the lock before may have renamed or removed the file between our open and our lock.
        if not _same_file(file, descriptor):
            os.close(descriptor)
            return None
    except OSError as error:
        os.close(descriptor)
        raise JournalError(
            f"{journal} cannot be locked ({error.strerror or error}); put it on a disk of this computer"
        ) from error
    except BaseException:
        os.close(descriptor)
        raise
    _held.add(descriptor)
    return WriterLock(descriptor, os.getpid())


def _same_file(path: Path, descriptor: int) -> bool:
    """Whether a path still names the file behind a descriptor."""
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False
