"""Tables of a report in Markdown."""

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from milbox.arrays import BoolArray, FloatArray
from milbox.bench.algorithms import ALGORITHMS
from milbox.bench.measure.cells import CellRecord
from milbox.bench.measure.metrics import (
    GAPS,
    Comparison,
    algorithms_of,
    areas,
    best_rewards,
    by_problem,
    column,
    compared,
    curves,
    everywhere,
    found_optimum,
    gap_of,
    instance_class,
    normalised,
    percentiles,
    reached,
    shares_of_gaps,
    spread,
)
from milbox.bench.report import published

REFERENCE = "nn+milp"
NETWORKS = {
    "linear+milp": "Linear",
    "nn+milp": "FC(16)",
    "nn+milp/fc32": "FC(32)",
    "nn+milp/fc16-16": "FC(16,16)",
}
# Pairs that train the same networks and differ in the inner solver alone.
ABLATIONS = (
    ("nn+milp/values", "nn+regevo"),
    ("nn+milp", "nn+regevo/ranked"),
    ("nn+milp/paper", "nn+regevo/paper"),
    ("nn+milp/values", "nn+conevo"),
    ("nn+milp/paper", "nn+conevo/paper"),
    ("nn+milp/values", "nn+rejsample"),
)


def markdown(headers: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table; the first column is text, the others are numbers."""
    lines = [list(headers), ["---", *("---:" for _ in headers[1:])], *([str(x) for x in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def number(value: float | None, digits: int = 4) -> str:
    """A number with so many digits; a dash for none."""
    return "–" if value is None or not np.isfinite(value) else f"{value:.{digits}g}"


def plus_minus(middle: str, width: float, form: str) -> str:
    """A mean with its spread or interval; alone where a single trial says nothing of either."""
    return f"{middle} ± {width:{form}}" if np.isfinite(width) else middle


def span(counts: Iterable[int]) -> str:
    """The range of some counts; one number where they are equal."""
    present = sorted(set(counts))
    return f"{present[0]}–{present[-1]}" if len(present) > 1 else str(present[0])


def trials_each(records: Iterable[CellRecord]) -> str:
    """How many trials each problem has."""
    return span(Counter(record.problem for record in records).values())


def evaluations_each(records: Iterable[CellRecord]) -> str:
    """How many evaluations each trial has."""
    return span(len(record.values) for record in records)


def algorithms_run(records: Sequence[CellRecord]) -> str:
    """What each algorithm is, and how much of it was run."""
    rows = []
    for name in algorithms_of(records, ALGORITHMS):
        group = [record for record in records if record.algorithm == name]
        summary = ALGORITHMS[name].summary if name in ALGORITHMS else ""
        count = len({record.problem for record in group})
        rows.append((name, count, trials_each(group), evaluations_each(group), summary))
    return markdown(("algorithm", "problems", "trials each", "evaluations each", "what it is"), rows)


def identities(records: Sequence[CellRecord]) -> str:
    """The strategy behind each name, as its journals have it: a name may mean something else later."""
    found = Counter((record.algorithm, record.strategy) for record in records)
    order = algorithms_of(records, ALGORITHMS)
    rows = [
        (name, found[name, strategy], f"`{strategy}`")
        for name, strategy in sorted(found, key=lambda pair: (order.index(pair[0]), pair[1]))
    ]
    return markdown(("algorithm", "cells", "strategy"), rows)


def scores(records: Sequence[CellRecord], horizon: int) -> str:
    """Normalised score and AUC of the algorithms that were run on all problems, over these problems."""
    cells = everywhere(records, horizon)
    rewards, area = (normalised(table(cells, horizon)) for table in (best_rewards, areas))
    rows = []
    for name in algorithms_of(cells, ALGORITHMS):
        score, auc = column(rewards, name), column(area, name)
        rows.append(
            (
                name,
                len(score),
                trials_each(record for record in cells if record.algorithm == name),
                f"{score.mean():.3f}",
                f"{np.median(score):.3f}",
                f"{score.min():.3f}",
                f"{auc.mean():.3f}",
            )
        )
    rows.sort(key=lambda row: -float(row[3]))
    headers = ("algorithm", "problems", "trials each", "mean score", "median", "worst", "mean AUC score")
    return markdown(headers, rows)


def rewards(records: Sequence[CellRecord], horizon: int) -> str:
    """The best reward of every problem and algorithm: average ± standard deviation over trials.

    The number of trials is in brackets. With a single trial there is no deviation to tell.
    """
    cells = reached(records, horizon)
    names = algorithms_of(cells, ALGORITHMS)
    rows = []
    for problem, algorithms in sorted(by_problem(cells).items()):
        known = next(iter(algorithms.values()))[0].best_known
        finals = {name: curves(group, horizon)[:, -1] for name, group in algorithms.items()}
        top = max(final.mean() for final in finals.values())
        texts = []
        for name in names:
            if name not in finals:
                texts.append("–")
                continue
            text = plus_minus(number(finals[name].mean()), float(spread(finals[name])), ".2g")
            texts.append(f"**{text}**" if finals[name].mean() == top else text)
        rows.append((problem, *texts, number(known)))
    heads = [f"{name} ({trials_each(r for r in cells if r.algorithm == name)})" for name in names]
    return markdown(("problem", *heads, "best known"), rows)


COMPARED = (
    "problems won / tied / lost",
    "at least equal",
    "p, sign test",
    "p, Wilcoxon",
    "trials won / tied / lost",
)


def comparisons(records: Sequence[CellRecord], horizon: int, reference: str = REFERENCE) -> str | None:
    """The reference against every other algorithm; None when the reference was not run."""
    names = [name for name in algorithms_of(reached(records, horizon), ALGORITHMS) if name != reference]
    found = [compared(records, reference, name, horizon) for name in names]
    rows = [(pair.second, *counts(pair)) for pair in found if pair is not None]
    return markdown((f"{reference} against", *COMPARED), rows) if rows else None


def ablations(records: Sequence[CellRecord], horizon: int) -> str | None:
    """The pairs that differ in the inner solver alone, as the paper compares; None when none was run."""
    found = [compared(records, exact, inexact, horizon) for exact, inexact in ABLATIONS]
    rows = [(f"{pair.first} against {pair.second}", *counts(pair)) for pair in found if pair is not None]
    return markdown(("same networks, another inner solver", *COMPARED), rows) if rows else None


def counts(pair: Comparison) -> tuple[str, ...]:
    """A comparison as cells of a table."""
    return (
        f"{pair.wins} / {pair.ties} / {pair.losses}",
        f"{pair.wins + pair.ties} of {pair.wins + pair.ties + pair.losses}",
        f"{pair.sign:.2g}",
        f"{pair.wilcoxon:.2g}",
        f"{pair.trial_wins} / {pair.trial_ties} / {pair.trial_losses}",
    )


def boundaries(records: Sequence[CellRecord]) -> str | None:
    """How many variables of proposals are at a bound (Appendix D); None without both encodings."""
    if not {"nn+milp", "nn+milp/integer"} <= {record.algorithm for record in records}:
        return None
    rows = []
    for name in algorithms_of(records, ALGORITHMS):
        group = [record for record in records if record.algorithm == name]
        models = [record.at_bounds[record.inner > 0] for record in group]
        drawn = [record.at_bounds[record.inner == 0] for record in group]
        if not all(map(len, models)):
            continue
        rows.append(
            (
                name,
                len({record.problem for record in group}),
                sum(map(len, models)),
                f"{mean_of_means(models):.1%}",
                f"{mean_of_means(drawn):.1%}",
                f"{mean_of_means([shares >= 0.5 for shares in models]):.1%}",
                f"{mean_of_means([shares >= 0.5 for shares in drawn]):.1%}",
            )
        )
    headers = (
        "algorithm",
        "problems",
        "proposals",
        "variables at a bound",
        "in random points",
        "proposals with half or more there",
        "random points",
    )
    return markdown(headers, rows)


def mean_of_means(groups: Sequence[FloatArray | BoolArray]) -> float:
    """The average over studies of each one's average."""
    return (
        float(np.mean([group.mean() for group in groups if len(group)])) if any(map(len, groups)) else np.nan
    )


def optima(records: Sequence[CellRecord], horizon: int) -> str | None:
    """How often the proved optimum was found within so many evaluations; None where no optimum is known.

    Algorithms that have as many evaluations on all problems; the share is the average over problems of the
    share of their trials.
    """
    known = everywhere([record for record in records if record.optimum is not None], horizon)
    rows = []
    for name in algorithms_of(known, ALGORITHMS):
        group = [record for record in known if record.algorithm == name]
        hits: dict[str, list[int]] = {record.problem: [] for record in group}
        for record in group:
            hit = found_optimum(record)
            if hit is not None and hit <= horizon:
                hits[record.problem].append(hit)
        trials = Counter(record.problem for record in group)
        part = np.mean([len(found) / trials[problem] for problem, found in hits.items()])
        found = [hit for each in hits.values() for hit in each]
        when = f"{np.median(found):.0f}" if found else "–"
        rows.append(
            (name, len(hits), trials_each(group), f"{len(found)} of {len(group)}", f"{part:.0%}", when)
        )
    headers = ("algorithm", "problems", "trials each", "trials that found it", "share", "median evaluations")
    return markdown(headers, rows) if rows else None


def solve_times(records: Sequence[CellRecord], paper: bool) -> str | None:
    """Seconds per acquisition problem by network, as in the paper's Table 2; None without exact solvers."""
    rows: list[tuple[object, ...]] = []
    for name in algorithms_of(records, ALGORITHMS):
        if "milp" not in name:
            continue
        group = [record for record in records if record.algorithm == name]
        seconds = np.concatenate([record.inner[record.inner > 0] for record in group])
        if not len(seconds):
            continue
        problems = [record.problem for record in group for _ in range(np.count_nonzero(record.inner > 0))]
        proved = np.concatenate([record.certified[record.inner > 0] for record in group])
        middle, high, highest = percentiles(seconds, problems, (50, 95, 99))
        times = (number(x, 2) for x in (seconds.min(), middle, high, highest, seconds.max()))
        label = f"{name} {NETWORKS.get(name, '')}".strip()
        rows.append((label, solved_by(group), *times, len(seconds), f"{1 - proved.mean():.2%}"))
        if paper and name in NETWORKS:
            *theirs, limited = published.SOLVE_SECONDS[NETWORKS[name]]
            printed = (number(t, 3) for t in theirs)
            rows.append((f"(paper: {NETWORKS[name]})", published.SOLVER, *printed, "", f"{limited}%"))
    headers = ("algorithm", "solved by", "min", "median", "95 %", "99 %", "max", "solves", "not proved")
    return markdown(headers, rows) if rows else None


def solved_by(records: Sequence[CellRecord]) -> str:
    """The inner solvers that chose the points, most frequent first, with their shares where several did."""
    # What a solver says of itself in brackets, such as its nodes, is of one solve alone.
    found = Counter(name.partition(" (")[0] for record in records for name in record.solvers if name)
    if len(found) == 1:
        return next(iter(found))
    total = found.total()
    return ", ".join(f"{name} {count / total:.1%}" for name, count in found.most_common())


def step_times(records: Sequence[CellRecord]) -> str | None:
    """Milliseconds per proposal spent on fitting and on the inner solver; None without models."""
    rows = []
    for name in algorithms_of(records, ALGORITHMS):
        group = [record for record in records if record.algorithm == name]
        texts: list[str] = []
        for times in ([record.fit for record in group], [record.inner for record in group]):
            seconds = np.concatenate([each[each > 0] for each in times])
            problems = [r.problem for r, each in zip(group, times, strict=True) for _ in each[each > 0]]
            both = percentiles(seconds, problems, (50, 95)) if len(seconds) else (None, None)
            texts += [number(None if x is None else 1e3 * x, 3) for x in both]
        if any(record.fit.any() for record in group):
            rows.append((name, *texts))
    headers = ("algorithm", "fit, median ms", "fit, 95 %", "inner solver, median ms", "inner solver, 95 %")
    return markdown(headers, rows) if rows else None


def gaps_by_class(records: Sequence[CellRecord], algorithm: str) -> str:
    """The share of trials by primal gap and class, as in the paper's Table 1, next to the paper's.

    Both are averages over the same problems of each problem's share, whatever its number of trials.
    """
    group = [record for record in records if record.algorithm == algorithm and gap_of(record) is not None]
    rows = []
    for name in (*published.CLASSES, UNPUBLISHED):
        members = [record for record in group if class_of(record) == name]
        if not members:
            continue
        sizes = [int(record.notes["variables"]) for record in members]
        ours = shares_of_gaps(members)
        theirs = [published.shares(instance_name(problem)) for problem in ours]
        rows.append(
            (
                f"{name} ({len(ours)})",
                f"[{min(sizes)}, {max(sizes)}]",
                trials_each(members),
                evaluations_each(members),
                *averages(ours.values()),
                *averages([shares for shares in theirs if shares is not None]),
            )
        )
    headers = ("class (problems)", "variables", "trials each", "evaluations each", *GAP_HEADS)
    return markdown((*headers, *(f"paper, same problems: {head}" for head in GAP_HEADS)), rows)


GAP_HEADS = ("0 %", "≤ 1 %", "≤ 10 %")
UNPUBLISHED = "not in the paper"


def instance_name(problem: str) -> str:
    """The name of a MINLPLib instance."""
    return problem.partition("/")[2]


def class_of(record: CellRecord) -> str:
    """The class of an instance in the paper's Table 1; apart where the paper has no such instance."""
    known = published.shares(instance_name(record.problem)) is not None
    return instance_class(record.problem) if known else UNPUBLISHED


def averages(shares: Iterable[Sequence[float]]) -> list[str]:
    """The averages of the shares of some problems, each of equal weight; dashes for none."""
    table = np.array(list(shares))
    return [f"{x:.0%}" for x in table.mean(axis=0)] if len(table) else ["–"] * len(GAPS)


def gaps_by_instance(records: Sequence[CellRecord], algorithm: str) -> str:
    """The number of trials by primal gap of each instance, as in the paper's Table 3, and the best gap."""
    rows: list[tuple[object, ...]] = []
    for problem, algorithms in sorted(by_problem(records).items()):
        group = algorithms.get(algorithm, [])
        gaps = [gap for record in group if (gap := gap_of(record)) is not None]
        if not gaps:
            continue
        name = instance_name(problem)
        theirs = published.counts(name)
        printed = ["–"] * 3 if theirs is None else [f"{count}/{published.TRIALS}" for count in theirs]
        size = group[0].notes["variables"]
        ours = [f"{sum(gap <= most for gap in gaps)}/{len(gaps)}" for most in GAPS]
        rows.append((name, size, evaluations_each(group), *ours, f"{min(gaps):.2%}", *printed))
    headers = ("instance", "variables", "evaluations", *GAP_HEADS, "best gap")
    return markdown((*headers, "paper's NN+MILP: 0 %", *GAP_HEADS[1:]), rows)


def matched(records: Sequence[CellRecord], algorithm: str) -> str:
    """On how many instances the best known value was met, or nearly so, in some trial."""
    group = [record for record in records if record.algorithm == algorithm and gap_of(record) is not None]
    if not group:
        return f"No best known value is there to compare {algorithm} with."
    ours = shares_of_gaps(group)
    shared = [shares for problem in ours if (shares := published.shares(instance_name(problem))) is not None]
    exact, near = met_and_near(ours.values())
    trials = "1 trial" if trials_each(group) == "1" else f"{trials_each(group)} trials"
    text = (
        f"{algorithm} met the best known value in at least one trial on {exact} of {len(ours)} problems and "
        f"came within 10 % on {near} more, with {trials} of {evaluations_each(group)} evaluations each."
    )
    if not shared:
        return text
    exact, near = met_and_near(shared)
    return (
        f"{text} The paper's NN+MILP, with {published.TRIALS} trials of 1000 evaluations each, on the "
        f"{len(shared)} of these problems that it has: {exact}, and {near} more, against the values of 2021."
    )


def met_and_near(shares: Iterable[Sequence[float]]) -> tuple[int, int]:
    """On how many problems some trial has no gap, and on how many more one of at most 10 %."""
    table = np.array(list(shares)) > 0
    return int(table[:, 0].sum()), int((table[:, 2] & ~table[:, 0]).sum())
