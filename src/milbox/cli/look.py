"""`milbox status`, `best` and `trials`: what is in a journal, also while a run is writing it."""

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from milbox.cli.output import InputError, emit, iso_time, plural, seconds_text, show

if TYPE_CHECKING:
    from milbox.cli.journals import Kept
    from milbox.trials import Trial

FILE = click.Path(path_type=Path, dir_okay=False)
DETAILS = ("state", "origin", "status", "bound", "gap", "residual", "solver", "evaluation_seconds", "reason")


@click.command()
@click.argument("journal", type=FILE)
@click.option("--watch", is_flag=True, help="Follow the run until its budget is spent.")
@click.option(
    "--every", type=click.FloatRange(0.1), default=1.0, show_default=True, help="Seconds between looks."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON; with --watch, a line at each change.")
def status(journal: Path, watch: bool, every: float, as_json: bool) -> None:
    """Say how far the run in JOURNAL has come."""
    from milbox.cli.journals import read_journal

    kept = read_journal(journal)
    if not watch:
        show_status(kept, as_json)
        return
    if sys.stdout.isatty() and not as_json:
        follow_live(kept, every)
        return
    shown = None
    while True:
        counts = [trial.state for trial in kept.trials]
        if counts != shown:
            show_status(kept, as_json)
            shown = counts
        if ended(kept):
            return
        time.sleep(every)
        kept = read_journal(journal)


def follow_live(kept: "Kept", every: float) -> None:
    """The state of the run in place, until it ends or Ctrl-C."""
    from rich.live import Live

    from milbox.cli.journals import read_journal

    with Live(status_table(kept), auto_refresh=False) as live:
        while not ended(kept):
            time.sleep(every)
            kept = read_journal(kept.path)
            live.update(status_table(kept), refresh=True)


def ended(kept: "Kept") -> bool:
    """Whether nothing more is to come: budget spent or domain exhausted, and nothing pending."""
    asked = sum(trial.origin != "known" for trial in kept.trials)
    limit = min(kept.budget or sys.maxsize, kept.domain.size or sys.maxsize)
    return asked >= limit and all(trial.state != "pending" for trial in kept.trials)


def show_status(kept: "Kept", as_json: bool) -> None:
    """The state of a run, once."""
    if as_json:
        emit(entries(kept))
        return
    for label, text in status_rows(kept):
        show(f"{label:<10} {text}", indent=11)


def entries(kept: "Kept") -> dict[str, Any]:
    """The state of a run as plain entries."""
    from milbox.cli.summary import summary

    return {
        **summary(kept.trials, kept.header.sense, kept.domain.size, kept.path, kept.budget),
        "problem": kept.notes.get("path"),
        "seed": kept.header.seed,
        "strategy": kept.header.strategy,
        "created_at": iso_time(kept.header.created_at),
        "last_told_at": iso_time(last_told(kept)),
        "ended": ended(kept),
    }


def status_rows(kept: "Kept") -> list[tuple[str, str]]:
    """Labels and texts, one row each."""
    from milbox.cli.summary import best_trials, proofs, spent

    trials, states = kept.trials, [trial.state for trial in kept.trials]
    of = f" of {kept.budget:,}" if kept.budget else ""
    counts = ", ".join(f"{states.count(state):,} {state}" for state in ("finished", "failed", "pending"))
    best = best_trials(trials, kept.header.sense)
    told = last_told(kept)
    rows = [
        ("journal", f"{kept.path} ({kept.header.sense}, seed {kept.header.seed})"),
        ("trials", f"{len(trials):,}{of}: {counts}"),
        ("best", f"{best[0].value:g} in trial {best[0].number}" if best else "no value yet"),
        ("proved", str(proofs(trials))),
        ("time in", str(spent(trials))),
    ]
    if told is not None:
        rows.append(("last value", f"{seconds_text(max(0.0, time.time() - told))} ago"))
    return rows


def status_table(kept: "Kept") -> Any:
    """The same for a terminal."""
    from rich.table import Table

    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column()
    for row in status_rows(kept):
        table.add_row(*row)
    return table


def last_told(kept: "Kept") -> float | None:
    """When the latest value arrived, in seconds since 1970."""
    times = [getattr(trial.outcome, "told_at", None) for trial in kept.trials]
    return max((told for told in times if told is not None), default=None)


@click.command()
@click.argument("journal", type=FILE)
@click.option(
    "--top", type=click.IntRange(1), default=1, show_default=True, help="How many of the best trials."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON: one trial, or a list with --top.")
def best(journal: Path, top: int, as_json: bool) -> None:
    """Print the best point found so far."""
    from milbox.cli.journals import read_journal
    from milbox.cli.summary import assignment_lines, best_trials
    from milbox.cli.table import trial_entry

    kept = read_journal(journal)
    found = best_trials(kept.trials, kept.header.sense)[:top]
    if not found:
        raise InputError(f"{journal} has no finished trial yet ({plural(len(kept.trials), 'trial')})")
    if as_json:
        emit(trial_entry(found[0]) if top == 1 else {"trials": [trial_entry(trial) for trial in found]})
        return
    for trial in found:
        click.echo(f"{trial.value:g} in trial {trial.number} ({trial.origin})")
        for line in assignment_lines(trial.assignment):
            click.echo(line)


@click.command()
@click.argument("journal", type=FILE)
@click.option("--state", type=click.Choice(["pending", "finished", "failed"]), help="Only these trials.")
@click.option("--last", type=click.IntRange(1), help="Only the last so many.")
@click.option("--csv", "csv_file", type=FILE, help="Write them to this file, as `milbox ask --csv` does.")
@click.option("--force", is_flag=True, help="Overwrite the CSV file.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def trials(
    journal: Path, state: str | None, last: int | None, csv_file: Path | None, force: bool, as_json: bool
) -> None:
    """List the trials in JOURNAL."""
    from milbox.cli.journals import read_journal
    from milbox.cli.laboratory import check_writable, write
    from milbox.cli.table import batch_csv, trial_entry

    if csv_file is not None:
        check_writable(csv_file, force)
    kept = read_journal(journal)
    chosen = [trial for trial in kept.trials if state in (None, trial.state)]
    chosen = chosen[-last:] if last else chosen
    if csv_file is not None:
        write(csv_file, batch_csv(kept.domain, chosen))
    if as_json:
        for trial in chosen:
            emit(trial_entry(trial))
    elif csv_file is None:
        for line in trial_lines(chosen):
            click.echo(line)


def trial_lines(chosen: "list[Trial]") -> list[str]:
    """A table of trials, one a line."""
    from milbox.cli.summary import value_text

    rows = [("trial", "value", "gap", "origin", "assignment")]
    for trial in chosen:
        value = trial.state if trial.value is None else f"{trial.value:g}"
        gap = "" if trial.certificate is None else f"{trial.certificate.gap:.2%}"
        shown = "  ".join(f"{name}={value_text(given)}" for name, given in trial.assignment.items())
        if trial.reason:
            shown += f"  ({trial.reason.partition(chr(10))[0]})"
        rows.append((str(trial.number), value, gap, trial.origin, shown))
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    return [
        "  ".join([*(entry.ljust(width) for entry, width in zip(row, widths, strict=False)), row[4]]).rstrip()
        for row in rows
    ]
