"""Compiled code is found where it is kept, is never stale, and no time limit pays for compiling it."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numba
import pytest

import milbox
from milbox.compiled import cache
from milbox.domain.diagrams import walks
from milbox.inner.climb import kernel as climb_kernel
from milbox.inner.evolution import kernels as evolution_kernels
from milbox.inner.search import tree
from milbox.surrogates.relu import descent
from milbox.surrogates.trees import leaves

TRAIN = """
import numpy as np
from milbox.surrogates.relu.adam import train
rng = np.random.default_rng(0)
layers = [(rng.normal(size=(4, 3)), np.zeros(3)), (rng.normal(size=(3, 1)), np.zeros(1))]
print(train(layers, np.eye(4), np.arange(4.0), steps=5)[0][0].tobytes().hex())
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of the package that was never compiled."""
    source, ignored = Path(str(milbox.__file__)).parent, shutil.ignore_patterns("__pycache__")
    return Path(shutil.copytree(source, tmp_path / "home" / "milbox", ignore=ignored))


def run(script: str, package: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a script with the copy, in its folder, and without other folders for compiled code."""
    names = ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME")
    known = {name: value for name, value in os.environ.items() if name not in names}
    return subprocess.run(
        [sys.executable, "-c", script],
        cwd=package.parent,
        env={**known, "PYTHONPATH": str(package.parent), **environment},
        capture_output=True,
        text=True,
        check=True,
    )


def compiled(folder: Path) -> list[Path]:
    return sorted(folder.glob("**/*.nbc"))


def test_the_stamp_is_over_every_file_that_compiled_code_comes_from() -> None:
    files = set(cache.sources())
    seen = set()
    for module in (tree, walks, climb_kernel, evolution_kernels, descent, leaves):
        pending = [value for value in vars(module).values() if hasattr(value, "py_func")]
        while pending:
            function = pending.pop().py_func
            if function not in seen:
                seen.add(function)
                used = [function.__globals__.get(name) for name in function.__code__.co_names]
                pending += [value for value in used if isinstance(value, numba.core.registry.CPUDispatcher)]
    sources = {Path(function.__code__.co_filename) for function in seen}
    assert len(sources) > 9
    assert sources <= files
    assert Path(str(milbox.__file__)).parent / "surrogates" / "relu" / "lanes.py" in files


def test_a_change_in_any_kernel_file_is_compiled(package: Path, tmp_path: Path) -> None:
    before = run(TRAIN, package).stdout
    assert run(TRAIN, package).stdout == before
    # Training is compiled as `descend`, and this is not in its file.
    lanes = package / "surrogates" / "relu" / "lanes.py"
    changed = lanes.read_text().replace("builder.fadd(folded,", "builder.fsub(folded,")
    assert changed != lanes.read_text()
    lanes.write_text(changed)
    after = run(TRAIN, package).stdout
    assert after != before
    assert after == run(TRAIN, package, NUMBA_CACHE_DIR=str(tmp_path / "elsewhere")).stdout


def test_without_a_folder_to_write_to_a_temporary_one_is_used(package: Path, tmp_path: Path) -> None:
    # A file in the place of a folder can be written to by nobody, not even by root.
    for folder in [package, *(path for path in package.rglob("*") if path.is_dir())]:
        (folder / "__pycache__").write_text("")
    (tmp_path / "file").write_text("")
    (tmp_path / "temporary").mkdir()
    places = {"HOME": str(tmp_path / "file" / "home"), "TMPDIR": str(tmp_path / "temporary")}
    first = run(TRAIN, package, **places)
    assert first.stderr.count("RuntimeWarning: compiled code cannot be kept in") == 1
    assert f"it is kept in {tmp_path / 'temporary'}" in first.stderr
    (folder,) = (tmp_path / "temporary").iterdir()
    assert not folder.stat().st_mode & 0o077
    kept = compiled(folder)
    assert len(kept) == 1
    dates = [file.stat().st_mtime_ns for file in kept]
    assert run(TRAIN, package, **places).stdout == first.stdout
    assert [file.stat().st_mtime_ns for file in compiled(folder)] == dates


def test_a_temporary_folder_of_someone_else_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    own = cache.temporary()
    assert own == cache.temporary()
    own.chmod(0o777)
    other = cache.temporary()
    assert other != own
    assert not other.stat().st_mode & 0o077


def test_old_folders_are_removed(tmp_path: Path) -> None:
    for name, age in (("kernels-old", 2 * cache.FORGOTTEN), ("kernels-new", 0.0)):
        (tmp_path / name).mkdir()
        date = (tmp_path / name).stat().st_mtime - age
        os.utime(tmp_path / name, (date, date))
    assert cache.is_writable(tmp_path / "kernels-own")
    assert {path.name for path in tmp_path.iterdir()} == {"kernels-new", "kernels-own"}


# Its clock stands still but while code is compiled.
COLD = """
import time
import numpy as np
from numba.core import event
import milbox as mb
from milbox.inner import {inner}
from milbox.inner.query import Query
from milbox.surrogates.relu import ReluNet, glorot

compiled = []

class Compiled(event.Listener):
    def on_start(self, event):
        compiled.append(event)

    def on_end(self, event):
        pass

event.register("numba:compile", Compiled())
time.perf_counter = lambda: float(len(compiled))
x = mb.binary("x", 8)
domain = mb.Domain([x], [x.sum() == 3])
net = ReluNet.of(glorot((domain.features, 4, 1), np.random.default_rng(0)))
answer = {inner}().solve(Query.of(net, domain, list(domain)[:9]), np.random.default_rng(0))
certificate = answer.proposals[0].certificate
print(len(compiled), certificate.status.name, certificate.seconds)
"""


@pytest.mark.parametrize("inner", ["Mip", pytest.param("Branch", marks=pytest.mark.full)])
def test_a_cold_cache_changes_no_certificate(inner: str, package: Path) -> None:
    script = COLD.format(inner=inner)
    assert not compiled(package)
    count, *said = run(script, package).stdout.split()
    assert int(count) > 0
    assert said == ["OPTIMAL", "0.0"]
    assert compiled(package)
    assert run(script, package).stdout.split() == ["0", *said]
