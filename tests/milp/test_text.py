"""LP text: the same program, the same text, and solvers that read it."""

from pathlib import Path

import numpy as np
import pyscipopt
import pytest
from hypothesis import given, settings

from milbox.milp import Affine, Milp, MilpBuilder, lp_text
from milbox.testing.programs import mixed_milps, optimum

GOLDEN = Path(__file__).parent.parent / "golden" / "milp"


def small() -> Milp:
    builder = MilpBuilder()
    x = builder.columns(np.zeros(3), [1, 2, 0], integer=True)
    y = builder.columns([-1.5, 0.1], 5.5)
    builder.row(x, [1, -1, 2.5], upper=3)
    builder.row([*x, y[1]], [1, 1, 1, -1 / 3], -2, 2)
    builder.row([3, 0], [1, -4], 0, 0)
    builder.row([], [], -1, 2)
    builder.row([0], [1])
    builder.row([1, 1, 3], [1, 1, -1], lower=-4)
    builder.maximize(Affine(np.array([0, 3, 4]), np.array([1, -1, 0.3]), -7.25))
    return builder.build()


def test_golden() -> None:
    assert lp_text(small()) == (GOLDEN / "small.lp").read_text()


def test_golden_with_names() -> None:
    text = lp_text(small(), ["x[0]", "e3", "op=pool", "3b", "grid[1,2]"])
    assert text == (GOLDEN / "small_named.lp").read_text()


def test_long_rows_are_broken() -> None:
    builder = MilpBuilder()
    x = builder.columns(np.zeros(200), 1)
    builder.row(x, np.arange(200) + 0.123456789, upper=1)
    text = lp_text(builder.build())
    assert max(len(line) for line in text.splitlines()) <= 110
    assert "199.123456789 x199 <= 1" in text


def test_names_must_fit() -> None:
    with pytest.raises(ValueError, match="2 names for 5 columns"):
        lp_text(small(), ["a", "b"])
    with pytest.raises(ValueError, match=r"'a\[0\]' and 'a\(0\)' would both be called 'a\(0\)'"):
        lp_text(small(), ["a[0]", "a(0)", "b", "c", "d"])


@settings(deadline=None)
@given(mixed_milps())
def test_scip_reads_the_same_program(tmp_path_factory: pytest.TempPathFactory, milp: Milp) -> None:
    path = tmp_path_factory.mktemp("text") / "milp.lp"
    path.write_text(lp_text(milp))
    model = pyscipopt.Model()
    model.hideOutput()
    model.readProblem(str(path))
    model.optimize()
    best = optimum(milp)
    if best == -np.inf:
        assert model.getStatus() == "infeasible"
    else:
        assert model.getObjVal() == pytest.approx(best, rel=1e-6, abs=1e-6)
