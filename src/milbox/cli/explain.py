"""`milbox explain`: why was this point proposed, what is proved about it, and which rules hold it back?"""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from milbox.cli.output import InputError, seconds_text

if TYPE_CHECKING:
    from milbox.cli.journals import Kept
    from milbox.trials import Trial

FILE = click.Path(path_type=Path, dir_okay=False)


@click.command()
@click.argument("journal", type=FILE)
@click.argument("trial", type=click.IntRange(0), required=False)
def explain(journal: Path, trial: int | None) -> None:
    """Say in words what is known about one trial; by default the best."""
    from milbox.cli.answers import trial_number
    from milbox.cli.journals import read_journal
    from milbox.cli.summary import assignment_lines, best_trials

    kept = read_journal(journal)
    best = best_trials(kept.trials, kept.header.sense)
    try:
        number = trial_number(trial, len(kept.trials)) if trial is not None else best[0].number
    except ValueError as error:
        raise InputError(str(error)) from None
    except IndexError:
        raise InputError(f"{journal} has no finished trial yet; name a trial") from None
    chosen = kept.trials[number]
    for line in [
        headline(chosen, best),
        *assignment_lines(chosen.assignment),
        *proof_lines(chosen, kept),
        *rule_lines(chosen, kept),
    ]:
        click.echo(line)


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
        f"Found by {trial.origin} ({proof.solver}) in {seconds_text(proof.seconds)}, after "
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
    head = f"It satisfies all {count} constraints" if count > 1 else "It satisfies the constraint"
    return [f"{head}; these are tight:", *tight] if tight else [f"{head}; no inequality is tight."]
