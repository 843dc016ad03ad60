"""`milbox backup` and `milbox merge`: copies of journals."""

from typing import TYPE_CHECKING

import click

from milbox.cli.console import JOURNAL, plural, say

if TYPE_CHECKING:
    from milbox.trials.journal import Place


@click.command()
@click.argument("journal", type=JOURNAL)
@click.argument("out", type=JOURNAL)
def backup(journal: "Place", out: "Place") -> None:
    """Copy JOURNAL to OUT, whole and of one moment, also while a run is writing it.

    Either may be a file or the URL of a PostgreSQL database: so a study moves from one to the other.
    """
    from milbox.trials.journal import copies

    say(f"wrote {plural(copies.backup(journal, out), 'trial')} to {out}")


@click.command()
@click.argument("first", type=JOURNAL)
@click.argument("second", type=JOURNAL)
@click.argument("out", type=JOURNAL)
def merge(first: "Place", second: "Place", out: "Place") -> None:
    """Write the trials of two journals of one domain into a new one, OUT.

    Points that both have are kept once. OUT is resumed with the seed and the strategy of FIRST, and with a
    budget of its own: `milbox resume OUT --budget 100`.
    """
    from milbox.trials.journal import copies

    trials, both = copies.merge(first, second, out)
    also = f", {both} of which both had" if both else ""
    say(f"wrote {plural(trials, 'trial')} to {out}{also}")
