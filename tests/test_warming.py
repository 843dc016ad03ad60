"""A cold cache is filled by processes of their own, and a warm one is left alone."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import milbox

PROGRAM = """
from milbox.run import warming
import milbox as mb
cold = [name for name, part in warming.PARTS.items() if part.is_cold]
started = 0
x = mb.binary("x", 30)
for domain in (mb.Domain([x]), mb.Domain([mb.real("t", 0, 1)]), mb.Domain([x], [x.sum() == 15])):
    warming._started.clear()
    warming.warm(domain)
    warming.warm(domain)
    started += len(warming._started)
    assert not any(process.wait() for process in warming._started)
print(len(cold), started)
print(any(part.is_cold for part in warming.PARTS.values()))
"""

# Domains and networks of all kinds that the kernels tell apart.
USES = """
from dataclasses import replace
import numpy as np
import milbox as mb
from milbox.domain.box import Box
from milbox.inner import Branch, Mip
from milbox.inner.pairs.solve import Pairs
from milbox.inner.query import Query, Region
from milbox.surrogates import QuadraticLearner
from milbox.surrogates.linear import Linear
from milbox.surrogates.ranked import Ranked
from milbox.surrogates.relu import ReluLearner, ReluNet
from milbox.trials.points import Points

x, c, k = mb.binary("x", 8), mb.categorical("c", "abc", 4), mb.integer("k", 1, 5, encoding="integer")
square = mb.binary("s", (8, 8))
domains = [
    mb.Domain([c, k]),
    mb.Domain([x, c, k], [x[:4].sum() == x[4:].sum(), mb.at_most(2, [c[i] == "b" for i in range(4)])]),
    mb.Domain([square], [s.sum() == 1 for i in range(8) for s in (square[i], square[:, i])]),
    mb.Domain([x, c, mb.real("t", 0, 1, 2)], [x.sum() <= 4]),
]
for domain in domains:
    rng = np.random.default_rng(0)
    points = [next(iter(domain))]
    for _ in range(9):
        linear = Linear(rng.normal(size=domain.features), 0.0)
        found = Mip().solve(Query.of(linear, domain, points), rng).proposals
        points += [proposal.point for proposal in found]
    features, values = domain.encode(points), rng.normal(size=len(points))
    for learner in (ReluLearner(hidden=(5,), steps=20), ReluLearner(hidden=(4, 4), steps=20), Ranked()):
        net = learner.fit(features, values, rng)
        turned = ReluNet.of([(np.asfortranarray(l.weights), np.repeat(l.bias, 2)[::2]) for l in net.layers])
        fixed = ReluNet.of([(l.weights.copy(), l.bias.copy()) for l in net.layers])
        for layer in fixed.layers:
            layer.bias.flags.writeable = layer.weights.flags.writeable = False
        for surrogate in (net, turned, fixed):
            query = Query.of(surrogate, domain, points, 2)
            for inner in (Branch(), Mip()):
                if inner.refusal(query) is None:  # ranges take one hidden layer
                    assert len(inner.solve(query, rng).proposals) == 2
    quadratic, pairs = QuadraticLearner(pairs=None).fit(features, values, rng), Pairs()
    for changes in (2, 8, len(domain.variables)):
        box = Box.ball(domain, points[0], changes)
        query = Query(quadratic, Region.untried(domain, Points(points)))
        for each in (query, replace(query, region=replace(query.region, box=box))):
            if pairs.refusal(each) is None:
                pairs.solve(each, rng)
"""


def compiled(package: Path) -> set[Path]:
    return set(package.glob("**/*.nbc"))


def test_a_cold_cache_is_filled_once_and_for_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)  # the cache beside the modules is meant
    shutil.copytree(
        Path(str(milbox.__file__)).parent, tmp_path / "milbox", ignore=shutil.ignore_patterns("__pycache__")
    )
    # From its folder the copy is imported, here and by the processes that compile.
    runs = [
        subprocess.run(
            [sys.executable, "-c", PROGRAM], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        for _ in range(2)
    ]
    assert runs[0].stdout == "4 4\nFalse\n"
    assert runs[1].stdout == "0 0\nFalse\n"
    before = compiled(tmp_path)
    subprocess.run([sys.executable, "-c", USES], cwd=tmp_path, check=True)
    assert len(before) > 2
    assert compiled(tmp_path) == before
