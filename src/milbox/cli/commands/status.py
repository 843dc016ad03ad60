"""`milbox status`, `best` and `trials`: what is in a journal, also while a run is writing it."""

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from milbox.cli.console import JOURNAL, InputError, emit, iso_time, plural, say, show
from milbox.display import duration

if TYPE_CHECKING:
    from milbox.trials import Trial
    from milbox.trials.journal import Place
    from milbox.trials.record import Record

FILE = click.Path(path_type=Path, dir_okay=False)


@click.command()
@click.argument("journal", type=JOURNAL)
@click.option("--watch", is_flag=True, help="Follow the run until its budget is spent.")
@click.option(
    "--every", type=click.FloatRange(0.1), default=1.0, show_default=True, help="Seconds between looks."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON; with --watch, a line at each change.")
def status(journal: "Place", watch: bool, every: float, as_json: bool) -> None:
    """Say how far the run in JOURNAL has come."""
    from milbox.trials.record import read_record

    record = read_record(journal)
    if not watch:
        show_status(record, as_json)
        return
    if sys.stdout.isatty() and not as_json:
        follow_live(journal, record, every)
        return
    shown = None
    while True:
        counts = [trial.state for trial in record.trials]
        if counts != shown:
            show_status(record, as_json)
            shown = counts
        if record.ended:
            return
        time.sleep(every)
        record = read_record(journal, like=record.domain)


def follow_live(journal: "Place", record: "Record", every: float) -> None:
    """The state of the run in place, until it ends or Ctrl-C."""
    from rich.live import Live

    from milbox.trials.record import read_record

    with Live(status_table(record), auto_refresh=False) as live:
        while not record.ended:
            time.sleep(every)
            record = read_record(journal, like=record.domain)
            live.update(status_table(record), refresh=True)


def show_status(record: "Record", as_json: bool) -> None:
    """The state of a run, once."""
    if as_json:
        emit(entries(record))
        return
    for label, text in status_rows(record):
        show(f"{label:<10} {text}", indent=11)


def entries(record: "Record") -> dict[str, Any]:
    """The state of a run as plain entries."""
    from milbox.cli.summary import summary

    return {
        **summary(record, record.budget),
        "problem": record.header.notes.get("path"),
        "seed": record.header.seed,
        "strategy": record.header.strategy,
        "created_at": iso_time(record.header.created_at),
        "last_told_at": iso_time(record.last_told),
        "ended": record.ended,
    }


def status_rows(record: "Record") -> list[tuple[str, str]]:
    """Labels and texts, one row each."""
    from milbox.cli.summary import proofs_text, proved_text, spent_text
    from milbox.trials.trust import sentence

    counts = (
        f"{record.having('finished'):,} finished, {record.having('failed'):,} failed, "
        f"{record.having('pending'):,} pending"
    )
    if record.having("cancelled"):
        counts += f", {record.having('cancelled'):,} cancelled"
    if record.outside:
        counts += f"; {len(record.outside):,} outside the domain, which train the model"
    told = record.last_told
    rows = [
        ("journal", f"{record.path} ({record.goal}, seed {record.header.seed})"),
        ("trials", f"{record.counted}: {counts}"),
        ("best", best_text(record)),
        *([("points", proved_text(record))] if record.proved else []),
        ("proved", proofs_text(record.proofs)),
        ("time in", spent_text(record.spent)),
    ]
    verdict = sentence(record.trust)
    if verdict:
        rows.append(("model", verdict))
    if told is not None:
        rows.append(("last value", f"{duration(max(0.0, time.time() - told))} ago"))
    return rows


def best_text(record: "Record") -> str:
    """The best trial in a few words, or the size of the front."""
    from milbox.cli.summary import value_of

    if record.goal.several and record.front:
        return f"{plural(len(record.front), 'trial')} on the front"
    if record.best is not None:
        shown = f"{record.best.value:g}{record.goal.unit(record.goal.name)}"
        shown = shown if record.estimate is None else value_of(record, record.best)
        return f"{shown} in trial {record.best.number}"
    kept = " and ".join(map(str, record.goal.limits))
    return f"no trial keeps {kept}" if record.finished else "no value yet"


def status_table(record: "Record") -> Any:
    """The same for a terminal."""
    from rich.table import Table

    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column()
    for row in status_rows(record):
        table.add_row(*row)
    return table


@click.command()
@click.argument("journal", type=JOURNAL)
@click.option(
    "--top",
    type=click.IntRange(1),
    help="How many of the best trials [default: 1; with several objectives, the front].",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON: one trial, or a list with --top.")
def best(journal: "Place", top: int | None, as_json: bool) -> None:
    """Print the best point found so far; with noise, the one with the best estimate.

    With several objectives these are the trials nobody dominates, in the order in which they were asked.
    """
    from milbox.cli.summary import assignment_lines, entry_of, proved_text, value_of
    from milbox.trials.record import read_record

    record = read_record(journal)
    several = record.goal.several
    found = list(record.front[:top]) if several else record.ranked[: top or 1]
    more = len(record.front) - len(found) if several else 0
    if not found and record.finished:
        raise InputError(f"{journal} has no trial that keeps {' and '.join(map(str, record.goal.limits))}")
    if not found:
        outside = sum(trial.outside is not None for trial in record.trials)
        where, of_it = (" in its domain", f", {outside} outside it") if outside else ("", "")
        trials = plural(len(record.trials), "trial")
        raise InputError(f"{journal} has no finished trial{where} yet ({trials}{of_it})")
    if as_json:
        entries = [entry_of(record, trial) for trial in found]
        listed = {"trials": entries, **({"more": more} if several else {})}
        emit(entries[0] if top in (None, 1) and not several else listed)
        return
    for trial in found:
        click.echo(f"{value_of(record, trial)} in trial {trial.number} ({trial.origin})")
        for line in assignment_lines(trial.assignment):
            click.echo(line)
    if more:
        say(f"{plural(more, 'more trial')} on the front")
    if record.proved:
        show(proved_text(record))


@click.command()
@click.argument("journal", type=JOURNAL)
@click.option(
    "--state", type=click.Choice(["pending", "finished", "failed", "cancelled"]), help="Only these trials."
)
@click.option("--last", type=click.IntRange(1), help="Only the last so many.")
@click.option("--csv", "csv_file", type=FILE, help="Write them to this file, as `milbox ask --csv` does.")
@click.option("--force", is_flag=True, help="Overwrite the CSV file.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def trials(
    journal: "Place", state: str | None, last: int | None, csv_file: Path | None, force: bool, as_json: bool
) -> None:
    """List the trials in JOURNAL."""
    from milbox.cli.commands.ask_tell import check_writable, write
    from milbox.cli.results.table import proposed_csv, trial_entry
    from milbox.trials.record import read_record

    if csv_file is not None:
        check_writable(csv_file, force)
    record = read_record(journal)
    chosen = [trial for trial in record.trials if state in (None, trial.state)]
    chosen = chosen[-last:] if last else chosen
    if csv_file is not None:
        write(csv_file, proposed_csv(record.domain, chosen, record.goal))
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
        value = trial.shown
        gap = "" if trial.certificate is None else f"{trial.certificate.gap:.2%}"
        shown = "  ".join(f"{name}={value_text(given)}" for name, given in trial.assignment.items())
        if trial.reason:
            shown += f"  ({trial.short_reason})"
        rows.append((str(trial.number), value, gap, trial.origin, shown))
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    return [
        "  ".join([*(entry.ljust(width) for entry, width in zip(row, widths, strict=False)), row[4]]).rstrip()
        for row in rows
    ]
