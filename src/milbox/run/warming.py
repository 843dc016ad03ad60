"""Compilation in processes of their own while the first random points are measured.

Compiled kernels are kept on disk (`compiled.cache`). On first use after an installation they are compiled,
which takes some seconds; processes beside the run do that while the initial random points are evaluated,
on other cores and without touching this one's threads. Whether they are done in time changes nothing but
time.
"""

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from milbox.compiled import cache
from milbox.domain import Domain, binary
from milbox.inner.loading import load_pairs, load_ranges
from milbox.inner.query import Query
from milbox.inner.ranges.solve import ranged
from milbox.strategies.by_domain import pairs_pay
from milbox.surrogates.relu import ReluLearner, ReluNet, glorot
from milbox.system import end_family, start_family

_started: list[subprocess.Popen[bytes]] = []


@dataclass(frozen=True, slots=True)
class Part:
    """Kernels that are compiled together, in a process of their own."""

    entries: tuple[str, ...]
    """The functions that Python calls, as module.function."""
    compile: Callable[[], None]

    @property
    def is_cold(self) -> bool:
        """Whether an entry is not compiled yet where compiled code is kept."""
        folder, python = cache.folder(), f"py{sys.version_info[0]}{sys.version_info[1]}"
        return folder is not None and any(
            next(folder.glob(f"*/{entry}-*.{python}*.nbi"), None) is None for entry in self.entries
        )


def warm(domain: Domain) -> None:
    """Start compiling in the background what studies of the domain call and the cache lacks.

    A process does so once.
    """
    if not _started:
        quiet = subprocess.DEVNULL
        for name, part in parts_for(domain).items():
            if part.is_cold:
                words = f"from milbox.run.warming import PARTS; PARTS[{name!r}].compile()"
                command = [sys.executable, "-c", words]
                _started.append(start_family(command, stdin=quiet, stdout=quiet, stderr=quiet))


def parts_for(domain: Domain) -> dict[str, Part]:
    """The parts that a study of the domain calls."""
    spared = {"branch and bound" if ranged(domain) else "ranges", "" if pairs_pay(domain) else "pairs"}
    return {name: part for name, part in PARTS.items() if name not in spared}


def stop_warming() -> None:
    """End what `warm` has started: nobody is going to need it soon."""
    for process in _started:
        end_family(process)


def small_domain() -> Domain:
    """Three of six."""
    x = binary("x", 6)
    return Domain([x], [x.sum() == 3])


def compile_training_and_climbs() -> None:
    """Train a network and climb on it."""
    from milbox.inner import Mip

    domain, rng = small_domain(), np.random.default_rng(0)
    points = list(domain)[:4]
    net = ReluLearner(steps=2).fit(domain.encode(points), np.arange(4, dtype=np.float64), rng)
    Mip().solve(Query.of(net, domain, points), rng)


def compile_branch_and_bound() -> None:
    """Search a small domain and draw from it."""
    from milbox.inner import Branch

    domain, rng = small_domain(), np.random.default_rng(0)
    net = ReluNet.of(glorot((domain.features, 2, 1), rng))
    Branch().solve(Query.of(net, domain, list(domain)[:4]), rng)
    assert domain.drawing is not None, "it is small"
    domain.drawing.draw(1, rng)


def compile_ranges() -> None:
    """Search a small domain of ranges."""
    load_ranges()


def compile_pairs() -> None:
    """Search a ball, and wander in one."""
    load_pairs()


PARTS = {
    "training and climbs": Part(
        ("descent.descend", "kernel.label_all", "kernel.climb"), compile_training_and_climbs
    ),
    "branch and bound": Part(
        ("tree.advance", "tree.shuffled_root", "walks.accumulate", "walks.walk", "walks.follow"),
        compile_branch_and_bound,
    ),
    "ranges": Part(("tree.explore",), compile_ranges),
    "pairs": Part(("kernel.search", "tabu.wander"), compile_pairs),
}
