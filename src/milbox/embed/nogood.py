"""No-goods: rows that forbid a tried point and nothing else."""

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array

from milbox.arrays import Point
from milbox.domain import Binary
from milbox.embed.domain import Formulation


def forbid(points: Sequence[Point], formulation: Formulation, radius: int = 1) -> None:
    """Rows that forbid every point closer than `radius` (in variables that differ) to one of the points.

    For a point with codes c:   sum_i [x_i != c_i] >= radius.

    The paper's form (Section 3.3) counts features instead: a changed binary is one of them, a changed
    one-hot group two, hence its right-hand sides 1 and 2. Divided by that, it is the row written here.
    """
    if not len(points):
        return
    domain, milp = formulation.domain, formulation.milp
    codes = np.array(points, dtype=np.int64)
    columns, signs = np.empty(codes.shape, dtype=np.int64), np.empty(codes.shape)
    places = domain.layout
    for i, variable in enumerate(domain.variables):
        first = int(places.start[i])
        if isinstance(variable, Binary):
            columns[:, i] = formulation.inputs[first]
            signs[:, i] = np.where(codes[:, i] == 1, -1.0, 1.0)
            continue
        group = (
            formulation.inputs[first : first + places.width[i]]
            if places.onehot[i]
            else formulation.unary_columns(i)
        )
        columns[:, i] = group[codes[:, i] - places.low[i]]
        signs[:, i] = -1.0
    on = (signs < 0).sum(axis=1)
    starts = np.arange(len(codes) + 1) * codes.shape[1]
    matrix = csr_array((signs.ravel(), columns.ravel(), starts), shape=(len(codes), milp.width))
    milp.sparse_rows(matrix, np.arange(milp.width), radius - on, np.inf, lazy=True)
