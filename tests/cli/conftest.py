"""Commands run in a folder of their own: once as a process, in variations within this one."""

import importlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from milbox.cli import main

# The contract's example; the objective is a function, so that one evaluation costs nothing.
PROBLEM = """\
[variables]
x  = { kind = "binary", size = 10 }
k  = { kind = "integer", low = 1, high = 8, size = 3 }
op = { kind = "categorical", choices = ["conv1", "conv3", "pool"] }
[[constraints]]
rule = "sum(x[0:5]) == sum(x[5:10])"
[[constraints]]
rule = "op == 'pool' -> k[0] <= 3"
[objective]
python = "measure:value"
sense = "maximize"
"""

MEASURE = """\
def value(x, k, op):
    return float(x[:3].sum() - x[7:].sum() + k[0] - abs(k[1] - 4) + len(op))
"""

TINY = """\
[variables]
a = { kind = "binary", size = 2 }
[[constraints]]
rule = "a[0] or a[1]"
[objective]
sense = "minimize"
"""


@dataclass(frozen=True)
class Ran:
    """What a command printed, and how it ended."""

    status: int
    output: str
    complaints: str

    @property
    def json(self) -> Any:
        """The last line of output, as JSON."""
        return json.loads(self.output.splitlines()[-1])


Milbox: TypeAlias = Callable[..., Ran]


def command(*arguments: str | Path) -> list[str]:
    """The command line that starts milbox as this test run has it."""
    return [sys.executable, "-m", "milbox", *map(str, arguments)]


@pytest.fixture
def process(tmp_path: Path) -> Milbox:
    """Run a command as a process in the test's own folder, and expect an exit status."""

    def run(*arguments: str | Path, status: int = 0) -> Ran:
        done = subprocess.run(
            command(*arguments),
            cwd=tmp_path,
            env={**os.environ, "COLUMNS": "100"},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        return checked(Ran(done.returncode, done.stdout, done.stderr), status)

    return run


@pytest.fixture
def milbox(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Milbox]:
    """The same within this process, which saves loading the libraries each time."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    paths = list(sys.path)

    def run(*arguments: str | Path, status: int = 0) -> Ran:
        sys.modules.pop("measure", None)  # each test has a module of this name, and may change it
        importlib.invalidate_caches()
        monkeypatch.setattr(sys, "argv", ["milbox", *map(str, arguments)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as end:
            main()
        output, complaints = capsys.readouterr()
        assert isinstance(end.value.code, int)
        return checked(Ran(end.value.code, output, complaints), status)

    yield run
    sys.path[:] = paths


def checked(ran: Ran, status: int) -> Ran:
    """The command's end, if it is the one expected."""
    assert ran.status == status, f"{ran.output}\n{ran.complaints}"
    assert "Traceback" not in ran.complaints
    return ran


@pytest.fixture
def problem(tmp_path: Path) -> Path:
    """The contract's example on disk."""
    (tmp_path / "measure.py").write_text(MEASURE)
    path = tmp_path / "p.toml"
    path.write_text(PROBLEM)
    return path


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    """Three points, to be measured by hand; small values are good."""
    path = tmp_path / "tiny.toml"
    path.write_text(TINY)
    return path
