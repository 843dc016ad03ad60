"""Solutions of a program rounded to the grid: the nearest point that the constraints allow, exactly."""

from collections.abc import Sequence

import numpy as np

from milbox.arrays import FloatArray, IntArray, Point
from milbox.domain.box import Box
from milbox.embed.affine import constant
from milbox.embed.domain import Formulation, formulate_near
from milbox.embed.nogood import forbid
from milbox.milp.program import Affine, MilpBuilder
from milbox.milp.solution import Limits, Solver

WINDOWS = (2, 64, 4096)
"""How many steps each share may move, one after the other."""

LIMITS = Limits(seconds=5.0)
"""When one such program is given up."""


def on_grid(
    x: FloatArray,
    formulation: Formulation,
    solver: Solver,
    tried: Sequence[Point],
    apart: IntArray,
    box: Box | None = None,
) -> Point | None:
    """The point nearest to a solution that is contained and at least `apart` from each tried one, or None.

    Rounding alone may break a sum that has to be met exactly. A program over a few steps round each share,
    with all other variables as they are, then says how to round.
    """
    domain, places = formulation.domain, formulation.domain.coding
    point = formulation.point(x)
    codes = np.array(point, dtype=np.int64)
    whole = formulation.offset + formulation.scale * x[formulation.columns]
    wanted = whole[places.start[places.shares]] - codes[places.shares]
    given = np.array(tried, dtype=np.int64).reshape(-1, len(codes))
    for window in (0, *WINDOWS):
        reach = apart + np.where(places.steps > 0, window, 0)
        close = given[(np.abs(given - codes) < reach).all(axis=1)]
        if window == 0:
            if domain.contains(point) and not len(close):
                return point
            continue
        milp = MilpBuilder()
        around = formulate_near(domain, milp, point, window, box)
        forbid(close, around, apart=apart)
        moves = around.columns[places.start[places.shares]]
        gaps = milp.columns(np.zeros(len(moves)), window + 1.0)
        for move, gap, target in zip(moves, gaps, wanted.tolist(), strict=True):
            milp.row([gap, move], [1.0, -1.0], -target, np.inf)
            milp.row([gap, move], [1.0, 1.0], target, np.inf)
        milp.maximize(Affine(gaps, -np.ones(len(gaps))) + constant(0.0))
        solution = solver.solve(milp.build(), LIMITS)
        if solution.x is not None:
            found = around.point(solution.x)
            close = given[(np.abs(given - np.array(found)) < apart).all(axis=1)]
            if domain.contains(found) and not len(close):
                return found
    return None
