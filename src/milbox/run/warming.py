"""Who waits for the compiler? Nobody: another process fills the cache while the first points are measured.

Compiled kernels are kept on disk beside their modules. On first use after an installation they are compiled,
which takes some seconds; a process beside the run does that while the initial random points are evaluated,
on another core and without touching this one's threads. Whether it is done in time changes nothing but time.
"""

import subprocess
import sys
from pathlib import Path

import milbox

KERNELS = ("surrogates/descent.py", "inner/branch_tree.py", "inner/climb_kernel.py")

_started: list[subprocess.Popen[bytes]] = []


def warm() -> None:
    """Start compiling in the background if something is missing from the cache; once in a process."""
    if not _started and is_cold():
        quiet = subprocess.DEVNULL
        command = [sys.executable, "-m", "milbox.run.warming"]
        _started.append(subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet))


def is_cold() -> bool:
    """Whether some kernel has no compiled form as new as its source."""
    home = Path(str(milbox.__file__)).parent
    for kernel in KERNELS:
        source = home / kernel
        cached = source.parent.glob(f"__pycache__/{source.stem}.*.nbi")
        if not any(file.stat().st_mtime >= source.stat().st_mtime for file in cached):
            return True
    return False


def compile_everything() -> None:
    """Use every kernel once, on small data."""
    import numpy as np

    from milbox.domain import Domain, binary
    from milbox.inner import Branch, Mip
    from milbox.surrogates.relu import ReluLearner

    x = binary("x", 6)
    domain = Domain([x], [x.sum() == 3])
    points = list(domain)[:4]
    rng = np.random.default_rng(0)
    for hidden in ((16,), (16, 16)):
        learner = ReluLearner(hidden=hidden, steps=2)
        net = learner.fit(domain.encode(points), np.arange(4, dtype=np.float64), rng)
        Mip().best(net, domain, points, 1, rng)
        if len(hidden) == 1:
            Branch().best(net, domain, points, 1, rng)


if __name__ == "__main__":
    compile_everything()
