"""What each operating system does in its own way is behind one seam, `milbox.system`.

The tests of journals, workers and interrupts run the module of the system they are on. Here the module for
Windows runs on others too, on a kernel32 whose files and locks are the real ones of POSIX and whose jobs are
a list of calls: that holds what milbox asks of Windows, not what Windows answers.
"""

import ctypes
import inspect
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import milbox as mb
from milbox import system
from milbox.errors import JournalError
from milbox.system import windows
from pages import ROOT

fcntl = pytest.importorskip("fcntl", reason="stands in for the locks of Windows")
from milbox.system import posix  # noqa: E402  which needs fcntl

DOMAIN = mb.Domain([mb.binary("x", 4)])
READY = "print('ready', flush=True); input()"
OTHER = f"""
import milbox as mb
study = mb.Study(mb.Domain([mb.binary("x", 4)]), journal=__import__("sys").argv[1])
{READY}
"""


class Kernel32:
    """Calls of kernel32, and of msvcrt, with descriptors as handles."""

    def __init__(self) -> None:
        self.error = 0
        self.jobs: dict[int, str] = {}
        self.calls: list[tuple[Any, ...]] = []

    def CreateFileW(self, name: str, access: int, share: int, _: None, how: int, *__: Any) -> int | None:  # noqa: N802
        assert access == 0xC0000000
        assert share == 7, "a journal is renamed while it is locked"
        try:
            return os.open(name, os.O_RDWR | (os.O_CREAT if how == windows.OPEN_ALWAYS else 0), 0o666)
        except FileNotFoundError:
            self.error = windows.FILE_NOT_FOUND
            return windows.INVALID_HANDLE

    def LockFile(self, handle: int, low: int, high: int, size: int, more: int) -> bool:  # noqa: N802
        assert (size, more) == (1, 0)
        try:
            fcntl.fcntl(handle, posix.REQUEST.set_lock, posix.REQUEST.pack((high << 32) + low))
        except BlockingIOError:
            self.error = windows.LOCK_VIOLATION
        except OSError:
            self.error = 5
        else:
            return True
        return False

    def open_osfhandle(self, handle: int, flags: int) -> int:
        assert flags == os.O_RDWR
        return handle

    def get_osfhandle(self, descriptor: int) -> int:
        return descriptor

    def CreateJobObjectW(self, _: None, name: str) -> int:  # noqa: N802
        self.jobs[100 + len(self.jobs)] = name
        return max(self.jobs)

    def OpenJobObjectW(self, access: int, inherited: bool, name: str) -> int | None:  # noqa: N802
        assert (access, inherited) == (windows.JOB_OBJECT_TERMINATE, False)
        return next((job for job, known in self.jobs.items() if known == name), None)

    def SetInformationJobObject(self, job: int, kind: int, limits: Any, size: int) -> bool:  # noqa: N802
        self.calls.append(("limit", job, kind, limits._obj.flags, size))
        return True

    def AssignProcessToJobObject(self, job: int, process: int) -> bool:  # noqa: N802
        self.calls.append(("assign", job, process))
        return True

    def TerminateJobObject(self, job: int, status: int) -> bool:  # noqa: N802
        self.calls.append(("terminate", job, status))
        return True

    def CloseHandle(self, job: int) -> bool:  # noqa: N802
        self.calls.append(("close", job))
        return True


@pytest.fixture
def kernel(monkeypatch: pytest.MonkeyPatch) -> Kernel32:
    """The seam on the module for Windows."""
    made = Kernel32()
    monkeypatch.setattr(windows, "kernel", lambda: made)
    monkeypatch.setattr(windows, "runtime", lambda: made)
    monkeypatch.setattr(windows, "last_error", lambda: made.error)
    monkeypatch.setattr(windows, "_jobs", {})
    monkeypatch.setattr(system, "own", windows)
    return made


def functions(module: ModuleType) -> dict[str, inspect.Signature]:
    return {
        name: inspect.signature(each)
        for name, each in vars(module).items()
        if inspect.isfunction(each) and each.__module__ == module.__name__ and name[0] != "_"
    }


def test_both_modules_offer_what_the_seam_calls() -> None:
    assert system.own is posix
    used = set(re.findall(r"\bown\.(\w+)", Path(system.__file__).read_text()))
    assert len(used) > 8
    ours, theirs = functions(posix), functions(windows)
    for name in used - {"INTERRUPTS"}:
        assert ours[name] == theirs[name], name
    assert set(ours) == used - {"INTERRUPTS"}


def test_only_these_modules_make_calls_of_one_system() -> None:
    text = re.compile(
        r"\b(fcntl|killpg|setsid|pthread_sigmask|start_new_session|O_CLOEXEC|SIGHUP|SIGKILL|msvcrt|WinDLL)\b"
    )
    source = ROOT / "src" / "milbox"
    files = {str(path.relative_to(source)) for path in source.rglob("*.py") if text.search(path.read_text())}
    assert files == {"system/posix.py", "system/windows.py"}


def test_windows_imports_nothing_of_posix() -> None:
    """The names of the system and of its missing modules are changed before milbox is imported."""
    code = """
import ctypes.wintypes, importlib, signal, subprocess, sys, threading
sys.modules["fcntl"] = None
sys.platform = "win32"
import milbox.system
assert milbox.system.own.__name__ == "milbox.system.windows"
assert "milbox.system.posix" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_a_journal_has_one_writer(kernel: Kernel32, tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    study = mb.Study(DOMAIN, journal=path)
    study.tell(study.ask().number, 1.0)
    refused = subprocess.run(
        [sys.executable, "-c", OTHER, path], capture_output=True, text=True, timeout=60, check=False
    )
    assert "run.db is in use by another process" in refused.stderr
    assert len(mb.trials.record.read_record(path).trials) == 1, "readers read"
    study.close()
    with subprocess.Popen(
        [sys.executable, "-c", OTHER, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"ready\n"
        with pytest.raises(JournalError, match="in use by another process"):
            mb.Study(DOMAIN, journal=path)
        other.kill()
    again = mb.Study(DOMAIN, journal=path)
    assert len(again.trials) == 1
    again.close()


def test_a_disk_without_locks_is_named(
    kernel: Kernel32, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def not_supported(*_: int) -> bool:
        kernel.error = 50
        return False

    monkeypatch.setattr(kernel, "LockFile", not_supported)
    with pytest.raises(JournalError, match=r"cannot be locked \(Windows error 50\)"):
        mb.Study(DOMAIN, journal=tmp_path / "run.db")


def test_a_program_s_family_is_a_job(kernel: Kernel32, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[tuple[list[str], dict[str, Any]]] = []

    def popen(arguments: list[str], **settings: Any) -> Any:
        started.append((arguments, settings))
        return SimpleNamespace(pid=4711, _handle=8, wait=lambda _: 0)

    monkeypatch.setattr(subprocess, "Popen", popen)
    leader = system.start_family(["simulate"], cwd="there")
    assert started == [(["simulate"], {"creationflags": 0x200, "cwd": "there"})]
    assert kernel.jobs == {100: "Local\\milbox-4711"}
    assert kernel.calls == [("limit", 100, 9, 0x2000, ctypes.sizeof(windows.Limits)), ("assign", 100, 8)]
    kernel.calls.clear()
    system.end_family(leader)
    assert kernel.calls == [("terminate", 100, 1), ("close", 100)]


@pytest.mark.parametrize("status", [0, None])
def test_a_program_that_is_no_job(
    kernel: Kernel32, monkeypatch: pytest.MonkeyPatch, status: int | None
) -> None:
    """One that has ended already has no family; any other is not left to itself."""
    killed: list[int] = []
    program = SimpleNamespace(
        pid=4711, _handle=8, poll=lambda: status, kill=lambda: killed.append(4711), wait=lambda _: 0
    )
    kernel.error = 5
    monkeypatch.setattr(kernel, "AssignProcessToJobObject", lambda *_: False)
    monkeypatch.setattr(kernel, "OpenJobObjectW", lambda *_: None)
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: program)
    if status is None:
        with pytest.raises(OSError, match="Windows error 5"):
            system.start_family(["simulate"])
    else:
        system.end_family(system.start_family(["simulate"]))
    assert killed == ([4711] if status is None else [])
    assert kernel.calls[-1] == ("close", 100)


def test_a_worker_s_family_is_found_by_its_number(kernel: Kernel32) -> None:
    kernel.jobs[7] = "Local\\milbox-42"
    system.kill_family(42)
    system.kill_family(43)
    assert kernel.calls == [("terminate", 7, 1), ("close", 7)]


def test_a_family_that_cannot_be_made_is_an_error(kernel: Kernel32, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel.error = 5
    refuse: Callable[..., bool] = lambda *_: False  # noqa: E731
    monkeypatch.setattr(kernel, "AssignProcessToJobObject", refuse)
    monkeypatch.setattr(kernel, "GetCurrentProcess", lambda: -1, raising=False)
    with pytest.raises(OSError, match="Windows error 5"):
        system.lead_family()


@pytest.mark.skipif(ctypes.sizeof(ctypes.c_void_p) != 8, reason="the layout of 64 bits")
def test_structures_are_laid_out_as_the_systems_have_them() -> None:
    assert (ctypes.sizeof(windows.Limits), windows.Limits.flags.offset) == (144, 16)
    packed = posix.MACOS.pack(5)
    assert len(packed) == 24
    assert posix.MACOS.unpack(packed) == {
        "start": 5, "length": 1, "process": 0, "type": fcntl.F_WRLCK, "whence": 0,
    }  # fmt: skip
    assert packed[:8] == (5).to_bytes(8, sys.byteorder)
    if sys.platform == "linux":
        assert posix.LINUX.set_lock == fcntl.F_OFD_SETLK
