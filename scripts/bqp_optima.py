"""Find the optima of the generated programs: `.venv/bin/python scripts/bqp_optima.py --seconds 120`.

Paths are enumerated, cliques are solved by dynamic programming, and all others by SCIP with products of
one-hot groups linearised in full. What SCIP does not close in time is left out: a value that nobody proved
would be easy to beat. The table goes to src/milbox/bench/problems/generated.csv, whose rows are kept unless
`--again` is given.
"""

import argparse
import csv
import sys
import time
from collections import defaultdict
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np
from pyscipopt import Model, quicksum

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "src")]

from milbox.bench.problems.generated import NAMES, PARTS, checksum, program_of  # noqa: E402 - the folder is known only now
from milbox.bench.problems.program import QuadraticProgram  # noqa: E402

TABLE = ROOT / "src/milbox/bench/problems/generated.csv"
COLUMNS = ("name", "optimum", "method", "seconds", "checksum")


@dataclass(frozen=True, slots=True)
class Found:
    """The optimum of a program, and how it was proved."""

    best: float
    method: str


def value(program: QuadraticProgram, x: np.ndarray) -> float:
    """The objective at a 0/1 vector that keeps every row; raises where it does not."""
    rows = np.zeros(len(program.lower))
    np.add.at(rows, program.a_row, program.a_value * x[program.a_column])
    assert ((rows >= program.lower - 1e-6) & (rows <= program.upper + 1e-6)).all()
    quadratic = program.q_value @ (x[program.q_row] * x[program.q_column])
    return float(program.constant + program.linear @ x + quadratic)


def best_path(program: QuadraticProgram, side: int) -> Found:
    """Every path, one step at a time."""
    arcs = len(program.linear)
    right = np.arange(arcs // 2).reshape(side, side - 1)
    down = arcs // 2 + np.arange(arcs // 2).reshape(side - 1, side)
    costs = np.zeros((arcs, arcs))
    costs[program.q_row, program.q_column] = program.q_value
    costs += costs.T
    # Paths so far as (row, column, arcs), with their costs.
    paths = [(0, 0, np.zeros(0, dtype=np.int64), 0.0)]
    for _ in range(2 * (side - 1)):
        longer = []
        for r, c, taken, cost in paths:
            for r2, c2, arc in ((r, c + 1, right), (r + 1, c, down)):
                if r2 < side and c2 < side:
                    a = int(arc[r, c])
                    longer.append(
                        (r2, c2, np.append(taken, a), cost + program.linear[a] + costs[a, taken].sum())
                    )
        paths = longer
    _, _, taken, _ = min(paths, key=lambda path: path[3])
    x = np.zeros(arcs)
    x[taken] = 1.0
    return Found(value(program, x), f"all {len(paths)} paths")


def best_clique(vertices: int) -> Found:
    """The least sum of |i - j| inside parts, by the gaps between neighbours.

    A gap between k and k + 1 counts once for each pair of a part that lies on both sides of it: c (n - c) for
    a part of n vertices of which c are at most k. For fixed sizes the parts' counts are the state.
    """
    least = np.inf
    for a in range(vertices + 1):
        for b in range(a + 1):
            c = vertices - a - b
            if not 0 <= c <= b:
                continue
            sizes = (a, b, c)
            costs = {(0, 0): 0.0}
            for k in range(1, vertices + 1):
                after: dict[tuple[int, int], float] = {}
                for (i, j), cost in costs.items():
                    for i2, j2 in ((i + 1, j), (i, j + 1), (i, j)):
                        l2 = k - i2 - j2
                        if i2 > a or j2 > b or not 0 <= l2 <= c:
                            continue
                        now = cost + sum(m * (n - m) for m, n in zip((i2, j2, l2), sizes, strict=True))
                        if now < after.get((i2, j2), np.inf):
                            after[i2, j2] = now
                costs = after
            least = min(least, costs[a, b])
    return Found(float(least), "dynamic programming")


def by_scip(program: QuadraticProgram, seconds: float, symmetric: bool) -> Found | None:
    """SCIP on the program with a variable for each product of two members of one-hot groups.

    For groups G and H with a product between them, the sum of x_g x_h over h in H is x_g: rows that hold in
    every solution and make the linear program much stronger than products alone.
    """
    groups = defaultdict(list)
    for row, column in zip(program.a_row, program.a_column, strict=True):
        if program.lower[row] == program.upper[row] == 1.0:
            groups[row].append(int(column))
    group_of = {column: row for row, columns in groups.items() for column in columns}
    model = Model()
    model.hideOutput()
    model.setParam("limits/time", seconds)
    x = [model.addVar(vtype="B", name=f"x{i}", obj=float(c)) for i, c in enumerate(program.linear)]
    entries = defaultdict(list)
    for row, column, coefficient in zip(program.a_row, program.a_column, program.a_value, strict=True):
        entries[row].append(float(coefficient) * x[column])
    for row, terms in entries.items():
        total = quicksum(terms)
        low, high = float(program.lower[row]), float(program.upper[row])
        if low == high:
            model.addCons(total == low)
        else:
            model.addCons(total <= high)
    coefficients = {
        (int(i), int(j)): float(q)
        for i, j, q in zip(program.q_row, program.q_column, program.q_value, strict=True)
    }
    pairs = {(group_of[i], group_of[j]) for i, j in coefficients}
    for g, h in sorted(pairs):
        y = {
            (i, j): model.addVar(lb=0.0, ub=1.0, obj=coefficients.get((i, j), coefficients.get((j, i), 0.0)))
            for i in groups[g]
            for j in groups[h]
        }
        for i in groups[g]:
            model.addCons(quicksum(y[i, j] for j in groups[h]) == x[i])
        for j in groups[h]:
            model.addCons(quicksum(y[i, j] for i in groups[g]) == x[j])
    if symmetric:  # parts have no names: the first vertex is in the first of them
        model.fixVar(x[0], 1.0)
    model.optimize()
    if not model.getNSols():
        return None
    best = value(program, np.round([model.getVal(v) for v in x]))
    # All coefficients are whole numbers, so a bound that is less than one below the value proves it.
    return Found(best, f"SCIP {model.version()}") if model.getDualbound() > best - 1 + 1e-6 else None


def solved(name: str, seconds: float) -> Found | None:
    """The optimum of a program; None where it was not proved."""
    _, kind, size, _ = name.split("/")
    program = program_of(name)
    if kind == "qspp":
        return best_path(program, int(size))
    if size.startswith("clique-"):
        return best_clique(len(program.linear) // PARTS)
    return by_scip(program, seconds, symmetric=kind == "graphpart")


def main() -> None:
    """Solve what is not in the table, and write the table after each program."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=120.0, help="SCIP's time limit for a program")
    parser.add_argument("--only", default="*", help="a glob of names")
    parser.add_argument("--again", action="store_true", help="solve programs that are in the table, too")
    chosen = parser.parse_args()
    with TABLE.open(newline="", encoding="utf-8") as file:
        table = {row["name"]: row for row in csv.DictReader(file) if not chosen.again}
    for name in NAMES:
        if name in table or not fnmatchcase(name, chosen.only):
            continue
        began = time.perf_counter()
        found = solved(name, chosen.seconds)
        took = time.perf_counter() - began
        if found is not None:
            row = (name, found.best, found.method, f"{took:.1f}", checksum(program_of(name)))
            table[name] = dict(zip(COLUMNS, row, strict=True))
        print(name, found, f"{took:.1f} s", flush=True)
        with TABLE.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(table[known] for known in NAMES if known in table)


if __name__ == "__main__":
    main()
