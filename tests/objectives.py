"""Objectives over the domain `studies.shelf`, in a module that worker processes import in no time."""

import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import numpy as np


def score(x: Any, k: int) -> float:
    """No two points of the shelf have the same value; the best is x = (1, 0, 1), k = 4."""
    return float(np.sqrt(2) * x[0] - 0.7 * x[1] + 0.3 * x[2] - (k - 4.2) ** 2 / 3)


def threads(x: Any, k: int) -> float:
    """How many threads BLAS uses in the process that evaluates."""
    del x, k
    return float(os.environ.get("OPENBLAS_NUM_THREADS", "0"))


def die_once(mark: Path, x: Any, k: int) -> float:
    """Kill the process that evaluates k = 4 for the first time, in the hardest way."""
    if k == 4:
        try:
            mark.touch(exist_ok=False)
        except FileExistsError:
            pass
        else:
            os.kill(os.getpid(), signal.SIGKILL)
    return score(x, k)


def die_at(number: int, x: Any, k: int) -> float:
    """Kill the process that evaluates x = (1, 0, 1) and this k, every time."""
    if k == number and list(x) == [1, 0, 1]:
        os.kill(os.getpid(), signal.SIGKILL)
    return score(x, k)


def hang_at(number: int, mark: Path, x: Any, k: int) -> float:
    """Start a process and never come back, where k is this number."""
    if k == number:
        child = subprocess.Popen(["sleep", "600"])
        with mark.open("a") as file:
            file.write(f"{child.pid}\n")
        child.wait()
    return score(x, k)


def slow_at_zero(x: int) -> dict[str, float]:
    """An output that takes half a minute at zero."""
    if x == 0:
        time.sleep(30)
    return {"a": float(x)}
