"""`milbox bench`: run the experiments of a plan, and report what came of them."""

import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

import click

from milbox.cli.console import InputError, RunFailed, emit, plural, say
from milbox.display import duration

if TYPE_CHECKING:
    from rich.progress import TaskID

    from milbox.bench.execute import End
    from milbox.bench.plan import Cell
    from milbox.domain import Domain

PLAN = click.Path(path_type=Path, dir_okay=False)
FOLDER = click.Path(path_type=Path, file_okay=False)


@click.group()
def bench() -> None:
    """Reproduce published experiments: problems, algorithms, reports."""


@bench.command()
@click.argument("plan", type=PLAN)
@click.option("--out", type=FOLDER, help="Where the journals go [default: results/NAME OF THE PLAN].")
@click.option("--workers", type=click.IntRange(min=1), help="Processes on this machine [default: 1].")
@click.option("--dask", metavar="ADDRESS", help="Run on the Dask cluster at this address instead.")
@click.option("--data", type=FOLDER, help="The folder of benchmark data [default: $MILBOX_DATA].")
def run(plan: Path, out: Path | None, workers: int | None, dask: str | None, data: Path | None) -> None:
    """Run every cell of a plan (problem x algorithm x trial), each into a journal of its own.

    Cells that are complete are skipped and others resumed, so a plan may be stopped and run again.
    """
    if workers is not None and dask is not None:
        raise click.UsageError("--workers is for this machine and --dask for a cluster; give one of them")
    from milbox.bench.plan import read_plan
    from milbox.bench.runner import run_cells, run_cells_on_dask

    cells = read_plan(plan, data).cells
    folder = out or Path("results", plan.stem)
    say(f"{plural(len(cells), 'cell')} into {folder}")
    display = Display(cells, folder)
    if dask is None:
        ends = run_cells(cells, folder, workers or 1, data, display.under_way)
    else:
        ends = run_cells_on_dask(cells, folder, dask, data)
    finish(list(display.watched(ends)), folder)


class Display:
    """Progress: a bar over all evaluations on a terminal, else a line for each cell."""

    def __init__(self, cells: "Sequence[Cell]", folder: Path) -> None:
        self.cells = cells
        self.folder = folder
        self.budget: int = sum(cell.budget for cell in cells)
        self.ended: list[End] = []
        self.spent: int = 0
        self.live: bool = sys.stderr.isatty()

    def watched(self, ends: "Iterator[End]") -> "Iterator[End]":
        """The ends, shown as they come."""
        if not self.live:
            for end in ends:
                self.add(end)
                if end.state != "skipped":
                    say(f"[{len(self.ended)}/{len(self.cells)}] {line(end)}")
                yield end
            return
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

        columns = (
            TextColumn("{task.fields[cells]} cells"),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f}%"),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(elapsed_when_finished=True),
            TextColumn("{task.fields[now]}"),
        )
        with Progress(*columns, console=Console(stderr=True)) as bar:
            self.bar = bar
            self.task: TaskID = bar.add_task("", total=self.budget, cells=f"0/{len(self.cells)}", now="")
            for end in ends:
                self.add(end)
                if end.state == "crashed":
                    bar.console.print(line(end), markup=False, highlight=False)
                bar.update(self.task, completed=self.spent, cells=f"{len(self.ended)}/{len(self.cells)}")
                yield end

    def add(self, end: "End") -> None:
        """One more cell has ended; its whole share of the bar counts, however it ended."""
        self.ended.append(end)
        self.spent += end.cell.budget

    def under_way(self, cells: "Sequence[Cell]") -> None:
        """Read from their journals how far the running cells are."""
        if not self.live:
            return
        from milbox.bench.execute import progress
        from milbox.errors import JournalError

        spent, texts = self.spent, []
        for cell in cells:
            try:
                done = progress(cell.journal(self.folder))
            except JournalError:
                continue
            count = 0 if done is None else min(done.ended, cell.budget)
            spent += count
            texts.append(f"{cell} ({count}/{cell.budget})")
        self.bar.update(self.task, completed=spent, now="; ".join(texts[:2]))


def line(end: "End") -> str:
    """The outcome of a cell in one line."""
    if end.state in ("crashed", "refused"):
        return f"{end.cell}: {end.state}: {end.reason.partition(chr(10))[0]}"
    best = "" if end.best is None else f", best {end.best:g}"
    return f"{end.cell}: {plural(end.evaluations, 'evaluation')}{best}, {duration(end.seconds)}"


def finish(ends: "Sequence[End]", folder: Path) -> None:
    """Say what came of all cells; fail when some crashed."""
    counts = {state: sum(end.state == state for end in ends) for state in ("finished", "skipped", "refused")}
    say(
        f"{counts['finished']} finished, {counts['skipped']} were complete before"
        + (f", {counts['refused']} do not apply" if counts["refused"] else "")
    )
    crashed = [end for end in ends if end.state == "crashed"]
    if crashed:
        for end in crashed:
            say(f"\n{end.cell}\n{end.reason.strip()}")
        table = "\n".join(f"  {line(end)}" for end in crashed)
        raise RunFailed(
            f"{plural(len(crashed), 'cell')} of {len(ends)} crashed; all others are in {folder}, and "
            f"running the plan again tries only what is missing:\n{table}"
        )
    say(f"`milbox bench report {folder}` writes tables and figures")


@bench.command()
@click.argument("results", type=FOLDER)
@click.option("--out", type=FOLDER, help="Where to write [default: into RESULTS].")
@click.option("--data", type=FOLDER, help="The folder of benchmark data [default: $MILBOX_DATA].")
@click.option("--figures/--no-figures", default=True, help="Draw figures, for which Matplotlib is needed.")
def report(results: Path, out: Path | None, data: Path | None, figures: bool) -> None:
    """Write report.md, cells.csv, curves.csv and figures for the journals in a folder."""
    from milbox.bench.report.page import write_report

    click.echo(write_report(results, out, data=data, draw=figures))


@bench.command()
@click.argument("pattern", default="*")
@click.option("--data", type=FOLDER, help="The folder of benchmark data [default: $MILBOX_DATA].")
@click.option("--json", "as_json", is_flag=True, help="One line of JSON for each problem.")
@click.option("--feasible", is_flag=True, help="The share of feasible points instead.")
def problems(pattern: str, data: Path | None, as_json: bool, feasible: bool) -> None:
    """List the problems whose names match PATTERN: size, known optimum, source, citation."""
    from milbox.bench.problems import catalogue, load, names

    found = names(pattern, data)
    if not found:
        raise InputError(f"no problem matches {pattern!r}; `milbox bench problems` lists all there are")
    if feasible:
        for name in found:
            say_feasible(name, load(name, data).domain, as_json)
        return
    for entry in catalogue(pattern, data):
        if as_json:
            emit(asdict(entry))
            continue
        known = f"optimum {entry.optimum:g}" if entry.optimum is not None else "optimum unknown"
        if entry.optimum is None and entry.best_known is not None:
            known = f"best known {entry.best_known:g}"
        constraints = plural(entry.constraints, "constraint") if entry.constraints else "unconstrained"
        click.echo(f"{entry.name}: {plural(entry.variables, 'variable')}, {constraints}, {known}")
        click.echo(f"    {entry.source}\n    {entry.citation}")


def say_feasible(name: str, domain: "Domain", as_json: bool) -> None:
    """Print how many points a domain has, and which share of all without constraints they are."""
    from milbox.bench.problems import feasible_share

    size, share = domain.size, feasible_share(domain)
    if as_json:
        emit({"name": name, "points": size, "log10_share": share})
    elif size is None or share is None:
        click.echo(f"{name}: not counted")
    else:
        points = plural(size, "point") if size < 10**9 else f"{Decimal(size):.3g} points"
        whole = math.floor(share)
        click.echo(f"{name}: {points}, {10 ** (share - whole):.1f}e{whole:+03d} of all")


@bench.command()
@click.option("--quick", is_flag=True, help="Fewer problems, nets and points: done in about five minutes.")
@click.option("--json", "json_file", type=click.Path(path_type=Path, dir_okay=False), help="Rows as JSON.")
@click.option("--repeats", type=click.IntRange(min=1), help="Nets per row [default: 5, or 3 when quick].")
@click.option("--problem", "chosen", multiple=True, help="Only problems matching this; may be repeated.")
@click.option("--net", "nets", multiple=True, help="Only this network, such as 16 or 16,16; may be repeated.")
@click.option(
    "--tried", type=click.IntRange(min=1), multiple=True, help="Only so many tried points; likewise."
)
@click.option("--method", "methods", multiple=True, help="Only this method, such as auto; may be repeated.")
@click.option(
    "--ablation/--no-ablation", default=None, help="Also each trick off in turn [default: unless quick]."
)
@click.option("--data", type=FOLDER, help="The folder of benchmark data [default: $MILBOX_DATA].")
def speed(
    quick: bool,
    json_file: Path | None,
    repeats: int | None,
    chosen: tuple[str, ...],
    nets: tuple[str, ...],
    tried: tuple[int, ...],
    methods: tuple[str, ...],
    ablation: bool | None,
    data: Path | None,
) -> None:
    """Time the paper's configuration and ours side by side, in this process on this machine."""
    import json
    from dataclasses import replace

    from milbox.bench.problems import expand
    from milbox.bench.speed import QUICK, Extent, ablations, as_json, measure
    from milbox.bench.speed import methods as known

    unknown = set(methods) - {*known(), *ablations()}
    if unknown:
        raise click.BadParameter(f"there is no method {min(unknown)!r}; there are {', '.join(known())}")
    extent = QUICK if quick else Extent()
    extent = replace(
        extent,
        repeats=repeats or extent.repeats,
        problems=tuple(expand(chosen, data)) if chosen else extent.problems,
        nets=tuple(widths(net) for net in nets) or extent.nets,
        tried=tried or extent.tried,
        methods=methods,
        ablation=extent.ablation if ablation is None else ablation,
    )
    header = ("domain", "net", "tried", "method", "median s", "p95 s", "x paper", "agrees")
    click.echo("| " + " | ".join(header) + " |\n|" + " --- |" * len(header))
    rows = []
    for row in measure(extent, say, data):
        rows.append(row)
        ratio = "" if row.ratio_to_paper is None else f"{row.ratio_to_paper:.3g}"
        click.echo(
            f"| {row.domain} | {row.net} | {row.tried} | {row.method} | {row.seconds_median:.3g} | "
            f"{row.seconds_p95:.3g} | {ratio} | {'yes' if row.agrees else 'NO'} |"
        )
        if json_file is not None:  # after every row, so that an interrupted run leaves what it measured
            json_file.write_text(json.dumps(as_json(rows), indent=1))
    if not all(row.agrees for row in rows):
        raise RunFailed("methods disagree about the best point; see the rows marked NO")


@bench.command()
@click.argument("results", type=FOLDER)
@click.option(
    "--out",
    type=PLAN,
    help="Solves as JSON lines; what it has is not measured again [default: RESULTS/solves.jsonl].",
)
@click.option("--algorithm", default="nn+milp", show_default=True, help="Whose studies the snapshots are of.")
@click.option(
    "--at", "tried", type=click.IntRange(min=1), multiple=True, help="After so many trials; may be repeated."
)
@click.option(
    "--net",
    "nets",
    multiple=True,
    help="linear, or widths such as 16 or 16,16; may be repeated [default: 16].",
)
@click.option(
    "--seconds",
    type=click.FloatRange(min=0),
    default=500.0,
    show_default=True,
    help="The limit of the published pipeline.",
)
def solves(
    results: Path,
    out: Path | None,
    algorithm: str,
    tried: tuple[int, ...],
    nets: tuple[str, ...],
    seconds: float,
) -> None:
    """Time acquisition problems on snapshots of the studies in RESULTS, by the paper's pipeline and by ours.

    Tables have the form of the paper's Section 4.4 and Table 2. What is measured is kept.
    """
    from dataclasses import replace

    from milbox.bench.solves import Extent, disagreements, distribution, means, measured

    extent = Extent(algorithm=algorithm, seconds=seconds)
    chosen = tuple(() if net == "linear" else widths(net) for net in nets)
    extent = replace(extent, tried=tried or extent.tried, nets=chosen or extent.nets)
    found = measured(results, out or results / "solves.jsonl", extent, say)
    for table in (means(found), distribution(found)):
        if table is not None:
            click.echo(f"{table}\n")
    wrong = disagreements(found)
    if wrong:
        raise RunFailed(f"methods disagree about the best point, first in {wrong[0]}")


def widths(net: str) -> tuple[int, ...]:
    """The hidden widths of a network written as 16 or 16,16."""
    try:
        return tuple(int(units) for units in net.split(","))
    except ValueError:
        raise click.BadParameter(f"{net!r} is not a network; write its widths, such as 16 or 16,16") from None
