"""Plans, as TOML: problems times algorithms times trials."""

import hashlib
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from milbox.bench.algorithms import ALGORITHMS
from milbox.bench.problems import expand
from milbox.errors import DataError, close_names

KEYS = ("budget", "initial", "trials", "problems", "algorithms")
FIRST = "first"
"""The key that a plan may leave out."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One study of a plan."""

    problem: str
    algorithm: str
    trial: int
    budget: int
    initial: int

    @property
    def seed(self) -> int:
        """Of the problem and the trial alone: all algorithms of a trial start from the same points."""
        text = f"{self.problem}#{self.trial}".encode()
        return int.from_bytes(hashlib.sha256(text).digest()[:6])

    def journal(self, folder: Path) -> Path:
        """The file of this study below the folder of the results."""
        return folder / safe(self.problem) / safe(self.algorithm) / f"{self.trial}.db"

    def __str__(self) -> str:
        return f"{self.problem} · {self.algorithm} · {self.trial}"


@dataclass(frozen=True, slots=True)
class Plan:
    """A set of studies of equal size.

    Attributes:
        budget: evaluations, the initial ones included.
        initial: random points first, the same for all algorithms of a trial.
        trials: how often each algorithm meets each problem, with different initial points.
        problems: names, without globs.
        algorithms: names of `ALGORITHMS`.
        first: the number of the first trial; others than those on which something was chosen are fresh ones.
    """

    budget: int
    initial: int
    trials: int
    problems: tuple[str, ...]
    algorithms: tuple[str, ...]
    first: int = 0

    @property
    def cells(self) -> list[Cell]:
        """Trial after trial, so that a plan that is stopped early has something of everything."""
        return [
            Cell(problem, algorithm, trial, self.budget, self.initial)
            for trial in range(self.first, self.first + self.trials)
            for problem in self.problems
            for algorithm in self.algorithms
        ]


def read_plan(path: Path, data: Path | str | None = None) -> Plan:
    """The plan in a TOML file, globs expanded; raises a DataError of one line that says what to change."""
    try:
        form = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise DataError(f"{path} cannot be read ({error.strerror}); check the name of the plan") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DataError(f"{path} is not TOML: {error}") from error
    try:
        return plan_of(form, data)
    except (DataError, ValueError) as error:
        raise DataError(f"{path}: {error}") from error


def plan_of(form: dict[str, Any], data: Path | str | None = None) -> Plan:
    """The plan behind parsed TOML."""
    for key in form:
        if key not in (*KEYS, FIRST):
            every = (*KEYS, FIRST)
            raise ValueError(f"a plan has no {key!r}{near(key, every)}; its keys are {', '.join(every)}")
    for key in KEYS:
        if key not in form:
            raise ValueError(f"the plan has no {key!r}; add a line such as {EXAMPLES[key]}")
    budget, initial, trials = (
        whole(form, key, least) for key, least in (("budget", 1), ("initial", 1), ("trials", 1))
    )
    if initial > budget:
        raise ValueError(f"initial is {initial}, more than the budget of {budget}; lower it")
    algorithms = texts(form, "algorithms")
    for name in algorithms:
        if name not in ALGORITHMS:
            raise ValueError(
                f"there is no algorithm {name!r}{near(name, ALGORITHMS)}; there are {', '.join(ALGORITHMS)}"
            )
    problems = expand(texts(form, "problems"), data)
    first = whole(form, FIRST, 0) if FIRST in form else 0
    return Plan(budget, initial, trials, tuple(problems), tuple(dict.fromkeys(algorithms)), first)


EXAMPLES = {
    "budget": "budget = 1000",
    "initial": "initial = 50",
    "trials": "trials = 5",
    "problems": 'problems = ["tfbind/*", "ising/100/0"]',
    "algorithms": 'algorithms = ["nn+milp", "regevo"]',
}


def whole(form: dict[str, Any], key: str, least: int) -> int:
    """A whole number of the plan."""
    value = form[key]
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ValueError(f"{key} is {value!r}; it must be a whole number of at least {least}")
    return value


def texts(form: dict[str, Any], key: str) -> list[str]:
    """A list of names of the plan."""
    value = form[key]
    if not isinstance(value, list) or not value or not all(isinstance(name, str) for name in value):
        raise ValueError(f"{key} is {value!r}; it must be a list of names, such as {EXAMPLES[key]}")
    return value


def near(name: str, known: Iterable[str]) -> str:
    """A suggestion, where some known name is close."""
    found = close_names(name, known)
    return f" (did you mean {found[0]!r}?)" if found else ""


def safe(name: str) -> str:
    """A name as one part of a path."""
    return "".join(c if c.isalnum() or c in "+-_.=," else "--" for c in name).lstrip(".")
