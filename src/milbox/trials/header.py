"""The header of a journal, and the difference between the header written and the study being opened."""

import importlib.metadata
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from milbox.domain import Domain, Variable
from milbox.trials.checks import storable
from milbox.trials.goal import ONE, Goal, goal_of
from milbox.trials.identity import renamed, with_initial_of, without_version
from milbox.trials.sense import Sense

DIFFERENCES = 4
"""The most differences between two domains that a sentence names."""


@dataclass(frozen=True, slots=True)
class Header:
    """The first row of a journal: everything that, with the values told, determines the proposals."""

    seed: int
    sense: Sense
    domain: Mapping[str, Any]
    """The domain as JSON, from which ``Domain.from_json`` rebuilds it."""
    domain_fingerprint: str
    strategy: str
    """The identity of the strategy: name, version and settings that are not the default."""
    package: str
    """The version of milbox that created the journal."""
    created_at: float
    """Seconds since 1970."""
    notes: Mapping[str, Any] = field(default_factory=dict, compare=False)
    """Whatever the program that created the journal wants to find again, as JSON; it changes no proposal."""
    counted: bool = field(default=True, compare=False)
    """Whether the user gave the number of random points first; else a journal goes on with the one it has."""
    goal: Goal = ONE

    def __post_init__(self) -> None:
        if self.goal is ONE and self.sense == "minimize":
            object.__setattr__(self, "goal", goal_of(minimize=True))

    @property
    def budget(self) -> int | None:
        """The number of trials that the run was started with, where its notes say so."""
        budget = self.notes.get("budget")
        return budget if isinstance(budget, int) and not isinstance(budget, bool) else None


def new_header(domain: Domain, strategy: str, seed: int, goal: Goal, notes: Mapping[str, Any]) -> Header:
    """The header of a journal that is created now; the strategy is given by its identity."""
    try:
        package = importlib.metadata.version("milbox")
    except importlib.metadata.PackageNotFoundError:
        package = "unknown"
    return Header(
        seed=seed,
        sense=goal.sense,
        domain=domain.to_json(),
        domain_fingerprint=domain.fingerprint,
        strategy=storable(strategy),
        package=package,
        created_at=time.time(),
        goal=goal,
        notes=dict(notes),
    )


def difference(written: Header, opened: Header) -> str | None:
    """The first field in which the journal differs from the study being opened; None if they agree.

    It is the end of a sentence that begins with the file and "was written". Versions of one strategy agree.
    """
    # Journals may have a domain in an older form, which is read into today's.
    if (
        written.domain_fingerprint != opened.domain_fingerprint
        and Domain.from_json(written.domain).fingerprint != opened.domain_fingerprint
    ):
        return "for another domain: " + domain_difference(written.domain, opened.domain)
    if written.sense != opened.sense:
        return f"to {written.sense}, and is opened to {opened.sense}"
    if written.goal != opened.goal:
        return f"to {written.goal}, and is opened to {opened.goal}"
    if written.seed != opened.seed:
        return f"with seed {written.seed}, and is opened with seed {opened.seed}"
    strategy = _as_opened(written, opened)
    if without_version(strategy) != without_version(opened.strategy):
        return f"with the strategy {written.strategy}, and is opened with {opened.strategy}"
    return None


def _as_opened(written: Header, opened: Header) -> str:
    """The strategy written; with the number of random points opened, where that is left to the journal."""
    return written.strategy if opened.counted else with_initial_of(written.strategy, opened.strategy)


def version_change(written: Header, opened: Header) -> str | None:
    """The end of a sentence on a strategy of another version; None if the version is the same."""
    if renamed(_as_opened(written, opened)) == renamed(opened.strategy):
        return None
    return (
        f"with the strategy {written.strategy} and goes on with {opened.strategy}, which may propose other "
        f"points from here on"
    )


def domain_difference(written: Mapping[str, Any], opened: Mapping[str, Any]) -> str:
    """The first differences between two domains, in the user's words, and how many more there are."""
    found = domain_differences(Domain.from_json(written), Domain.from_json(opened))
    more = f"; and {len(found) - DIFFERENCES} more" if len(found) > DIFFERENCES else ""
    return "; ".join(found[:DIFFERENCES]) + more


def domain_differences(old: Domain, new: Domain) -> list[str]:
    """Every difference between two domains, variables first."""
    before = {variable.name: variable for variable in old.variables}
    after = {variable.name: variable for variable in new.variables}
    found = []
    for name, variable in before.items():
        if name not in after:
            found.append(f"variable {name!r} was {_shown(variable)}, and is gone")
        elif repr(variable) != repr(after[name]):
            was, now = _shown(variable), _shown(after[name])
            if was == now:  # the encoding, which is not part of what a person writes
                was, now = repr(variable), repr(after[name])
            found.append(f"variable {name!r} was {was}, is {now}")
    found += [f"variable {name!r} is new: {_shown(after[name])}" for name in after if name not in before]
    if not found and list(before) != list(after):
        found.append(f"the variables were in the order {_listed(list(before))}, are {_listed(list(after))}")
    were, are = [str(c) for c in old.constraints], [str(c) for c in new.constraints]
    found += [f"the constraint {rule} is gone" for rule in were if rule not in are]
    found += [f"the constraint {rule} is new" for rule in are if rule not in were]
    return found or ["the constraints are in another order or written differently"]


def _shown(variable: Variable) -> str:
    """A variable without its name, which the sentence has already: Integer(1, 4)."""
    return str(variable).replace(f"{variable.name!r}, ", "", 1)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:6]) + (", ..." if len(names) > 6 else "")
