"""`milbox ask`, `tell`, `amend` and `cancel`: points out and values in, for whoever measures elsewhere."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from milbox.cli.console import JOURNAL, InputError, NothingLeft, emit, plural, say
from milbox.cli.problem.file import read_problem

if TYPE_CHECKING:
    from milbox.cli.results.answers import Answer, Answers
    from milbox.domain import Domain
    from milbox.study import Study
    from milbox.trials import Trial
    from milbox.trials.goal import Goal
    from milbox.trials.journal import Place

FILE = click.Path(path_type=Path, dir_okay=False)


@click.command()
@click.argument("journal", type=JOURNAL)
@click.option(
    "--count", type=click.IntRange(1, 10_000), default=1, show_default=True, help="How many points."
)
@click.option("--problem", type=FILE, help="The problem file: needed once, to create the journal.")
@click.option("--fix", multiple=True, metavar="NAME=VALUE", help="A value of these points; repeatable.")
@click.option("--where", multiple=True, metavar="RULE", help="A rule for these points alone; repeatable.")
@click.option("--same", multiple=True, metavar="NAME", help="A variable with one value in the batch.")
@click.option("--csv", "csv_file", type=FILE, help="Write the batch to this file; fill in its value column.")
@click.option("--json", "as_json", is_flag=True, help="Print the batch as one JSON object.")
@click.option("--force", is_flag=True, help="Overwrite the CSV file.")
@click.option("--seed", type=click.IntRange(0), help="For a new journal [default: 0].")
@click.option(
    "--initial",
    type=click.IntRange(0),
    help="For a new journal: random points first [default: 20, or a quarter of a small domain].",
)
@click.option("--strategy", metavar="NAME", help="For a new journal [default: as the problem file says].")
@click.option("--known", type=FILE, help="Your own measurements: CSV or JSON with every variable, and value.")
def ask(
    journal: "Place",
    count: int,
    problem: Path | None,
    fix: tuple[str, ...],
    where: tuple[str, ...],
    same: tuple[str, ...],
    csv_file: Path | None,
    as_json: bool,
    force: bool,
    seed: int | None,
    initial: int | None,
    strategy: str | None,
    known: Path | None,
) -> None:
    """Propose the next points of the study in JOURNAL.

    They are in the journal, as pending, before they are printed. To see pending points again:
    `milbox trials JOURNAL --state pending --csv FILE`.
    """
    from milbox.errors import Exhausted

    if csv_file is not None:
        check_writable(csv_file, force)
    with opened(journal, problem, seed, initial, strategy, known) as study:
        try:
            fixed = fixed_values(fix, study.domain)
            trials = study.ask_many(count, fix=fixed, where=where, same=same)
        except Exhausted as error:
            raise NothingLeft(str(error)) from None
        except ValueError as error:
            raise InputError(str(error)) from None
        if len(trials) < count:
            say(f"only {plural(len(trials), 'point')} of {count}: no more were found")
        hand_out(trials, study, csv_file, as_json, journal)


def fixed_values(texts: Iterable[str], domain: "Domain") -> dict[str, Any]:
    """Values by the names of what is fixed to them."""
    found: dict[str, Any] = {}
    for text in texts:
        name, value = fixed_value(text, domain)
        if name in found:
            raise InputError(f"--fix gives {name} two values; leave one of them out")
        found[name] = value
    return found


def fixed_value(text: str, domain: "Domain") -> tuple[str, Any]:
    """A name and the value that it is fixed to, as the variable's kind writes it; an array's as JSON."""
    from milbox.cli.results.table import code_of
    from milbox.domain import Categorical
    from milbox.trials.narrowing import scalar_name

    name, equals, value = (part.strip() for part in text.partition("="))
    if name not in domain.index and name in {str(thing.name) for thing in domain.declared}:
        try:
            return name, json.loads(value)
        except ValueError:
            raise InputError(f"{name} is an array; write --fix '{name}=[1, 0, ...]', not {text!r}") from None
    if not equals:
        names = ", ".join(v.name for v in domain.variables[:6])
        raise InputError(f"--fix takes NAME=VALUE with a variable's name, such as {names}; not {text!r}")
    name = scalar_name(domain, name)
    variable = domain.variables[domain.index[name]]
    if not value and domain.index[name] in domain.conditions:
        return name, None  # it is not to exist
    quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "'\""
    if quoted and isinstance(variable, Categorical) and value not in map(str, variable.choices):
        value = value[1:-1]  # as rules write texts
    return name, variable.value(code_of(variable, value))


def opened(
    journal: "Place",
    problem: Path | None,
    seed: int | None,
    initial: int | None,
    strategy: str | None,
    known: Path | None,
) -> "Study":
    """The study to ask: the journal's, or a new one for the problem file."""
    from milbox.cli.results.answers import known_data
    from milbox.cli.study import create_study, open_to_ask
    from milbox.trials.journal import exists, glance

    if not exists(journal):
        if problem is None:
            raise InputError(f"there is no journal {journal}; to create it, give --problem FILE")
        read = read_problem(problem, initial, strategy)
        data = known_data(known, read.domain, read.goal) if known else []
        return create_study(
            read, journal, seed=seed or 0, initial=initial, strategy=strategy, budget=None, known=data
        )
    header = glance(journal).header
    if seed not in (None, header.seed):
        raise InputError(f"{journal} has the seed {header.seed}; --seed is for new journals")
    if initial not in (None, header.notes.get("initial")):
        raise InputError(f"{journal} exists already; --initial is for new journals")
    if strategy not in (None, header.notes.get("strategy")):
        raise InputError(f"{journal} exists already; --strategy is for new journals")
    return open_to_ask(journal, header, problem, known)


def hand_out(
    trials: "list[Trial]", study: "Study", csv_file: Path | None, as_json: bool, journal: "Place"
) -> None:
    """A batch as a file, as JSON, or for reading."""
    from milbox.cli.results.table import proposed_csv, trial_entry
    from milbox.cli.summary import assignment_lines

    if csv_file is not None:
        again = f"the points are pending; to write them: milbox trials {journal} --state pending --csv FILE"
        write(csv_file, proposed_csv(study.domain, trials, study.goal), again)
        outputs = study.goal.outputs
        columns = f"column{'s' if len(outputs) > 1 else ''} {', '.join(map(study.goal.label, outputs))}"
        say(f"wrote {plural(len(trials), 'point')} to {csv_file}; fill in the {columns}, then:")
        say(f"  milbox tell {journal} {csv_file}")
    if as_json:
        emit({"trials": [trial_entry(trial) for trial in trials]})
    elif csv_file is None:
        for trial in trials:
            proof = ""
            if trial.certificate is not None:
                proof = f", {trial.certificate.status}, gap {trial.certificate.gap:.2%}"
            click.echo(f"trial {trial.number} ({trial.origin}{proof})")
            for line in assignment_lines(trial.assignment):
                click.echo(line)


@click.command()
@click.argument("journal", type=JOURNAL)
@click.argument("results", type=FILE, required=False)
@click.option("--trial", type=click.IntRange(0), help="Tell one trial, without a file.")
@click.option(
    "--value",
    multiple=True,
    metavar="NUMBER",
    help="The value of that trial, or NAME=NUMBER for each output.",
)
@click.option(
    "--error",
    "deviations",
    multiple=True,
    metavar="NUMBER",
    help="The standard error of that value, where values are noisy, or NAME=NUMBER for outputs.",
)
@click.option("--failed", metavar="REASON", help="Why that trial has no value.")
@click.option("--note", metavar="TEXT", help="A text to keep with that trial.")
@click.option("--info", multiple=True, metavar="NAME=TEXT", help="More to keep with it; repeatable.")
@click.option(
    "--infeasible/--no-infeasible",
    default=None,
    help="Whether the point was to blame for the failure, so that others like it are avoided [default: yes].",
)
@click.option("--partial", is_flag=True, help="Record the good rows even if others are wrong.")
@click.option("--json", "as_json", is_flag=True, help="Print what was recorded as JSON.")
def tell(
    journal: "Place",
    results: Path | None,
    trial: int | None,
    value: tuple[str, ...],
    deviations: tuple[str, ...],
    failed: str | None,
    note: str | None,
    info: tuple[str, ...],
    infeasible: bool | None,
    partial: bool,
    as_json: bool,
) -> None:
    """Record measured values in JOURNAL.

    RESULTS is CSV or JSON with trial and value. Rows without a value stay pending; `failed`, or
    `failed: reason`, ends a trial without one (a column `infeasible` says false where the point was not to
    blame). Columns of variables must hold what was asked; all others, such as a note, the batch or the
    operator, are kept with the trial. If any row is wrong, nothing is recorded (unless --partial) and each
    wrong row is named. Telling the file again is harmless.
    """
    from milbox.cli.results.answers import Answer, Answers, answers, trial_number
    from milbox.cli.results.rows import read_rows
    from milbox.cli.study import open_to_tell

    if (results is None) == (trial is None):
        raise click.UsageError("give a file of results, or --trial with --value or --failed")
    if trial is None and (note is not None or info):
        raise click.UsageError("--note and --info go with --trial; in a file they are columns")
    if trial is not None and (not value) == (failed is None):
        raise click.UsageError("--trial needs --value or --failed")
    if infeasible is not None and failed is None:
        raise click.UsageError("--infeasible and --no-infeasible go with --failed")
    if deviations and not value:
        raise click.UsageError("--error goes with --value")
    rows = read_rows(results) if results is not None else []
    with open_to_tell(journal) as study:
        if results is not None:
            found = answers(rows, results, study.domain, study.trials, study.goal)
        else:
            try:
                number = trial_number(trial, len(study.trials))
                if study.trials[number].state != "pending":
                    raise ValueError(f"trial {number} has been told already; `milbox amend` corrects a value")
                given = outputs_of(value, deviations, study.goal) if value else None
            except (TypeError, ValueError) as error:
                raise InputError(str(error)) from None
            kept = info_of(note, info)
            found = Answers([Answer(0, number, given, failed, kept, infeasible is not False)])
        if not found.complaints or partial:
            record(study, found.given)
        report(study, found, partial, as_json)


def info_of(note: str | None, texts: tuple[str, ...]) -> dict[str, str]:
    """What is to be kept with a trial: a note, and texts such as `operator=Ann`."""
    found = {} if note is None else {"note": note}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise InputError(f"--info takes NAME=TEXT, such as operator=Ann; not {text!r}")
        found[name.strip()] = value.strip()
    return found


def outputs_of(texts: tuple[str, ...], errors: tuple[str, ...], goal: "Goal") -> Any:
    """What the goal takes, from texts such as `3.1` or `cost=3.1` of outputs and of standard errors."""
    from milbox.trials.goal import ERROR

    given, known = numbers_of(texts, goal), numbers_of(errors, goal) if errors else None
    goal.told(given, "the value", error=known)
    if known is None:
        return given
    if ERROR in goal.outputs:
        raise ValueError(
            f"an output of this study is called {ERROR!r}, so its standard errors are told in Python: "
            f"study.tell(number, values, error=...)"
        )
    return {**(given if isinstance(given, dict) else {goal.outputs[0]: given}), ERROR: known}


def numbers_of(texts: tuple[str, ...], goal: "Goal") -> Any:
    """A number, or numbers by name."""
    from milbox.cli.results.table import number_of

    split = (text.partition("=") for text in texts)
    pairs = [(name.strip(), number_of(number)) for name, equals, number in split if equals]
    if len(texts) == 1 and not pairs:
        return number_of(texts[0])
    if len(pairs) < len(texts):
        raise ValueError(f"write each output as NAME=NUMBER, for {', '.join(goal.outputs)}")
    return dict(pairs)


def record(study: "Study", given: "list[Answer]") -> None:
    """Tell the study what the answers say."""
    for answer in given:
        if answer.value is not None:
            study.tell(answer.trial, answer.value, info=answer.info)
        else:
            reason = answer.reason or "reported as failed"
            study.fail(answer.trial, reason, infeasible=answer.infeasible, info=answer.info)


def report(study: "Study", found: "Answers", partial: bool, as_json: bool) -> None:
    """The rows that were recorded, and those that were not."""
    from milbox.cli.commands.status import best_text

    recorded = found.given if partial or not found.complaints else []
    best, pending = study.best, sum(trial.state == "pending" for trial in study.trials)
    if as_json:
        emit(
            {
                "recorded": [answer.trial for answer in recorded],
                "open": found.open,
                "wrong": found.complaints,
                "pending": pending,
                "best": None if best is None else {"trial": best.number, "value": best.value},
                **({"front": [trial.number for trial in study.front]} if study.goal.several else {}),
            }
        )
    else:
        done = plural(len(recorded), "trial")
        shown = "" if best is None else f"; best {study.goal.name} {best_text(study.record)}"
        if study.goal.several and study.front:
            shown = f"; {plural(len(study.front), 'trial')} on the front"
        click.echo(f"recorded {done}, {pending} pending{shown}")
    if found.complaints:
        kept = "the good rows were recorded" if partial else "nothing was recorded"
        listing = "\n".join(found.complaints)
        raise InputError(f"{plural(len(found.complaints), 'row')} cannot be used, {kept}:\n{listing}")


@click.command()
@click.argument("journal", type=JOURNAL)
@click.argument("trial", type=click.IntRange(0))
@click.argument("value", metavar="NUMBER", nargs=-1, required=True)
@click.option(
    "--error",
    "deviations",
    multiple=True,
    metavar="NUMBER",
    help="The standard error of the value, where values are noisy, or NAME=NUMBER for outputs.",
)
def amend(journal: "Place", trial: int, value: tuple[str, ...], deviations: tuple[str, ...]) -> None:
    """Correct the value of TRIAL in JOURNAL; what was told before stays on record.

    With several outputs, give each as NAME=NUMBER.
    """
    from dataclasses import replace

    from milbox.cli.study import open_to_tell

    with open_to_tell(journal) as study:
        try:
            study.amend(trial, outputs_of(value, deviations, study.goal))
        except (TypeError, ValueError) as error:
            raise InputError(str(error)) from None
        now = study.trials[trial]
        was = replace(now, outcome=now.earlier[-1]).shown
        click.echo(f"trial {trial} was {was} and is {now.shown}")


@click.command()
@click.argument("journal", type=JOURNAL)
@click.argument("trials", type=click.IntRange(0), nargs=-1, required=True)
def cancel(journal: "Place", trials: tuple[int, ...]) -> None:
    """Give up pending or failed TRIALS of JOURNAL: they do not count, and may be asked again."""
    from milbox.cli.study import open_to_tell

    with open_to_tell(journal) as study:
        for trial in trials:
            try:
                study.cancel(trial)
            except ValueError as error:
                raise InputError(str(error)) from None
        click.echo(f"cancelled {plural(len(trials), 'trial')}")


def check_writable(path: Path, force: bool) -> None:
    """Refuse a file that exists or cannot be written, before any point is handed out."""
    if not path.name:
        raise InputError("the name of the file to write is empty")
    if path.exists() and not force:
        raise InputError(f"{path} exists already; choose another name, or give --force")
    if not path.resolve().parent.is_dir():
        raise InputError(f"the folder {path.resolve().parent} does not exist")


def write(path: Path, text: str, advice: str = "choose another place") -> None:
    """A file whole or not at all."""
    draft = path.with_name(f".{path.name}.new")
    try:
        draft.write_text(text, encoding="utf-8", newline="")
        draft.replace(path)
    except OSError as error:
        raise InputError(f"{path} cannot be written ({error.strerror}); {advice}") from None
