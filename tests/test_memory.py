"""Compiled code gives back what it borrows, and a long run does not grow."""

import ast
import importlib
import pkgutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

import milbox as mb
from milbox.inner import Branch, Evolution, Mip
from milbox.inner.evolution.mutators import Balanced, Pointwise
from milbox.inner.pairs.solve import Pairs
from milbox.inner.query import Query
from milbox.surrogates import QuadraticLearner
from milbox.surrogates.relu import ReluLearner
from milbox.surrogates.trees import joined
from processes import printed

ENTRIES = {
    "milbox.surrogates.relu.descent": {"descend"},
    "milbox.surrogates.trees.leaves": {"add_leaves"},
    "milbox.inner.search.tree": {"advance", "shuffled_root"},
    "milbox.inner.ranges.tree": {"explore"},
    "milbox.inner.climb.kernel": {"climb", "label_all"},
    "milbox.inner.pairs.kernel": {"search"},
    "milbox.inner.pairs.tabu": {"wander"},
    "milbox.inner.evolution.kernels": {
        "cross",
        "evolve",
        "exchange",
        "mutate",
        "mutate_balanced",
        "tournaments",
    },
}
"""All that Python calls of the compiled code of `surrogates` and `inner`, by module."""


def steps() -> None:
    """Train, climb, search, evolve and predict, on domains and networks of every kind that kernels know."""
    x, y = mb.binary("x", 6), mb.binary("y", 6)
    k = mb.integer("k", 1, 5, encoding="integer")
    square = mb.binary("s", (8, 8))
    domains = [
        mb.Domain([x, y, k], [x.sum() == y.sum()]),
        mb.Domain([square], [s.sum() == 1 for i in range(8) for s in (square[i], square[:, i])]),
    ]
    for domain in domains:
        rng = np.random.default_rng(0)
        points = [point for point, _ in zip(domain, range(8), strict=False)]
        for hidden in ((5,), (4, 4)):
            net = ReluLearner(hidden=hidden, steps=20).fit(domain.encode(points), rng.normal(size=8), rng)
            for inner in (
                Branch(),
                Mip(),
                Evolution(Pointwise(), evaluations=200),
                Evolution(Balanced(), evaluations=200),
            ):
                inner.solve(Query.of(net, domain, points), rng)
        for each in (domain, mb.Domain([*domain.declared])):  # without constraints and with them
            pairs = QuadraticLearner().fit(each.encode(points), rng.normal(size=8), rng)
            Pairs().solve(Query.of(pairs, each, points), rng)
    t = mb.real("t", 0, 1, 3)
    mixture = mb.Domain([t], [t.sum() == 1])
    points = [(0, 0, 1_000_000), (500_000, 500_000, 0)]
    net = ReluLearner(hidden=(4,), steps=20).fit(mixture.encode(points), np.array([0.0, 1.0]), rng)
    Branch().solve(Query.of(net, mixture, points), rng)
    tree = joined([([0, -1, -1], [0.5, 0, 0], [1, 0, 0], [2, 0, 0], [0, 1, 2])])
    tree.predict(np.array([[0.0], [1.0]]))


def test_the_list_of_entries_is_complete() -> None:
    found: dict[str, set[str]] = {}
    for room in ("milbox.surrogates", "milbox.inner"):
        for module in pkgutil.walk_packages(importlib.import_module(room).__path__, f"{room}."):
            for name, value in vars(importlib.import_module(module.name)).items():
                if isinstance(value, numba.core.registry.CPUDispatcher) and value.stats.cache_path:
                    found.setdefault(value.py_func.__module__, set()).add(name)
    assert found == ENTRIES


def leaves(value: Any) -> Iterator[Any]:
    """The objects that a call is handed: its arguments and, of a named tuple, what is in it."""
    yield value
    if isinstance(value, tuple):
        for part in value:
            yield from leaves(part)


def test_no_call_keeps_an_argument(monkeypatch: pytest.MonkeyPatch) -> None:
    steps()  # what is compiled calls the functions themselves, so all of it is before they are replaced
    called: set[tuple[str, str]] = set()

    def watched(module: str, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            called.add((module, name))
            watch = [leaf for argument in arguments for leaf in leaves(argument)]
            arrays = [leaf for leaf in watch if isinstance(leaf, np.ndarray | tuple)]
            before = [sys.getrefcount(array) for array in arrays]
            result = function(*arguments)
            # An array that is handed on in the result is held once more by that.
            held = Counter(id(leaf) for leaf in leaves(result))
            after = [sys.getrefcount(array) - held[id(array)] for array in arrays]
            assert after == before, name
            return result

        return call

    for module, names in ENTRIES.items():
        for name in names:
            function = getattr(importlib.import_module(module), name)
            # `maximise` took their names when it was imported, all others take theirs when they call.
            where = module.replace(".tree", ".maximise") if module.startswith("milbox.inner") else module
            monkeypatch.setattr(importlib.import_module(where), name, watched(module, name, function))
    steps()
    assert called == {(module, name) for module, names in ENTRIES.items() for name in names}


RUN = """
import sys
from pathlib import Path
import numpy as np
from milbox import Study
from milbox.bench.problems import load
from milbox.inner import Mip
from milbox.inner.query import Query, Region
from milbox.milp.solution import Limits
from milbox.surrogates import Ranked

problem, early, late = load(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
study = Study(problem.domain, seed=0)
for step in range(late):
    trial = study.ask()
    study.tell(trial.number, float(problem.evaluate(np.array([trial.point]))[0]))
    if step + 1 == early:
        # Some later step leaves a hard network to SCIP; the library's own memory is no growth.
        history, rng = study.history, np.random.default_rng(0)
        net = Ranked().fit(history.points.features(problem.domain), history.values, rng)
        query = Query(net, Region(problem.domain, history.asked_points))
        Mip(limits=Limits(seconds=2.0)).solve(query, rng)
    if step + 1 in (early, late):
        resident = Path("/proc/self/statm").read_text().split()[1]
        print(resident)
"""

needs_proc = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="Linux says what is resident")


def growth(problem: str, early: int, late: int) -> float:
    """How many times as much memory is resident after the later step of a study as after the earlier."""
    first, last = map(int, printed(RUN, problem, early, late).split())
    return last / first


@needs_proc
def test_memory_stays_where_it_is() -> None:
    assert growth("ising/100/0", 100, 250) < 1.2


@needs_proc
@pytest.mark.full
def test_memory_stays_where_it_is_over_a_thousand_steps() -> None:
    assert growth("ising/400/0", 100, 1000) < 1.2


def test_kernels_that_count_no_references_return_no_arrays() -> None:
    """A kernel that is no owner would hand out an array that nobody holds: its memory would be used again."""
    scalars = {"None", "bool", "int", "float", "np.uint64", "tuple[float, float]", "tuple[int, int]", "Lanes"}
    seen = set()
    for file in Path(mb.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                marks = {mark.id for mark in node.decorator_list if isinstance(mark, ast.Name)}
                if marks & {"kernel", "inlined", "inlined_sum", "vectorised"}:
                    seen.add(node.name)
                    assert ast.unparse(node.returns or ast.Constant(None)) in scalars, f"{file}: {node.name}"
    assert {"offer", "worth", "compact", "ended"} <= seen
