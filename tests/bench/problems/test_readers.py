"""What the OSiL and LP readers accept, and how they refuse the rest."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest

from milbox.bench.problems.lp import read_lp
from milbox.bench.problems.osil import read_osil
from milbox.bench.problems.program import QuadraticProgram
from milbox.bench.problems.quadratic import negated, program_domain
from milbox.errors import DataError


def written(tmp_path: Path, name: str, text: str) -> Path:
    path = tmp_path / name
    path.write_text(text)
    return path


def minimum(program: QuadraticProgram) -> tuple[float, int]:
    """The least feasible value and how many points are feasible."""
    domain = program_domain(program)
    points = np.array(list(product((0, 1), repeat=len(program.linear))))
    feasible = points[domain.feasible(points)]
    return float(-negated(program)(feasible).max()), len(feasible)


def test_an_objective_variable_of_scip_is_put_in_its_place(tmp_path: Path) -> None:
    scip = pytest.importorskip("pyscipopt")
    model = scip.Model()
    model.hideOutput()
    x = [model.addVar(vtype="B", name=f"b{i}") for i in range(5)]
    t = model.addVar(lb=None, name="objvar")
    model.addCons(3 * x[0] * x[1] - 2.5 * x[1] * x[4] + x[2] * x[2] + 1.5 * x[3] - t <= -7)
    model.addCons(x[0] + x[1] + x[2] == 1)
    model.addCons(2 * x[3] - x[4] <= 1)
    model.addCons(scip.quicksum(x) >= 2)
    model.setObjective(t)
    path = tmp_path / "model.lp"
    model.writeProblem(str(path), verbose=False)
    program = read_lp(path)
    model.optimize()
    least, _ = minimum(program)
    assert len(program.linear) == 5
    assert len(program.lower) == 3
    assert least == pytest.approx(model.getObjVal())


LP = """\\ every feature of the format that occurs
MAXIMIZE
 obj: 2 x + 3y - [ 4 x ^ 2 - 2 x * y
   + 6 y*z ] / 2 + 1.5
such that
 c1: x + y + z <= 2
 c2: 1 <= x + z
 c3: -1 <= y - z <= 1
 c4: - 2 x + 3 >= 1e0
bounds
 x <= 1
 0 <= y <= 1
 z = 1
general
 x y
binary
 z
end
"""


def test_lp_syntax(tmp_path: Path) -> None:
    program = read_lp(written(tmp_path, "a.lp", LP))
    # whole variables in the order of their lists: x, y, z
    rows = np.zeros((len(program.lower), 3))
    rows[program.a_row, program.a_column] = program.a_value
    points = np.array(list(product((0, 1), repeat=3)))
    for (x, y, z), value in zip(points, negated(program)(points), strict=True):
        assert value == pytest.approx(2 * x + 3 * y - (4 * x * x - 2 * x * y + 6 * y * z) / 2 + 1.5)
    feasible = program_domain(program).feasible(points)
    expected = [
        x + y + z <= 2 and x + z >= 1 and -1 <= y - z <= 1 and -2 * x + 3 >= 1 and z == 1
        for x, y, z in points
    ]
    assert feasible.tolist() == expected
    assert sum(expected) == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no Minimize or Maximize"),
        ("hello there", "starts with 'hello there'"),
        ("Minimize\n obj: x\nSubject To\n c: x >= 0\nEnd", "no binary variable"),
        ("Minimize\n obj: x + y\nBinaries\n y\nEnd", "x is a continuous variable from 0 to inf"),
        ("Minimize\n obj: x\nBounds\n x <= 5\nGenerals\n x\nEnd", "x is an integer variable from 0 to 5"),
        (
            "Minimize\n obj: x\nSubject To\n c: [ x * y ] <= 1\nBinaries\n x y\nEnd",
            "constraint 1 is quadratic",
        ),
        ("Minimize\n obj: x\nSubject To\n c: x + y\nBinaries\n x y\nEnd", "without <=, >= or ="),
        ("Minimize\n obj: x +\nSubject To\n c: x <= 1\nBinaries\n x\nEnd", "a sign without a term"),
        ("Minimize\n obj: [ x * ] / 2\nBinaries\n x\nEnd", "expected a variable"),
        ("Minimize\n obj: [ x ^ 3 ]\nBinaries\n x\nEnd", "expected '2'"),
        ("Minimize\n obj: x\nSubject To\n c: x <= y\nBinaries\n x y\nEnd", "expected a number"),
        ("Minimize\n obj: x\nSemi-Continuous\n x\nEnd", "section 'Semi-Continuous' cannot be read"),
    ],
)
def test_lp_that_cannot_be_read_is_refused_in_one_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(DataError, match=message) as caught:
        read_lp(written(tmp_path, "bad.lp", text))
    assert "bad.lp" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_binary_file_is_no_lp(tmp_path: Path) -> None:
    path = tmp_path / "bad.lp"
    path.write_bytes(bytes(range(128, 256)))
    with pytest.raises(DataError, match="not a text file"):
        read_lp(path)


def osil(variables: str, objective: str, rest: str = "") -> str:
    return (
        '<osil xmlns="os.optimizationservices.org"><instanceData>'
        f"<variables>{variables}</variables><objectives>{objective}</objectives>{rest}</instanceData></osil>"
    )


BY_COLUMN = osil(
    '<var name="x" type="B" mult="2"/><var name="y" type="I" lb="0" ub="1"/><var name="t" lb="-INF"/>',
    '<obj maxOrMin="max"><coef idx="3">2</coef></obj>',
    '<constraints><con ub="3"/><con lb="-INF" ub="4" constant="1"/></constraints>'
    "<linearConstraintCoefficients><start><el>0</el><el>1</el><el>2</el><el>3</el><el>4</el></start>"
    '<rowIdx><el mult="3">0</el><el>1</el></rowIdx><value><el mult="3" incr="1">1</el><el>1</el></value>'
    '</linearConstraintCoefficients><quadraticCoefficients><qTerm idx="1" idxOne="0" idxTwo="2" coef="5"/>'
    '<qTerm idx="1" idxOne="1" idxTwo="1" coef="-3"/></quadraticCoefficients>',
)


def test_osil_by_columns_with_repeats_and_an_objective_variable(tmp_path: Path) -> None:
    # max 2 t  s.t.  1 + t + 5 x0 y - 3 x1² <= 4,  x0 + 2 x1 + 3 y <= 3
    program = read_osil(written(tmp_path, "a.osil", BY_COLUMN))
    points = np.array(list(product((0, 1), repeat=3)))
    expected = [2 * (3 - 5 * x0 * y + 3 * x1) for x0, x1, y in points]
    np.testing.assert_allclose(negated(program)(points), expected)
    feasible = program_domain(program).feasible(points)
    assert feasible.tolist() == [x0 + 2 * x1 + 3 * y <= 3 for x0, x1, y in points]


def test_a_binary_fixed_by_its_bounds_stays_fixed(tmp_path: Path) -> None:
    text = osil('<var type="B" lb="1"/><var type="B" ub="0"/><var type="B"/>', "<obj/>")
    program = read_osil(written(tmp_path, "a.osil", text))
    points = np.array(list(product((0, 1), repeat=3)))
    assert program_domain(program).feasible(points).tolist() == [x == 1 and y == 0 for x, y, _ in points]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<osil", "not well-formed XML"),
        ("<html><body/></html>", "not an OSiL file"),
        (osil('<var type="B"/>', ""), "no objective"),
        (osil('<var type="S"/>', "<obj/>"), "type 'S'"),
        (osil('<var name="flow" ub="3"/>', "<obj/>"), "flow is a continuous variable from 0 to 3"),
        (osil('<var type="B"/>', '<obj><coef idx="0">one</coef></obj>'), "breaks the OSiL format"),
        (
            osil('<var type="B"/>', "<obj/>", '<nonlinearExpressions><nl idx="-1"/></nonlinearExpressions>'),
            "nonlinear expressions",
        ),
        (
            osil(
                '<var type="B"/>',
                "<obj/>",
                "<constraints><con/></constraints><linearConstraintCoefficients><start><el>0</el><el>2</el></start>"
                "<colIdx><el>0</el></colIdx><value><el>1</el></value></linearConstraintCoefficients>",
            ),
            "do not fit together",
        ),
    ],
)
def test_osil_that_cannot_be_read_is_refused_in_one_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(DataError, match=message) as caught:
        read_osil(written(tmp_path, "bad.osil", text))
    assert "bad.osil" in str(caught.value)
    assert "\n" not in str(caught.value)
