"""The history: every trial so far, as one immutable value."""

import operator
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from milbox.arrays import FloatArray
from milbox.trials.points import Points
from milbox.trials.trial import Failed, Finished, Pending, Proposal, Trial


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """The finished trials of a history, with their points and values in the same order."""

    trials: tuple[Trial, ...]
    points: Points
    values: FloatArray

    @classmethod
    def of(cls, trials: Iterable[Trial]) -> "Measured":
        """Those of the trials that were measured."""
        kept = [(trial, trial.outcome.value) for trial in trials if isinstance(trial.outcome, Finished)]
        return cls(
            tuple(trial for trial, _ in kept),
            Points(trial.point for trial, _ in kept),
            np.array([value for _, value in kept], dtype=np.float64),
        )

    def inserted(self, trial: Trial) -> "Measured":
        """These and one more, at its place, if it was measured."""
        if not isinstance(trial.outcome, Finished):
            return self
        place = bisect_left(self.trials, trial.number, key=operator.attrgetter("number"))
        return Measured(
            (*self.trials[:place], trial, *self.trials[place:]),
            self.points.inserted(place, trial.point),
            np.insert(self.values, place, trial.outcome.value),
        )


# Not slotted: what is asked of a history many times in one step is worked out once, and handed on to the
# history of the next step. That is a cache: equal histories give equal answers, wherever they come from.
@dataclass(frozen=True)
class History:
    """Every trial in the order it was asked; ``trials[n].number == n``."""

    trials: tuple[Trial, ...] = ()

    def __len__(self) -> int:
        return len(self.trials)

    def __iter__(self) -> Iterator[Trial]:
        return iter(self.trials)

    def __getitem__(self, number: int) -> Trial:
        return self.trials[number]

    @cached_property
    def measured(self) -> Measured:
        """The finished trials, their points and their values."""
        return Measured.of(self.trials)

    @property
    def finished(self) -> tuple[Trial, ...]:
        """The trials that were measured."""
        return self.measured.trials

    @property
    def pending(self) -> tuple[Trial, ...]:
        """The trials that were asked and not told."""
        return tuple(trial for trial in self.trials if isinstance(trial.outcome, Pending))

    @property
    def failed(self) -> tuple[Trial, ...]:
        """The trials that could not be measured."""
        return tuple(trial for trial in self.trials if isinstance(trial.outcome, Failed))

    @property
    def points(self) -> Points:
        """The points of finished trials."""
        return self.measured.points

    @property
    def values(self) -> FloatArray:
        """The values of finished trials, in the order of ``points``."""
        return self.measured.values

    @cached_property
    def asked_points(self) -> Points:
        """The points of all trials, pending and failed too: what may not be proposed again."""
        return Points(trial.point for trial in self.trials)

    @property
    def incumbent(self) -> Trial | None:
        """The finished trial with the largest value, the earliest of equals; None before the first."""
        # max keeps the first of equals.
        return max(self.finished, key=operator.attrgetter("outcome.value"), default=None)

    def asked(self, proposals: Sequence[Proposal]) -> "History":
        """The history after these proposals were handed out."""
        first = len(self.trials)
        return self.extended([Trial(first + k, proposal) for k, proposal in enumerate(proposals)])

    def extended(self, trials: Sequence[Trial]) -> "History":
        """The history with more trials, numbered on from its own."""
        after = History((*self.trials, *trials))
        if "asked_points" in vars(self):
            vars(after)["asked_points"] = self.asked_points.extended([trial.point for trial in trials])
        return self._hand_on(after, trials)

    def told(self, number: int, outcome: Finished | Failed) -> "History":
        """The history after a pending trial came to an end."""
        if not 0 <= number < len(self.trials):
            raise ValueError(f"there is no trial {number}; {len(self.trials)} have been asked, from 0")
        trial = self.trials[number]
        if not isinstance(trial.outcome, Pending):
            raise ValueError(f"trial {number} has been told already: it {_past(trial.outcome)}")
        ended = replace(trial, outcome=outcome)
        after = History((*self.trials[:number], ended, *self.trials[number + 1 :]))
        if "asked_points" in vars(self):
            vars(after)["asked_points"] = self.asked_points
        return self._hand_on(after, [ended])

    def _hand_on(self, after: "History", ended: Iterable[Trial]) -> "History":
        """The next history, which knows what this one has worked out and what has come to an end since."""
        if "measured" in vars(self):
            measured = self.measured
            for trial in ended:
                measured = measured.inserted(trial)
            vars(after)["measured"] = measured
        return after


def _past(outcome: Finished | Failed) -> str:
    """The outcome as the end of a sentence."""
    match outcome:
        case Finished(value):
            return f"finished with value {value:g}"
        case Failed(reason):
            return f"failed ({reason.partition(chr(10))[0]})"
