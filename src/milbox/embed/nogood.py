"""No-goods: rows that forbid a tried point and nothing else."""

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array

from milbox.arrays import BoolArray, IntArray, Point
from milbox.embed.domain import Formulation


def forbid(
    points: Sequence[Point] | IntArray,
    formulation: Formulation,
    radius: int = 1,
    apart: IntArray | None = None,
) -> None:
    """Rows that forbid every point closer than `radius` (in variables that differ) to one of the points.

    For a point with codes c:   sum_i [x_i != c_i] >= radius.

    A variable whose feature is a share differs where it is at least `apart` steps away, one number for each
    variable; one step where none are given. Two columns say so, for what lies below and above.

    The paper's form (Section 3.3) counts features instead: a changed binary is one of them, a changed
    one-hot group two, hence its right-hand sides 1 and 2. Divided by that, it is the row written here.
    """
    if not len(points):
        return
    domain, milp, places = formulation.domain, formulation.milp, formulation.domain.coding
    codes = domain.codes(points)
    flag, share = places.flag, places.steps > 0
    columns, signs = np.empty(codes.shape, dtype=np.int64), np.empty(codes.shape)
    columns[:, flag] = formulation.columns[places.start[flag]]
    signs[:, flag] = np.where(codes[:, flag] == 1, -1.0, 1.0)
    for i in np.flatnonzero(~flag & ~share):
        columns[:, i] = formulation.code_columns(int(i), codes[:, i])
        signs[:, i] = -1.0
    columns, signs = columns[:, ~share], signs[:, ~share]
    on = (signs < 0).sum(axis=1)
    for i in places.shares:
        distance = 1 if apart is None else int(apart[i])
        away = [formulation.away(int(i), int(code), distance) for code in codes[:, i]]
        columns = np.hstack([columns, np.array(away)])
        signs = np.hstack([signs, np.ones((len(codes), 2))])
    per_row = columns.size // len(codes)
    starts = np.arange(len(codes) + 1) * per_row
    matrix = csr_array((signs.ravel(), columns.ravel(), starts), shape=(len(codes), milp.width))
    # Rows that leave out a range are better there from the start: 2 to 6 times as slow otherwise.
    milp.sparse_rows(matrix, np.arange(milp.width), radius - on, np.inf, lazy=not share.any())


def forbid_by_features(points: Sequence[Point], formulation: Formulation, radius: int = 1) -> None:
    """Forbid as the paper writes it (Section 3.3).

    For a point with features c, over all features z:

        sum over c_j = 0 of z_j  +  sum over c_j = 1 of (1 - z_j)  >=  radius,

    or twice the radius where every variable has a group of which one is one, since no two points differ in
    fewer than two features there.
    """
    if not len(points):
        return
    domain, milp = formulation.domain, formulation.milp
    codes = np.array(points, dtype=np.int64)
    places = domain.coding
    columns: list[IntArray] = []
    ones: list[BoolArray] = []
    for i in range(len(domain.variables)):
        indicators = places.flag[i] or places.onehot[i]
        group = formulation.columns[places.group(i)] if indicators else formulation.unary_columns(i)
        codes_of_group = np.array([1]) if places.flag[i] else places.low[i] + np.arange(len(group))
        columns.append(group)
        ones.append(codes[:, i, None] == codes_of_group)
    one = np.concatenate(ones, axis=1)
    step = 1 if places.flag.any() else 2
    milp.rows(np.where(one, -1.0, 1.0), np.concatenate(columns), step * radius - one.sum(axis=1), np.inf)
