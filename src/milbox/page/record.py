"""A journal as the page reads it."""

import itertools
import math
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from milbox.arrays import FloatArray
from milbox.domain import Domain
from milbox.trials import Certificate, Header, Journal, Trial

# Where points come from before there is anything to learn from.
START = frozenset({"random", "known"})


# Bound and value of a solver differ by no more than this when they are meant to be the same.
ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Record:
    """A study as its journal tells it; values are in the user's sense."""

    title: str
    header: Header
    trials: tuple[Trial, ...]
    domain: Domain

    @cached_property
    def sign(self) -> float:
        """1 where large values are good, else -1."""
        return 1.0 if self.header.sense == "maximize" else -1.0

    @cached_property
    def finished(self) -> list[Trial]:
        """The trials that were measured, in order."""
        return [trial for trial in self.trials if trial.value is not None]

    @cached_property
    def values(self) -> FloatArray:
        """Their values."""
        return np.array([trial.value for trial in self.finished], dtype=np.float64)

    @cached_property
    def ranked(self) -> list[Trial]:
        """The finished trials, best first, the earlier of equals first."""
        order = np.argsort(-self.sign * self.values, kind="stable")
        return [self.finished[i] for i in order]

    @property
    def best(self) -> Trial | None:
        """The incumbent; None before the first value."""
        return self.ranked[0] if self.ranked else None

    @cached_property
    def initial(self) -> int:
        """How many trials were asked before the first that a surrogate or another trial led to."""
        return sum(1 for _ in itertools.takewhile(lambda trial: trial.origin in START, self.trials))

    @cached_property
    def certified(self) -> list[tuple[Trial, Certificate]]:
        """The trials with a certificate."""
        return [(trial, trial.certificate) for trial in self.trials if trial.certificate is not None]

    @property
    def budget(self) -> int | None:
        """The number of trials that the run was started with, where it said so."""
        budget = self.header.notes.get("budget")
        return budget if isinstance(budget, int) and not isinstance(budget, bool) else None

    @property
    def proved(self) -> bool:
        """Whether every point of the domain has been measured."""
        return bool(self.finished) and len(self.finished) == self.domain.size

    def having(self, state: str) -> int:
        """How many trials are in a state."""
        return sum(trial.state == state for trial in self.trials)

    @cached_property
    def worst_shown(self) -> float:
        """A value so far on the bad side that what lies beyond is drawn at the edge.

        Four times as far from the median as the best value is, where some value is ten times as far: a few
        failures that were given a huge penalty would otherwise press everything else into one line.
        """
        values = self.sign * self.values
        best, middle, worst = float(values.max()), float(np.median(values)), float(values.min())
        # Quotients, since the differences of huge numbers may overflow.
        far = (middle / 10 - worst / 10) > best - middle > 0
        return self.sign * (middle - 4 * (best - middle) if far else worst)


def gap(certificate: Certificate) -> float:
    """The certificate's gap, without what rounding puts between two equal numbers."""
    return certificate.gap if certificate.gap > ROUNDING else 0.0


def evaluation_seconds(trial: Trial) -> float:
    """How long the evaluation took; 0 when unknown."""
    return known_seconds(getattr(trial.outcome, "seconds", 0.0))


def known_seconds(seconds: float) -> float:
    """A duration that can be added and drawn: 0 for what is no number of seconds."""
    return seconds if 0 < seconds < math.inf else 0.0


def read_record(path: Path | str, title: str | None = None) -> Record:
    """The study in a journal, also while a run is writing it; nothing is changed."""
    path = Path(path)
    header, trials = Journal.read(path)
    if title is None:
        problem = header.notes.get("path")
        title = Path(problem if isinstance(problem, str) and problem else path).stem
    return Record(title, header, trials, Domain.from_json(header.domain))
