"""`milbox check`: validity, feasibility and size of a problem file, and the method that will solve it."""

import time
from dataclasses import fields, is_dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from milbox.cli.console import InputError, RunFailed, emit, method_text, plural, say
from milbox.cli.problem.file import ProblemFile, read_problem
from milbox.display import duration

if TYPE_CHECKING:
    from milbox.domain import Domain
    from milbox.trials import Answer, Proposal

FILE = click.Path(path_type=Path, dir_okay=False)
# A first look at how proposals are found: made-up values at so many random points, and so many seconds.
REHEARSAL = 12
PATIENCE = 10.0


@click.command()
@click.argument("problem", type=FILE)
@click.option("--evaluate/--no-evaluate", default=True, help="Make one evaluation of the objective.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def check(problem: Path, evaluate: bool, as_json: bool) -> None:
    """Read PROBLEM, and say whether and how it can be optimised.

    Says whether it is feasible (and if not, which rules exclude one another), how many points it has, how
    proposals are found, and what one evaluation gives. Nothing is written. With --no-evaluate nothing of the
    problem is run either: no command, and no line of its Python module.
    """
    from milbox.cli.commands.run import check_runnable

    read = read_problem(problem)
    findings: dict[str, Any] = {"problem": str(problem), **shape(read)}
    prepare(read.domain)
    try:
        proposals = rehearsed(read)
    except InputError:
        if as_json:
            emit({**findings, "feasible": False})
        raise
    findings |= {"feasible": True, **size(read.domain), **method(proposals)}
    if evaluate and read.objective is not None:
        check_runnable(read)
        findings["evaluation"] = evaluated(read, proposals[0])
    if as_json:
        emit(findings)
    else:
        for line in lines(findings, read):
            click.echo(line)
    failure = (findings.get("evaluation") or {}).get("reason")
    if failure is not None:
        raise RunFailed(f"the evaluation failed: {failure}")


def prepare(domain: "Domain") -> None:
    """Compile what a first use would compile, so that it is not taken for the time of a proposal."""
    from milbox.run.warming import parts_for

    cold = [part for part in parts_for(domain).values() if part.is_cold]
    if cold:
        say("compiling, which is needed once after an installation ...")
    for part in cold:
        part.compile()


def shape(problem: ProblemFile) -> dict[str, Any]:
    """The numbers of variables, features, rules and constraints."""
    kinds = [variable.kind for variable in problem.domain.variables]
    return {
        "sense": problem.sense,
        "variables": {kind: kinds.count(kind) for kind in dict.fromkeys(kinds)},
        "features": problem.domain.features,
        "rules": len(problem.rules),
        "constraints": len(problem.domain.constraints),
    }


def size(domain: "Domain") -> dict[str, Any]:
    """The number of points: exactly, or the bound that the variables alone give."""
    return {"points": domain.size, "points_at_most": domain.box_size if domain.size is None else domain.size}


def rehearsed(problem: ProblemFile) -> "list[Proposal]":
    """A random point, and a proposal as the strategy finds it; the values it learns from are made up."""
    import numpy as np

    from milbox.cli.study import conflict_text
    from milbox.embed.conflict import ensure_conditions, ensure_feasible
    from milbox.errors import DomainError
    from milbox.milp.solvers import Scip
    from milbox.strategies import RandomSearch
    from milbox.trials import Empty, Finished, History

    try:
        ensure_feasible(problem.domain, Scip())
        ensure_conditions(problem.domain, Scip())
    except DomainError:
        raise InputError(conflict_text(problem)) from None
    except ValueError as error:
        raise InputError(f"{problem.path}: {error}") from None
    rng = np.random.default_rng(0)
    random = shown(RandomSearch().propose(problem.domain, History(), REHEARSAL, rng))
    history = History().asked(random)
    for number in range(len(random)):
        history = history.told(number, Finished(float(rng.standard_normal())))
    strategy: Any = problem.strategy
    if hasattr(strategy, "initial"):
        strategy = replace(strategy, initial=0)
    answer = hurried(strategy).propose(problem.domain, history, 1, rng)
    return [random[0], *([] if isinstance(answer, Empty) else shown(answer))]


def shown(answer: "Answer") -> "tuple[Proposal, ...]":
    """The proposals of an answer, or an error that says why there are none."""
    from milbox.errors import Undecided
    from milbox.trials import Found, History, Unknown
    from milbox.trials.exhaustion import nothing_found

    if isinstance(answer, Unknown):
        raise Undecided(nothing_found(History(), answer.reason))
    assert isinstance(answer, Found), "the domain has a point"
    return answer.proposals


def hurried(part: Any) -> Any:
    """The same strategy with every time limit in it shortened."""
    from milbox.milp.solution import Limits

    if isinstance(part, Limits):
        return replace(part, seconds=min(part.seconds, PATIENCE))
    if not is_dataclass(part) or isinstance(part, type):
        return part
    changed = {field.name: hurried(getattr(part, field.name)) for field in fields(part) if field.init}
    return replace(part, **{name: new for name, new in changed.items() if new is not getattr(part, name)})


def method(proposals: "list[Proposal]") -> dict[str, Any]:
    """The method by which the strategy found its proposal, and the time it took."""
    if len(proposals) < 2:
        return {"method": "random points, which use up so small a domain", "seconds": None}
    proposal = proposals[1]
    if proposal.certificate is None:
        return {"method": proposal.origin, "seconds": None}
    proof = proposal.certificate
    return {
        "method": method_text(proposal.origin, proof.solver),
        "seconds": proof.seconds,
        "proved": proof.status == "optimal",
        "gap": proof.gap,
    }


def evaluated(problem: ProblemFile, proposal: "Proposal") -> dict[str, Any]:
    """One evaluation at a random feasible point."""
    from milbox.run.evaluation import evaluate
    from milbox.trials import Finished

    assert problem.objective is not None
    assignment = problem.domain.assignment(proposal.point)
    began = time.perf_counter()
    outcome = evaluate(problem.objective, problem.domain.assignment(proposal.point), problem.goal)
    given = dict(outcome.outputs) or outcome.value if isinstance(outcome, Finished) else None
    return {
        "assignment": assignment,
        "value": given,
        "reason": None if isinstance(outcome, Finished) else outcome.reason,
        "seconds": time.perf_counter() - began,
    }


def pace(findings: dict[str, Any]) -> str:
    """The time a proposal takes, as the end of a sentence."""
    if findings["seconds"] is None:
        return ""
    if findings["proved"]:
        return f", about {duration(findings['seconds'])} each"
    return f", not proved within {PATIENCE:g} s (a gap of {findings['gap']:.1%} was left)"


def lines(findings: dict[str, Any], problem: ProblemFile) -> list[str]:
    """The findings for a person."""
    from milbox.cli.summary import assignment_lines

    kinds = ", ".join(f"{count} {kind}" for kind, count in findings["variables"].items())
    rules = plural(findings["rules"], "rule")
    if findings["constraints"] != findings["rules"]:
        rules += f" ({plural(findings['constraints'], 'constraint')})"
    # Decimals, since there may be more points than a float can count.
    points = f"at most {Decimal(findings['points_at_most']):.3g} points (the rules leave fewer)"
    if findings["points"] is not None:
        many = findings["points"] > 10**9
        points = f"{Decimal(findings['points']):.3g} points" if many else f"{findings['points']:,} points"
    found = [
        f"{problem.path}: {problem.goal} over {kinds}; {rules}",
        f"feasible, {points}",
        f"proposals by {findings['method']}{pace(findings)}",
    ]
    evaluation = findings.get("evaluation")
    if problem.objective is None:
        found.append("no objective: measure by hand, with `milbox ask` and `milbox tell`")
    elif evaluation is not None:
        given = evaluation["value"]
        named = given.items() if isinstance(given, dict) else [("", given)]
        what = "failed" if given is None else "gave " + ", ".join(f"{n} {v:g}".strip() for n, v in named)
        found.append(f"one evaluation {what} in {duration(evaluation['seconds'])}, at")
        found += assignment_lines(evaluation["assignment"])
    else:
        found.append(f"nothing was run; an evaluation calls {problem.objective}")
    return found
