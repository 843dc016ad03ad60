"""`milbox compare`: several journals of one domain side by side."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from milbox.cli.console import JOURNAL, InputError, emit, say

if TYPE_CHECKING:
    from milbox.trials.course import Comparison
    from milbox.trials.journal import Place

FILE = click.Path(path_type=Path, dir_okay=False)


@click.command()
@click.argument("journals", type=JOURNAL, nargs=-1, required=True)
@click.option("--out", type=FILE, help="Write a page with the curves to this HTML file.")
@click.option("--force", is_flag=True, help="Overwrite a file that is not such a page.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def compare(journals: "tuple[Place, ...]", out: Path | None, force: bool, as_json: bool) -> None:
    """Compare two or more JOURNALS of one domain: who found what, and after how many trials."""
    from milbox.page.comparison import HEAD, SERIES, comparison_page, named, reading, rows, verdict
    from milbox.trials.course import compared
    from milbox.trials.record import read_record

    if not 2 <= len(journals) <= len(SERIES):
        raise InputError(f"milbox compare takes 2 to {len(SERIES)} journals, not {len(journals)}")
    records = [read_record(journal) for journal in journals]
    found, names = compared(records), named(records)
    if out is not None:
        from milbox.cli.commands.ask_tell import check_writable, write
        from milbox.cli.commands.report import own_page

        check_writable(out, force or own_page(out))
        write(out, comparison_page(found, names))
        say(f"wrote a page to {out}")
    if as_json:
        emit(entries(found, names))
        return
    table = [(*HEAD[:3], found.quantity, *HEAD[4:]), *rows(found, names)]
    widths = [max(len(row[column]) for row in table) for column in range(len(HEAD))]
    for row in table:
        cells = (
            e.ljust(w) if k == 0 else e.rjust(w) for k, (e, w) in enumerate(zip(row, widths, strict=True))
        )
        click.echo("  ".join(cells).rstrip())
    click.echo(verdict(found, names))
    say(reading(found))


def entries(found: "Comparison", names: list[str]) -> dict[str, object]:
    """The comparison as plain entries."""
    studies = [
        {
            "study": name,
            "journal": str(record.path),
            "trials": len(record.trials),
            "failed": record.having("failed"),
            "best": course[-1][1] if course else None,
            "trial": course[-1][0] if course else None,
            "as_good_after": found.reached(place),
            "improvements": [list(pair) for pair in course],
        }
        for place, (name, record, course) in enumerate(zip(names, found.records, found.courses, strict=True))
    ]
    return {"quantity": found.quantity, "studies": studies, "shared_points": found.shared}
