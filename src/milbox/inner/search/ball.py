"""The paths of a domain that differ from a point in few variables: one more tie."""

from dataclasses import replace

import numpy as np

from milbox.domain.box import Box
from milbox.inner.search.paths import Paths


def in_ball(paths: Paths, box: Box) -> Paths:
    """The same paths, tied by a sum: how many variables differ from the centre, less how many may."""
    differs = (paths.code != box.centre[paths.variable]).astype(np.float64)
    bias = -float(min(box.changes, len(box.centre)))
    least = np.minimum.reduceat(differs, paths.start)
    most = np.maximum.reduceat(differs, paths.start)
    return replace(
        paths,
        tie_table=np.column_stack([paths.tie_table, differs]),
        tie_bias=np.append(paths.tie_bias, bias),
        tie_equal=np.append(paths.tie_equal, False),
        tie_low=np.append(paths.tie_low, bias + least.sum()),
        tie_high=np.append(paths.tie_high, bias + most.sum()),
        tie_size=np.append(paths.tie_size, abs(bias) + most.sum()),
        tie_mean=np.append(paths.tie_mean, differs.mean()),
    )
