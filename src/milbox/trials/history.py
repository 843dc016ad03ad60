"""The history: every trial so far, as one immutable value."""

import operator
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from milbox.arrays import FloatArray
from milbox.trials.goal import ONE, Goal
from milbox.trials.points import Points
from milbox.trials.sense import turned
from milbox.trials.trial import Cancelled, Failed, Finished, Outcome, Pending, Proposal, Trial

NOTHING: Mapping[str, Any] = {}


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
    goal: Goal = ONE
    """What is wanted of the outputs. Values are in the sense of the history, and outputs by name as told."""

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
        """The points of the domain that may not be proposed again: of all trials but cancelled ones."""
        return Points(
            trial.point
            for trial in self.trials
            if trial.outside is None and not isinstance(trial.outcome, Cancelled)
        )

    @property
    def inside(self) -> tuple[Trial, ...]:
        """The trials that were measured, at points of the domain."""
        return tuple(trial for trial in self.finished if trial.outside is None)

    @cached_property
    def turned(self) -> "History":
        """The history in the opposite sense, for strategies, which always maximise."""
        other = replace(self, trials=tuple(map(turned, self.trials)), goal=self.goal.turned)
        vars(other)["asked_points"] = self.asked_points
        return other

    @property
    def incumbent(self) -> Trial | None:
        """The finished trial of the domain with the largest value, the earliest of equals; None without."""
        # max keeps the first of equals.
        return max(self.inside, key=operator.attrgetter("outcome.value"), default=None)

    def asked(self, proposals: Sequence[Proposal]) -> "History":
        """The history after these proposals were handed out."""
        first = len(self.trials)
        return self.extended([Trial(first + k, proposal) for k, proposal in enumerate(proposals)])

    def extended(self, trials: Sequence[Trial]) -> "History":
        """The history with more trials, numbered on from its own."""
        after = replace(self, trials=(*self.trials, *trials))
        if "asked_points" in vars(self):
            vars(after)["asked_points"] = self.asked_points.extended(
                [trial.point for trial in trials if trial.outside is None]
            )
        if "turned" in vars(self):
            vars(after)["turned"] = self.turned.extended([turned(trial) for trial in trials])
        return self._hand_on(after, trials)

    def told(self, number: int, outcome: Finished | Failed, info: Mapping[str, Any] = NOTHING) -> "History":
        """The history after a pending trial came to an end, with what the user keeps about it."""
        trial = self._trial(number)
        if not isinstance(trial.outcome, Pending):
            raise ValueError(f"trial {number} has been told already: it {_past(trial.outcome)}")
        return self._ended(replace(trial, outcome=outcome, info={**trial.info, **info}))

    def updated(self, trial: Trial) -> "History":
        """The history with a trial as another process has written it: a new one, or one that was changed."""
        if trial.number == len(self.trials):
            return self.extended([trial])
        before = self._trial(trial.number)
        if before == trial and before.info == trial.info:
            return self
        if isinstance(before.outcome, Pending) and isinstance(trial.outcome, Finished | Failed):
            return self.told(trial.number, trial.outcome, trial.info)
        return self._with(trial)

    def cancelled(self, number: int, outcome: Cancelled) -> "History":
        """The history after a trial was given up that is pending or has failed; a failure stays on record."""
        trial = self._trial(number)
        if isinstance(trial.outcome, Failed):
            return self._with(replace(trial, outcome=outcome, earlier=(*trial.earlier, trial.outcome)))
        if not isinstance(trial.outcome, Pending):
            raise ValueError(
                f"only a pending trial or one that failed can be cancelled; "
                f"trial {number} {_past(trial.outcome)}"
            )
        return self._with(replace(trial, outcome=outcome))

    def amended(self, number: int, outcome: Finished) -> "History":
        """The history after the outcome of a trial was corrected."""
        trial = self._trial(number)
        if not isinstance(trial.outcome, Finished | Failed):
            raise ValueError(f"only what has been told can be amended; trial {number} {_past(trial.outcome)}")
        corrected = replace(outcome, seconds=trial.outcome.seconds)
        return self._with(replace(trial, outcome=corrected, earlier=(*trial.earlier, trial.outcome)))

    def _trial(self, number: int) -> Trial:
        """The trial of a number, or an error that says which there are."""
        if not 0 <= number < len(self.trials):
            raise ValueError(f"there is no trial {number}; {len(self.trials)} have been asked, from 0")
        return self.trials[number]

    def _with(self, trial: Trial) -> "History":
        """The history with one trial changed, which knows nothing that was worked out before."""
        return replace(self, trials=(*self.trials[: trial.number], trial, *self.trials[trial.number + 1 :]))

    def _ended(self, trial: Trial) -> "History":
        """The history with one trial come to an end, which knows all that was worked out before."""
        after = self._with(trial)
        if "asked_points" in vars(self):
            vars(after)["asked_points"] = self.asked_points
        if "turned" in vars(self):
            vars(after)["turned"] = self.turned._ended(turned(trial))
        return self._hand_on(after, [trial])

    def _hand_on(self, after: "History", ended: Iterable[Trial]) -> "History":
        """The next history, which knows what this one has worked out and what has come to an end since."""
        if "measured" in vars(self):
            measured = self.measured
            for trial in ended:
                measured = measured.inserted(trial)
            vars(after)["measured"] = measured
        return after


def _past(outcome: Outcome) -> str:
    """The outcome as the end of a sentence."""
    match outcome:
        case Pending():
            return "is pending"
        case Cancelled():
            return "was cancelled"
        case Finished(value, outputs=outputs):
            told = ", ".join(f"{name} {output:g}" for name, output in outputs) or f"value {value:g}"
            return f"finished with {told}"
        case Failed(reason):
            return f"failed ({reason.partition(chr(10))[0]})"
