"""What Linux and macOS offer: sessions, signals, locks of open files.

A family of processes is a session with its process group.
"""

import contextlib
import errno
import fcntl
import os
import signal
import struct
import subprocess
import sys
from collections.abc import Sequence
from multiprocessing import resource_tracker
from pathlib import Path
from typing import Any, NamedTuple

# A lock is one byte of a file, far beyond those that SQLite locks (from 2**30 on) and beyond any content.
LOCKED_BYTE = 2**40

INTERRUPTS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Ctrl-C, a request to end, and the terminal that was closed."""


class Request(NamedTuple):
    """The `struct flock` of an operating system, and the number of the call that locks an open file."""

    layout: str
    fields: tuple[str, ...]
    set_lock: int

    def pack(self, start: int) -> bytes:
        """A request to lock the byte at a place of the file."""
        values = {"type": fcntl.F_WRLCK, "whence": os.SEEK_SET, "start": start, "length": 1, "process": 0}
        return struct.pack(self.layout, *(values[field] for field in self.fields))

    def unpack(self, answer: bytes) -> dict[str, int]:
        """An answer, by the names of its fields."""
        return dict(zip(self.fields, struct.unpack(self.layout, answer), strict=True))


LINUX = Request("hhqqi", ("type", "whence", "start", "length", "process"), 37)
# Python's fcntl does not name the call there: F_OFD_SETLK of <sys/fcntl.h>.
MACOS = Request("qqihh", ("start", "length", "process", "type", "whence"), 90)
REQUEST = MACOS if sys.platform == "darwin" else LINUX


def start_family(arguments: Sequence[str], **settings: Any) -> "subprocess.Popen[bytes]":
    """A program at the head of a family of its own."""
    return subprocess.Popen(arguments, start_new_session=True, **settings)


def kill_family(leader: int) -> None:
    """Kill every process of a family, without waiting."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)


def lead_family() -> None:
    """Make this process the head of a family; a Ctrl-C that reaches it all the same does nothing."""
    os.setsid()
    # A function and not SIG_IGN, which programs started from here would inherit.
    signal.signal(signal.SIGINT, lambda *_: None)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def end_with_family() -> None:
    """Kill this process, which leads a family, and all its members."""
    os.killpg(0, signal.SIGKILL)


def shield_thread() -> None:
    """Keep Ctrl-C from this thread and from the processes it starts; the main thread still receives it."""
    resource_tracker.ensure_running()  # which unblocks the signal in whatever thread is the first to need it
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


def open_file(path: Path, create: bool) -> int:
    """A file, open to be written and locked; others may rename and delete it meanwhile."""
    return os.open(path, os.O_RDWR | os.O_CLOEXEC | (os.O_CREAT if create else 0), 0o666)


def lock_file(descriptor: int) -> bool:
    """Lock a file, unless another process has locked it; whether it is ours.

    Locks of the open file (OFD) stay when the process closes other descriptors of the same file, as SQLite
    does.
    """
    try:
        fcntl.fcntl(descriptor, REQUEST.set_lock, REQUEST.pack(LOCKED_BYTE))
    except OSError as error:
        if error.errno in (errno.EAGAIN, errno.EACCES):
            return False
        raise
    return True


def sign_lock(descriptor: int) -> None:
    """Let others know who has locked a file.

    Such a lock of the process tells its number to whoever asks. It is lost when the process closes another
    descriptor of the file, which does no harm: then nobody knows the number.
    """
    with contextlib.suppress(OSError):
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, LOCKED_BYTE + 1)


def lock_holder(descriptor: int) -> int | None:
    """The process that has locked a file; None when it is unknown, or nobody has."""
    answer = fcntl.fcntl(descriptor, fcntl.F_GETLK, REQUEST.pack(LOCKED_BYTE + 1))
    lock = REQUEST.unpack(answer)
    return lock["process"] if lock["type"] != fcntl.F_UNLCK and lock["process"] > 0 else None


def flush_folder(folder: Path) -> None:
    """Bring a new name in a folder to disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
