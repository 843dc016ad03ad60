"""`milbox report`: a journal as one HTML page to look at, keep and send."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from milbox.cli.console import JOURNAL, InputError, plural, say

if TYPE_CHECKING:
    from milbox.trials.journal import Place

FILE = click.Path(path_type=Path, dir_okay=False)
# How much of a file is read to see whether it is a page of ours: more than the policy in front of the mark.
HEAD = 4096


@click.command()
@click.argument("journal", type=JOURNAL)
@click.option("--out", type=FILE, help="The file to write [default: the journal's name, with .html].")
@click.option("--title", help="The page's title [default: the name of the problem file or the journal].")
@click.option("--force", is_flag=True, help="Overwrite a file that is not such a page.")
def report(journal: "Place", out: Path | None, title: str | None, force: bool) -> None:
    """Write a page about the run in JOURNAL: one HTML file that needs nothing else.

    Progress, best points, predictions against measurements, certificates, which variables matter, and the
    constraints at the best point. An older page is overwritten.
    """
    from milbox.cli.commands.ask_tell import check_writable, write
    from milbox.page import page
    from milbox.trials.record import read_record

    record = read_record(journal, title)
    if out is None:
        out = journal.with_suffix(".html") if isinstance(journal, Path) else Path(f"{record.title}.html")
    if isinstance(journal, Path) and out.resolve() == journal.resolve():
        raise InputError(f"{out} is the journal itself; choose another file")
    check_writable(out, force or own_page(out))
    write(out, page(record))
    say(f"wrote a page about {plural(len(record.trials), 'trial')} to {out}")


def own_page(path: Path) -> bool:
    """Whether the file is a page that this command wrote."""
    try:
        with path.open("rb") as file:
            return b'<meta name="generator" content="milbox ' in file.read(HEAD)
    except OSError:
        return False
