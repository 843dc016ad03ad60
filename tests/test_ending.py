"""Runs that are interrupted end soon and leave no process behind; runs whose workers die end too."""

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from milbox.trials import Journal
from processes import ENVIRONMENT

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/environ").exists(), reason="processes are found in /proc"
)

HANG = 60.0
"""Seconds after which a run is taken to wait for what it should have ended: calls that sleep for 300 s."""

LIMIT = 2.0
"""Seconds from Ctrl-C until the last process is gone, where there is a core for whoever wants to compute.

Only long runs are held to it: a short one may meet a moment at which the machine has no core to spare.
"""


def limit() -> float:
    """The same on this machine now, where others may be waiting for the cores too."""
    return LIMIT * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


def kill_marked(mark: str) -> None:
    """Kill whatever is left."""
    for pid in marked(mark):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


COMMAND = """\
[variables]
x = { kind = "binary", size = 9 }
k = { kind = "integer", low = 0, high = 9 }
[objective]
command = ["sh", "measure.sh", "{k}"]
sense = "maximize"
"""

# Two processes in the background, one of which keeps standard output open; every fourth call is long.
MEASURE = """\
echo started >> started
sleep 300 &
sh -c 'sleep 300; true' > /dev/null 2>&1 &
if [ $1 -gt 6 ]; then sleep 300; fi
sleep 0.0$1
echo $1
"""

FUNCTION = """\
import subprocess, time

def value(x, k):
    with open("started", "a") as file:
        file.write("started\\n")
    if k > 6:
        subprocess.run(["sleep", "300"])
    time.sleep(k / 100)
    return k
"""

# Compiled code that gives the interpreter no chance to handle a signal, but lets other threads run.
BUSY = """\
import ctypes

def value(x, k):
    with open("started", "a") as file:
        file.write("started\\n")
    lock = ctypes.create_string_buffer(64)
    for _ in range(2):  # the second time waits for ever, whatever signals come
        ctypes.CDLL(None).pthread_mutex_lock(lock)
"""


def marked(mark: str) -> dict[int, str]:
    """The processes with a mark in their environment, and what they are."""
    found = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                if mark.encode() in (folder / "environ").read_bytes():
                    state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
                    if state != "Z":
                        found[int(folder.name)] = (folder / "cmdline").read_text().replace("\0", " ")
            except OSError:
                pass  # it has just ended
    return found


def interrupted(
    folder: Path,
    workers: int,
    moment: float,
    calls: int,
    how: signal.Signals = signal.SIGINT,
    group: bool = True,
) -> tuple[float, str]:
    """Start a run, interrupt it, and return the seconds until its last process was gone, and what it said."""
    mark = f"MARK={uuid.uuid4()}"
    name, _, value = mark.partition("=")
    arguments = ["run", "p.toml", "--budget", "400", "--initial", "400", "--workers", str(workers)]
    started = folder / "started"
    started.unlink(missing_ok=True)
    (folder / "p.db").unlink(missing_ok=True)
    run = subprocess.Popen(
        [sys.executable, "-m", "milbox", *arguments],
        cwd=folder,
        env={**ENVIRONMENT, name: value},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        while not (started.exists() and len(started.read_text().splitlines()) >= calls):
            assert run.poll() is None, run.communicate()
            time.sleep(0.005)
        time.sleep(moment)
        began = time.monotonic()
        # The terminal sends Ctrl-C to every process of its foreground group.
        (os.killpg if group else os.kill)(run.pid, how)
        said = run.communicate(timeout=HANG)[1]
        while (left := marked(mark)) and time.monotonic() < began + HANG:
            time.sleep(0.01)
        seconds = time.monotonic() - began
        assert not left, left
        assert run.returncode == 130, said
        return seconds, said
    finally:
        kill_marked(mark)
        run.wait()


def slowest_of(folder: Path, workers: int, times: int, **how: Any) -> float:
    """Interrupt a run so often, and return the most seconds until its last process was gone."""
    chance = random.Random(workers)
    slowest = 0.0
    for _ in range(times):
        # A long call is among the first few: more of them than workers may never start.
        seconds, said = interrupted(
            folder, workers, chance.uniform(0, 0.4), chance.randint(1, workers), **how
        )
        slowest = max(slowest, seconds)
        assert said.count("To go on:\n  milbox resume p.db") == 1, said
        assert said.count("\n") == 4, f"nothing else is said but that all points are random: {said}"
        assert all(trial.reason is None for trial in Journal.read(folder / "p.db")[1])
    print(f"{times} interrupts with {workers} workers: the slowest took {slowest:.2f} s")
    return slowest


def problem(folder: Path, kind: str) -> None:
    text = COMMAND
    if kind == "command":
        (folder / "measure.sh").write_text(MEASURE)
    else:
        text = text.replace('command = ["sh", "measure.sh", "{k}"]', 'python = "measure:value"')
        (folder / "measure.py").write_text({"function": FUNCTION, "busy": BUSY}[kind])
    (folder / "p.toml").write_text(text)


@pytest.mark.parametrize("kind", ["command", "function"])
@pytest.mark.parametrize("workers", [1, 2, 4])
def test_one_ctrl_c_ends_everything(tmp_path: Path, workers: int, kind: str) -> None:
    problem(tmp_path, kind)
    slowest_of(tmp_path, workers, 2)


@pytest.mark.full
@pytest.mark.parametrize("kind", ["command", "function"])
@pytest.mark.parametrize("workers", [1, 2, 4])
def test_one_ctrl_c_ends_everything_fifty_times(tmp_path: Path, workers: int, kind: str) -> None:
    problem(tmp_path, kind)
    assert slowest_of(tmp_path, workers, 50) <= limit()


@pytest.mark.parametrize("workers", [1, 2])
def test_compiled_code_does_not_keep_a_run_alive(tmp_path: Path, workers: int) -> None:
    problem(tmp_path, "busy")
    slowest_of(tmp_path, workers, 1)


@pytest.fixture
def no_nohup() -> Iterator[None]:
    """Hang-ups count, also where the tests themselves were started with nohup; children inherit that."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.mark.usefixtures("no_nohup")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("workers", [1, 2])
def test_a_signal_to_the_run_alone_ends_everything(tmp_path: Path, workers: int, how: signal.Signals) -> None:
    problem(tmp_path, "command")
    slowest_of(tmp_path, workers, 1, how=how, group=False)


DEATHS = """
import sys
from functools import partial
from objectives import die_at, score
from studies import Greedy, shelf
from milbox.run import maximize
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

if __name__ == "__main__":
    pool = ProcessPoolExecutor(4, mp_context=get_context("forkserver")) if sys.argv[1] == "pool" else None
    for k in (2, 4):
        objective = partial(die_at, k)
        result = maximize(objective, shelf(), 42, strategy=Greedy(), workers=4, executor=pool)
        print([trial.state for trial in result.trials].count("finished"), flush=True)
"""


def end_after_deaths(folder: Path, whose: str) -> float:
    """Run a script whose workers die, and return the seconds from its last line to its end."""
    script = folder / "deaths.py"
    script.write_text(DEATHS)
    mark = str(uuid.uuid4())
    with subprocess.Popen(
        [sys.executable, script, whose],
        env={**ENVIRONMENT, "MARK": mark},
        stdout=subprocess.PIPE,
        text=True,
    ) as run:
        assert run.stdout is not None
        try:
            assert [run.stdout.readline(), run.stdout.readline()] == ["41\n", "41\n"]
            began = time.monotonic()
            run.wait(HANG)
            ended = time.monotonic()
            while left := marked(mark):
                assert time.monotonic() < began + HANG, f"{ended - began:.1f} s to end, then left: {left}"
                time.sleep(0.01)
            return time.monotonic() - began
        finally:
            kill_marked(mark)


@pytest.mark.parametrize("whose", ["ours", "pool"])
def test_a_run_whose_workers_die_ends(tmp_path: Path, whose: str) -> None:
    end_after_deaths(tmp_path, whose)


@pytest.mark.full
@pytest.mark.parametrize("whose", ["ours", "pool"])
def test_a_run_whose_workers_die_ends_fifty_times(tmp_path: Path, whose: str) -> None:
    slowest = max(end_after_deaths(tmp_path, whose) for _ in range(50))
    print(f"50 runs with dying workers ({whose}): the slowest took {slowest:.2f} s to end")
    assert slowest <= 2 * limit()
    assert slowest <= 2 * limit()
