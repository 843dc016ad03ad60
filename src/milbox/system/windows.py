"""What Windows offers: job objects, and locks of ranges of bytes.

A family of processes is a job, named by the number of its leader. Whatever a process of a job starts belongs
to the job, and the job ends when its last handle is closed, so that nothing outlives a leader or a run that
is killed. A lock is held by an open file and ends with it. The calls are those of kernel32, through ctypes.
"""

import ctypes
import errno
import importlib
import os
import signal
import subprocess
from collections.abc import Sequence
from ctypes import wintypes
from functools import cache
from pathlib import Path
from typing import Any

# A lock is one byte of a file, far beyond those that SQLite locks (from 2**30 on) and beyond any content:
# locks keep everybody from reading what they cover.
LOCKED_BYTE = 2**40

INTERRUPTS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGBREAK") if hasattr(signal, name)
)
"""Ctrl-C, a request to end, and Ctrl-Break, which a closed window sends too."""

CREATE_NEW_PROCESS_GROUP = 0x200  # Ctrl-C does not reach such a program
GENERIC_READ, GENERIC_WRITE = 0x80000000, 0x40000000
SHARE_ALL = 0x1 | 0x2 | 0x4  # others may read, write, and rename or delete
OPEN_EXISTING, OPEN_ALWAYS = 3, 4
FILE_NOT_FOUND, PATH_NOT_FOUND, LOCK_VIOLATION = 2, 3, 33
JOB_OBJECT_TERMINATE = 0x8
EXTENDED_LIMITS, KILL_ON_JOB_CLOSE = 9, 0x2000
INVALID_HANDLE = ctypes.c_void_p(-1).value

_WORD, _HANDLE, _TEXT, _TRUTH = wintypes.DWORD, wintypes.HANDLE, wintypes.LPCWSTR, wintypes.BOOL
_CALLS: dict[str, tuple[Any, list[Any]]] = {
    "CreateFileW": (_HANDLE, [_TEXT, _WORD, _WORD, ctypes.c_void_p, _WORD, _WORD, _HANDLE]),
    "LockFile": (_TRUTH, [_HANDLE, _WORD, _WORD, _WORD, _WORD]),
    "CreateJobObjectW": (_HANDLE, [ctypes.c_void_p, _TEXT]),
    "OpenJobObjectW": (_HANDLE, [_WORD, _TRUTH, _TEXT]),
    "SetInformationJobObject": (_TRUTH, [_HANDLE, ctypes.c_int, ctypes.c_void_p, _WORD]),
    "AssignProcessToJobObject": (_TRUTH, [_HANDLE, _HANDLE]),
    "TerminateJobObject": (_TRUTH, [_HANDLE, wintypes.UINT]),
    "GetCurrentProcess": (_HANDLE, []),
    "CloseHandle": (_TRUTH, [_HANDLE]),
}

# The jobs that this process has made, by their leaders.
_jobs: dict[int, int] = {}


class Limits(ctypes.Structure):
    """JOBOBJECT_EXTENDED_LIMIT_INFORMATION, of which only the flags are used."""

    _fields_ = (
        ("times", ctypes.c_int64 * 2),
        ("flags", ctypes.c_uint32),
        ("working_set", ctypes.c_size_t * 2),
        ("processes", ctypes.c_uint32),
        ("affinity", ctypes.c_size_t),
        ("classes", ctypes.c_uint32 * 2),
        ("transfers", ctypes.c_uint64 * 6),
        ("memory", ctypes.c_size_t * 4),
    )


@cache
def kernel() -> Any:
    """The library of the calls, with their types."""
    libraries: Any = ctypes  # which has WinDLL on Windows alone
    library = libraries.WinDLL("kernel32", use_last_error=True)
    for name, (result, arguments) in _CALLS.items():
        call = getattr(library, name)
        call.restype, call.argtypes = result, arguments
    return library


@cache
def runtime() -> Any:
    """The module that turns handles into descriptors, which exists on Windows alone."""
    return importlib.import_module("msvcrt")


def last_error() -> int:
    """The number of what went wrong in the last call."""
    numbers: Any = ctypes
    return int(numbers.get_last_error())


def start_family(arguments: Sequence[str], **settings: Any) -> "subprocess.Popen[bytes]":
    """A program at the head of a family of its own."""
    leader: Any = subprocess.Popen(arguments, creationflags=CREATE_NEW_PROCESS_GROUP, **settings)
    try:
        _make_job(leader.pid, int(leader._handle))
    except OSError:
        if leader.poll() is None:  # one that has ended already cannot be put into a job
            leader.kill()
            raise
    return leader  # type: ignore[no-any-return]


def kill_family(leader: int) -> None:
    """Kill every process of a family, without waiting."""
    job = _jobs.pop(leader, None) or kernel().OpenJobObjectW(JOB_OBJECT_TERMINATE, False, _name(leader))
    if job:
        kernel().TerminateJobObject(job, 1)
        kernel().CloseHandle(job)


def lead_family() -> None:
    """Make this process the head of a family; a Ctrl-C that reaches it all the same does nothing."""
    _make_job(os.getpid(), kernel().GetCurrentProcess())
    signal.signal(signal.SIGINT, lambda *_: None)


def end_with_family() -> None:
    """Kill this process, which leads a family, and all its members."""
    kill_family(os.getpid())


def shield_thread() -> None:
    """Do nothing: Ctrl-C is received by the main thread alone, and programs are in groups of their own."""


def open_file(path: Path, create: bool) -> int:
    """A file, open to be written and locked; others may rename and delete it meanwhile.

    A file that Python opens can be neither renamed nor deleted there, and a new journal is renamed while
    it is locked.
    """
    how = OPEN_ALWAYS if create else OPEN_EXISTING
    handle = kernel().CreateFileW(str(path), GENERIC_READ | GENERIC_WRITE, SHARE_ALL, None, how, 0, None)
    if handle in (None, INVALID_HANDLE):
        raise _failure(path)
    return int(runtime().open_osfhandle(handle, os.O_RDWR))


def lock_file(descriptor: int) -> bool:
    """Lock a file, unless another process has locked it; whether it is ours."""
    high, low = divmod(LOCKED_BYTE, 2**32)
    if kernel().LockFile(runtime().get_osfhandle(descriptor), low, high, 1, 0):
        return True
    if last_error() == LOCK_VIOLATION:
        return False
    raise _failure()


def sign_lock(descriptor: int) -> None:
    """Do nothing: Windows has no way to ask who has locked a file."""


def lock_holder(descriptor: int) -> int | None:
    """None: Windows does not tell."""


def flush_folder(folder: Path) -> None:
    """Do nothing: there is no such call for folders, and NTFS keeps a log of the changes of names."""


def _make_job(leader: int, process: int) -> None:
    """A job for a process and for whatever it starts from now on."""
    job = kernel().CreateJobObjectW(None, _name(leader))
    limits = Limits(flags=KILL_ON_JOB_CLOSE)
    if not (
        job
        and kernel().SetInformationJobObject(
            job, EXTENDED_LIMITS, ctypes.byref(limits), ctypes.sizeof(limits)
        )
        and kernel().AssignProcessToJobObject(job, process)
    ):
        failure = _failure()
        if job:
            kernel().CloseHandle(job)
        raise failure
    _jobs[leader] = job


def _name(leader: int) -> str:
    return f"Local\\milbox-{leader}"


def _failure(path: Path | None = None) -> OSError:
    """The error of the last call."""
    code = last_error()
    if code in (FILE_NOT_FOUND, PATH_NOT_FOUND):
        return FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path and str(path))
    return OSError(errno.EIO, f"Windows error {code}", path and str(path))
