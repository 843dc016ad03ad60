"""How do tests run a command? As a process of its own, in a folder of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import pytest

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
def milbox(tmp_path: Path) -> Milbox:
    """Run a command in the test's own folder, and expect an exit status."""

    def run(*arguments: str | Path, status: int = 0, **environment: str) -> Ran:
        done = subprocess.run(
            command(*arguments),
            cwd=tmp_path,
            env={**os.environ, "COLUMNS": "100", **environment},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == status, f"{done.stdout}\n{done.stderr}"
        assert "Traceback" not in done.stderr
        return Ran(done.returncode, done.stdout, done.stderr)

    return run


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
