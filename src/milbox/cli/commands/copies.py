"""`milbox backup` and `milbox merge`: copies of journals."""

from pathlib import Path

import click

from milbox.cli.console import plural, say

FILE = click.Path(path_type=Path, dir_okay=False)


@click.command()
@click.argument("journal", type=FILE)
@click.argument("out", type=FILE)
def backup(journal: Path, out: Path) -> None:
    """Copy JOURNAL to OUT, whole and of one moment, also while a run is writing it."""
    from milbox.trials.journal import copies

    say(f"wrote {plural(copies.backup(journal, out), 'trial')} to {out}")


@click.command()
@click.argument("first", type=FILE)
@click.argument("second", type=FILE)
@click.argument("out", type=FILE)
def merge(first: Path, second: Path, out: Path) -> None:
    """Write the trials of two journals of one domain into a new one, OUT.

    Points that both have are kept once. OUT is resumed with the seed and the strategy of FIRST.
    """
    from milbox.trials.journal import copies

    trials, both = copies.merge(first, second, out)
    also = f", {both} of which both had" if both else ""
    say(f"wrote {plural(trials, 'trial')} to {out}{also}")
