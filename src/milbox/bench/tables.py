"""What do the numbers say, as tables in Markdown?"""

from collections.abc import Iterable, Sequence

import numpy as np

from milbox.bench import published
from milbox.bench.algorithms import ALGORITHMS
from milbox.bench.metrics import (
    algorithms_of,
    areas,
    best_rewards,
    by_problem,
    column,
    compared,
    curves,
    found_optimum,
    gap_of,
    instance_class,
    normalised,
    reached,
    share,
)
from milbox.bench.records import Record

REFERENCE = "nn+milp"
NETWORKS = {
    "linear+milp": "Linear",
    "nn+milp": "FC(16)",
    "nn+milp/fc32": "FC(32)",
    "nn+milp/fc16-16": "FC(16,16)",
}


def markdown(headers: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table; the first column is text, the others are numbers."""
    lines = [list(headers), ["---", *("---:" for _ in headers[1:])], *([str(x) for x in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def number(value: float | None, digits: int = 4) -> str:
    """A number with so many digits; a dash for none."""
    return "–" if value is None or not np.isfinite(value) else f"{value:.{digits}g}"


def scores(records: Sequence[Record], horizon: int) -> str:
    """Normalised score and AUC of each algorithm over the problems of a family."""
    rewards, area = (normalised(table(records, horizon)) for table in (best_rewards, areas))
    cells = reached(records, horizon)
    rows = []
    for name in algorithms_of(cells, ALGORITHMS):
        score, auc = column(rewards, name), column(area, name)
        trials = [sum(1 for r in cells if r.algorithm == name and r.problem == p) for p in rewards]
        present = [count for count in trials if count]
        rows.append(
            (
                name,
                len(score),
                f"{min(present)}–{max(present)}" if min(present) < max(present) else present[0],
                f"{score.mean():.3f}",
                f"{np.median(score):.3f}",
                f"{score.min():.3f}",
                f"{auc.mean():.3f}",
            )
        )
    rows.sort(key=lambda row: -float(row[3]))
    headers = ("algorithm", "problems", "trials", "mean score", "median", "worst", "mean AUC score")
    return markdown(headers, rows)


def rewards(records: Sequence[Record], horizon: int) -> str:
    """The best reward of every problem and algorithm: average ± standard deviation over trials."""
    cells = reached(records, horizon)
    names = algorithms_of(cells, ALGORITHMS)
    rows = []
    for problem, algorithms in sorted(by_problem(cells).items()):
        known = next(iter(algorithms.values()))[0].notes.get("best_known")
        finals = {name: curves(group, horizon)[:, -1] for name, group in algorithms.items()}
        top = max(final.mean() for final in finals.values())
        texts = []
        for name in names:
            if name not in finals:
                texts.append("–")
                continue
            text = f"{number(finals[name].mean())} ± {number(finals[name].std(), 2)}"
            texts.append(f"**{text}**" if finals[name].mean() == top else text)
        rows.append((problem, *texts, number(known)))
    return markdown(("problem", *names, "best known"), rows)


def comparisons(records: Sequence[Record], horizon: int, reference: str = REFERENCE) -> str | None:
    """The reference against every other algorithm; None when the reference was not run."""
    rows = []
    for name in algorithms_of(reached(records, horizon), ALGORITHMS):
        found = None if name == reference else compared(records, reference, name, horizon)
        if found is not None:
            rows.append(
                (
                    name,
                    f"{found.wins} / {found.ties} / {found.losses}",
                    f"{found.wins + found.ties} of {found.wins + found.ties + found.losses}",
                    f"{found.sign:.2g}",
                    f"{found.wilcoxon:.2g}",
                    f"{found.trial_wins} / {found.trial_ties} / {found.trial_losses}",
                )
            )
    if not rows:
        return None
    headers = (
        f"{reference} against",
        "problems won / tied / lost",
        "at least equal",
        "p, sign test",
        "p, Wilcoxon",
        "trials won / tied / lost",
    )
    return markdown(headers, rows)


def optima(records: Sequence[Record]) -> str | None:
    """How often the proved optimum was found, and how soon; None where no optimum is known."""
    known = [record for record in records if record.notes.get("optimum") is not None]
    rows = []
    for name in algorithms_of(known, ALGORITHMS):
        hits = [found_optimum(record) for record in known if record.algorithm == name]
        found = [hit for hit in hits if hit is not None]
        when = f"{np.median(found):.0f}" if found else "–"
        rows.append((name, len(hits), len(found), f"{len(found) / len(hits):.0%}", when))
    headers = ("algorithm", "trials", "found it", "share", "median evaluations until then")
    return markdown(headers, rows) if rows else None


def solve_times(records: Sequence[Record], paper: bool) -> str | None:
    """Seconds per acquisition problem by network, as in the paper's Table 2; None without exact solvers."""
    rows: list[tuple[object, ...]] = []
    for name in algorithms_of(records, ALGORITHMS):
        if "milp" not in name:
            continue
        group = [record for record in records if record.algorithm == name]
        seconds = np.concatenate([record.inner[record.inner > 0] for record in group])
        if not len(seconds):
            continue
        proved = np.concatenate([record.certified[record.inner > 0] for record in group])
        low, middle, high, highest = np.percentile(seconds, (0, 50, 95, 99))
        numbers = (*(number(x, 2) for x in (low, middle, high, highest, seconds.max())), len(seconds))
        rows.append((f"{name} {NETWORKS.get(name, '')}".strip(), *numbers, f"{1 - proved.mean():.2%}"))
        if paper and name in NETWORKS:
            *times, limited = published.SOLVE_SECONDS[NETWORKS[name]]
            rows.append((f"(paper: {NETWORKS[name]})", *(number(t, 3) for t in times), "", f"{limited}%"))
    headers = ("algorithm", "min", "median", "95 %", "99 %", "max", "solves", "not proved")
    return markdown(headers, rows) if rows else None


def step_times(records: Sequence[Record]) -> str | None:
    """Milliseconds per proposal spent on fitting and on the inner solver; None without models."""
    rows = []
    for name in algorithms_of(records, ALGORITHMS):
        group = [record for record in records if record.algorithm == name]
        fit = np.concatenate([record.fit[record.fit > 0] for record in group])
        inner = np.concatenate([record.inner[record.inner > 0] for record in group])
        if len(fit):
            rows.append(
                (name, *(number(1e3 * np.percentile(x, q), 3) for x in (fit, inner) for q in (50, 95)))
            )
    headers = ("algorithm", "fit, median ms", "fit, 95 %", "inner solver, median ms", "inner solver, 95 %")
    return markdown(headers, rows) if rows else None


def gaps_by_class(records: Sequence[Record], algorithm: str) -> str:
    """The share of trials by primal gap and class, as in the paper's Table 1."""
    group = [record for record in records if record.algorithm == algorithm]
    rows = []
    for name in published.GAPS_BY_CLASS:
        members = [record for record in group if instance_class(record.problem) == name]
        if not members:
            continue
        sizes = [int(record.notes["variables"]) for record in members]
        gaps = [gap for record in members if (gap := gap_of(record)) is not None]
        ours = (f"{share(gaps, most):.0%}" for most in (0.0, 0.01, 0.1))
        theirs = (f"{percent}%" for percent in published.GAPS_BY_CLASS[name])
        count = len({record.problem for record in members})
        rows.append((f"{name} ({count})", f"[{min(sizes)}, {max(sizes)}]", len(gaps), *ours, *theirs))
    headers = ("class (problems)", "variables", "trials", "0 %", "≤ 1 %", "≤ 10 %")
    return markdown((*headers, *(f"paper's NN+MILP: {head}" for head in headers[3:])), rows)


def gaps_by_instance(records: Sequence[Record], algorithm: str) -> str:
    """The number of trials by primal gap of each instance, as in the paper's Table 3, and the best gap."""
    rows: list[tuple[object, ...]] = []
    for problem, algorithms in sorted(by_problem(records).items()):
        group = algorithms.get(algorithm, [])
        gaps = [gap for record in group if (gap := gap_of(record)) is not None]
        if not gaps:
            continue
        name = problem.partition("/")[2]
        counts = [sum(gap <= most for gap in gaps) for most in (0.0, 0.01, 0.1)]
        theirs = [f"{count}/20" for count in published.GAPS_BY_INSTANCE.get(name, ())] or ["–"] * 3
        evaluations = int(np.median([len(record.values) for record in group]))
        size = group[0].notes["variables"]
        ours = [f"{count}/{len(gaps)}" for count in counts]
        rows.append((name, size, evaluations, *ours, f"{min(gaps):.2%}", *theirs))
    headers = ("instance", "variables", "evaluations", "0 %", "≤ 1 %", "≤ 10 %", "best gap")
    return markdown((*headers, "paper's NN+MILP: 0 %", "≤ 1 %", "≤ 10 %"), rows)


def matched(records: Sequence[Record], algorithm: str) -> str:
    """On how many instances the best known value was met, or nearly so, in some trial."""
    best = {
        problem: min(gaps)
        for problem, algorithms in by_problem(records).items()
        if (gaps := [g for r in algorithms.get(algorithm, []) if (g := gap_of(r)) is not None])
    }
    exact = sum(gap == 0.0 for gap in best.values())
    near = sum(0.0 < gap <= 0.1 for gap in best.values())
    return (
        f"{algorithm} met the best known value in at least one trial on {exact} of {len(best)} problems and "
        f"came within 10 % on {near} more (the paper's NN+MILP, with 20 trials each: 20 of 61, and 25 more)."
    )
