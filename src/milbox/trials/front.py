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
    kept = np.zeros(len(values), dtype=bool)
    # Whatever dominates a row comes before it in this order, and something undominated is among it.
    order = np.lexsort(-values.T[::-1])
    front: FloatArray = np.empty((0, values.shape[1]))
    for place in order.tolist():
        row = values[place]
        if not ((front >= row).all(axis=1) & (front > row).any(axis=1)).any():
            kept[place] = True
            front = np.vstack([front, row])
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
        worst = worst_of(finished, goal)
    else:
        names = [name for name, _ in goal.objectives]
        missing = [name for name in names if name not in reference]
        if missing:
            raise ValueError(f"the reference has no value for the objective {missing[0]!r}")
        worst = np.array([float(reference[name]) for name in names]) * np.array(goal.signs)
    return hypervolume(objectives_of(front_of(finished, goal), goal), worst)


def worst_of(trials: Iterable[Trial], goal: Goal) -> FloatArray:
    """The worst finished value of each objective, in the sense in which large is good."""
    worst: FloatArray = objectives_of(
        [trial for trial in trials if isinstance(trial.outcome, Finished)], goal
    ).min(axis=0, initial=np.inf)
    return worst


def hypervolume_course(
    trials: Iterable[Trial], goal: Goal, worst: FloatArray | None = None, most: int = 200
) -> list[tuple[int, float]]:
    """Numbers of trials that joined the front when they were measured, and the hypervolume after each.

    The reference is `worst_of` all these trials unless it is given. More than `most` are thinned out evenly,
    the last one included.
    """
    trials = list(trials)
    kept = [trial for trial in trials if isinstance(trial.outcome, Finished) and goal.keeps(trial)]
    if not kept:
        return []
    worst = worst_of(trials, goal) if worst is None else worst
    front: FloatArray = np.empty((0, len(goal.objectives)))
    fronts: list[tuple[int, FloatArray]] = []
    for trial, row in zip(kept, objectives_of(kept, goal), strict=True):
        if not (front >= row).all(axis=1).any():
            front = np.vstack([front[~(row >= front).all(axis=1)], row])
            fronts.append((trial.number, front))
    chosen = (
        fronts if len(fronts) <= most else [fronts[(k + 1) * len(fronts) // most - 1] for k in range(most)]
    )
    return [(number, hypervolume(rows, worst)) for number, rows in chosen]


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
