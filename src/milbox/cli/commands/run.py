"""`milbox run` and `milbox resume`: evaluate points until the budget is spent."""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from milbox.cli.console import INTERRUPTED, JOURNAL, InputError, RunFailed, emit, plural, say, show
from milbox.cli.problem.file import ProblemFile, read_problem

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from milbox.cli.live import Style
    from milbox.study import Study
    from milbox.trials.journal import Place

FILE = click.Path(path_type=Path, dir_okay=False)


def running(command: Callable[..., None]) -> Callable[..., None]:
    """The options that `run` and `resume` share."""
    options = [
        click.option("--workers", type=click.IntRange(1), help="Evaluations kept in flight [default: 1]."),
        click.option("--dask", metavar="ADDRESS", help="Evaluate on the Dask cluster with this scheduler."),
        click.option("--target", type=float, help="Stop at a value as good as this."),
        click.option(
            "--patience", type=click.IntRange(1), help="Stop after so many evaluations without gain."
        ),
        click.option(
            "--seconds", type=click.FloatRange(0, min_open=True), help="Ask for no point after so long."
        ),
        click.option(
            "--failures",
            type=click.FloatRange(0, 1),
            default=0.5,
            show_default=True,
            help="Stop when a larger share of the last 20 evaluations failed.",
        ),
        click.option(
            "--progress",
            type=click.Choice(["auto", "plain", "none"]),
            default="auto",
            show_default=True,
            help="auto: live on a terminal, nothing elsewhere; plain: a line now and then.",
        ),
        click.option(
            "--json", "as_json", is_flag=True, help="One JSON object a line: each trial, then the end."
        ),
    ]
    for option in reversed(options):
        command = option(command)
    return command


@click.command()
@click.argument("problem", type=FILE)
@click.option("--budget", type=click.IntRange(1), required=True, help="How many trials there may be in all.")
@click.option(
    "--journal",
    type=JOURNAL,
    help="What keeps the run: a file, or a PostgreSQL URL [default: PROBLEM.db].",
)
@click.option("--seed", type=click.IntRange(0), help="The same seed gives the same run [default: 0].")
@click.option(
    "--initial", type=click.IntRange(0), help="Random feasible points first [default: by budget and domain]."
)
@click.option("--strategy", metavar="NAME", help="Who chooses the points [default: as the file says].")
@click.option("--known", type=FILE, help="Your own measurements: CSV or JSON with every variable, and value.")
@running
def run(
    problem: Path,
    budget: int,
    journal: "Place | None",
    seed: int | None,
    initial: int | None,
    strategy: str | None,
    known: Path | None,
    workers: int | None,
    dask: str | None,
    **how: Any,
) -> None:
    """Optimise what PROBLEM describes.

    A journal that exists already is continued: its trials count towards the budget, and pending ones are
    evaluated first. Ctrl-C loses nothing; `milbox resume JOURNAL` goes on.
    """
    from milbox.cli.results.answers import known_data
    from milbox.cli.study import create_study
    from milbox.trials.journal import exists, glance

    journal = journal or Path(f"{problem.stem}.db")
    read = read_problem(problem, initial, strategy)  # what is wrong with the file is said before the journal
    if exists(journal):
        header = glance(journal).header
        seed = header.seed if seed is None else seed
        if strategy is None:  # another one comes with numbers of its own
            strategy = header.notes.get("strategy")
            initial = header.notes.get("initial") if initial is None else initial
            read = read.choosing(initial, strategy)
    check_runnable(read)
    data = known_data(known, read.domain, read.goal) if known else []
    with (
        # First the cluster: where there is none, no journal is left behind.
        executor_for(dask, workers) as place,
        create_study(
            read, journal, seed=seed or 0, initial=initial, strategy=strategy, budget=budget, known=data
        ) as study,
    ):
        drive(study, read, budget, *place, **how)


@click.command()
@click.argument("journal", type=JOURNAL)
@click.option(
    "--budget", type=click.IntRange(1), help="How many trials there may be in all [default: as before]."
)
@click.option("--problem", type=FILE, help="The problem file, if it has moved or there was none.")
@running
def resume(
    journal: "Place",
    budget: int | None,
    problem: Path | None,
    workers: int | None,
    dask: str | None,
    **how: Any,
) -> None:
    """Go on with the run kept in JOURNAL, with as many workers as before.

    The objective is read again from the problem file, so that a corrected command takes effect; variables
    and rules must be the same.
    """
    from milbox.cli.study import create_study, problem_of
    from milbox.trials.journal import glance

    header = glance(journal).header
    read = problem_of(header, problem, reread=True)
    if read is None:
        raise InputError(f"{journal} was created in Python and names no objective; give --problem FILE")
    budget = budget or header.budget
    check_runnable(read)
    if budget is None:
        ended = glance(journal).ended
        raise InputError(
            f"nobody has said how many trials {journal} may have in all ({plural(ended, 'trial')} so far); "
            f"say it, for example:\n"
            f"  milbox resume {journal} --budget {ended + 20}"
        )
    if workers is None and dask is None:  # as many as before
        workers = header.notes.get("workers")
    with (
        executor_for(dask, workers) as place,
        create_study(read, journal, seed=header.seed, budget=None, known=[]) as study,
    ):
        drive(study, read, budget, *place, **how)


def check_runnable(problem: ProblemFile) -> None:
    """Refuse a problem whose values no program measures, or whose function cannot be loaded."""
    from milbox.cli.problem.objective import PythonFunction
    from milbox.cli.problem.toml_lines import line_of
    from milbox.run.evaluation import check_objective

    objective = problem.objective
    line = line_of(problem.text, ("objective", "python"))
    if objective is None:
        raise InputError(
            f"{problem.path}:{line}: the objective has neither a command nor a python function; "
            f"add one, or use `milbox ask` and `milbox tell` to measure by hand"
        )
    if isinstance(objective, PythonFunction):
        label = f"{objective.module}:{objective.function}"
        try:
            function = objective.loaded()
        except Exception as error:
            place = failing_line(error, objective.folder)
            raise InputError(
                f"{problem.path}:{line}: {label} cannot be loaded: {type(error).__name__}: {error}{place}"
            ) from None
        try:
            check_objective(function, [str(each.name) for each in problem.domain.declared])
        except TypeError as error:
            raise InputError(f"{problem.path}:{line}: {label}: {error}") from None


def failing_line(error: BaseException, folder: str) -> str:
    """The line of the user's files at which an import failed, as the end of a sentence."""
    import traceback

    own = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.startswith(folder)]
    return f" ({own[-1].filename}:{own[-1].lineno})" if own else ""


def drive(
    study: "Study",
    problem: ProblemFile,
    budget: int,
    executor: "Executor | None",
    workers: int | None,
    target: float | None,
    patience: int | None,
    seconds: float | None,
    failures: float,
    progress: "Style",
    as_json: bool,
) -> None:
    """The loop, with something to look at and a good end whatever happens."""
    from milbox.cli.interrupts import Farewell, ending_promptly
    from milbox.cli.live import Watch, watched
    from milbox.cli.problem.objective import PythonFunction
    from milbox.cli.results.table import trial_entry
    from milbox.cli.summary import outcome_lines, summary
    from milbox.errors import ObjectiveFailed
    from milbox.run import evaluations
    from milbox.run.stopping import check_stop
    from milbox.system import requests_as_interrupts
    from milbox.trials.record import asked

    assert problem.objective is not None, "check_runnable comes first"
    # A command keeps its own time; a function is ended together with its process.
    timeout = problem.objective.timeout if isinstance(problem.objective, PythonFunction) else None
    if timeout is not None and executor is not None:
        raise InputError(
            f"{problem.path}: timeout ends functions in processes of this machine, and not on a cluster; "
            f"leave out --dask, or let the function keep the time"
        )
    given: dict[str, Any] = {"target": target, "patience": patience, "seconds": seconds}
    stop = replace(problem.stop, **{name: value for name, value in given.items() if value is not None})
    try:
        check_stop(stop, study.goal)
    except ValueError as error:
        raise InputError(str(error)) from None
    if budget > asked(study.trials):
        study.note(
            {"budget": budget, "workers": workers}
        )  # a run may be prolonged, and whoever watches it wants to know
    initial = getattr(study.strategy, "initial", 0)
    if study.trials:
        say(f"continuing {study.journal}: {ended(study, ' so far')}")
    elif initial >= budget:
        say(f"{every(budget)} will be random: a model comes in after {initial}; see --initial")
    watch = Watch(study.trials, study.goal, budget)
    endings: list[str] = []
    how_to_go_on = f"nothing is lost. To go on:\n  milbox resume {study.journal}"
    farewell = Farewell(f"\ninterrupted; {how_to_go_on}")
    try:
        with requests_as_interrupts(), ending_promptly(farewell):
            steps = evaluations(
                study,
                problem.objective,
                budget=budget,
                workers=workers,
                executor=executor,
                failures=failures,
                stop=stop,
                timeout=timeout,
                ending=endings.append,
            )
            with contextlib.closing(steps):
                for trial in watched(steps, watch, "none" if as_json else progress):
                    if as_json:
                        emit({"event": "trial", **trial_entry(trial)})
    except KeyboardInterrupt:
        farewell.say(f"\ninterrupted after {ended(study)}; {how_to_go_on}")
        raise SystemExit(INTERRUPTED) from None
    except ObjectiveFailed as error:
        raise RunFailed(f"{error}\nTo go on: milbox resume {study.journal}") from None
    (why,) = endings
    if as_json:
        emit({"event": "end", **summary(study.record, budget), "stopped": why})
    else:
        for line in outcome_lines(study.record):
            show(line)
        show(f"Ended: {why}.")
        show(f"Kept in {study.journal}.")
    if not study.history.finished:
        failed = next((trial.reason for trial in study.trials if trial.reason), "nothing was evaluated")
        raise RunFailed(f"no trial has finished: {failed}")


def ended(study: "Study", when: str = "") -> str:
    """The number of trials that have ended, and of others that have been asked for."""
    pending = sum(trial.state == "pending" for trial in study.trials)
    done = plural(sum(trial.ended for trial in study.trials), "trial")
    return f"{done}{when}" + (f" and {pending} under way" if pending else "")


def every(budget: int) -> str:
    """All points of a run, in words."""
    return "the one point" if budget == 1 else f"all {budget:,} points"


@contextlib.contextmanager
def executor_for(dask: str | None, workers: int | None) -> "Iterator[tuple[Executor | None, int | None]]":
    """The executor of evaluations: none, for this machine, or that of a Dask cluster."""
    if dask is None:
        yield None, workers
        return
    from milbox.errors import Unavailable
    from milbox.run.dask import dask_client

    try:
        client = dask_client(dask)
    except Unavailable as error:
        raise InputError(str(error)) from None
    with client:
        threads = sum(client.nthreads().values())
        if workers is None and not threads:
            raise InputError(f"the Dask cluster at {dask} has no workers yet; start some, or give --workers")
        yield client.get_executor(pure=False), workers or threads
