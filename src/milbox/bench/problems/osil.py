"""Reader of OSiL, MINLPLib's XML (Fourer, Ma and Martin 2010), up to quadratic terms."""

import math
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

from milbox.bench.problems.program import Column, Draft, Form, QuadraticProgram, Row, finished
from milbox.errors import DataError

# Variable types: binary, integer; C and absent are continuous. Others (semi-continuous, strings) are refused.
WHOLE = {"B": True, "I": True, "C": False}


def read_osil(path: Path) -> QuadraticProgram:
    """The binary quadratic program of an .osil file."""
    try:
        root = ElementTree.parse(path).getroot()
        for element in root.iter():
            element.tag = element.tag.rpartition("}")[2]  # names without their XML namespace
        data = root.find("instanceData")
        if root.tag != "osil" or data is None:
            raise DataError(f"{path} is not an OSiL file: no <osil> with <instanceData>; download it again")
        return finished(draft(data, path), path)
    except ElementTree.ParseError as reason:
        raise DataError(f"{path} is not well-formed XML ({reason}); download it again") from reason
    except (KeyError, ValueError, IndexError, TypeError) as reason:
        raise DataError(f"{path} breaks the OSiL format ({reason!r}); download it again") from reason
    except OSError as reason:
        raise DataError(f"{path} cannot be read ({reason.strerror})") from reason


def draft(data: ElementTree.Element, path: Path) -> Draft:
    """What the instanceData says."""
    nonlinear = data.find("nonlinearExpressions")
    if nonlinear is not None and len(nonlinear):
        raise DataError(f"{path} has nonlinear expressions; only quadratic objectives can be read")
    columns = tuple(declared(data.find("variables"), path))
    goal = data.find("objectives/obj")
    if goal is None:
        raise DataError(f"{path} has no objective; there is nothing to optimise")
    objective = Form(float(goal.get("constant", "0")))
    for term in goal.iter("coef"):
        objective.add(int(term.attrib["idx"]), float(str(term.text)))
    forms, limits = constraint_rows(data)
    for row, column, value in matrix(data.find("linearConstraintCoefficients"), len(forms)):
        forms[row].add(column, value)
    for term in data.iterfind("quadraticCoefficients/qTerm"):
        row = int(term.attrib["idx"])
        form = objective if row < 0 else forms[row]
        form.add_product(int(term.attrib["idxOne"]), int(term.attrib["idxTwo"]), float(term.get("coef", "1")))
    rows = tuple(Row(form, low, high) for form, (low, high) in zip(forms, limits, strict=True))
    return Draft(columns, goal.get("maxOrMin", "min") != "max", objective, rows)


def declared(variables: ElementTree.Element | None, path: Path) -> list[Column]:
    """The variables in order; `mult` repeats one."""
    columns: list[Column] = []
    for var in variables if variables is not None else ():
        kind = var.get("type", "C")
        if kind not in WHOLE:
            raise DataError(f"{path}: variable {var.get('name')} has type {kind!r}, which cannot be read")
        upper = limit(var.get("ub", "1" if kind == "B" else "INF"))
        for _ in range(int(var.get("mult", "1"))):
            name = var.get("name", f"x{len(columns)}")
            columns.append(Column(name, WHOLE[kind], limit(var.get("lb", "0")), upper))
    return columns


def constraint_rows(data: ElementTree.Element) -> tuple[list[Form], list[tuple[float, float]]]:
    """The constraints' constants and limits, without coefficients yet."""
    forms: list[Form] = []
    limits: list[tuple[float, float]] = []
    for con in data.iterfind("constraints/con"):
        for _ in range(int(con.get("mult", "1"))):
            forms.append(Form(float(con.get("constant", "0"))))
            limits.append((limit(con.get("lb", "-INF")), limit(con.get("ub", "INF"))))
    return forms, limits


def matrix(linear: ElementTree.Element | None, rows: int) -> list[tuple[int, int, float]]:
    """The linear coefficients as triplets; OSiL keeps them by row (colIdx) or by column (rowIdx)."""
    if linear is None:
        return []
    starts = [int(value) for value in expanded(linear.find("start"))]
    values = expanded(linear.find("value"))
    by_row = linear.find("colIdx") is not None
    inner = [int(value) for value in expanded(linear.find("colIdx" if by_row else "rowIdx"))]
    if len(inner) != len(values) or starts[-1] != len(values) or (by_row and len(starts) != rows + 1):
        raise ValueError("start, index and value of linearConstraintCoefficients do not fit together")
    entries = []
    for outer, (begin, end) in enumerate(pairwise(starts)):
        for at in range(begin, end):
            row, column = (outer, inner[at]) if by_row else (inner[at], outer)
            entries.append((row, column, values[at]))
    return entries


def expanded(array: ElementTree.Element | None) -> list[float]:
    """The numbers of <el> elements; `mult` repeats one, `incr` adds to it each time."""
    if array is None:
        raise ValueError("linearConstraintCoefficients lacks start, value or an index")
    if array.find("base64BinaryData") is not None:
        raise ValueError("base64 arrays are not supported")
    numbers: list[float] = []
    for element in array.iterfind("el"):
        value, step = float(str(element.text)), float(element.get("incr", "0"))
        numbers += [value + step * k for k in range(int(element.get("mult", "1")))]
    return numbers


def limit(text: str) -> float:
    """A bound; OSiL writes INF and -INF."""
    return (
        math.copysign(math.inf, -1 if text.startswith("-") else 1) if "INF" in text.upper() else float(text)
    )
