"""Models in files become domains, and domains and next steps become model files."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from pyscipopt import Model

import milbox as mb

LP = """\\ a small model
Maximize
 obj: 3 x1 + 2 y(2) - n
Subject To
 capacity: 2 x1 + 3 y(2) + n <= 5
 low: x1 + n >= 1
 tie: y(2) - z = 0
Bounds
 1 <= n <= 3
Generals
 n
Binaries
 x1 y(2) z
End
"""


def test_a_model_becomes_a_domain_with_its_names(tmp_path: Path) -> None:
    file = tmp_path / "model.lp"
    file.write_text(LP)
    with pytest.warns(UserWarning, match=r"the objective of .*model\.lp was left out"):
        domain = mb.Domain.from_file(file)
    assert [v.name for v in domain.variables] == ["x1", "y(2)", "n", "z"]
    expected = {
        (x, y, n, z)
        for x, y, n, z in product((0, 1), (0, 1), (1, 2, 3), (0, 1))
        if 2 * x + 3 * y + n <= 5 and x + n >= 1 and y == z
    }
    found = {tuple(domain.assignment(p)[name] for name in ("x1", "y(2)", "n", "z")) for p in domain}
    assert found == expected


@pytest.mark.parametrize("suffix", [".mps", ".lp"])
def test_formats_say_the_same(tmp_path: Path, suffix: str) -> None:
    (tmp_path / "model.lp").write_text(LP.replace("y(2)", "y2").replace("obj: 3 x1 + 2 y2 - n", "obj: 0 n"))
    model = Model()
    model.hideOutput()
    model.readProblem(str(tmp_path / "model.lp"))
    model.writeProblem(str(tmp_path / f"again{suffix}"), verbose=False)
    first, second = (mb.Domain.from_file(tmp_path / name) for name in ("model.lp", f"again{suffix}"))
    as_sets = [{tuple(sorted(d.assignment(p).items())) for p in d} for d in (first, second)]
    assert as_sets[0] == as_sets[1]
    assert as_sets[0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("1 <= n <= 3", "1.2 <= n <= 1.4"), "n cannot be kept: .*empty range"),
        ((" tie: y(2) - z = 0\n", " tie: z = 1 -> x1 + n <= 2\n"), "the constraint tie is indicator"),
        ((" 1 <= n <= 3\n", " n >= 1\n"), "n has no upper bound"),
        ((" tie: y(2) - z = 0\n", " tie: [ x1 * z ] <= 0\n"), "the constraint tie is .*linear"),
        ((" low: x1 + n >= 1\n", " low: x1 + n >= >= <= :\n"), "no model that SCIP can read"),
    ],
)
def test_what_a_domain_cannot_keep_is_refused_by_name(
    tmp_path: Path, change: tuple[str, str], message: str
) -> None:
    file = tmp_path / "model.lp"
    text = LP.replace(*change)
    assert text != LP
    file.write_text(text.replace("Generals\nBinaries", "Binaries"))
    with pytest.raises(mb.DataError, match=message):
        mb.Domain.from_file(file)


def test_continuous_variables_become_reals(tmp_path: Path) -> None:
    file = tmp_path / "blend.lp"
    rows = "Subject To\n mix: a + b = 1\n few: a - 0.5 b + on <= 0.7\n"
    file.write_text(
        f"Minimize\n obj: 0 a\n{rows}Bounds\n 0.1 <= a <= 0.9999999999\n b <= 1\nBinaries\n on\nEnd\n"
    )
    domain = mb.Domain.from_file(file)
    a = domain.variables[0]
    assert (a.kind, a.value(a.codes[0]), a.value(a.codes[-1])) == ("real", 0.1, 0.9999999)
    trial = mb.Study(domain).ask()
    assert round(trial.assignment["a"] + trial.assignment["b"], 9) == 1


def test_a_missing_file_and_another_format_are_named(tmp_path: Path) -> None:
    with pytest.raises(mb.DataError, match=r"none\.lp is not a file"):
        mb.Domain.from_file(tmp_path / "none.lp")
    with pytest.raises(mb.DataError, match=r"none of \.lp, \.mps, \.osil"):
        mb.Domain.from_file(tmp_path / "model.xlsx")


def test_a_written_domain_has_the_same_points(tmp_path: Path) -> None:
    op, x = mb.categorical("op", ["a", "b c", "d"]), mb.binary("x", 3)
    domain = mb.Domain([op, x], [mb.implies(op == "a", x.sum() >= 2), x[0] + x[1] <= 1, mb.negate(op == "d")])
    domain.to_lp(tmp_path / "domain.lp")
    read = mb.Domain.from_file(tmp_path / "domain.lp")
    names = {v.name for v in read.variables}
    assert {"x(0)", "x(1)", "x(2)", "op_a", "op_b_c", "op_d"} <= names
    found = set()
    for point in read:
        given = read.assignment(point)
        choice = [
            c for c, name in zip(("a", "b c", "d"), ("op_a", "op_b_c", "op_d"), strict=True) if given[name]
        ]
        found.add((*choice, *(int(given[f"x({i})"]) for i in range(3))))
    assert found == {(domain.assignment(p)["op"], *map(int, domain.assignment(p)["x"])) for p in domain}


def test_names_that_lp_format_would_confuse_stay_different(tmp_path: Path) -> None:
    domain = mb.Domain([mb.binary("a b"), mb.binary("a_b")], [])
    domain.to_lp(tmp_path / "domain.lp")
    assert len(mb.Domain.from_file(tmp_path / "domain.lp").variables) == 2


def test_the_program_of_the_next_step_has_the_value_of_the_next_proposal(tmp_path: Path) -> None:
    x = mb.binary("x", 8)
    study = mb.Study(mb.Domain([x], [x.sum() <= 4]), mb.NNMILP(initial=10), seed=3)
    with pytest.raises(ValueError, match="one of the initial ones"):
        study.program(tmp_path / "early.lp")
    weights = np.arange(8) - 3.0
    for _ in range(12):
        trial = study.ask()
        study.tell(trial.number, float(weights @ trial.assignment["x"]))
    study.program(tmp_path / "step.lp")
    model = Model()
    model.hideOutput()
    model.readProblem(str(tmp_path / "step.lp"))
    model.optimize()
    trial = study.ask()
    assert trial.certificate is not None
    assert model.getObjVal() == pytest.approx(trial.certificate.value, rel=1e-6, abs=1e-6)
    values = {v.name: round(model.getVal(v)) for v in model.getVars() if v.name.startswith("x(")}
    assert [values[f"x({i})"] for i in range(8)] == trial.assignment["x"].tolist()
    with pytest.raises(TypeError, match="does not choose points by a program"):
        mb.Study(study.domain, mb.RandomSearch()).program(tmp_path / "no.lp")
