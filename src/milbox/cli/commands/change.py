"""`milbox change`: a study goes on with the variables and rules of a changed problem file."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from milbox.cli.console import JOURNAL, InputError, plural, say
from milbox.cli.problem.file import read_problem

if TYPE_CHECKING:
    from milbox.trials.journal import Place

FILE = click.Path(path_type=Path, dir_okay=False)


@click.command()
@click.argument("journal", type=JOURNAL)
@click.argument("problem", type=FILE)
@click.option(
    "--value",
    "values",
    multiple=True,
    metavar="NAME=VALUE",
    help="The value that a new variable had in the trials so far; repeatable.",
)
def change(journal: "Place", problem: Path, values: tuple[str, ...]) -> None:
    """Go on with the variables and rules of PROBLEM in JOURNAL.

    Rules may be added or dropped, ranges and choices widened or narrowed, and variables added. Trials that
    are outside from now on stay, and train the model. The objective is read from PROBLEM too.
    """
    from milbox.cli.study import conflict_text, notes_of, reopened
    from milbox.domain import Domain
    from milbox.errors import DomainError
    from milbox.trials.header import domain_difference
    from milbox.trials.journal import glance

    header = glance(journal).header
    initial, strategy = header.notes.get("initial"), header.notes.get("strategy")
    read = read_problem(problem, initial, strategy)
    if read.goal != header.goal:
        raise InputError(f"{journal} is to {header.goal}, and {problem} to {read.goal}; that cannot change")
    # A file with another strategy is refused by the journal.
    with reopened(journal, header, Domain.from_json(header.domain), read.strategy, []) as study:
        if study.domain == read.domain:
            raise InputError(f"{problem} describes the domain that {journal} has; there is nothing to change")
        what = domain_difference(study.domain.to_json(), read.domain.to_json())
        try:
            study.change(read.domain, dict(map(given_value, values)))
        except DomainError:
            raise InputError(conflict_text(read)) from None
        except ValueError as error:
            raise InputError(f"{error}; on the command line, with --value NAME=VALUE") from None
        study.note(notes_of(read, initial, strategy, header.budget))
        outside = sum(trial.outside is not None for trial in study.trials)
        click.echo(f"{journal} goes on with the domain of {problem}: {what}")
        say(f"{outside} of {plural(len(study.trials), 'trial')} are outside it now")


def given_value(text: str) -> tuple[str, Any]:
    """A name and a value: a number or JSON, or else a text."""
    name, equals, value = (part.strip() for part in text.partition("="))
    if not equals or not name:
        raise InputError(f"--value takes NAME=VALUE, not {text!r}")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value
