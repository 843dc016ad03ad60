"""`milbox demo`: a real constrained problem from start to end, in under two minutes.

An Ising model of 100 spins with a random score for every pair of them. The spins come in ten pairs of subsets
of five, and the two subsets of a pair must contain equally many ones: of the 2^100 points about one in a
million is feasible, and the model never sees the formula.
"""

import sys
import time
from typing import TYPE_CHECKING

import click

from milbox.cli.console import INTERRUPTED, emit, say
from milbox.display import duration

if TYPE_CHECKING:
    from milbox.cli.live import Style
    from milbox.study import Study

PROBLEM = "ising/100/0"
INITIAL = 50


@click.command()
@click.option("--budget", type=click.IntRange(1), default=300, show_default=True, help="Evaluations.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print only the end, as JSON.")
def demo(budget: int, seed: int, as_json: bool) -> None:
    """Optimise a black box of 100 spins with ten balance constraints, and say what is proved."""
    from milbox.bench.problems import load
    from milbox.cli.live import Watch, watched
    from milbox.cli.summary import summary
    from milbox.run import evaluations
    from milbox.strategies import NNMILP
    from milbox.study import Study

    problem = load(PROBLEM)
    began = time.perf_counter()
    with Study(problem.domain, NNMILP(initial=INITIAL), seed=seed) as study:
        if not as_json:
            say(
                f"Maximise a black box over 100 binaries with 10 rules such as sum(x[0:5]) == sum(x[5:10]): "
                f"{problem.domain.size:.2g} of {problem.domain.box_size:.2g} points are feasible.\n"
                f"{budget} evaluations: {min(INITIAL, budget)} random feasible points, then NN+MILP."
            )
        steps = evaluations(study, problem.objective, budget=budget)
        watch = Watch((), study.goal, budget)
        style: Style = "none" if as_json else "auto" if sys.stderr.isatty() else "plain"
        try:
            for _ in watched(steps, watch, style, compact=True):
                pass
        except KeyboardInterrupt:
            say("\ninterrupted")
            raise SystemExit(INTERRUPTED) from None
        seconds = time.perf_counter() - began
        if as_json:
            emit({**summary(study.record, budget), "elapsed": seconds})
        else:
            report(study, seconds)


def report(study: "Study", seconds: float) -> None:
    """The best point, where the time went, and what is proved and what is not."""
    from milbox.cli.summary import assignment_lines, proofs_text, spent_text

    record = study.record
    best, trials = record.best, record.trials
    assert best is not None, "this objective has a value everywhere"
    random = [trial.value for trial in trials if trial.certificate is None and trial.value is not None]
    lines = [
        f"best value {best.value:g} in trial {best.number} of {len(trials)}"
        + (f"; the best of {len(random)} random feasible points had {max(random):g}" if random else ""),
        *assignment_lines(best.assignment),
        f"{duration(seconds)} in all: {spent_text(record.spent)}.",
        f"Proved: all {len(trials)} points satisfy all {len(study.domain.constraints)} rules, and no two are "
        f"the same;",
        f"  {proofs_text(record.proofs)}.",
        "Not proved: that no feasible point has a larger value; the certificates are about the surrogate.",
    ]
    for line in lines:
        click.echo(line)
