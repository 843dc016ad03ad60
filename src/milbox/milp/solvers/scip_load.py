"""Fast loading of a program into SCIP.

PySCIPOpt builds rows from Python expressions and has no call that takes arrays; SCIP's own C function does.
It is found in the library that PySCIPOpt is linked with. Where it cannot be found (Windows does not look
symbols up in the libraries of a library), rows are built entry by entry. 1000 dense rows of 500 take
385 ms as expressions, 85 ms entry by entry, 13 ms as arrays, and 910 ms as an LP file.
"""

from __future__ import annotations

import ctypes
import functools
from typing import Any

import numpy as np

from milbox.milp.program import Milp

_OKAY = 1  # SCIP_OKAY of type_retcode.h


def add_columns(model: Any, milp: Milp, cost: Any) -> list[Any]:
    """Add the columns of a program to a SCIP model, and return SCIP's variables in order."""
    binary = milp.integer & (milp.lower >= 0) & (milp.upper <= 1)
    kinds = np.where(binary, "B", np.where(milp.integer, "I", "C")).tolist()
    return [
        model.addVar(name="", vtype=kind, lb=lower, ub=upper, obj=weight)
        for kind, lower, upper, weight in zip(
            kinds, milp.lower.tolist(), milp.upper.tolist(), cost.tolist(), strict=True
        )
    ]


def add_rows(model: Any, milp: Milp, variables: list[Any], lazily: bool) -> None:
    """Add the rows of a program to a SCIP model; empty rows and rows without sides say nothing.

    Lazily: rows that are lazy are not in linear programs before they are violated.
    """
    speaks = (np.diff(milp.matrix.indptr) > 0) & (np.isfinite(milp.row_lower) | np.isfinite(milp.row_upper))
    rows = np.flatnonzero(speaks).tolist()
    waits = (milp.lazy & lazily).tolist()
    library = _library()
    if library is None:
        add_rows_by_entry(model, milp, variables, rows, waits)
    else:
        _add_rows_by_array(library, model, milp, variables, rows, waits)


def add_rows_by_entry(
    model: Any, milp: Milp, variables: list[Any], rows: list[int], waits: list[bool]
) -> None:
    """Add rows through PySCIPOpt's public interface alone."""
    indptr = milp.matrix.indptr.tolist()
    indices = milp.matrix.indices.tolist()
    data = milp.matrix.data.tolist()
    for i in rows:
        first, after = indptr[i], indptr[i + 1]
        lower, upper = float(milp.row_lower[i]), float(milp.row_upper[i])
        head = data[first] * variables[indices[first]]
        if lower == upper:
            sides = head == lower
        elif np.isinf(lower):
            sides = head <= upper
        elif np.isinf(upper):
            sides = head >= lower
        else:
            sides = (head >= lower) <= upper
        row = model.addCons(sides, initial=not waits[i])
        for k in range(first + 1, after):
            model.addCoefLinear(row, variables[indices[k]], data[k])


def _add_rows_by_array(
    library: ctypes.CDLL, model: Any, milp: Milp, variables: list[Any], rows: list[int], waits: list[bool]
) -> None:
    unwrap = ctypes.pythonapi.PyCapsule_GetPointer
    unwrap.restype, unwrap.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    scip = ctypes.c_void_p(unwrap(model.to_ptr(False), b"scip"))

    infinity = model.infinity()
    lowers = np.maximum(milp.row_lower, -infinity).tolist()
    uppers = np.minimum(milp.row_upper, infinity).tolist()
    pointers = np.array([variable.ptr() for variable in variables], dtype=np.uintp)
    entry_variables = pointers[milp.matrix.indices]
    entries = np.ascontiguousarray(milp.matrix.data, dtype=np.float64)
    indptr = milp.matrix.indptr.tolist()
    first_variable, first_entry = entry_variables.ctypes.data, entries.ctypes.data
    row = ctypes.c_void_p()
    for i in rows:
        skip = indptr[i]
        _check(
            library.SCIPcreateConsBasicLinear(
                scip,
                ctypes.byref(row),
                b"",
                indptr[i + 1] - skip,
                first_variable + skip * entry_variables.itemsize,
                first_entry + skip * entries.itemsize,
                lowers[i],
                uppers[i],
            )
        )
        if waits[i]:
            _check(library.SCIPsetConsInitial(scip, row, 0))
        _check(library.SCIPaddCons(scip, row))
        _check(library.SCIPreleaseCons(scip, ctypes.byref(row)))


def _check(code: int) -> None:
    if code != _OKAY:
        raise RuntimeError(f"SCIP refused a row with return code {code}")


@functools.cache
def _library() -> ctypes.CDLL | None:
    """SCIP's C functions, or None where the loader does not find them."""
    import pyscipopt.scip

    pointer, number = ctypes.c_void_p, ctypes.c_double
    try:
        library = ctypes.CDLL(pyscipopt.scip.__file__)
        library.SCIPcreateConsBasicLinear.argtypes = [
            pointer, pointer, ctypes.c_char_p, ctypes.c_int, pointer, pointer, number, number,
        ]  # fmt: skip
        library.SCIPsetConsInitial.argtypes = [pointer, pointer, ctypes.c_uint]
        library.SCIPaddCons.argtypes = [pointer, pointer]
        library.SCIPreleaseCons.argtypes = [pointer, pointer]
    except (OSError, AttributeError):
        return None
    return library
