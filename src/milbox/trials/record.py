"""One reading of a study: what the command line, the page and the benchmarks know of a journal.

Values are in the user's sense throughout; `sign` tells which are good.
"""

import itertools
import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from milbox.arrays import FloatArray
from milbox.domain import Domain
from milbox.trials.front import front_of
from milbox.trials.goal import Goal
from milbox.trials.header import Header
from milbox.trials.journal import Place, name_of, place_of, read_journal
from milbox.trials.noise import Estimates, believed, estimated, keeping
from milbox.trials.origin import Source
from milbox.trials.sense import Sense, sign_of
from milbox.trials.trial import EVERYWHERE, Certificate, Failed, Finished, Pending, State, Trial
from milbox.trials.trust import Trust, trust


def ranked(trials: Iterable[Trial], goal: Goal) -> list[Trial]:
    """The finished trials that keep the limits, best first, the earlier of equals first.

    None is better than another where there are several objectives.
    """
    finished = [(trial.value, trial) for trial in trials if trial.value is not None and goal.keeps(trial)]
    sign = sign_of(goal.sense)
    return [trial for _, trial in sorted(finished, key=lambda pair: -sign * pair[0])]


def best_of(trials: Iterable[Trial], goal: Goal, domain: Domain | None = None) -> Trial | None:
    """The best finished trial that keeps the limits, the earliest of equals; None without one.

    Where values are noisy and the domain is given, it is a trial of the point with the best estimate.
    """
    if goal.one_estimate and domain is not None:
        kept = keeping(trials, goal)
        return recommended(estimated(domain, kept, sign_of(goal.sense)), sign_of(goal.sense))
    found = ranked(trials, goal)
    return found[0] if found else None


def recommended(estimates: Estimates, sign: float) -> Trial | None:
    """The first trial of the point with the best estimate."""
    if not estimates.groups:
        return None
    return estimates.groups[int(np.argmax(sign * estimates.means))].first


def judged(domain: Domain, trials: tuple[Trial, ...], goal: Goal) -> tuple[Trial, ...]:
    """The trials by which several objectives are judged: with noise one for each point, as believed."""
    return believed(domain, trials, goal) if goal.front_estimated else trials


def asked(trials: Iterable[Trial]) -> int:
    """The number of trials that count towards a budget: all but the user's own data and cancelled ones."""
    return sum(trial.origin.source is not Source.KNOWN and trial.state != "cancelled" for trial in trials)


@dataclass(frozen=True, slots=True)
class Proofs:
    """The certificates of many proposals in short."""

    certified: int
    optimal: int
    """How many are proved to be the best of the points that the certificate names."""
    qualified: int
    """How many of these with a qualification that the certificate names, such as a part of the domain."""
    largest_gap: float
    """Not a number without a certificate."""
    largest_residual: float

    @property
    def everywhere(self) -> int:
        """How many are proved to be the best of all untried points."""
        return self.optimal - self.qualified

    @property
    def among(self) -> str:
        """What the proved ones are the best of, in words that follow "best"."""
        if not self.qualified:
            return " among all untried points"
        rest = "or with another qualification that the certificate names"
        if not self.everywhere:
            return f" among a part of the untried points {rest}"
        return (
            f": {self.everywhere:,} among all untried points, {self.qualified:,} among a part of them {rest}"
        )


def proofs(trials: Iterable[Trial]) -> Proofs:
    """The certificates of the trials, in one."""
    found = [trial.certificate for trial in trials if trial.certificate is not None]
    proved = [certificate for certificate in found if certificate.status == "optimal"]
    return Proofs(
        len(found),
        len(proved),
        sum(certificate.about != EVERYWHERE for certificate in proved),
        max((certificate.gap for certificate in found), default=math.nan),
        max((certificate.residual for certificate in found), default=math.nan),
    )


@dataclass(frozen=True, slots=True)
class Spent:
    """Seconds spent on fitting surrogates, on solving for proposals, and on evaluating them."""

    model: float
    solver: float
    evaluation: float


def spent(trials: Iterable[Trial]) -> Spent:
    """The time that the trials took, by its use."""
    trials = list(trials)
    return Spent(
        sum(usable(trial.proposal.fit_seconds) for trial in trials),
        sum(usable(trial.certificate.seconds) for trial in trials if trial.certificate is not None),
        sum(map(evaluation_seconds, trials)),
    )


def evaluation_seconds(trial: Trial) -> float:
    """The seconds that the evaluation took; 0 when unknown."""
    return usable(trial.outcome.seconds) if isinstance(trial.outcome, Finished | Failed) else 0.0


def usable(seconds: float) -> float:
    """A duration that can be added and drawn: 0 for what is no number of seconds."""
    return seconds if 0 < seconds < math.inf else 0.0


# Not slotted: what is asked of a record many times is worked out once.
@dataclass(frozen=True, eq=False)
class Record:
    """A study as its journal tells it."""

    title: str
    """The name of the problem file or of the journal, or what the user calls it."""
    header: Header
    trials: tuple[Trial, ...]
    domain: Domain
    path: Place | None = None

    @property
    def goal(self) -> Goal:
        """What is wanted of the outputs."""
        return self.header.goal

    @cached_property
    def judged(self) -> tuple[Trial, ...]:
        """The trials by which several objectives are judged: with noise one for each point, as believed."""
        return judged(self.domain, self.trials, self.goal)

    @cached_property
    def front(self) -> tuple[Trial, ...]:
        """The trials nobody dominates, in order, among those that keep the limits; with noise as believed."""
        return front_of(self.judged, self.goal)

    @cached_property
    def estimates(self) -> Estimates:
        """What noisy measurements say about the points measured that keep the limits."""
        return estimated(self.domain, keeping(self.finished, self.goal), self.sign)

    @property
    def sense(self) -> Sense:
        """Whether large or small values are good."""
        return self.header.sense

    @property
    def sign(self) -> float:
        """1 where large values are good, else -1."""
        return sign_of(self.sense)

    @cached_property
    def finished(self) -> list[Trial]:
        """The trials that were measured at points of the domain, in order."""
        return [trial for trial in self.trials if trial.state == "finished" and trial.outside is None]

    @cached_property
    def outside(self) -> list[Trial]:
        """The trials that were measured at points outside the domain: they train the model alone."""
        return [trial for trial in self.trials if trial.state == "finished" and trial.outside is not None]

    @cached_property
    def values(self) -> FloatArray:
        """Their values; none where there are several objectives."""
        return np.array([t.value for t in self.finished if t.value is not None], dtype=np.float64)

    @cached_property
    def ranked(self) -> list[Trial]:
        """The finished trials that keep the limits, best first, the earlier of equals first.

        With noise it is the first trial of each point, by estimate.
        """
        if not self.goal.noise or self.goal.several:
            return ranked(self.finished, self.goal)
        order = np.argsort(-self.sign * self.estimates.means, kind="stable").tolist()
        return [self.estimates.groups[place].first for place in order]

    def rank(self, trial: Trial) -> int | None:
        """The place of a measured trial among those ranked, from 1; with noise it is that of its point."""
        if trial.state != "finished":
            return None
        alike = (trial.point == t.point if self.goal.noise else trial == t for t in self.ranked)
        return next((place for place, found in enumerate(alike, 1) if found), None)

    @property
    def best(self) -> Trial | None:
        """The incumbent; None before the first value, and where there are several objectives."""
        return self.ranked[0] if self.ranked else None

    @property
    def estimate(self) -> tuple[float, float] | None:
        """With noise: the mean at the best point, and its standard error."""
        return None if self.best is None else self.estimated(self.best)

    def estimated(self, trial: Trial) -> tuple[float, float] | None:
        """With noise: the mean at the point of a trial, and its standard error."""
        place = self.estimates.place(trial.point) if self.goal.one_estimate else None
        if place is None:
            return None
        return float(self.estimates.means[place]), float(self.estimates.errors[place])

    @cached_property
    def initial(self) -> int:
        """The number of trials asked before the first that a strategy's method chose."""
        start = itertools.takewhile(lambda trial: trial.origin.source is not Source.METHOD, self.trials)
        return sum(1 for _ in start)

    @cached_property
    def certified(self) -> list[tuple[Trial, Certificate]]:
        """The trials with a certificate."""
        return [(trial, trial.certificate) for trial in self.trials if trial.certificate is not None]

    @property
    def proofs(self) -> Proofs:
        """The certificates in short."""
        return proofs(self.trials)

    @cached_property
    def trust(self) -> Trust:
        """How well the model has predicted what was measured."""
        return trust(self.trials)

    @property
    def spent(self) -> Spent:
        """The time spent, by its use."""
        return spent(self.trials)

    def having(self, state: State) -> int:
        """The number of trials in a state."""
        return sum(trial.state == state for trial in self.trials)

    @property
    def budget(self) -> int | None:
        """The number of trials that the run was started with, where it said so."""
        return self.header.budget

    @property
    def counted(self) -> str:
        """The number of trials; with a budget, those that it counts, and the user's own data besides."""
        if not self.budget:
            return f"{len(self.trials):,}"
        known = sum(trial.origin.source is Source.KNOWN for trial in self.trials)
        return f"{asked(self.trials):,} of {self.budget:,}" + (f", and {known:,} known" if known else "")

    @property
    def proved(self) -> bool:
        """Whether every point of the domain has been measured."""
        return not self.goal.noise and bool(self.finished) and len(self.finished) == self.domain.size

    @property
    def ended(self) -> bool:
        """Whether nothing more is to come: budget spent or domain exhausted, and nothing pending."""
        if self.having("pending"):
            return False
        inside = asked(trial for trial in self.trials if trial.outside is None)
        spent_all = bool(self.budget) and asked(self.trials) >= (self.budget or 0)
        return spent_all or (inside == self.domain.size and not self.goal.noise)

    @property
    def last_told(self) -> float | None:
        """When the latest value or failure arrived, in seconds since 1970."""
        times = (None if isinstance(t.outcome, Pending) else t.outcome.told_at for t in self.trials)
        return max((told for told in times if told is not None), default=None)


def read_record(given: Path | str, title: str | None = None, like: Domain | None = None) -> Record:
    """The study in a journal, also while a run is writing it; nothing is changed.

    Args:
        given: the journal, by its path or its URL.
        title: what to call the study; by default its problem file or its journal.
        like: a domain to take where it is the journal's, so that what it has worked out is not lost.
    """
    path = place_of(given)
    header, domain, trials = read_journal(path, like)
    if title is None:
        problem = header.notes.get("path")
        title = Path(problem).stem if isinstance(problem, str) and problem else name_of(path)
    return Record(title, header, trials, domain, path)
