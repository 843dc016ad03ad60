"""`milbox export`: a journal as CSV, as JSON lines, or as an Optuna study."""

import datetime
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from milbox.cli.console import JOURNAL, InputError, jsonable, plural, say

if TYPE_CHECKING:
    from milbox.domain import Domain, Variable
    from milbox.trials import Trial
    from milbox.trials.journal import Place
    from milbox.trials.record import Record

FILE = click.Path(path_type=Path, dir_okay=False)


@click.command()
@click.argument("journal", type=JOURNAL)
@click.option(
    "--to",
    "kind",
    type=click.Choice(["csv", "jsonl", "optuna"]),
    help="[default: by the ending of --out; .log, .sqlite3 and .db are Optuna's]",
)
@click.option("--out", type=FILE, required=True, help="The file to write.")
@click.option("--force", is_flag=True, help="Overwrite the file.")
def export(journal: "Place", kind: str | None, out: Path, force: bool) -> None:
    """Write every trial of JOURNAL in a form that other programs read.

    For Optuna, a file that ends in .log is a journal storage (fast), one that ends in .sqlite3 or .db a
    database; `optuna-dashboard FILE` shows either.
    """
    from milbox.cli.commands.ask_tell import check_writable, write
    from milbox.cli.results.table import batch_csv, trial_entry
    from milbox.trials.record import read_record

    endings = {".csv": "csv", ".jsonl": "jsonl", ".log": "optuna", ".sqlite3": "optuna", ".db": "optuna"}
    kind = kind or endings.get(out.suffix)
    if kind is None:
        raise InputError(f"the ending of {out} says nothing about its form; give --to")
    if isinstance(journal, Path) and out.resolve() == journal.resolve():
        raise InputError(f"{out} is the journal itself; choose another file")
    check_writable(out, force)
    record = read_record(journal)
    if kind == "csv":
        # A variable may be called as one of two columns that few studies fill.
        extra = [n for n in details() if n not in ("error", "infeasible") or n not in record.domain.index]
        write(out, batch_csv(record.domain, record.trials, extra, goal=record.goal))
    elif kind == "jsonl":
        lines = (json.dumps(jsonable(trial_entry(trial)), allow_nan=False) for trial in record.trials)
        write(out, "".join(f"{line}\n" for line in lines))
    else:
        write_optuna(record, record.title, out)
    say(f"wrote {plural(len(record.trials), 'trial')} to {out}")


def details() -> list[str]:
    """The columns that stand behind the value in a file."""
    from milbox.trials.columns import COLUMNS

    return [name for name in COLUMNS if name not in ("number", "value")]


def write_optuna(record: "Record", name: str, out: Path) -> None:
    """The journal as an Optuna study."""
    try:
        import optuna
        from optuna.storages import JournalStorage, RDBStorage
        from optuna.storages.journal import JournalFileBackend
    except ImportError:
        raise InputError("exporting to Optuna needs it: run `pip install 'milbox[optuna]'`") from None

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    draft = out.with_name(f".{out.name}.new")
    draft.unlink(missing_ok=True)
    storage: Any = (
        JournalStorage(JournalFileBackend(str(draft)))
        if out.suffix not in (".sqlite3", ".db")
        else RDBStorage(f"sqlite:///{draft.resolve()}")
    )
    study = optuna.create_study(
        storage=storage, study_name=name, directions=[s for _, s in record.goal.objectives]
    )
    study.set_user_attr("milbox", {"seed": record.header.seed, "strategy": record.header.strategy})
    points = [params_of(record.domain, trial) for trial in record.trials]
    distributions = {
        v.name: distribution(v, [point[v.name] for point in points if v.name in point])
        for v in record.domain.variables
    }
    study.add_trials(
        [frozen(record, *pair, distributions) for pair in zip(record.trials, points, strict=True)]
    )
    if hasattr(storage, "engine"):
        storage.engine.dispose()
    draft.replace(out)


def params_of(domain: "Domain", trial: "Trial") -> dict[str, Any]:
    """The scalar variables of a trial that exist there, by name."""
    from milbox.trials.frames import scalars

    values = dict(scalars(trial.assignment))
    missing = domain.absent(domain.codes([trial.point]))[0].tolist()
    return {
        variable.name: values[variable.name]
        for variable, gone in zip(domain.variables, missing, strict=True)
        if variable.name in values and not (gone and values[variable.name] is None)
    }


def distribution(variable: "Variable", tried: "list[Any]") -> Any:
    """The Optuna distribution of one scalar variable, with the values of trials outside the domain."""
    from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

    from milbox.domain import Real

    if variable.kind == "categorical":
        choices = [variable.value(code) for code in variable.codes]
        return CategoricalDistribution([*choices, *(v for v in dict.fromkeys(tried) if v not in choices)])
    ends = [variable.value(variable.codes[0]), variable.value(variable.codes[-1]), *tried]
    if isinstance(variable, Real):
        return FloatDistribution(float(min(ends)), float(max(ends)), step=float(variable.step))
    return IntDistribution(int(min(ends)), int(max(ends)))


def frozen(record: "Record", trial: "Trial", params: dict[str, Any], distributions: dict[str, Any]) -> Any:
    """One trial as Optuna keeps it."""
    from optuna.trial import FrozenTrial, TrialState

    from milbox.cli.results.table import trial_entry

    entry = trial_entry(trial)
    kept = {name: entry[name] for name in details() if entry[name] is not None}
    if trial.several or record.goal.limits:
        kept["values"] = trial.values
    if trial.errors:
        kept["errors"] = trial.errors
    states = {
        "finished": TrialState.COMPLETE,
        "failed": TrialState.FAIL,
        "pending": TrialState.RUNNING,
        "cancelled": TrialState.FAIL,
    }
    asked, told = trial.asked_at, getattr(trial.outcome, "told_at", None)
    found = FrozenTrial(
        number=trial.number,
        trial_id=trial.number,
        state=states[trial.state],
        value=None,
        values=[trial.values[n] for n, _ in record.goal.objectives] if trial.values else None,
        datetime_start=moment(asked),
        datetime_complete=moment(told) if trial.ended else None,
        params=params,
        distributions={name: distributions[name] for name in params},
        user_attrs=jsonable(kept),
        system_attrs={},
        intermediate_values={},
    )
    for limit in record.goal.limits if trial.values else ():
        found.set_constraint(str(limit), -limit.slack(trial.values[limit.output]))
    return found


def moment(seconds: float | None) -> datetime.datetime:
    """A time that Optuna takes: local, and never missing."""
    return datetime.datetime.fromtimestamp(seconds or 0.0)
