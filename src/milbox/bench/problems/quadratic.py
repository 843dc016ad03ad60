"""MINLPLib: binary quadratic programs under linear constraints (Section 5).

Every .npz, .osil or .lp file in the folder `minlplib` of the data is a problem: a black box with known linear
constraints, negated because the library maximises.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array

from milbox.arrays import FloatArray, IntArray, SparseMatrix
from milbox.bench.problems.folder import Folders, arrays, find, index, listed, shaped
from milbox.bench.problems.lp import read_lp
from milbox.bench.problems.osil import read_osil
from milbox.bench.problems.problem import Problem
from milbox.bench.problems.program import QuadraticProgram
from milbox.domain import Constraint, Domain, binary
from milbox.errors import DataError

FOLDER = "minlplib"
CITATION = (
    "Bussieck, Drud and Meeraus, MINLPLib: a collection of test models for MINLP, INFORMS J. Comput. 15, 2003"
)
REMEDY = (
    "download its .osil or .lp file from https://www.minlplib.org into the folder minlplib of the data folder"
)

ARRAYS = ("n", "m", "const", "c", "q_row", "q_col", "q_val", "a_row", "a_col", "a_val", "con_sense", "rhs")


@dataclass(frozen=True, slots=True)
class NegatedQuadratic:
    """-(constant + linear·x + x' upper x)."""

    constant: float
    linear: FloatArray
    upper: SparseMatrix

    def __call__(self, points: IntArray) -> FloatArray:
        """The values at points, one row of binaries each."""
        x = points.astype(np.float64)
        return np.asarray(-(self.constant + x @ self.linear + ((x @ self.upper) * x).sum(axis=1)))


def names(places: Folders) -> list[str]:
    """The instances in the folders."""
    return [f"minlplib/{stem}" for stem in listed(places, FOLDER, *READERS)]


def quadratic(name: str, places: Folders) -> Problem:
    """The problem `minlplib/<instance>`."""
    instance = name.removeprefix("minlplib/")
    path = listed(places, FOLDER, *READERS).get(instance)
    if path is None:
        path = find(places, f"{FOLDER}/{instance}.npz", REMEDY)
    program = READERS[path.suffix](path)
    return Problem(
        name=name,
        domain=program_domain(program),
        evaluate=negated(program),
        source=f"MINLPLib, negated ({path.name})",
        citation=CITATION,
        best_known=best_known(instance, places),
    )


def negated(program: QuadraticProgram) -> NegatedQuadratic:
    """The program's objective to be maximised."""
    n = len(program.linear)
    upper = csr_array((program.q_value, (program.q_row, program.q_column)), shape=(n, n))
    return NegatedQuadratic(program.constant, program.linear, upper)


def program_domain(program: QuadraticProgram) -> Domain:
    """One array `x` of binaries and a linear constraint for each row."""
    x = binary("x", len(program.linear))
    order = np.argsort(program.a_row, kind="stable")
    starts = np.searchsorted(program.a_row[order], np.arange(len(program.lower) + 1))
    constraints: list[Constraint] = []
    for row, (low, high) in enumerate(zip(program.lower.tolist(), program.upper.tolist(), strict=True)):
        entries = order[starts[row] : starts[row + 1]]
        if not len(entries) and low <= 0 <= high:
            continue  # a row without entries says nothing
        total = x[program.a_column[entries]].dot(program.a_value[entries])
        if low == high:
            constraints.append(total == low)
            continue
        if math.isfinite(low):
            constraints.append(total >= low)
        if math.isfinite(high):
            constraints.append(total <= high)
    return Domain([x], constraints)


# Lower values than MINLPLib's list of May 2021 has (5726530 and 43.075), published since.
IMPROVED = {"pb302095": 5710645.0, "color_lab2_4x0": 42.925}


def best_known(instance: str, places: Folders) -> float | None:
    """The negated best-known value: the folder's, or a lower one published since; None where it has none."""
    text = index(places, FOLDER).get(instance, {}).get("best_known", "").strip()
    if not text:
        return None
    try:
        return -min(float(text), IMPROVED.get(instance, math.inf))
    except ValueError as reason:
        raise DataError(
            f"{FOLDER}/index.csv: best_known of {instance} is {text!r}, which is not a number; correct it"
        ) from reason


def read_npz(path: Path) -> QuadraticProgram:
    """A program from the arrays described in the data folder's README."""
    remedy = "get the file again, or use MINLPLib's own .osil"
    data = arrays(path, ARRAYS, remedy)
    for name in ("n", "m", "const"):
        shaped(path, name, data[name], (), remedy)
    n, m = int(data["n"]), int(data["m"])
    quads, entries = len(np.atleast_1d(data["q_val"])), len(np.atleast_1d(data["a_val"]))
    expected = {"c": n, "con_sense": m, "rhs": m} | dict.fromkeys(("q_row", "q_col", "q_val"), quads)
    for name, length in (expected | dict.fromkeys(("a_row", "a_col", "a_val"), entries)).items():
        shaped(path, name, data[name], (length,), remedy)
    for name, limit in (("q_row", n), ("q_col", n), ("a_row", m), ("a_col", n)):
        if np.any(data[name] >= limit) or np.any(data[name] < 0):
            raise DataError(f"{path}: array {name!r} points beyond its {limit} entries; {remedy}")
    rhs, sense = data["rhs"].astype(np.float64), data["con_sense"]
    program = QuadraticProgram(
        constant=float(data["const"]),
        linear=data["c"].astype(np.float64),
        q_row=data["q_row"].astype(np.int64),
        q_column=data["q_col"].astype(np.int64),
        q_value=data["q_val"].astype(np.float64),
        a_row=data["a_row"].astype(np.int64),
        a_column=data["a_col"].astype(np.int64),
        a_value=data["a_val"].astype(np.float64),
        lower=np.where(sense >= 0, rhs, -math.inf),
        upper=np.where(sense <= 0, rhs, math.inf),
    )
    check_value(path, program, remedy)
    return program


def check_value(path: Path, program: QuadraticProgram, remedy: str) -> None:
    """Compare the objective with the value the file gives for a vector of its own, if it does."""
    with np.load(path, allow_pickle=False) as archive:
        if "x_check" not in archive.files or "f_check" not in archive.files:
            return
        x, expected = archive["x_check"], archive["f_check"]
    shaped(path, "x_check", x, (len(program.linear),), remedy)
    shaped(path, "f_check", expected, (), remedy)
    value = -float(negated(program)(x[None].astype(np.int64))[0])
    if not math.isclose(value, float(expected), rel_tol=1e-9, abs_tol=1e-6):
        raise DataError(
            f"{path}: the objective at x_check is {value}, the file says {float(expected)}; {remedy}"
        )


# By suffix; the first that exists for an instance is read.
READERS: dict[str, Callable[[Path], QuadraticProgram]] = {
    ".npz": read_npz,
    ".osil": read_osil,
    ".lp": read_lp,
}
