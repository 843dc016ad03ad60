"""Proposals of two versions of milbox from the same told points and under the same network.

    PYTHONPATH=new/src python scripts/same_proposals.py write cases.json
    PYTHONPATH=new/src python scripts/same_proposals.py read cases.json > new.json
    PYTHONPATH=old/src python scripts/same_proposals.py read cases.json > old.json

`write` draws 60 points of one problem of each family, evaluates them and fits a network. `read` prints, for
each problem, the best untried point of that network, its prediction and the status of its proof, and the
point that a study asks for after it is told those 60. Both work with versions from c572e8e on.
"""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

import milbox as mb

try:
    from milbox.bench.problems import load
except ImportError:
    from milbox.problems import load  # type: ignore[import-not-found,no-redef]

PROBLEMS = (
    "randommlp/fcc-0",
    "tfbind/CRX_REF_R1",
    "bbob/sphere",
    "ising/100/0",
    "minlplib/cardqp_iqp",
    "minlplib/graphpart_2g-0044-1601",
    "nasbench101",
)


def written() -> dict[str, Any]:
    """Points, values and a fitted network of each problem."""
    from milbox.inner.untried import sample
    from milbox.surrogates.relu import ReluLearner

    cases = {}
    for name in PROBLEMS:
        domain, rng = load(name).domain, np.random.default_rng(0)
        points = np.unique(sample(domain, 60, rng), axis=0)
        values = load(name).evaluate(points)
        targets = (values - values.mean()) / (values.std() or 1.0)
        net = ReluLearner().fit(domain.encode(points), targets, rng)
        layers = [(layer.weights.tolist(), layer.bias.tolist()) for layer in net.layers]
        cases[name] = {"points": points.tolist(), "values": values.tolist(), "layers": layers}
    return cases


def answers(name: str, case: dict[str, Any]) -> dict[str, Any]:
    """What this version proposes."""
    from milbox.inner import Auto
    from milbox.surrogates.relu import ReluNet

    problem = load(name)
    domain, points = problem.domain, [tuple(point) for point in case["points"]]
    net = ReluNet.of([(np.array(weights), np.array(bias)) for weights, bias in case["layers"]])
    rng = np.random.default_rng(7)
    try:
        from milbox.inner.query import Query

        best = Auto().solve(Query.of(net, domain, points), rng).proposals[0]  # type: ignore[union-attr]
    except ImportError:
        (best,) = Auto().best(net, domain, points, 1, rng)  # type: ignore[attr-defined]
    known = [(domain.assignment(p), v) for p, v in zip(points, case["values"], strict=True)]
    asked = mb.Study(domain, mb.NNMILP(), known=known).ask()
    assert best.certificate is not None
    return {
        "point": [int(code) for code in best.point],
        "prediction": float(net.predict(domain.encode([best.point]))[0]),
        "status": str(best.certificate.status),
        "asked": [int(code) for code in asked.point],
        "prediction of asked": float(net.predict(domain.encode([asked.point]))[0]),
    }


if __name__ == "__main__":
    mode, place = sys.argv[1], Path(sys.argv[2])
    if mode == "write":
        place.write_text(json.dumps(written()))
    else:
        cases = json.loads(place.read_text())
        for name, case in cases.items():
            print(json.dumps({name: answers(name, case)}), flush=True)
