"""The catalogue of problems; names are `family/instance`, as in plans."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from math import log10
from pathlib import Path
from typing import TypeAlias

from milbox.bench.problems import (
    bbob,
    binding,
    constrained,
    contamination,
    ehrlich,
    generated,
    ising,
    labs,
    maxsat,
    mixed,
    nasbench,
    networks,
    quadratic,
    structured,
)
from milbox.bench.problems.folder import Folders, folders
from milbox.bench.problems.problem import Problem
from milbox.domain import Domain
from milbox.errors import DataError, close_names

Load: TypeAlias = Callable[[str, Folders, int], Problem]
"""Name, data folders, seed of a noisy objective -> the problem."""


@dataclass(frozen=True, slots=True)
class Family:
    """Problems whose names start alike."""

    names: Callable[[Folders], Iterable[str]]
    load: Load
    remedy: str = ""


def family(prefix: str, every: Iterable[str]) -> Callable[[Folders], Iterable[str]]:
    """The names of one family among those of a module that has several."""
    chosen = tuple(name for name in every if name.startswith(f"{prefix}/"))
    return lambda _: chosen


PROBLEMS: dict[str, Family] = {
    "randommlp": Family(lambda _: networks.NAMES, lambda name, _, __: networks.random_network(name)),
    "tfbind": Family(
        binding.names, lambda name, places, _: binding.binding(name, places), "run `milbox data tfbind`"
    ),
    "bbob": Family(lambda _: bbob.NAMES, lambda name, _, __: bbob.bbob(name)),
    "ising": Family(lambda _: ising.NAMES, lambda name, _, __: ising.ising(name)),
    "bqp": Family(lambda _: generated.NAMES, lambda name, _, __: generated.generated(name)),
    "minlplib": Family(
        quadratic.names, lambda name, places, _: quadratic.quadratic(name, places), quadratic.REMEDY
    ),
    "ehrlich": Family(family("ehrlich", ehrlich.NAMES), lambda name, _, __: ehrlich.ehrlich(name)),
    "pestcontrol": Family(family("pestcontrol", ehrlich.NAMES), lambda name, _, __: ehrlich.ehrlich(name)),
    "contamination": Family(
        lambda _: contamination.NAMES, lambda name, _, __: contamination.contamination(name)
    ),
    "maxsat": Family(lambda _: maxsat.NAMES, lambda name, _, __: maxsat.maxsat(name)),
    "labs": Family(lambda _: labs.NAMES, lambda name, _, __: labs.labs(name)),
    "structured": Family(lambda _: structured.NAMES, lambda name, _, __: structured.structured(name)),
    "constrained": Family(lambda _: constrained.NAMES, lambda name, _, __: constrained.constrained(name)),
    "mixed": Family(lambda _: mixed.NAMES, lambda name, _, __: mixed.mixed(name)),
    "nasbench101": Family(nasbench.names, nasbench.nasbench, nasbench.REMEDY),
}


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the catalogue."""

    name: str
    variables: int
    constraints: int
    points: float  # without constraints; may be inf for the largest
    optimum: float | None
    best_known: float | None
    source: str
    citation: str


def names(pattern: str = "*", data: Path | str | None = None) -> list[str]:
    """Every available problem whose name matches; instances in files are those found in the data folder."""
    places = folders(data)
    return [
        name for family in PROBLEMS.values() for name in family.names(places) if fnmatchcase(name, pattern)
    ]


def expand(patterns: Iterable[str], data: Path | str | None = None) -> list[str]:
    """The names that a plan's list of names and globs stands for, each once, in order.

    Raises:
        DataError: a family's data is not there.
        ValueError: a pattern matches nothing.
    """
    chosen: dict[str, None] = {}
    for pattern in patterns:
        found = names(pattern, data)
        if not found:
            raise unknown(pattern, data)
        chosen |= dict.fromkeys(found)
    return list(chosen)


def load(name: str, data: Path | str | None = None, *, seed: int = 0) -> Problem:
    """The problem of that name. `seed` matters only where the objective is noisy (NAS-Bench-101's table).

    Raises:
        DataError: its data is missing or damaged.
        ValueError: there is no such problem.
    """
    places = folders(data)
    family = PROBLEMS.get(name.partition("/")[0])
    if family is None or name not in family.names(places):
        raise unknown(name, data)
    return family.load(name, places, seed)


def unknown(pattern: str, data: Path | str | None) -> DataError | ValueError:
    """The error for a name or glob that matches nothing: one line that says what there is instead."""
    places = folders(data)
    where = " in " + ", ".join(map(str, places)) if places else ": MILBOX_DATA names no folder"
    family = PROBLEMS.get(pattern.partition("/")[0])
    remedy = family.remedy if family is not None else ""
    if family is not None and remedy and (not list(family.names(places)) or pattern in binding.PAPER_NAMES):
        return DataError(f"no data for {pattern!r}{where}; {remedy}, or set MILBOX_DATA to a folder with it")
    near = close_names(pattern, names(data=data), most=3)
    hint = f"did you mean {', '.join(near)}?" if near else f"families are {', '.join(PROBLEMS)}."
    more = f" To add one, {remedy}." if remedy else ""
    return ValueError(f"there is no problem {pattern!r}; {hint} `milbox bench problems` lists all.{more}")


def feasible_share(domain: Domain) -> float | None:
    """The share of feasible points among all without constraints, as a logarithm to base ten.

    A rejection sampler draws so many points for a feasible one. None where the points cannot be counted.
    """
    return None if domain.size is None else log10(domain.size) - log10(domain.box_size)


def catalogue(pattern: str = "*", data: Path | str | None = None) -> list[Entry]:
    """Size, source, citation and known optimum of every available problem."""
    return [entry(load(name, data)) for name in names(pattern, data)]


def entry(problem: Problem) -> Entry:
    """A problem as a line of the catalogue."""
    try:
        points = float(problem.domain.box_size)
    except OverflowError:
        points = float("inf")
    return Entry(
        name=problem.name,
        variables=len(problem.domain.variables),
        constraints=len(problem.domain.constraints),
        points=points,
        optimum=problem.optimum,
        best_known=problem.best_known,
        source=problem.source,
        citation=problem.citation,
    )
