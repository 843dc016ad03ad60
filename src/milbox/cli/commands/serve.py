"""`milbox serve`: the page about a run, live while the run goes on."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from milbox.cli.console import JOURNAL, InputError, emit, say

if TYPE_CHECKING:
    from milbox.trials.journal import Place

FILE = click.Path(path_type=Path, dir_okay=False)
PORT = 8517


@click.command()
@click.argument("journal", type=JOURNAL)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=PORT, show_default=True, help="0 takes any that is free."
)
@click.option("--title", help="The page's title [default: the name of the problem file or the journal].")
@click.option("--open", "open_browser", is_flag=True, help="Open the page in a browser.")
@click.option("--json", "as_json", is_flag=True, help="Print the address as JSON.")
def serve(journal: "Place", port: int, title: str | None, open_browser: bool, as_json: bool) -> None:
    """Show the page about the run in JOURNAL, live, until Ctrl-C.

    For this computer only (127.0.0.1), and only to look at: nothing is written.
    """
    from milbox.page.server import Live, address, server

    live = Live(journal, title)
    try:
        made = server(live, port)
    except OSError as error:
        raise InputError(
            f"port {port} cannot be used ({error.strerror}); give another one with --port, or 0 for any"
        ) from None
    with made:
        url = address(made)
        if as_json:
            emit({"url": url, "journal": str(journal)})
        else:
            click.echo(f"{journal} is shown at {url} (Ctrl-C ends it)")
        if open_browser:
            click.launch(url)
        try:
            made.serve_forever(poll_interval=0.2)
        except KeyboardInterrupt:
            say("\nstopped")
