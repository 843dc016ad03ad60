"""Plans, results and commands for the tests of benchmarks."""

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

import pytest

Command: TypeAlias = Callable[..., "subprocess.CompletedProcess[str]"]

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def bench() -> Command:
    """`milbox bench ...` as a process."""

    def run(*arguments: str | Path, **environment: str) -> "subprocess.CompletedProcess[str]":
        command: Sequence[str] = [sys.executable, "-m", "milbox", "bench", *map(str, arguments)]
        return subprocess.run(
            command, cwd=ROOT, env=os.environ | environment, capture_output=True, text=True, check=False
        )

    return run


@pytest.fixture
def written(tmp_path: Path) -> Callable[..., Path]:
    """Write a plan; values that are given replace those of a small one, None leaves a key out."""

    def write(**changes: object) -> Path:
        plan = {
            "budget": 14,
            "initial": 10,
            "trials": 1,
            "problems": ["bbob/sphere"],
            "algorithms": ["regevo"],
        } | changes
        path = tmp_path / "plan.toml"
        lines = [f"{key} = {value!r}" for key, value in plan.items() if value is not None]
        path.write_text("\n".join(lines).replace("True", "true"))
        return path

    return write
