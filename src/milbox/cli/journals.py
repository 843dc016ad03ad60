"""Reopening the study of a journal, alone or with its problem file.

The command that creates a journal leaves notes in it: the problem file's path and text, the budget, and the
number of random points and the strategy where the command gave them. Later commands need nothing else; a
journal that was created in Python has no such notes.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from milbox.cli.output import InputError
from milbox.cli.problem_file import ProblemFile, parse_problem, read_problem

if TYPE_CHECKING:
    from milbox.domain import Domain
    from milbox.strategies import Strategy
    from milbox.study import Study
    from milbox.trials import Header, Trial


@dataclass(frozen=True, slots=True)
class Recorded:
    """Stands for the strategy of a journal in a study that is only told, never asked."""

    identity: str

    def propose(self, *_: Any) -> Any:
        """Refuse: nobody may get here."""
        raise AssertionError("a study that is only told has no strategy")


@dataclass(frozen=True, slots=True)
class Kept:
    """What a journal holds."""

    path: Path
    header: "Header"
    trials: "tuple[Trial, ...]"
    domain: "Domain"

    @property
    def notes(self) -> Mapping[str, Any]:
        """What the command that created the journal left in it; empty when it was created in Python."""
        return self.header.notes

    @property
    def budget(self) -> int | None:
        """The number of trials that the run was started with."""
        budget = self.notes.get("budget")
        return budget if isinstance(budget, int) else None

    def problem(self, given: Path | None = None, *, reread: bool = False) -> ProblemFile | None:
        """The problem behind the journal: a file given now, or the one it was created from.

        With `reread` the file is read again where it still exists, so that a corrected command takes
        effect; the journal itself refuses another domain.
        """
        initial, strategy = self.notes.get("initial"), self.notes.get("strategy")
        if given is not None:
            return read_problem(given, initial, strategy)
        if "text" not in self.notes:
            return None
        path = Path(self.notes["path"])
        if reread and path.is_file():
            return read_problem(path, initial, strategy)
        return parse_problem(self.notes["text"], path, initial, strategy)


def read_journal(path: Path) -> Kept:
    """Everything in a journal, also while a run is writing it."""
    from milbox.domain import Domain
    from milbox.trials import Journal

    header, trials = Journal.read(path)
    return Kept(path, header, trials, Domain.from_json(header.domain))


def notes_of(
    problem: ProblemFile, initial: int | None, strategy: str | None, budget: int | None
) -> dict[str, Any]:
    """What later commands need to find in a journal."""
    return {
        "path": str(problem.path.resolve()),
        "text": problem.text,
        "initial": initial,
        "strategy": strategy,
        "budget": budget,
    }


def create_study(
    problem: ProblemFile,
    journal: Path,
    *,
    seed: int,
    initial: int | None = None,
    strategy: str | None = None,
    budget: int | None,
    known: list[tuple[dict[str, Any], float]],
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
            minimize=problem.sense == "minimize",
            known=known,
            notes=notes_of(problem, initial, strategy, budget),
        )
    except DomainError:
        raise InputError(conflict_text(problem)) from None
    except ValueError as error:
        raise InputError(str(error)) from None


def open_to_ask(kept: Kept, given: Path | None, known: list[tuple[dict[str, Any], float]]) -> "Study":
    """The study of a journal, able to propose."""
    problem = kept.problem(given)
    if problem is None:
        return reopened(kept, kept.domain, strategy_of(kept), known)
    # A file given now must describe the journal's domain, or the journal refuses it.
    domain = kept.domain if given is None else problem.domain
    return reopened(kept, domain, problem.strategy, known)


def open_to_tell(kept: Kept) -> "Study":
    """The study of a journal, whatever its strategy was."""
    return reopened(kept, kept.domain, Recorded(kept.header.strategy), [])


def reopened(
    kept: Kept, domain: "Domain", strategy: "Strategy", known: list[tuple[dict[str, Any], float]]
) -> "Study":
    """The study of a journal; domain and strategy have to be those it was started with."""
    from milbox.study import Study

    minimize = kept.header.sense == "minimize"
    try:
        return Study(
            domain,
            strategy,
            seed=kept.header.seed,
            journal=kept.path,
            minimize=minimize,
            known=known,
        )
    except ValueError as error:
        raise InputError(str(error)) from None


def strategy_of(kept: Kept) -> "Strategy":
    """The strategy of a journal that was created in Python, where it has a name."""
    from milbox.cli.strategy import strategy_named
    from milbox.trials.identity import name_and_settings

    name, settings = name_and_settings(kept.header.strategy) or (None, "")
    initial = re.fullmatch(r"(initial=(\d+))?", settings)
    if name is None or initial is None:
        raise InputError(
            f"{kept.path} was created in Python with the strategy {kept.header.strategy}; "
            f"ask for points there, or give the problem file with --problem"
        )
    try:
        return strategy_named(name, None if initial[2] is None else int(initial[2]), kept.domain)
    except ValueError as error:
        raise InputError(f"{kept.path}: {error}") from None


def conflict_text(problem: ProblemFile) -> str:
    """Why a problem has no points: the rules that exclude one another."""
    from milbox.embed.conflict import conflict
    from milbox.milp.solvers import Scip

    rules = problem.blamed(conflict(problem.domain, Scip()))
    which = "this rule cannot hold" if len(rules) == 1 else f"these {len(rules)} rules cannot hold together"
    listing = "".join(f"\n  {rule}" for rule in rules)
    return f"{problem.path}:{rules[0].line}: no point satisfies all rules; {which}:{listing}"
