"""Metrics computed from journals: best rewards, scores, areas, comparisons."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from milbox.arrays import FloatArray
from milbox.bench.measure.cells import CellRecord
from milbox.bench.problems import primal_gap

Table: TypeAlias = dict[str, dict[str, float]]
"""One number for each problem and algorithm."""

# Rewards that differ by less than this share of their size are equal; sums are rounded differently.
ROUNDING = 1e-9
# The best known value is met by a reward that is below it by no more than this, plus as large a share of it
# as rounding takes: lists print values with some eight decimals, and whole numbers up to 1e8 stay apart.
PRINTED = 1e-8
# Primal gaps that trials are counted by, as in the paper: none, at most 1 %, at most 10 %.
GAPS = (0.0, 0.01, 0.1)


def by_problem(records: Iterable[CellRecord]) -> dict[str, dict[str, list[CellRecord]]]:
    """Records by problem, then by algorithm."""
    found: dict[str, dict[str, list[CellRecord]]] = defaultdict(lambda: defaultdict(list))
    for record in records:
        found[record.problem][record.algorithm].append(record)
    return {problem: dict(algorithms) for problem, algorithms in found.items()}


def families(records: Iterable[CellRecord]) -> dict[str, list[CellRecord]]:
    """Records by family, in the order of the paper."""
    order = ("randommlp", "tfbind", "bbob", "ising", "bqp", "minlplib", "nasbench101")
    found: dict[str, list[CellRecord]] = defaultdict(list)
    for record in records:
        found[record.family].append(record)

    def place(family: str) -> tuple[int, list[int], str]:
        first, *rest = family.split("/")
        known = order.index(first) if first in order else len(order)
        return known, [int(part) for part in rest if part.isdigit()], family

    return {family: found[family] for family in sorted(found, key=place)}


def horizons(records: Sequence[CellRecord]) -> list[int]:
    """The numbers of evaluations at which algorithms are compared: what most cells of each of them have."""
    lengths: dict[str, list[int]] = defaultdict(list)
    for record in records:
        lengths[record.algorithm].append(len(record.values))
    return sorted({int(np.median(each)) for each in lengths.values()})


def shortest(records: Iterable[CellRecord]) -> int:
    """The number of evaluations that every record has."""
    return min(len(record.values) for record in records)


def reached(records: Iterable[CellRecord], horizon: int) -> list[CellRecord]:
    """The records with at least as many evaluations."""
    return [record for record in records if len(record.values) >= horizon]


def cut_short(records: Sequence[CellRecord], horizon: int) -> list[CellRecord]:
    """Records with fewer evaluations than the horizon, of algorithms most of whose records have as many."""
    reaching = {
        name
        for name in {record.algorithm for record in records}
        if np.median([len(r.values) for r in records if r.algorithm == name]) >= horizon
    }
    return [r for r in records if r.algorithm in reaching and len(r.values) < horizon]


def everywhere(records: Sequence[CellRecord], horizon: int) -> list[CellRecord]:
    """The records that reach the horizon, of algorithms that do so on every problem of them.

    Averages over problems are comparable only over the same problems.
    """
    found = reached(records, horizon)
    problems = by_problem(found)
    return [r for r in found if all(r.algorithm in algorithms for algorithms in problems.values())]


def curves(records: Sequence[CellRecord], horizon: int) -> FloatArray:
    """Best so far, one row per record."""
    return np.array([record.best[:horizon] for record in records])


def best_rewards(records: Iterable[CellRecord], horizon: int) -> Table:
    """The best reward after so many evaluations, averaged over trials."""
    return {
        problem: {name: float(curves(group, horizon)[:, -1].mean()) for name, group in algorithms.items()}
        for problem, algorithms in by_problem(reached(records, horizon)).items()
    }


def areas(records: Iterable[CellRecord], horizon: int) -> Table:
    """The area under the best-so-far curve divided by its length, averaged over trials."""
    return {
        problem: {name: float(curves(group, horizon).mean()) for name, group in algorithms.items()}
        for problem, algorithms in by_problem(reached(records, horizon)).items()
    }


def normalised(table: Table) -> Table:
    """The best algorithm of each problem at 1, the worst at 0, the others between; all at 1 when equal."""
    found: Table = {}
    for problem, values in table.items():
        low, high = min(values.values()), max(values.values())
        found[problem] = {
            name: (value - low) / (high - low) if high > low else 1.0 for name, value in values.items()
        }
    return found


def column(table: Table, algorithm: str) -> FloatArray:
    """One algorithm's numbers over the problems it was run on."""
    return np.array([values[algorithm] for values in table.values() if algorithm in values])


@dataclass(frozen=True, slots=True)
class Comparison:
    """How an algorithm fared against another, problem by problem, on the trials both have."""

    first: str
    second: str
    wins: int
    ties: int
    losses: int
    sign: float
    """p of the sign test over problems: how likely so uneven a count is by chance."""
    wilcoxon: float
    """p of Wilcoxon's signed-rank test over problems, on differences in units of each problem's range."""
    trial_wins: int
    trial_ties: int
    trial_losses: int


def compared(records: Sequence[CellRecord], first: str, second: str, horizon: int) -> Comparison | None:
    """The first against the second after so many evaluations; None when they share no cell."""
    from scipy.stats import binomtest, wilcoxon

    differences, trials = [], []
    for algorithms in by_problem(reached(records, horizon)).values():
        mine = {record.trial: record.best[horizon - 1] for record in algorithms.get(first, [])}
        theirs = {record.trial: record.best[horizon - 1] for record in algorithms.get(second, [])}
        shared = sorted(mine.keys() & theirs.keys())
        if not shared:
            continue
        a = np.array([mine[trial] for trial in shared])
        b = np.array([theirs[trial] for trial in shared])
        everything = np.concatenate([record.values for group in algorithms.values() for record in group])
        scale = float(np.ptp(everything)) or 1.0
        trials += [sign_of(x, y) for x, y in zip(a, b, strict=True)]
        differences.append((sign_of(a.mean(), b.mean()), (a.mean() - b.mean()) / scale))
    if not differences:
        return None
    signs = [sign for sign, _ in differences]
    wins, losses = signs.count(1), signs.count(-1)
    uneven = np.array([difference for sign, difference in differences if sign])
    return Comparison(
        first,
        second,
        wins,
        signs.count(0),
        losses,
        float(binomtest(wins, wins + losses).pvalue) if wins + losses else 1.0,
        float(wilcoxon(uneven).pvalue) if len(uneven) else 1.0,
        trials.count(1),
        trials.count(0),
        trials.count(-1),
    )


def sign_of(a: float, b: float) -> int:
    """1 when a is better, -1 when b is, 0 when they are equal up to rounding."""
    if abs(a - b) <= ROUNDING * max(abs(a), abs(b), 1e-300):
        return 0
    return 1 if a > b else -1


def met(reward: float, known: float) -> bool:
    """Whether a reward is the best known value or better."""
    return reward >= known - PRINTED - ROUNDING * abs(known)


def gap_of(record: CellRecord) -> float | None:
    """The primal gap of a cell's best value; None where no value is known to compare with."""
    known = record.best_known
    if known is None:
        return None
    best = float(record.best[-1])
    return 0.0 if met(best, known) else primal_gap(best, known)


def shares_of_gaps(records: Iterable[CellRecord]) -> dict[str, tuple[float, ...]]:
    """The share of each problem's trials with a primal gap of at most each of `GAPS`."""
    found: dict[str, list[float]] = defaultdict(list)
    for record in records:
        gap = gap_of(record)
        if gap is not None:
            found[record.problem].append(gap)
    return {problem: tuple(share(gaps, most) for most in GAPS) for problem, gaps in found.items()}


def found_optimum(record: CellRecord) -> int | None:
    """After how many evaluations the proved optimum was found; None when it was not, or is not known."""
    optimum = record.optimum
    if optimum is None:
        return None
    hits = np.flatnonzero(record.values >= optimum - ROUNDING * max(1.0, abs(optimum)))
    return int(hits[0]) + 1 if len(hits) else None


def cell_row(record: CellRecord) -> dict[str, str | int | float]:
    """A line of cells.csv."""
    gap = gap_of(record)
    return {
        "problem": record.problem,
        "algorithm": record.algorithm,
        "trial": record.trial,
        "evaluations": len(record.values),
        "best": float(record.best[-1]),
        "auc": float(record.best.mean()),
        "gap": "" if gap is None else gap,
        "seconds_fit": float(record.fit.sum()),
        "seconds_inner": float(record.inner.sum()),
        "infeasible": record.infeasible,
        "repeated": record.repeated,
    }


def spread(values: FloatArray) -> FloatArray:
    """The sample standard deviation over trials, the first axis; not a number for a single trial."""
    if len(values) < 2:
        return np.full(values.shape[1:], np.nan)
    return np.asarray(values.std(axis=0, ddof=1))


def half_width(values: FloatArray, confidence: float = 0.95) -> FloatArray:
    """Half the width of the confidence interval of the mean over trials, the first axis.

    By Student's t, since a few trials tell little of their own spread; not a number for a single trial.
    """
    from scipy.stats import t

    if len(values) < 2:
        return spread(values)
    quantile = float(t.ppf((1 + confidence) / 2, len(values) - 1))
    return np.asarray(quantile * spread(values) / np.sqrt(len(values)))


def percentiles(values: FloatArray, groups: Sequence[object], shares: Sequence[float]) -> list[float]:
    """Percentiles of numbers, with each group of equal weight however many numbers it has."""
    kinds, places, counts = np.unique(np.asarray(groups), return_inverse=True, return_counts=True)
    weights = 1.0 / (len(kinds) * counts[places])
    order = np.argsort(values)
    weights = weights[order]
    middles = np.cumsum(weights) - weights / 2
    return [float(np.interp(share / 100, middles, values[order])) for share in shares]


def share(values: Sequence[float], most: float) -> float:
    """Which share of the values is at most so large."""
    return float(np.mean(np.array(values) <= most)) if values else float("nan")


def instance_class(problem: str) -> str:
    """The class of a MINLPLib instance, as in the paper's Table 1."""
    name = problem.partition("/")[2]
    if name.startswith("pb"):
        return "pb"
    prefix = name.partition("_")[0]
    return prefix if prefix in ("graphpart", "qspp") else "other"


def algorithms_of(records: Iterable[CellRecord], order: Mapping[str, object]) -> list[str]:
    """The algorithms of some records, in a given order, unknown ones last."""
    names = {record.algorithm for record in records}
    return [*(name for name in order if name in names), *sorted(names - order.keys())]
