"""`milbox export`: a journal as CSV, as JSON lines, or as an Optuna study."""

import datetime
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from milbox.cli.console import JOURNAL, InputError, jsonable, plural, say

if TYPE_CHECKING:
    from milbox.domain import Variable
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
        write(out, batch_csv(record.domain, record.trials, details(), goal=record.goal))
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
    distributions = {v.name: distribution(v) for v in record.domain.variables}
    study.add_trials([frozen(record, trial, distributions) for trial in record.trials])
    if hasattr(storage, "engine"):
        storage.engine.dispose()
    draft.replace(out)


def distribution(variable: "Variable") -> Any:
    """The Optuna distribution of one scalar variable."""
    from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

    from milbox.domain import Real

    if variable.kind == "categorical":
        return CategoricalDistribution([variable.value(code) for code in variable.codes])
    if isinstance(variable, Real):
        return FloatDistribution(float(variable.low), float(variable.high), step=float(variable.step))
    return IntDistribution(variable.codes[0], variable.codes[-1])


def frozen(record: "Record", trial: "Trial", distributions: dict[str, Any]) -> Any:
    """One trial as Optuna keeps it."""
    from optuna.trial import FrozenTrial, TrialState

    from milbox.cli.results.table import trial_entry

    pairs = zip(record.domain.variables, trial.point, strict=True)
    entry = trial_entry(trial)
    states = {
        "finished": TrialState.COMPLETE,
        "failed": TrialState.FAIL,
        "pending": TrialState.RUNNING,
        "cancelled": TrialState.FAIL,
    }
    asked, told = trial.asked_at, getattr(trial.outcome, "told_at", None)
    return FrozenTrial(
        number=trial.number,
        trial_id=trial.number,
        state=states[trial.state],
        value=None,
        values=[trial.values[n] for n, _ in record.goal.objectives] if trial.values else None,
        datetime_start=moment(asked),
        datetime_complete=moment(told) if trial.ended else None,
        params={variable.name: variable.value(code) for variable, code in pairs},
        distributions=distributions,
        user_attrs=jsonable({name: entry[name] for name in details() if entry[name] is not None}),
        system_attrs={},
        intermediate_values={},
    )


def moment(seconds: float | None) -> datetime.datetime:
    """A time that Optuna takes: local, and never missing."""
    return datetime.datetime.fromtimestamp(seconds or 0.0)
