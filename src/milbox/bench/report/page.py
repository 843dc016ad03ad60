"""The report of a plan: Markdown with tables and figures, and the numbers behind them as CSV."""

import csv
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from milbox.bench.algorithms import ALGORITHMS
from milbox.bench.measure.cells import CellRecord, read_cells
from milbox.bench.measure.metrics import (
    algorithms_of,
    by_problem,
    cell_row,
    curves,
    cut_short,
    everywhere,
    families,
    horizons,
    reached,
    shortest,
    spread,
)
from milbox.bench.plan import safe
from milbox.bench.problems.nasbench import KNOWN
from milbox.bench.report import figures, tables
from milbox.bench.report.architectures import time_curves, time_figure, time_table


@dataclass(slots=True)
class Page:
    """Markdown in the making, and the files written beside it."""

    folder: Path
    draw: bool
    parts: list[str] = field(default_factory=list)

    def add(self, *texts: str | None) -> None:
        """Add paragraphs; nothing where there is None."""
        self.parts += [text for text in texts if text is not None]

    def figure(self, name: str, caption: str) -> Path:
        """Refer to a figure that is to be drawn at the path returned."""
        self.add(f"![{caption}](figures/{name}.svg)", f"*{caption}*")
        return self.folder / "figures" / name

    def write(self) -> Path:
        """The page as a file."""
        path = self.folder / "report.md"
        path.write_text("\n\n".join(self.parts) + "\n", encoding="utf-8")
        return path


def write_report(
    results: Path, out: Path | None = None, *, data: Path | None = None, draw: bool = True
) -> Path:
    """Write report.md, figures and CSV for the journals of a folder; returns the path of the page.

    Args:
        results: the folder that `milbox bench run` wrote to.
        out: where to write; into `results` by default.
        data: the folder of benchmark data, for test values of NAS-Bench-101.
        draw: whether to draw figures, for which Matplotlib is needed.
    """
    if draw:
        figures.pyplot()
    records = read_cells(results)
    page = Page(out or results, draw)
    page.folder.mkdir(parents=True, exist_ok=True)
    write_csv(page.folder / "cells.csv", [cell_row(record) for record in records])
    write_csv(page.folder / "curves.csv", curve_rows(records))
    groups = families(records)
    overview(page, results, records)
    for family, group in groups.items():
        if family in ("nasbench101", KNOWN):
            architecture_section(page, family, group, data)
        elif family == "minlplib":
            gap_section(page, group)
        else:
            family_section(page, family, group)
    everything(page, groups)
    time_section(page, groups)
    environment_section(page, records)
    return page.write()


def overview(page: Page, results: Path, records: Sequence[CellRecord]) -> None:
    """What was run, and whether all of it came to its end."""
    evaluations = sum(len(record.values) for record in records)
    problems = {record.problem for record in records}
    names = algorithms_of(records, ALGORITHMS)
    page.add(
        f"# {results.resolve().name}",
        f"{len(records)} cells: {len(problems)} problems, {len(names)} algorithms, {evaluations:,} "
        f"evaluations. One line per cell in [cells.csv](cells.csv), curves in [curves.csv](curves.csv).",
        tables.algorithms_run(records),
        "Every comparison is after equal numbers of evaluations, and every problem has equal weight in every "
        "average.",
    )
    bad = sum(record.infeasible for record in records), sum(record.repeated for record in records)
    page.add(f"Infeasible points evaluated: {bad[0]}. Points evaluated twice: {bad[1]}.")
    standin = {r.problem for r in records if str(r.notes.get("source", "")).startswith("STAND-IN")}
    if standin:
        page.add(f"**{', '.join(sorted(standin))}: {records_source(records, standin)}.**")
    open_cells = [record for record in records if record.pending]
    if open_cells:
        listed = ", ".join(f"{r.problem} · {r.algorithm} · {r.trial}" for r in open_cells[:10])
        page.add(f"**{len(open_cells)} cells have a pending trial and may not be complete:** {listed}.")


def records_source(records: Iterable[CellRecord], problems: Iterable[str]) -> str:
    """Where some problems come from, in their own words."""
    wanted = set(problems)
    return "; ".join(sorted({str(r.notes["source"]) for r in records if r.problem in wanted}))


def family_section(page: Page, family: str, records: Sequence[CellRecord]) -> None:
    """Scores, rewards, comparisons and curves of one family."""
    page.add(f"## {family}")
    names = algorithms_of(records, ALGORITHMS)
    if family.startswith("bqp/"):
        page.add(*(tables.matched(records, name) for name in names))
    bounds = tables.boundaries(records)
    if bounds is not None:
        page.add("Variables at their least or greatest value, by encoding (the paper's Appendix D):", bounds)
    for horizon in reversed(horizons(records)):
        page.add(f"### After {horizon} evaluations")
        page.add(not_compared(records, horizon))
        if len(names) > 1:
            page.add("Scores: the best algorithm on average is 1 and the worst 0 in each problem.")
            page.add(tables.scores(records, horizon))
        page.add(
            tables.comparisons(records, horizon),
            tables.ablations(records, horizon),
            "Best reward, average ± standard deviation over trials (their number in brackets); the best "
            "average in bold.",
            tables.rewards(records, horizon),
        )
        found = tables.optima(records, horizon)
        if found is not None:
            page.add(f"The proved optimum, found within {horizon} evaluations:", found)
        if page.draw:
            name = f"{safe(family)}-{horizon}"
            caption = f"{family}: best reward so far, average ± 1 sd over trials; dotted: best known"
            figures.reward_curves(records, horizon, page.figure(f"curves-{name}", caption))
            caption = f"{family}: distribution of normalised scores over problems, {horizon} evaluations"
            figures.score_boxes(records, horizon, page.figure(f"scores-{name}", caption), family)


def not_compared(records: Sequence[CellRecord], horizon: int) -> str | None:
    """What is left out of the tables at a horizon, and why; None when nothing is."""
    parts = []
    short = cut_short(records, horizon)
    if short:
        listed = ", ".join(f"{r.problem} · {r.algorithm} · {r.trial} ({len(r.values)})" for r in short[:10])
        parts.append(
            f"{len(short)} cells have fewer evaluations than the others of their algorithm: {listed}"
        )
    present = algorithms_of(reached(records, horizon), ALGORITHMS)
    kept = algorithms_of(everywhere(records, horizon), ALGORITHMS)
    missing = [name for name in present if name not in kept]
    if missing:
        parts.append(f"{', '.join(missing)}: not on all problems, so not among the scores")
    return f"Left out here: {'; '.join(parts)}." if parts else None


def gap_section(page: Page, records: Sequence[CellRecord]) -> None:
    """MINLPLib: primal gaps in the form of the paper's Tables 1 and 3."""
    page.add("## minlplib")
    for name in algorithms_of(records, ALGORITHMS):
        page.add(
            tables.matched(records, name),
            f"### {name}: share of trials by primal gap and class",
            "An average over problems of each problem's share, next to the paper's for the same problems (20 "
            "trials of 1000 evaluations each).",
            tables.gaps_by_class(records, name),
            f"### {name}: trials by primal gap and instance (paper: Table 3)",
            tables.gaps_by_instance(records, name),
        )
    horizon = shortest(records)
    if len(algorithms_of(records, ALGORITHMS)) > 1:
        page.add(
            f"### After {horizon} evaluations, which every cell has", tables.comparisons(records, horizon)
        )
    if page.draw:
        caption = f"minlplib: best reward so far, average ± 1 sd over trials, {horizon} evaluations"
        figures.reward_curves(records, horizon, page.figure("curves-minlplib", caption))


def architecture_section(page: Page, family: str, records: Sequence[CellRecord], data: Path | None) -> None:
    """NAS-Bench-101: test accuracy of the incumbent against training time."""
    found, label = time_curves(records, data)
    page.add(
        f"## {family}",
        f"Measured: {label}; average over trials ± half the 95 % confidence interval, by Student's t.",
    )
    page.add(time_table(found))
    horizon = shortest(records)
    page.add(
        f"### After {horizon} evaluations",
        tables.comparisons(records, horizon),
        tables.rewards(records, horizon),
        tables.optima(records, horizon),
    )
    if page.draw:
        caption = f"{family}: {label} against training time, average and 95 % interval"
        time_figure(found, label, page.figure(f"{safe(family)}-time", caption))


def everything(page: Page, groups: Mapping[str, list[CellRecord]]) -> None:
    """The unconstrained families together, as the paper counts them: at least equal on 22 of 30."""
    records = [r for name in ("randommlp", "tfbind", "bbob") for r in groups.get(name, [])]
    if len({record.family for record in records}) > 1:
        for horizon in reversed(horizons(records)):
            compared = tables.comparisons(records, horizon), tables.ablations(records, horizon)
            if any(table is not None for table in compared):
                page.add(f"## All unconstrained problems after {horizon} evaluations")
                page.add(not_compared(records, horizon), *compared, tables.scores(records, horizon))
    curved = {name: group for name, group in groups.items() if name not in ("minlplib", "nasbench101", KNOWN)}
    if page.draw and curved:
        caption = "best reward so far, average over the problems of a family ± 1 sd over problems"
        page.add("## All problems of a family together")
        figures.family_curves(curved, page.figure("families", caption))


def time_section(page: Page, groups: Mapping[str, list[CellRecord]]) -> None:
    """What a step costs."""
    page.add("## Time")
    for family, records in groups.items():
        page.add(f"### {family}", tables.step_times(records))
        solves = tables.solve_times(records, paper=family == "tfbind")
        if solves is not None:
            page.add(
                "Seconds per acquisition problem, in the form of the paper's Table 2; percentiles with equal "
                "weight for each problem. Seconds of different solvers and machines are no ratio of speeds.",
                solves,
            )
    if page.draw and any("milp" in r.algorithm and r.inner.any() for g in groups.values() for r in g):
        caption = "seconds per acquisition problem against evaluations: median, 5th to 95th percentile"
        figures.solve_time_curves(dict(groups), page.figure("solve-times", caption))


def environment_section(page: Page, records: Sequence[CellRecord]) -> None:
    """Where the numbers come from, as the journals say."""
    page.add("## Environment")
    kinds: Counter[tuple[tuple[str, str], ...]] = Counter(
        tuple(sorted(record.notes.get("environment", {}).items())) for record in records
    )
    for kind, count in kinds.most_common():
        page.add(tables.markdown((f"{count} cells", ""), kind))
    page.add("Strategies, as the journals name them:", tables.identities(records))
    page.add(
        "AUC is the area under the best-so-far curve divided by its length. In cells.csv, seconds_fit and "
        "seconds_inner are sums over all steps of a cell, and gap is the primal gap to the best known value."
    )


def curve_rows(records: Sequence[CellRecord]) -> list[dict[str, Any]]:
    """Average and standard deviation of the best reward at 1, ..., 10, 20, 30, ... evaluations."""
    rows = []
    for problem, algorithms in sorted(by_problem(records).items()):
        for name, group in algorithms.items():
            longest = min(len(record.values) for record in group)
            best = curves(group, longest)
            for count in [n for n in range(1, longest + 1) if n <= 10 or n % 10 == 0]:
                now = best[:, count - 1]
                rows.append(
                    {
                        "problem": problem,
                        "algorithm": name,
                        "evaluations": count,
                        "trials": len(group),
                        "mean": float(now.mean()),
                        "sd": float(spread(now)) if len(now) > 1 else "",
                    }
                )
    return rows


def write_csv(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Rows with the same keys as CSV; numbers with all their digits."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
