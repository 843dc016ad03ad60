"""The bounded dual simplex method on a dense tableau.

It only proposes multipliers and points: bounds are worked out from multipliers by `bound.lagrangian`, which
is valid whatever these are, and points are rounded and checked. Nothing proved depends on its arithmetic.
"""

from milbox.compiled.jit import kernel, owner, vectorised
from milbox.inner.ranges.state import LOWER, PRICE, REDUCED, UPPER, VALUE, Problem, Program

PIVOT = 1e-7
"""Entries below this are no pivots."""

VIOLATED = 1e-9
"""Limits may be exceeded by this."""

ANEW = 100
"""The tableau is made anew after so many pivots."""

OPTIMAL, INFEASIBLE, STOPPED = 0, 1, 2


@kernel
def begin(net: Problem, program: Program) -> None:
    """Set the tableau of the basis of negative parts."""
    columns, rows = net.table.shape
    last = columns + 2 * rows
    for j in range(last):
        program.place[j] = -1
    for r in range(rows):
        for j in range(last + 1):
            program.tableau[r, j] = 0.0
        for i in range(columns):
            program.tableau[r, i] = net.table[i, r]
        program.tableau[r, columns + r] = -1.0
        program.tableau[r, columns + rows + r] = 1.0
        program.tableau[r, last] = -net.bias[r]
        program.basis[r] = columns + rows + r
        program.place[columns + rows + r] = r
    program.pivots[0] = 0


@owner
def anew(net: Problem, program: Program) -> None:
    """Work out the tableau of the same basis from the beginning."""
    rows = len(program.basis)
    wanted = program.basis.copy()
    begin(net, program)
    for k in range(rows):
        entering = wanted[k]
        if program.place[entering] >= 0:
            continue
        best, row = PIVOT, -1
        for r in range(rows):
            kept = False
            for other in wanted:
                if other == program.basis[r]:
                    kept = True
            size = abs(program.tableau[r, entering])
            if not kept and size > best:
                best, row = size, r
        if row >= 0:
            pivot(program, row, entering)
    program.pivots[0] = 0


@vectorised
def pivot(program: Program, row: int, entering: int) -> None:
    """Exchange the basic variable of a row for another."""
    tableau = program.tableau
    rows, width = tableau.shape
    factor = 1.0 / tableau[row, entering]
    for j in range(width):
        tableau[row, j] *= factor
    tableau[row, entering] = 1.0
    for r in range(rows):
        factor = tableau[r, entering]
        if r != row and factor != 0.0:
            for j in range(width):
                tableau[r, j] -= factor * tableau[row, j]
            tableau[r, entering] = 0.0
    program.place[program.basis[row]] = -1
    program.basis[row] = entering
    program.place[entering] = row
    program.pivots[0] += 1
    program.pivots[1] += 1


@vectorised
def set_reduced(program: Program) -> None:
    """Work out reduced costs, and lay nonbasic variables at the limits where these want them."""
    rows, width = program.tableau.shape
    cost, reduced = program.numbers[PRICE], program.numbers[REDUCED]
    for j in range(width - 1):
        reduced[j] = cost[j]
    for r in range(rows):
        price = cost[program.basis[r]]
        if price != 0.0:
            for j in range(width - 1):
                reduced[j] -= price * program.tableau[r, j]
    for j in range(width - 1):
        program.upper[j] = reduced[j] > 0.0


@vectorised
def set_values(program: Program) -> None:
    """Work out the values of all variables."""
    rows, width = program.tableau.shape
    value = program.numbers[VALUE]
    for j in range(width - 1):
        value[j] = program.numbers[UPPER, j] if program.upper[j] else program.numbers[LOWER, j]
    for r in range(rows):
        value[program.basis[r]] = 0.0
    for r in range(rows):
        total = program.tableau[r, width - 1]
        for j in range(width - 1):
            total -= program.tableau[r, j] * value[j] if program.place[j] < 0 else 0.0
        value[program.basis[r]] = total


@kernel
def optimise(net: Problem, program: Program, limit: int) -> int:
    """Solve the program from the basis at hand; how it ended.

    Where it is infeasible, reduced costs are replaced by the multipliers that show it: those of the row that
    cannot be met.
    """
    rows, width = program.tableau.shape
    numbers, tableau = program.numbers, program.tableau
    if program.pivots[0] > ANEW:
        anew(net, program)
    set_reduced(program)
    set_values(program)
    for _ in range(limit):
        worst, row, way = VIOLATED, -1, 1.0
        for r in range(rows):
            j = program.basis[r]
            short, over = numbers[LOWER, j] - numbers[VALUE, j], numbers[VALUE, j] - numbers[UPPER, j]
            if short > worst:
                worst, row, way = short, r, 1.0
            if over > worst:
                worst, row, way = over, r, -1.0
        if row < 0:
            return OPTIMAL
        # The basic variable has to move by `way * worst`; nonbasic ones pass to their other limits in the
        # order in which their reduced costs vanish, as long as they alone do not suffice.
        left = worst
        entering = -1
        while True:
            best, entering = 1e300, -1
            for j in range(width - 1):
                if program.place[j] >= 0 or numbers[LOWER, j] == numbers[UPPER, j]:
                    continue
                entry = way * tableau[row, j]
                if (entry < -PIVOT and not program.upper[j]) or (entry > PIVOT and program.upper[j]):
                    ratio = abs(numbers[REDUCED, j] / entry)
                    if ratio < best or (ratio <= best and abs(entry) > abs(tableau[row, entering])):
                        best, entering = ratio, j
            if entering < 0:
                break
            span = numbers[UPPER, entering] - numbers[LOWER, entering]
            gain = abs(tableau[row, entering]) * span
            if gain >= left:
                break
            left -= gain
            program.upper[entering] = not program.upper[entering]
        leaving = program.basis[row]
        if entering < 0:
            # No choice of the others brings it within its limits.
            for j in range(width - 1):
                numbers[REDUCED, j] = -way * tableau[row, j]
            return INFEASIBLE
        program.upper[leaving] = way < 0.0
        pivot(program, row, entering)
        reduced = numbers[REDUCED, entering]
        for j in range(width - 1):
            numbers[REDUCED, j] -= reduced * tableau[row, j]
        numbers[REDUCED, entering] = 0.0
        set_values(program)
    return STOPPED
