"""Who may write a journal? One process: whoever holds the lock on the file beside it."""

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path

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

    path: Path
    descriptor: int
    pid: int

    def release(self) -> None:
        """Let another process write; removes the lock file."""
        if self.descriptor not in _held or self.pid != os.getpid():
            return
        _held.discard(self.descriptor)
        # Removed while it is still locked: see the comparison in `acquire`.
        with contextlib.suppress(OSError):
            self.path.unlink()
        os.close(self.descriptor)


def acquire(journal: Path) -> WriterLock:
    """The right to write a journal, or a JournalError that says who has it."""
    try:
        import fcntl
    except ImportError:
        raise JournalError(
            f"{journal} cannot be locked: this system has no POSIX file locks; run without a journal"
        ) from None

    # The journal may be reached by several names; the lock may not.
    path = Path(f"{journal.resolve()}.lock")
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Whoever held it before may have removed the file between our open and our lock: then what we
            # hold is a file without a name, and the next process would lock another one.
            current = _same_file(path, descriptor)
        except BlockingIOError:
            holder = os.pread(descriptor, 32, 0).decode(errors="replace").strip()
            os.close(descriptor)
            owner = f"process {holder}" if holder.isdigit() else "another process"
            raise JournalError(
                f"{journal} is in use by {owner}; a journal has one writer: wait until that run has ended "
                f"or stop it, or choose another file"
            ) from None
        except BaseException:
            os.close(descriptor)
            raise
        if current:
            break
        os.close(descriptor)
    # The number is a courtesy to whoever is refused; a full disk must not stop us here.
    with contextlib.suppress(OSError):
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, str(os.getpid()).encode(), 0)
    _held.add(descriptor)
    return WriterLock(path, descriptor, os.getpid())


def _same_file(path: Path, descriptor: int) -> bool:
    """Whether a path still names the file behind a descriptor."""
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False
