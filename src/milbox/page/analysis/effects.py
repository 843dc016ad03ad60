"""Effects of variables and pairs of variables on the values, with tests against chance.

An additive model is fitted to the finished trials by ridge regression, its penalty chosen by leaving one
trial out; pairs are judged by how well the product of two contrasts goes with what the additive model leaves
over. Both are compared with what the same analysis finds in the model's errors shuffled among the trials:
where only chance is at work, the largest of 19 shuffles is exceeded once in twenty times.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from milbox.arrays import FloatArray, IntArray
from milbox.domain import Domain
from milbox.page.analysis.contrasts import Contrasts, contrasts, kept, screened, value_shown
from milbox.page.formats import number

SHUFFLES = 19
FEWEST = 8
MOST_TRIALS, MOST_COLUMNS, MOST_PAIRED = 1000, 800, 400
# A value that was tried less often says too little about pairs.
RAREST = 3
PENALTIES = np.logspace(-3, 5, 33)


@dataclass(frozen=True, slots=True)
class Level:
    """A value of a variable, how often it was tried, and its effect on the fitted value."""

    shown: str
    tried: int
    effect: float


@dataclass(frozen=True, slots=True)
class Effect:
    """One variable's contribution: the spread of its effects over the trials."""

    place: int
    """The entry of a point it belongs to."""
    name: str
    spread: float
    levels: tuple[Level, ...]


@dataclass(frozen=True, slots=True)
class PairEffect:
    """Two values that together go with more or less than their effects added."""

    names: tuple[str, str]
    levels: tuple[str, str]
    """The values; empty for a variable with a slope, where larger ones are meant."""
    correlation: float


@dataclass(frozen=True, slots=True)
class Effects:
    """The analysis of a run."""

    trials: int
    explained: float
    """1 - squared error / variance, each trial predicted by the model fitted to the others."""
    variables: tuple[Effect, ...]
    """Largest spread first; those that never changed are left out."""
    chance: float
    """The largest spread of any variable among the shuffles."""
    pairs: tuple[PairEffect, ...]
    pair_chance: float
    paired: int
    """The number of variables that pairs were formed of."""
    unchanged: int
    screened: int
    """The number of variables left out because there were too many."""


@dataclass(frozen=True, slots=True)
class Ridge:
    """A penalised least-squares fit: weights = V gain U' values, where the matrix is U S V'."""

    U: FloatArray
    Vt: FloatArray
    gain: FloatArray
    errors: FloatArray
    """The error of each value when it is predicted from the others."""

    def weights(self, values: FloatArray) -> FloatArray:
        """The fit to other values at the same points; many at once, one a row."""
        return np.asarray((values @ self.U * self.gain) @ self.Vt)


def ridge(matrix: FloatArray, values: FloatArray) -> Ridge:
    """The fit whose penalty p predicts values best from the others.

    With matrix = U S V', predictions are U S²/(S² + p) U' values, and leaving value i out of the fit divides
    its error by 1 - h_i, where h_i is the diagonal of that operator, the mean's 1/n added.
    """
    U, S, Vt = singular(matrix)
    target = U.T @ values
    fits = []
    for penalty in PENALTIES:
        shrink = S**2 / (S**2 + penalty)
        leverage = 1 / len(values) + (U**2) @ shrink
        fits.append((values - U @ (shrink * target)) / np.maximum(1 - leverage, 1e-9))
    best = int(np.argmin([float((errors**2).sum()) for errors in fits]))
    return Ridge(U, Vt, S / (S**2 + PENALTIES[best]), fits[best])


def singular(X: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """X = U S V', computed from the smaller of X X' and X' X; negligible singular values are left out."""
    flat = len(X) <= X.shape[1]
    squares, vectors = np.linalg.eigh(X @ X.T if flat else X.T @ X)
    large = squares > 1e-10 * max(float(squares[-1]), 1e-300)
    S, vectors = np.sqrt(squares[large]), vectors[:, large]
    if flat:
        return vectors, S, (vectors.T @ X) / S[:, None]
    return (X @ vectors) / S, S, vectors.T


def analyse(domain: Domain, points: Sequence[Sequence[int]], values: FloatArray) -> Effects | None:
    """Effects of variables and pairs on the values; None when there are too few trials or nothing varies."""
    rng = np.random.default_rng(0)
    rows = domain.codes(points)
    if len(values) > MOST_TRIALS:
        kept = np.sort(rng.choice(len(values), MOST_TRIALS, replace=False))
        rows, values = rows[kept], values[kept]
    if len(values) < FEWEST or np.ptp(values) == 0:
        return None
    made = contrasts(domain, rows)
    if not made.matrix.shape[1]:
        return None
    changing = len(np.unique(made.owner))
    scale = float(np.abs(values - values.mean()).max())
    centred = (values - values.mean()) / scale
    made = screened(made, centred, MOST_COLUMNS)
    fit = ridge(made.matrix, centred)
    weights = fit.weights(centred)
    n = len(centred)
    total = float(((centred * n / (n - 1)) ** 2).sum())
    # What the same fit finds in nothing but its own errors.
    chances = fit.weights(
        np.stack([rng.permutation(fit.errors - fit.errors.mean()) for _ in range(SHUFFLES)])
    )
    owners, group = np.unique(made.owner, return_inverse=True)
    spreads = spread(made.matrix, weights, group)
    chance = max(float(spread(made.matrix, row, group).max()) for row in chances)
    order = np.argsort(-spreads, kind="stable")
    found = [
        Effect(
            int(owners[k]),
            domain.variables[owners[k]].name,
            scale * float(spreads[k]),
            levels(domain, int(owners[k]), rows[:, owners[k]], made, scale * weights),
        )
        for k in order
    ]
    left = centred - made.matrix @ weights
    pairs, pair_chance, paired = interactions(domain, made, left, rng)
    return Effects(
        trials=len(values),
        explained=1 - float((fit.errors**2).sum()) / total,
        variables=tuple(found),
        chance=scale * chance,
        pairs=tuple(pairs),
        pair_chance=pair_chance,
        paired=paired,
        unchanged=len(domain.variables) - changing,
        screened=changing - len(owners),
    )


def spread(matrix: FloatArray, weights: FloatArray, group: IntArray) -> FloatArray:
    """The standard deviation over the trials of what each variable contributes."""
    found = np.zeros(int(group.max()) + 1)
    order = np.argsort(group, kind="stable")
    starts = np.searchsorted(group[order], np.arange(len(found)))
    contributions = np.add.reduceat((matrix * weights)[:, order], starts, axis=1)
    return np.asarray(contributions.std(axis=0))


def levels(
    domain: Domain, place: int, codes: IntArray, made: Contrasts, weights: FloatArray
) -> tuple[Level, ...]:
    """The effects of a variable's values, centred over the trials."""
    own = np.flatnonzero(made.owner == place)
    variable = domain.variables[place]
    if made.slope[own[0]]:
        ends = (int(codes.min()), int(codes.max()))
        slope = float(weights[own[0]] / made.slope[own[0]])
        middle = float(codes.mean())
        return tuple(
            Level(number(variable.value(end)), int((codes == end).sum()), slope * (end - middle))
            for end in ends
        )
    tried, counts = np.unique(codes, return_counts=True)
    raw = np.concatenate([np.zeros(len(tried) - len(own)), weights[own]])
    raw = raw - float((raw * counts).sum() / counts.sum())
    return tuple(
        Level(value_shown(variable, int(code)), int(times), float(effect))
        for code, times, effect in zip(tried, counts, raw, strict=True)
    )


def interactions(
    domain: Domain, made: Contrasts, left: FloatArray, rng: np.random.Generator
) -> tuple[list[PairEffect], float, int]:
    """The strongest pairs, the strongest among shuffles, and the number of variables considered."""
    enough = (made.tried >= RAREST) & (len(left) - made.tried >= RAREST) | (made.slope > 0)
    used = screened(kept(made, enough), left, MOST_PAIRED)
    if len(np.unique(used.owner)) < 2 or not left.any():
        return [], 0.0, 0
    X, n = used.matrix, len(left)
    products = (X**2).T @ (X**2) - (X.T @ X) ** 2 / n
    products[used.owner[:, None] >= used.owner[None, :]] = 0.0
    size = np.sqrt(np.where(products > 1e-9 * n, products, np.inf))

    def correlations(residual: FloatArray) -> FloatArray:
        residual = residual - residual.mean()
        return np.asarray(X.T @ (residual[:, None] * X) / size / np.sqrt((residual**2).sum()))

    chance = max(float(np.abs(correlations(rng.permutation(left))).max()) for _ in range(SHUFFLES))
    found = correlations(left)
    pairs: list[PairEffect] = []
    seen: set[tuple[int, int]] = set()
    for flat in np.argsort(-np.abs(found), axis=None, kind="stable"):
        one, other = divmod(int(flat), X.shape[1])
        owners = (int(used.owner[one]), int(used.owner[other]))
        if found[one, other] == 0 or len(pairs) == 12:
            break
        if owners in seen:
            continue
        seen.add(owners)
        names = (domain.variables[owners[0]].name, domain.variables[owners[1]].name)
        pairs.append(PairEffect(names, (used.shown[one], used.shown[other]), float(found[one, other])))
    return pairs, chance, len(np.unique(used.owner))
