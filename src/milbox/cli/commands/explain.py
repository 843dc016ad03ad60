"""`milbox explain`: how points are found, why one was proposed, and what is proved about it."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from milbox.cli.console import JOURNAL_OR_PROBLEM, InputError, emit, method_text, plural, show
from milbox.display import duration, ordinal

if TYPE_CHECKING:
    from milbox.domain import Domain
    from milbox.strategies import Strategy
    from milbox.trials import Certificate, History, Trial
    from milbox.trials.journal import Place
    from milbox.trials.record import Record

FILE = click.Path(path_type=Path, dir_okay=False)


@click.command()
@click.argument("file", type=JOURNAL_OR_PROBLEM)
@click.argument("trial", type=click.IntRange(0), required=False)
@click.option("--problem", type=FILE, help="The problem file, for a journal that was created in Python.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def explain(file: "Place", trial: int | None, problem: Path | None, as_json: bool) -> None:
    """Say how the next point will be found, or why TRIAL was proposed.

    FILE is a problem file or a journal; only a journal has trials.
    """
    problem_file = isinstance(file, Path) and file.suffix == ".toml"
    if problem_file and trial is not None:
        raise InputError(f"{file} is a problem file and has no trials; give a journal")
    if trial is None:
        text = next_point(Path(file)) if problem_file else next_point_of(file, problem)
        if as_json:
            emit({"next": text.splitlines()})
        else:
            show(text)
        return
    from milbox.cli.results.answers import trial_number
    from milbox.cli.results.table import trial_entry
    from milbox.cli.summary import assignment_lines, entry_of
    from milbox.trials.record import read_record

    record = read_record(file)
    try:
        chosen = record.trials[trial_number(trial, len(record.trials))]
    except ValueError as error:
        raise InputError(str(error)) from None
    if as_json:
        emit(
            {
                **(trial_entry(chosen) if record.goal.several else entry_of(record, chosen)),
                "rank": record.rank(chosen),
                "ranked": len(record.ranked),
                "finished": len(record.finished),
                "fitted_to": fitted_to(chosen, record) if chosen.certificate is not None else None,
                "tight": tight(chosen, record),
            }
        )
        return
    lines = [headline(chosen, record), *assignment_lines(chosen.assignment)]
    for line in [*lines, *proof_lines(chosen, record), *rule_lines(chosen, record)]:
        show(line)


def next_point(path: Path) -> str:
    """The method that will find the first point of a problem that has not been started."""
    from milbox.cli.problem.file import read_problem
    from milbox.study import Study

    problem = read_problem(path)
    study = Study(problem.domain, problem.strategy)
    return explained(study.strategy, study.domain, study.history)


def next_point_of(path: "Place", given: Path | None) -> str:
    """The method that will find the next point of a journal's study; the journal is only read."""
    from milbox.cli.study import problem_of, strategy_of
    from milbox.trials import History
    from milbox.trials.record import read_record

    record = read_record(path)
    problem = problem_of(record.header, given)
    strategy = strategy_of(path, record.header, record.domain) if problem is None else problem.strategy
    history = History(record.trials, record.goal)
    return explained(strategy, record.domain, history if record.sense == "maximize" else history.turned)


def explained(strategy: "Strategy", domain: "Domain", history: "History") -> str:
    """The strategy's own account of its next step."""
    explain = getattr(strategy, "explain", None)
    if explain is not None:
        return str(explain(domain, history))
    return f"points come from {type(strategy).__name__}, which has no model to explain"


def fitted_to(trial: "Trial", record: "Record") -> int:
    """The number of values known when the trial was asked, to which its surrogate was fitted."""
    asked = trial.asked_at
    told = [getattr(t.outcome, "told_at", None) for t in record.trials[: trial.number] if t.values]
    return sum(moment is None or asked is None or moment <= asked for moment in told)


def headline(trial: "Trial", record: "Record") -> str:
    """The outcome of the trial and its rank; with noise, the estimate of its point and the rank of that."""
    from milbox.cli.summary import estimate_text, measured_text

    who, rank = subject(trial, record), record.rank(trial)
    if trial.several and rank is None:
        return f"{who} has {measured_text(record, trial)}."
    if trial.value is None:
        why = f": {trial.short_reason}" if trial.reason else ""
        return f"{who} is {trial.state}{why}."
    shown = f"{trial.value:g}{record.goal.unit(record.goal.name)}"
    if trial.outside is not None:
        return f"{who} has the value {shown}, outside the domain: {trial.outside}."
    if rank is None:
        return f"{who} has the value {shown}."
    estimate = record.estimated(trial)
    believed = "" if estimate is None else f"; the estimate of its point is {estimate_text(record, estimate)}"
    return f"{who} has the value {shown}{believed}, {place(rank, record)}."


def place(rank: int, record: "Record") -> str:
    """A rank, and among what it is one: the finished trials, or with noise their points."""
    count = plural(len(record.ranked), "point" if record.goal.noise else "finished trial")
    limits = f" keeping {' and '.join(map(str, record.goal.limits))}" if record.goal.limits else ""
    return f"the {'' if rank == 1 else f'{ordinal(rank)} '}best of {count}{limits}"


def subject(trial: "Trial", record: "Record") -> str:
    """The trial by its number; a repeat, also by the first trial of its point that was not cancelled."""
    alike = (other for other in record.trials if other.point == trial.point)
    first = min(alike, key=lambda other: (other.state == "cancelled", other.number))
    if not trial.proposal.repeat or first.number == trial.number:
        return f"Trial {trial.number}"
    return f"Trial {trial.number}, repeat {trial.proposal.repeat} of trial {first.number},"


def proof_lines(trial: "Trial", record: "Record") -> list[str]:
    """The meaning of the certificate, and its limits."""
    from milbox.trials.trust import sentence

    proof = trial.certificate
    if proof is None:
        return [f"It came from: {trial.origin}. No model chose it, so nothing is proved about it."]
    better = "below" if record.sense == "minimize" else "above"
    miss = "" if trial.value is None else f" It measured {trial.value:g}."
    known = (
        f"The surrogate, fitted to the {plural(fitted_to(trial, record), 'value')} known when it was asked,"
    )
    who = f"The surrogate was {proof.surrogate}. It" if proof.surrogate else known
    lines = [
        f"{who} predicted {proof.value:.6g}.{miss}",
        f"Found by {method_text(trial.origin, proof.solver)} in {duration(proof.seconds)}, after "
        f"{duration(trial.proposal.fit_seconds)} of fitting.",
    ]
    if proof.status == "optimal":
        lines.append(
            f"Proved: {none_of(proof)} has a prediction {better} {proof.bound:.6g} "
            f"(gap {proof.gap:.2%}; solver and surrogate agree to {proof.residual:.1g})."
        )
    else:
        lines.append(
            f"Not proved to be the surrogate's best: a limit ended the search with the bound "
            f"{proof.bound:.6g}, a gap of {proof.gap:.2%}."
        )
    if record.trust.doubtful:
        lines.append(sentence(record.trust))
    lines.append(
        "This is a statement about the surrogate: it does not prove that the measured value is best."
    )
    return lines


def none_of(proof: "Certificate") -> str:
    """The points that a proof is about, as the subject of a sentence that denies something."""
    from milbox.trials.trial import EVERYWHERE

    if proof.about == EVERYWHERE:
        return "no point that was untried then"
    return f"among {proof.about}, none"


def rule_lines(trial: "Trial", record: "Record") -> list[str]:
    """The constraints that are tight at the point, as rules."""
    if not record.domain.rules or trial.outside is not None:
        return []
    count = len(record.domain.rules)
    which = {1: "the constraint", 2: "both constraints"}.get(count, f"all {count} constraints")
    head = f"It satisfies {which}"
    rules = [f"  {rule}" for rule in tight(trial, record)]
    return [f"{head}; these are tight:", *rules] if rules else [f"{head}; none is tight."]


def tight(trial: "Trial", record: "Record") -> list[str]:
    """The rules that are tight at the point, as the page says too, in the user's words."""
    from milbox.page.sections.constraints import standings_at

    if trial.outside is not None:
        return []
    found = standings_at(record.domain, trial.point)
    return [str(rule) for rule, state in found if state.verdict == "tight"]
