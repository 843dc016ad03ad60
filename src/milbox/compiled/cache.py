"""The folder where compiled kernels are kept between processes.

It is named by one stamp over the sources of all kernels and the version of numba: after a change in any of
them the folder is another one, and kernels are compiled anew. numba by itself looks at the date of one file,
that of the function that is called, and not at those of the functions it calls.
"""

import functools
import hashlib
import os
import re
import shutil
import stat
import sys
import tempfile
import time
import warnings
from importlib.metadata import version
from pathlib import Path

PACKAGE = Path(__file__).parent.parent
IMPORTED = re.compile(r"^(?:from|import) milbox\.([\w.]+)", re.MULTILINE)

FORGOTTEN = 30 * 24 * 3600.0
"""Seconds after which a folder of another stamp is removed, once a new one is made beside it."""


@functools.cache
def folder() -> Path | None:
    """The first folder that can be written to; None when there is none, and nothing can be kept.

    `NUMBA_CACHE_DIR` has a say; else it is beside the package, or among the user's caches. Where none of
    these can be written to, a temporary folder takes their place, with a warning.
    """
    given = os.environ.get("NUMBA_CACHE_DIR")
    places = [Path(given)] if given else [PACKAGE / "__pycache__", *user_cache()]
    for place in places:
        if is_writable(place / f"kernels-{stamp()}"):
            return place / f"kernels-{stamp()}"
    trouble = f"compiled code cannot be kept in {' or '.join(map(str, places))}"
    try:
        found = temporary() / f"kernels-{stamp()}"
    except OSError:
        warnings.warn(f"{trouble}: it is compiled again in every process", RuntimeWarning, stacklevel=2)
        return None
    warnings.warn(
        f"{trouble}: it is kept in {found.parent}. NUMBA_CACHE_DIR can name another folder",
        RuntimeWarning,
        stacklevel=2,
    )
    return found if is_writable(found) else None


@functools.cache
def stamp() -> str:
    """A hash of the sources of all kernels and of numba's version."""
    known = hashlib.sha256(version("numba").encode())
    for file, text in sources().items():
        known.update(f"\n{file.relative_to(PACKAGE).as_posix()}\n{text}".encode())
    return known.hexdigest()[:16]


def sources() -> dict[Path, str]:
    """Every file that has kernels, and what those import of the package when they are imported themselves."""
    texts = {file: file.read_text("utf-8") for file in sorted(PACKAGE.rglob("*.py"))}
    pending = [file for file, text in texts.items() if "compiled.jit" in IMPORTED.findall(text)]
    needed: set[Path] = set()
    while pending:
        file = pending.pop()
        if file in needed or file not in texts:
            continue
        needed.add(file)
        for name in IMPORTED.findall(texts[file]):
            module = PACKAGE.joinpath(*name.split("."))
            # Of a package any module may be meant.
            pending += module.rglob("*.py") if module.is_dir() else [module.with_suffix(".py")]
    return {file: text for file, text in texts.items() if file in needed}


def user_cache() -> list[Path]:
    """This user's cache folder for programs; empty without a home."""
    home = Path(os.path.expanduser("~"))
    default = {"win32": home / "AppData" / "Local", "darwin": home / "Library" / "Caches"}
    base = Path(os.environ.get("XDG_CACHE_HOME") or default.get(sys.platform, home / ".cache"))
    return [base / "milbox"] if base.is_absolute() else []


def temporary() -> Path:
    """A folder among temporary files that is this user's alone: what is in it will be run."""
    user = getattr(os, "getuid", lambda: 0)()
    place = Path(tempfile.gettempdir()) / f"milbox-{user}"
    place.mkdir(mode=0o700, exist_ok=True)
    found = place.lstat()
    is_own = stat.S_ISDIR(found.st_mode) and found.st_uid == user and not found.st_mode & 0o077
    if is_own or sys.platform == "win32":
        return place
    return Path(tempfile.mkdtemp(prefix="milbox-"))


def is_writable(place: Path) -> bool:
    """Whether files can be made in the folder, which is made if it is missing."""
    try:
        if not place.is_dir():
            place.mkdir(parents=True, exist_ok=True)
            remove_forgotten(place)
        with tempfile.TemporaryFile(dir=place):
            return True
    except OSError:
        return False


def remove_forgotten(place: Path) -> None:
    """Remove folders of other stamps in which nothing was written for long."""
    for other in place.parent.glob("kernels-*"):
        if other.stat().st_mtime < time.time() - FORGOTTEN:
            shutil.rmtree(other, ignore_errors=True)
