"""Versions, processor and commit, kept with every journal of a benchmark."""

import importlib.metadata
import platform
import subprocess
from functools import lru_cache
from pathlib import Path

PACKAGES = ("milbox", "numpy", "scipy", "numba", "pyscipopt", "scikit-learn", "lightgbm", "rbfopt")


@lru_cache(maxsize=1)
def environment() -> dict[str, str]:
    """What a reader needs to know about this machine and this installation."""
    found = {"python": platform.python_version(), "system": platform.platform(), "processor": processor()}
    for package in PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    state = commit()
    if state is not None:
        found["commit"] = state
    return found


def processor() -> str:
    """The processor's name, where the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    named = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
    return named or platform.processor() or platform.machine()


def commit() -> str | None:
    """The commit this package is run from, marked when files differ from it; None outside a checkout."""
    folder = Path(__file__).resolve().parents[3]
    if not (folder / ".git").exists():
        return None
    try:
        command = ["git", "-C", str(folder), "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() or None
