"""Reopening the study of a journal, alone or with its problem file.

The command that creates a journal leaves notes in it: the problem file's path and text, the budget, and the
number of random points and the strategy where the command gave them. Later commands need nothing else; a
journal that was created in Python has no such notes.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from milbox.cli.console import InputError
from milbox.cli.problem.file import ProblemFile, parse_problem, read_problem

if TYPE_CHECKING:
    from milbox.domain import Domain
    from milbox.strategies import Strategy
    from milbox.study import Study
    from milbox.trials import Header
    from milbox.trials.goal import Goal
    from milbox.trials.journal import Place


@dataclass(frozen=True, slots=True)
class Recorded:
    """Stands for the strategy of a journal in a study that is only told, never asked."""

    identity: str
    takes_goals: ClassVar[bool] = True

    def propose(self, *_: Any) -> Any:
        """Refuse: nobody may get here."""
        raise AssertionError("a study that is only told has no strategy")


def problem_of(header: "Header", given: Path | None = None, *, reread: bool = False) -> ProblemFile | None:
    """The problem behind a journal: a file given now, or the one it was created from.

    With `reread` the file is read again where it still exists, so that a corrected command takes effect; the
    journal itself refuses another domain.
    """
    initial, strategy = header.notes.get("initial"), header.notes.get("strategy")
    if given is not None:
        return read_problem(given, initial, strategy)
    if "text" not in header.notes:
        return None
    path = Path(header.notes["path"])
    if reread and path.is_file():
        return read_problem(path, initial, strategy)
    return parse_problem(header.notes["text"], path, initial, strategy)


def notes_of(
    problem: ProblemFile, initial: int | None, strategy: str | None, budget: int | None
) -> dict[str, Any]:
    """The notes that later commands read from a journal."""
    return {
        "path": str(problem.path.resolve()),
        "text": problem.text,
        "initial": initial,
        "strategy": strategy,
        "budget": budget,
    }


def create_study(
    problem: ProblemFile,
    journal: "Place",
    *,
    seed: int,
    initial: int | None = None,
    strategy: str | None = None,
    budget: int | None,
    known: list[tuple[dict[str, Any], Any]],
) -> "Study":
    """A study for a problem file; an existing journal is opened and continued."""
    from milbox.errors import DomainError
    from milbox.study import Study

    try:
        return Study(
            problem.domain,
            problem.strategy,
            seed=seed,
            journal=journal,
            **wanted(problem.goal),
            budget=budget,
            known=known,
            notes=notes_of(problem, initial, strategy, budget),
        )
    except DomainError:
        raise InputError(conflict_text(problem)) from None
    except (TypeError, ValueError) as error:
        raise InputError(str(error)) from None


def wanted(goal: "Goal") -> dict[str, Any]:
    """The arguments of a study that say what is wanted."""
    return {
        "objectives": dict(goal.objectives),
        "limits": [(limit.output, (limit.direction, limit.level)) for limit in goal.limits],
        "noise": goal.noise,
        "learn_failures": goal.learn_failures,
        "units": dict(goal.units),
    }


def open_to_ask(path: "Place", header: "Header", given: Path | None, known: Path | None) -> "Study":
    """The study of a journal, able to propose; with the user's own data from a file."""
    from milbox.cli.results.answers import known_data
    from milbox.domain import Domain

    # A file given now must describe the journal's domain, or the journal refuses it.
    problem = problem_of(header, given)
    domain = Domain.from_json(header.domain) if problem is None else problem.domain
    strategy = strategy_of(path, header, domain) if problem is None else problem.strategy
    return reopened(path, header, domain, strategy, known_data(known, domain, header.goal) if known else [])


def open_to_tell(path: "Place") -> "Study":
    """The study of a journal, whatever its strategy was."""
    from milbox.domain import Domain
    from milbox.trials.journal import glance

    header = glance(path).header
    return reopened(path, header, Domain.from_json(header.domain), Recorded(header.strategy), [])


def reopened(
    path: "Place",
    header: "Header",
    domain: "Domain",
    strategy: "Strategy",
    known: list[tuple[dict[str, Any], Any]],
) -> "Study":
    """The study of a journal; domain and strategy have to be those it was started with."""
    from milbox.study import Study

    try:
        return Study(domain, strategy, seed=header.seed, journal=path, known=known, **wanted(header.goal))
    except ValueError as error:
        raise InputError(str(error)) from None


def strategy_of(path: "Place", header: "Header", domain: "Domain") -> "Strategy":
    """The strategy of a journal that was created in Python, where it has a name."""
    from milbox.cli.problem.strategy import strategy_named
    from milbox.trials.identity import name_and_settings

    name, settings = name_and_settings(header.strategy) or (None, "")
    initial = re.fullmatch(r"(initial=(\d+))?", settings)
    if name is None or initial is None:
        raise InputError(
            f"{path} was created in Python with the strategy {header.strategy}; "
            f"ask for points there, or give the problem file with --problem"
        )
    try:
        return strategy_named(name, None if initial[2] is None else int(initial[2]), domain)
    except ValueError as error:
        raise InputError(f"{path}: {error}") from None


def conflict_text(problem: ProblemFile) -> str:
    """The rules of a problem without points that exclude one another."""
    from milbox.embed.conflict import conflict
    from milbox.milp.solvers import Scip

    rules = problem.blamed(conflict(problem.domain, Scip()))
    which = "this rule cannot hold" if len(rules) == 1 else f"these {len(rules)} rules cannot hold together"
    listing = "".join(f"\n  {rule}" for rule in rules)
    return f"{problem.path}:{rules[0].line}: no point satisfies all rules; {which}:{listing}"
