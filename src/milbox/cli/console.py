"""Output of a command: results on standard output, everything else on standard error."""

import datetime
import json
import math
import shutil
import sys
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

# Bits of the largest whole number that is written out.
LONGEST = 14_000

RUN_FAILED, BAD_INPUT, NOTHING_LEFT, INTERRUPTED = 1, 2, 3, 130


class JournalPlace(click.Path):
    """A journal on the command line: a file, or the URL of a PostgreSQL database."""

    name = "journal"

    def __init__(self, *, or_problem: bool = False) -> None:
        super().__init__(path_type=Path, dir_okay=False)
        self.or_problem = or_problem
        """Whether a problem file may stand in its place."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path, or the URL, which prints without its password."""
        from milbox.trials.journal.place import Url, place_of

        place = place_of(value)
        if isinstance(place, Url):
            return place
        if not self.or_problem:
            _check_no_problem_file(place, ctx)
        return super().convert(value, param, ctx)


def _check_no_problem_file(path: Path, ctx: click.Context | None) -> None:
    """Refuse a problem file in the place of a journal, and say where the command takes one."""
    from milbox.trials.journal.file import DATABASE

    if path.suffix != ".toml" or not path.is_file():
        return
    with path.open("rb") as file:
        if file.read(len(DATABASE)) == DATABASE:
            return
    options = [] if ctx is None else [p.name for p in ctx.command.params if isinstance(p, click.Option)]
    taken = f"; give it as --problem {path}, after the journal" if "problem" in options else ""
    raise InputError(f"{path} is a problem file, not a journal{taken or '; give the journal made for it'}")


JOURNAL = JournalPlace()
JOURNAL_OR_PROBLEM = JournalPlace(or_problem=True)


class InputError(click.ClickException):
    """A file or an option is not what it has to be; the message says where and what to do."""

    exit_code = BAD_INPUT


class RunFailed(click.ClickException):
    """The input was right, and still it did not work out."""

    exit_code = RUN_FAILED


class NothingLeft(click.ClickException):
    """Every point of the domain has been asked."""

    exit_code = NOTHING_LEFT


def say(message: str) -> None:
    """A remark for the person at the terminal, out of the way of the results."""
    show(message, err=True)


def show(text: str, *, indent: int = 0, err: bool = False) -> None:
    """Print text; where a terminal is too narrow for a line, it goes on below, between two words.

    Lines that begin with spaces are commands to copy or points to read, and stay as they are. `indent` is how
    far the following lines stand in.
    """
    stream = sys.stderr if err else sys.stdout
    width = shutil.get_terminal_size().columns if stream.isatty() else 0
    for line in text.split("\n"):
        pieces = [line]
        if width > 2 * indent + 10 and len(line) >= width and not line.startswith(" "):
            pieces = textwrap.wrap(
                line,
                width - 1,
                subsequent_indent=" " * indent,
                break_long_words=False,
                break_on_hyphens=False,
                drop_whitespace=True,
            )
        for piece in pieces:
            click.echo(piece, err=err)


def iso_time(seconds: float | None) -> str | None:
    """A moment, given in seconds since 1970, as ISO 8601 in UTC; None when it is not known."""
    if seconds is None:
        return None
    moment = datetime.datetime.fromtimestamp(seconds, datetime.UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def emit(result: Mapping[str, Any]) -> None:
    """One result as one line of JSON, flushed so that a reader at the other end of a pipe sees it."""
    click.echo(json.dumps(jsonable(result), allow_nan=False, ensure_ascii=False))
    sys.stdout.flush()


def jsonable(thing: Any) -> Any:
    """The same with arrays as lists, and null for infinities, which JSON does not have.

    So it is for whole numbers of thousands of digits, which Python itself does not write.
    """
    if isinstance(thing, Mapping):
        return {str(key): jsonable(value) for key, value in thing.items()}
    if isinstance(thing, list | tuple):
        return [jsonable(item) for item in thing]
    if hasattr(thing, "tolist"):
        return jsonable(thing.tolist())
    if isinstance(thing, float) and not math.isfinite(thing):
        return None
    if isinstance(thing, int) and thing.bit_length() > LONGEST:
        return None
    return thing


def plural(count: int, noun: str) -> str:
    """`1 trial`, `2 trials`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def method_text(origin: str, solver: str) -> str:
    """The method that found a point; the origin is left out where the solver's name begins with it."""
    return solver if solver.startswith(origin) else f"{origin} ({solver})"
