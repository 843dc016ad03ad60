"""Programs as text.

In CPLEX LP format, which every solver reads: for golden tests, bug reports and a look at what was built. The
same program always gives the same text, and a number read back is the same number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from milbox.milp.program import Milp

_WIDTH = 100  # where a long row is broken; LP readers refuse lines of more than 255 characters


def lp_text(milp: Milp, names: Sequence[str] | None = None) -> str:
    """The program as LP text, its columns called x0, x1, ... or by the names given.

    A row with two different finite sides becomes two rows, r3_lower and r3_upper. A name is changed where LP
    format does not take it: x[3] is written x(3).

    Raises:
        ValueError: there is not exactly one name per column, or two columns would be called the same.
    """
    columns = [f"x{j}" for j in range(milp.columns)] if names is None else _lp_names(milp, names)
    objective = [(value, columns[j]) for j, value in enumerate(milp.cost.tolist()) if value]
    if milp.offset:
        objective.append((float(milp.offset), ""))
    lines = ["Maximize", *_wrapped(" obj:", objective, "")]
    lines.append("Subject To")
    lines.extend(_row_lines(milp, columns))
    lines.append("Bounds")
    for name, lower, upper in zip(columns, milp.lower.tolist(), milp.upper.tolist(), strict=True):
        box = (
            f"{name} = {_number(lower)}"
            if lower == upper
            else f"{_number(lower)} <= {name} <= {_number(upper)}"
        )
        lines.append(f" {box}")
    if milp.integer.any():
        lines.append("Generals")
        lines.extend(f" {columns[j]}" for j in np.flatnonzero(milp.integer))
    return "\n".join([*lines, "End", ""])


def _row_lines(milp: Milp, columns: list[str]) -> Iterator[str]:
    indptr, indices, data = milp.matrix.indptr, milp.matrix.indices.tolist(), milp.matrix.data.tolist()
    for i, (lower, upper) in enumerate(zip(milp.row_lower.tolist(), milp.row_upper.tolist(), strict=True)):
        entries = range(indptr[i], indptr[i + 1])
        # LP format has no row without columns: a zero entry stands for it.
        terms = [(data[k], columns[indices[k]]) for k in entries] or [(0.0, name) for name in columns[:1]]
        if lower == upper:
            sides = {f"r{i}": f"= {_number(lower)}"}
        else:
            both = np.isfinite(lower) and np.isfinite(upper)
            sides = {}
            if np.isfinite(lower):
                sides[f"r{i}_lower" if both else f"r{i}"] = f">= {_number(lower)}"
            if np.isfinite(upper):
                sides[f"r{i}_upper" if both else f"r{i}"] = f"<= {_number(upper)}"
        for name, side in sides.items():
            yield from _wrapped(f" {name}:", terms, side)
        if not sides:
            yield f"\\ r{i} has no sides"


def _wrapped(head: str, terms: Sequence[tuple[float, str]], side: str) -> Iterator[str]:
    line = head
    for k, (value, name) in enumerate(terms):
        sign = "-" if value < 0 else "+" if k else ""
        size = "" if abs(value) == 1 and name else _number(abs(value))
        piece = " ".join(part for part in (sign, size, name) if part)
        if len(line) + 1 + len(piece) > _WIDTH:
            yield line
            line = "  "
        line = f"{line} {piece}"
    yield f"{line} {side}".rstrip()


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def _lp_names(milp: Milp, names: Sequence[str]) -> list[str]:
    if len(names) != milp.columns:
        raise ValueError(f"{len(names)} names for {milp.columns} columns")
    changed = [lp_name(name) for name in names]
    first: dict[str, str] = {}
    for name, short in zip(names, changed, strict=True):
        if short in first:
            raise ValueError(f"columns {first[short]!r} and {name!r} would both be called {short!r}")
        first[short] = name
    return changed


def lp_name(name: str) -> str:
    """The name as LP format takes it."""
    plain = re.sub(r"[^A-Za-z0-9_.()]", "_", name.replace("[", "(").replace("]", ")"))
    # A name must not look like a number: no digit or dot first, and 2 e3 would be two thousand.
    return plain if re.match(r"[A-DF-Za-df-z_]", plain) else f"_{plain}"
