"""`milbox explain`: how points are found, why one was proposed, and what is proved about it."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from milbox.cli.output import InputError, method_text, seconds_text

if TYPE_CHECKING:
    from milbox.cli.journals import Kept
    from milbox.study import Study
    from milbox.trials import Trial

FILE = click.Path(path_type=Path, dir_okay=False)


@click.command()
@click.argument("file", type=FILE)
@click.argument("trial", type=click.IntRange(0), required=False)
def explain(file: Path, trial: int | None) -> None:
    """Say how the next point will be found, or why TRIAL was proposed.

    FILE is a problem file or a journal; only a journal has trials.
    """
    if file.suffix == ".toml":
        if trial is not None:
            raise InputError(f"{file} is a problem file and has no trials; give a journal")
        click.echo(next_point(file))
        return
    from milbox.cli.answers import trial_number
    from milbox.cli.journals import read_journal
    from milbox.cli.summary import assignment_lines, best_trials

    kept = read_journal(file)
    if trial is None:
        click.echo(next_point_of(kept))
        return
    try:
        chosen = kept.trials[trial_number(trial, len(kept.trials))]
    except ValueError as error:
        raise InputError(str(error)) from None
    for line in [
        headline(chosen, best_trials(kept.trials, kept.header.sense)),
        *assignment_lines(chosen.assignment),
        *proof_lines(chosen, kept),
        *rule_lines(chosen, kept),
    ]:
        click.echo(line)


def next_point(path: Path) -> str:
    """How the first point of a problem that has not been started will be found."""
    from milbox.cli.problem_file import read_problem
    from milbox.study import Study

    problem = read_problem(path)
    return explained(Study(problem.domain, problem.strategy))


def next_point_of(kept: "Kept") -> str:
    """How the next point of a journal's study will be found; the journal is only read."""
    from milbox.cli.journals import strategy_of
    from milbox.study import Study

    problem = kept.problem()
    strategy = strategy_of(kept) if problem is None else problem.strategy
    known = [(trial.assignment, trial.value) for trial in kept.trials if trial.value is not None]
    return explained(Study(kept.domain, strategy, minimize=kept.header.sense == "minimize", known=known))


def explained(study: "Study") -> str:
    """What the study's strategy says about itself."""
    try:
        return str(study.explain())
    except TypeError:
        return f"points come from {study.strategy}, which has no model to explain"


def headline(trial: "Trial", best: "list[Trial]") -> str:
    """What came of the trial, and its rank."""
    if trial.value is None:
        why = f": {trial.reason.partition(chr(10))[0]}" if trial.reason else ""
        return f"Trial {trial.number} is {trial.state}{why}."
    rank = best.index(trial) + 1
    place = "the best" if rank == 1 else f"number {rank}"
    return f"Trial {trial.number} has the value {trial.value:g}, {place} of {len(best)} finished trials."


def proof_lines(trial: "Trial", kept: "Kept") -> list[str]:
    """What the certificate says, and what it does not."""
    proof = trial.certificate
    if proof is None:
        return [f"It came from: {trial.origin}. No model chose it, so nothing is proved about it."]
    better = "below" if kept.header.sense == "minimize" else "above"
    miss = "" if trial.value is None else f" It measured {trial.value:g}."
    lines = [
        f"The surrogate fitted to the {trial.number} trials before it predicted {proof.value:.6g}.{miss}",
        f"Found by {method_text(trial.origin, proof.solver)} in {seconds_text(proof.seconds)}, after "
        f"{seconds_text(trial.proposal.fit_seconds)} of fitting.",
    ]
    if proof.status == "optimal":
        lines.append(
            f"Proved: no point that was untried then has a prediction {better} {proof.bound:.6g} "
            f"(gap {proof.gap:.2%}; solver and surrogate agree to {proof.residual:.1g})."
        )
    else:
        lines.append(
            f"Not proved to be the surrogate's best: a limit ended the search with the bound "
            f"{proof.bound:.6g}, a gap of {proof.gap:.2%}."
        )
    lines.append(
        "This is a statement about the surrogate: it does not prove that the measured value is best."
    )
    return lines


def rule_lines(trial: "Trial", kept: "Kept") -> list[str]:
    """The linear constraints that are tight at the point, as rules."""
    import numpy as np

    from milbox.domain.expressions import Linear, total
    from milbox.domain.rule_text import rule_text

    columns = kept.domain.columns(np.array([trial.point], dtype=np.int64))
    tight = []
    for constraint in kept.domain.constraints:
        if isinstance(constraint, Linear) and constraint.lower != constraint.upper:
            value = float(np.asarray(total(constraint.terms, columns)).ravel()[0])
            if value in (constraint.lower, constraint.upper):
                tight.append(f"  {rule_text(constraint)}")
    if not kept.domain.constraints:
        return []
    count = len(kept.domain.constraints)
    which = {1: "the constraint", 2: "both constraints"}.get(count, f"all {count} constraints")
    head = f"It satisfies {which}"
    return [f"{head}; these are tight:", *tight] if tight else [f"{head}; no inequality is tight."]
