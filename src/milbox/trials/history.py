"""The history: every trial so far, as one immutable value."""

import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from milbox.arrays import FloatArray, Point
from milbox.trials.trial import Failed, Finished, Pending, Proposal, Trial


# Not slotted: what is asked of a history many times in one step is worked out once.
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
    def finished(self) -> tuple[Trial, ...]:
        """The trials that were measured."""
        return tuple(trial for trial in self.trials if isinstance(trial.outcome, Finished))

    @property
    def pending(self) -> tuple[Trial, ...]:
        """The trials that were asked and not told."""
        return tuple(trial for trial in self.trials if isinstance(trial.outcome, Pending))

    @property
    def failed(self) -> tuple[Trial, ...]:
        """The trials that could not be measured."""
        return tuple(trial for trial in self.trials if isinstance(trial.outcome, Failed))

    @cached_property
    def points(self) -> list[Point]:
        """The points of finished trials."""
        return [trial.point for trial in self.finished]

    @cached_property
    def values(self) -> FloatArray:
        """The values of finished trials, in the order of ``points``."""
        return np.array(
            [trial.outcome.value for trial in self.trials if isinstance(trial.outcome, Finished)],
            dtype=np.float64,
        )

    @cached_property
    def asked_points(self) -> list[Point]:
        """The points of all trials, pending and failed too: what may not be proposed again."""
        return [trial.point for trial in self.trials]

    @property
    def incumbent(self) -> Trial | None:
        """The finished trial with the largest value, the earliest of equals; None before the first."""
        # max keeps the first of equals.
        return max(self.finished, key=operator.attrgetter("outcome.value"), default=None)

    def asked(self, proposals: Sequence[Proposal]) -> "History":
        """The history after these proposals were handed out."""
        first = len(self.trials)
        return History(
            self.trials + tuple(Trial(first + k, proposal) for k, proposal in enumerate(proposals))
        )

    def told(self, number: int, outcome: Finished | Failed) -> "History":
        """The history after a pending trial came to an end."""
        if not 0 <= number < len(self.trials):
            raise ValueError(f"there is no trial {number}; {len(self.trials)} have been asked, from 0")
        trial = self.trials[number]
        if not isinstance(trial.outcome, Pending):
            raise ValueError(f"trial {number} has been told already: it {_past(trial.outcome)}")
        ended = replace(trial, outcome=outcome)
        return History((*self.trials[:number], ended, *self.trials[number + 1 :]))


def _past(outcome: Finished | Failed) -> str:
    """The outcome as the end of a sentence."""
    match outcome:
        case Finished(value):
            return f"finished with value {value:g}"
        case Failed(reason):
            return f"failed ({reason.partition(chr(10))[0]})"
