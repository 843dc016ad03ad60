"""The front of several objectives: trials nobody dominates, and the hypervolume that they cover."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from milbox.arrays import BoolArray, FloatArray
from milbox.trials.goal import Goal
from milbox.trials.trial import Finished, Trial


def objectives_of(trials: Iterable[Trial], goal: Goal) -> FloatArray:
    """The objectives of finished trials, one a row, in the sense in which large is good."""
    names = [name for name, _ in goal.objectives]
    rows = [[trial.values[name] for name in names] for trial in trials]
    values: FloatArray = np.array(rows, dtype=np.float64).reshape(-1, len(names)) * np.array(goal.signs)
    return values


def undominated(values: FloatArray) -> BoolArray:
    """Which rows no other row dominates: none is at least as large in every column and larger in one."""
    kept = np.ones(len(values), dtype=bool)
    for place, row in enumerate(values):
        kept[place] = not ((values >= row).all(axis=1) & (values > row).any(axis=1)).any()
    return kept


def front_of(trials: Iterable[Trial], goal: Goal) -> tuple[Trial, ...]:
    """The finished trials nobody dominates, in order, among those that keep the limits."""
    kept = [trial for trial in trials if isinstance(trial.outcome, Finished) and goal.keeps(trial)]
    return tuple(
        trial for trial, on in zip(kept, undominated(objectives_of(kept, goal)).tolist(), strict=True) if on
    )


def hypervolume_of(
    trials: Iterable[Trial], goal: Goal, reference: Mapping[str, float] | None = None
) -> float:
    """The hypervolume of what the front dominates and the reference does not.

    The reference has a value for each objective; by default the worst finished value of each.
    """
    finished = [trial for trial in trials if isinstance(trial.outcome, Finished)]
    if not finished:
        return 0.0
    if reference is None:
        worst = objectives_of(finished, goal).min(axis=0)
    else:
        names = [name for name, _ in goal.objectives]
        missing = [name for name in names if name not in reference]
        if missing:
            raise ValueError(f"the reference has no value for the objective {missing[0]!r}")
        worst = np.array([float(reference[name]) for name in names]) * np.array(goal.signs)
    return hypervolume(objectives_of(front_of(finished, goal), goal), worst)


def hypervolume(values: FloatArray, reference: FloatArray) -> float:
    """The volume between a reference and rows of which large entries are good, by slices."""
    above = np.maximum(np.asarray(values, dtype=np.float64) - reference, 0.0)
    above = above[(above > 0.0).all(axis=1)]
    return _volume(above[undominated(above)]) if len(above) else 0.0


def _volume(above: FloatArray) -> float:
    if above.shape[1] == 1:
        return float(above.max())
    order: Sequence[int] = np.argsort(-above[:, -1]).tolist()
    total = 0.0
    for rank, place in enumerate(order):
        below = above[order[rank + 1], -1] if rank + 1 < len(order) else 0.0
        thickness = float(above[place, -1] - below)
        if thickness > 0.0:
            slab = above[order[: rank + 1], :-1]
            total += thickness * _volume(slab[undominated(slab)])
    return total
