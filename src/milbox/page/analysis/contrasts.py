"""Tried points as centred features of their values, for regressions."""

from dataclasses import dataclass

import numpy as np

from milbox.arrays import BoolArray, FloatArray, IntArray
from milbox.domain import Domain, Integer, Real, Variable

# An integer that took more values than this is given a slope instead of an effect for each value.
MOST_LEVELS = 12


@dataclass(frozen=True, slots=True)
class Contrasts:
    """Centred features of the trials, and which variables and values they stand for."""

    matrix: FloatArray  # (trials, columns)
    owner: IntArray  # (columns,) entry of a point
    shown: tuple[str, ...]
    tried: IntArray
    slope: FloatArray
    """Codes per unit of the contrast for slopes, 0 for indicators."""


def contrasts(domain: Domain, points: IntArray) -> Contrasts:
    """A contrast for each value that was tried, one for a variable that took two, a slope for long ranges."""
    parts: list[FloatArray] = []
    owner: list[int] = []
    shown: list[str] = []
    tried: list[int] = []
    slopes: list[float] = []
    for place, variable in enumerate(domain.variables):
        codes, counts = np.unique(points[:, place], return_counts=True)
        if len(codes) < 2:
            continue
        column = points[:, place].astype(np.float64)
        if isinstance(variable, Integer | Real) and len(codes) > MOST_LEVELS:
            # Half a standard deviation each, as a balanced indicator has.
            scale = 2 * float(column.std())
            parts.append((column - column.mean()) / scale)
            owner.append(place)
            shown.append("")
            tried.append(len(points))
            slopes.append(scale)
            continue
        for code, times in list(zip(codes, counts, strict=True))[1 if len(codes) == 2 else 0 :]:
            indicator = (points[:, place] == code).astype(np.float64)
            parts.append(indicator - indicator.mean())
            owner.append(place)
            shown.append(value_shown(variable, int(code)))
            tried.append(int(times))
            slopes.append(0.0)
    matrix = np.stack(parts, axis=1) if parts else np.zeros((len(points), 0))
    return Contrasts(
        matrix, np.array(owner, np.int64), tuple(shown), np.array(tried, np.int64), np.array(slopes)
    )


def value_shown(variable: Variable, code: int) -> str:
    """A variable's value as text."""
    return str(variable.value(code))


def screened(made: Contrasts, values: FloatArray, most: int) -> Contrasts:
    """At most `most` contrasts: those of the variables that, each alone, correlate best with the values."""
    if made.matrix.shape[1] <= most:
        return made
    together = (made.matrix.T @ values) ** 2 / np.maximum((made.matrix**2).sum(axis=0), 1e-12)
    owners, group = np.unique(made.owner, return_inverse=True)
    merit = np.bincount(group, together) / np.bincount(group)
    sizes = np.bincount(group)
    order = np.argsort(-merit, kind="stable")
    chosen = order[np.cumsum(sizes[order]) <= most]
    return kept(made, np.isin(made.owner, owners[chosen]))


def kept(made: Contrasts, keep: BoolArray) -> Contrasts:
    """Some of the contrasts."""
    places = np.flatnonzero(keep)
    return Contrasts(
        made.matrix[:, places],
        made.owner[places],
        tuple(made.shown[k] for k in places),
        made.tried[places],
        made.slope[places],
    )
