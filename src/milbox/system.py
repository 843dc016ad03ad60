"""Services of the operating system that Python does not offer everywhere: families of processes, locks.

A family is a process with everything it started, as far as that stayed in its process group. Worker processes
and the programs that objectives call lead families of their own: a Ctrl-C on the terminal does not reach
them, the run decides what it means, and no member is left behind when a family is ended. Calls that exist on
POSIX alone are made in this module and nowhere else.
"""

import contextlib
import errno
import fcntl
import os
import signal
import struct
import subprocess
import threading
from collections.abc import Iterator, Sequence
from multiprocessing import resource_tracker
from typing import Any

# A lock is one byte of a file, far beyond those that SQLite locks (from 2**30 on) and beyond any content.
LOCKED_BYTE = 2**40
# struct flock: type, whence, start, length, process.
_FLOCK = "hhqqi"

INTERRUPTS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Ctrl-C, a request to end, and the terminal that was closed."""

# The leaders of families that this process has started and not ended. Whoever starts one holds the lock until
# it is listed, so that nothing is missed by whoever ends them all.
_leaders: set[int] = set()
_starting = threading.Lock()


def start_family(arguments: Sequence[str], **settings: Any) -> "subprocess.Popen[bytes]":
    """A program at the head of a family of its own; settings as for Popen."""
    with _starting:
        leader = subprocess.Popen(arguments, start_new_session=True, **settings)
        _leaders.add(leader.pid)
    return leader


def end_family(leader: "subprocess.Popen[bytes]", patience: float = 1.0) -> None:
    """Kill a program and its family, also when the program itself has ended already."""
    kill_family(leader.pid)
    _leaders.discard(leader.pid)
    # A process that the kernel cannot end yet, such as one waiting for a dead disk, is left to it.
    with contextlib.suppress(subprocess.TimeoutExpired):
        leader.wait(patience)


def kill_family(leader: int) -> None:
    """Kill every process of a family, without waiting."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)


def kill_families() -> None:
    """Kill every family that this process has started, as its last act: it can start no other."""
    # Whoever is starting a program lets go of the lock as soon as it is listed.
    _starting.acquire(timeout=1.0)
    for leader in _leaders:
        kill_family(leader)


def lead_family() -> None:
    """Make this process the head of a family; a Ctrl-C that reaches it all the same does nothing."""
    os.setsid()
    # A function and not SIG_IGN, which programs started from here would inherit.
    signal.signal(signal.SIGINT, lambda *_: None)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def end_own_family() -> None:
    """Kill this process, which leads a family, with all families that it has started."""
    kill_families()
    os.killpg(0, signal.SIGKILL)


def shield_thread() -> None:
    """Keep Ctrl-C from this thread and from the processes it starts; the main thread still receives it."""
    resource_tracker.ensure_running()  # which unblocks the signal in whatever thread is the first to need it
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


@contextlib.contextmanager
def interrupts_held() -> Iterator[None]:
    """Let a few lines run to their end: an interrupt that comes meanwhile is delivered after them."""
    if threading.current_thread() is not threading.main_thread():
        yield  # Python handles signals in its main thread only
        return
    came: list[int] = []
    before = {number: signal.getsignal(number) for number in INTERRUPTS}
    held = {number: handler for number, handler in before.items() if callable(handler)}
    try:
        for number in held:
            signal.signal(number, lambda number, _: came.append(number))
        yield
    finally:
        for number, handler in held.items():
            signal.signal(number, handler)
        if came:
            signal.raise_signal(came[0])


@contextlib.contextmanager
def requests_as_interrupts() -> Iterator[None]:
    """Treat a request to end, and a terminal that was closed, as a Ctrl-C."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    default = {n: signal.SIG_DFL for n in INTERRUPTS if signal.getsignal(n) == signal.SIG_DFL}
    for number in default:
        signal.signal(number, signal.default_int_handler)
    try:
        yield
    finally:
        for number, handler in default.items():
            signal.signal(number, handler)


def signal_text(number: int) -> str:
    """A signal by its name, or by its number where it has none."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def lock_file(descriptor: int) -> bool:
    """Lock a file that is open to be written, unless another process has locked it; whether it is ours.

    The kernel takes the lock back when the descriptor is closed and when the process ends, however it ends.
    Locks of the open file (OFD) stay when the process closes other descriptors of the same file, as SQLite
    does. Nobody who only reads is kept from it.
    """
    wanted = struct.pack(_FLOCK, fcntl.F_WRLCK, os.SEEK_SET, LOCKED_BYTE, 1, 0)
    try:
        fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, wanted)
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
    asked = struct.pack(_FLOCK, fcntl.F_WRLCK, os.SEEK_SET, LOCKED_BYTE + 1, 1, 0)
    kind, _, _, _, process = struct.unpack(_FLOCK, fcntl.fcntl(descriptor, fcntl.F_GETLK, asked))
    return process if kind != fcntl.F_UNLCK and process > 0 else None
