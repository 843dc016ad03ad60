"""Services of the operating system that Python does not offer everywhere: families of processes, locks.

A family is a process with everything it started, as far as that stayed together. Worker processes and the
programs that objectives call lead families of their own: a Ctrl-C on the terminal does not reach them, the
run decides what it means, and no member is left behind when a family is ended. Calls that some systems do
not have are made in `posix.py` and `windows.py`, which offer the same functions, and nowhere else.
"""

import contextlib
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

if sys.platform == "win32":
    from milbox.system import windows as own
else:
    from milbox.system import posix as own

INTERRUPTS = own.INTERRUPTS

# The leaders of families that this process has started and not ended. Whoever starts one holds the lock until
# it is listed, so that nothing is missed by whoever ends them all.
_leaders: set[int] = set()
_starting = threading.Lock()


def start_family(arguments: Sequence[str], **settings: Any) -> "subprocess.Popen[bytes]":
    """A program at the head of a family of its own; settings as for Popen."""
    with _starting:
        leader = own.start_family(arguments, **settings)
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
    own.kill_family(leader)


def kill_families() -> None:
    """Kill every family that this process has started, as its last act: it can start no other."""
    # Whoever is starting a program lets go of the lock as soon as it is listed.
    _starting.acquire(timeout=1.0)
    for leader in _leaders:
        kill_family(leader)


def lead_family() -> None:
    """Make this process the head of a family; a Ctrl-C that reaches it all the same does nothing."""
    own.lead_family()


def end_own_family() -> None:
    """Kill this process, which leads a family, with all families that it has started."""
    kill_families()
    own.end_with_family()


def shield_thread() -> None:
    """Keep Ctrl-C from this thread and from the processes it starts; the main thread still receives it."""
    own.shield_thread()


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


def open_file(path: Path, create: bool) -> int:
    """A file, open to be written and locked; its name may change meanwhile."""
    return own.open_file(path, create)


def lock_file(descriptor: int) -> bool:
    """Lock a file that is open to be written, unless another process has locked it; whether it is ours.

    The kernel takes the lock back when the descriptor is closed and when the process ends, however it ends.
    It stays when the process closes other descriptors of the same file, as SQLite does. Nobody who only reads
    is kept from it.
    """
    return own.lock_file(descriptor)


def sign_lock(descriptor: int) -> None:
    """Let others know who has locked a file, where the system can tell."""
    own.sign_lock(descriptor)


def lock_holder(descriptor: int) -> int | None:
    """The process that has locked a file; None when it is unknown, or nobody has."""
    return own.lock_holder(descriptor)


def flush_folder(folder: Path) -> None:
    """Bring a new name in a folder to disk."""
    own.flush_folder(folder)
