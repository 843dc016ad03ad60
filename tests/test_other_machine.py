"""A study proposes the same points whatever instructions the processor has."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from processes import ENVIRONMENT

# As an old processor has them: for compiled kernels, for NumPy's matrix products, and for NumPy itself.
OLD = {
    "NUMBA_CPU_NAME": "generic",
    "OPENBLAS_CORETYPE": "Nehalem",
    "NPY_DISABLE_CPU_FEATURES": "AVX2,FMA3,AVX512F",
}

STUDIES = """
import json, sys
import numpy as np
import milbox as mb
from milbox.inner import Mip
from milbox.strategies import NNMILP

inner, steps = sys.argv[1], int(sys.argv[2])
k, x, c = mb.integer("k", 0, 20, 5), mb.binary("x", 24), mb.categorical("c", "abcd", 10)
domains = [
    mb.Domain([k], [k.sum() <= 40]),
    mb.Domain([x], [x[:12].sum() == x[12:].sum()]),
    mb.Domain([c]),
]
strategy = NNMILP(inner=Mip(), initial=10) if inner == "program" else NNMILP(initial=10)
for domain in domains:
    weights = np.random.default_rng(5).normal(size=(domain.features, 6))
    study = mb.Study(domain, strategy=strategy, seed=1)
    for _ in range(steps):
        trial = study.ask()
        study.tell(trial.number, float(np.tanh(0.3 * domain.encode([trial.point]) @ weights).sum().round(6)))
    certificates = [trial.certificate for trial in study.trials]
    print(json.dumps([
        [trial.point for trial in study.trials],
        [certificate and certificate.status.name for certificate in certificates],
        [certificate.value if certificate else 0.0 for certificate in certificates],
    ]))
"""


def proposals(inner: str, steps: int, **environment: str) -> list[tuple[object, object, list[float]]]:
    known = {name: value for name, value in ENVIRONMENT.items() if name not in OLD}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", STUDIES, inner, str(steps)],
        env={**known, **environment},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return [tuple(json.loads(line)) for line in done.stdout.splitlines()]


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="names instructions of x86-64")
@pytest.mark.parametrize(
    ("inner", "steps"), [("program", 16), pytest.param("branch and bound", 45, marks=pytest.mark.full)]
)
def test_other_instructions_propose_the_same_points(inner: str, steps: int) -> None:
    new, old = proposals(inner, steps), proposals(inner, steps, **OLD)
    assert len(new) == 3
    for (points, statuses, values), (old_points, old_statuses, old_values) in zip(new, old, strict=True):
        assert old_points == points
        assert old_statuses == statuses
        np.testing.assert_allclose(old_values, values, rtol=1e-9)
