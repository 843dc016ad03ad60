"""Binary quadratic programs for the readers' tests: a random one, and writers for the three file formats."""

import math
from pathlib import Path

import numpy as np

from milbox.bench.problems.program import QuadraticProgram


def random_program(seed: int, n: int = 8, m: int = 4) -> QuadraticProgram:
    """A program with equalities, inequalities of both kinds, fractions and a constant."""
    rng = np.random.default_rng(seed)
    q_row, q_column = np.triu_indices(n, 1)
    chosen = rng.random(len(q_row)) < 0.5
    dense = rng.integers(-3, 4, (m, n))
    dense[:, 0] = 1  # no empty row
    a_row, a_column = np.nonzero(dense)
    rhs = rng.integers(-1, 4, m).astype(float)
    kind = np.arange(m) % 3
    return QuadraticProgram(
        constant=2.5,
        linear=rng.normal(size=n).round(3),
        q_row=q_row[chosen],
        q_column=q_column[chosen],
        q_value=rng.normal(size=int(chosen.sum())).round(3),
        a_row=a_row,
        a_column=a_column,
        a_value=dense[a_row, a_column].astype(float),
        lower=np.where(kind == 0, -math.inf, rhs),
        upper=np.where(kind == 2, math.inf, rhs),
    )


def write_npz(program: QuadraticProgram, path: Path) -> None:
    """As in the data folder's README."""
    sense = np.where(program.lower == program.upper, 0, np.where(np.isinf(program.lower), -1, 1))
    np.savez(
        path,
        n=len(program.linear),
        m=len(program.lower),
        const=program.constant,
        c=program.linear,
        q_row=program.q_row,
        q_col=program.q_column,
        q_val=program.q_value,
        a_row=program.a_row,
        a_col=program.a_column,
        a_val=program.a_value,
        con_sense=sense.astype(np.int8),
        rhs=np.where(np.isinf(program.lower), program.upper, program.lower),
    )


def limit(value: float) -> str:
    """A bound as OSiL writes it."""
    return ("INF" if value > 0 else "-INF") if math.isinf(value) else repr(value)


def write_osil(program: QuadraticProgram, path: Path) -> None:
    """The layout of MINLPLib's files: rows kept by colIdx, runs of `start` compressed."""
    n, m = len(program.linear), len(program.lower)
    order = np.argsort(program.a_row, kind="stable")
    starts = np.searchsorted(program.a_row[order], np.arange(m + 1))
    variables = "".join(f'<var name="b{i + 1}" type="B" ub="1"/>' for i in range(n))
    coefs = "".join(f'<coef idx="{i}">{v!r}</coef>' for i, v in enumerate(program.linear.tolist()))
    rows = "".join(
        f'<con name="e{i}" lb="{limit(low)}" ub="{limit(high)}"/>'
        for i, (low, high) in enumerate(zip(program.lower.tolist(), program.upper.tolist(), strict=True))
    )
    quads = "".join(
        f'<qTerm idx="-1" idxOne="{j}" idxTwo="{i}" coef="{v!r}"/>'  # either order is allowed
        for i, j, v in zip(
            program.q_row.tolist(), program.q_column.tolist(), program.q_value.tolist(), strict=True
        )
    )
    starting = "".join(f"<el>{s}</el>" for s in starts.tolist())
    indices = "".join(f"<el>{c}</el>" for c in program.a_column[order].tolist())
    values = "".join(f"<el>{v!r}</el>" for v in program.a_value[order].tolist())
    path.write_text(
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<osil xmlns="os.optimizationservices.org"><instanceHeader><name>test</name></instanceHeader>'
        f'<instanceData><variables numberOfVariables="{n}">{variables}</variables>'
        f'<objectives numberOfObjectives="1"><obj maxOrMin="min" numberOfObjCoef="{n}" '
        f'constant="{program.constant}">{coefs}</obj></objectives>'
        f'<constraints numberOfConstraints="{m}">{rows}</constraints>'
        f'<linearConstraintCoefficients numberOfValues="{len(order)}"><start>{starting}</start>'
        f"<colIdx>{indices}</colIdx><value>{values}</value></linearConstraintCoefficients>"
        f'<quadraticCoefficients numberOfQuadraticTerms="{len(program.q_row)}">{quads}'
        "</quadraticCoefficients></instanceData></osil>"
    )


def signed(value: float) -> str:
    """A coefficient with its sign set apart."""
    return f"{'-' if value < 0 else '+'} {abs(value)!r}"


def write_lp(program: QuadraticProgram, path: Path) -> None:
    """CPLEX's layout: quadratic objective in brackets, doubled because of the / 2."""
    n = len(program.linear)
    linear = " ".join(f"{signed(v)} b{i + 1}" for i, v in enumerate(program.linear.tolist()))
    quads = "\n  ".join(
        f"{signed(2 * v)} b{i + 1} * b{j + 1}"
        for i, j, v in zip(
            program.q_row.tolist(), program.q_column.tolist(), program.q_value.tolist(), strict=True
        )
    )
    lines = [
        "\\ a comment",
        "Minimize",
        f" obj: {linear} + [ {quads} ] / 2 + {program.constant!r}",
        "Subject To",
    ]
    for row, (low, high) in enumerate(zip(program.lower.tolist(), program.upper.tolist(), strict=True)):
        entries = np.flatnonzero(program.a_row == row)
        total = " ".join(f"{signed(program.a_value[e].item())} b{program.a_column[e] + 1}" for e in entries)
        end = f"= {low!r}" if low == high else f">= {low!r}" if math.isinf(high) else f"<= {high!r}"
        lines.append(f" e{row}: {total} {end}")
    lines += ["Binaries", " " + " ".join(f"b{i + 1}" for i in range(n)), "End"]
    path.write_text("\n".join(lines) + "\n")


WRITERS = {".npz": write_npz, ".osil": write_osil, ".lp": write_lp}
