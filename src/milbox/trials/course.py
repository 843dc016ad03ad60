"""The course of a study: the best so far, trial by trial; and several studies of one domain side by side."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from milbox.arrays import Point
from milbox.errors import JournalMismatch
from milbox.trials.front import hypervolume_course, worst_of
from milbox.trials.header import difference
from milbox.trials.record import Record
from milbox.trials.trial import Trial


def kept(record: Record) -> list[Trial]:
    """The finished trials that keep the limits."""
    return [trial for trial in record.finished if record.goal.keeps(trial)]


def estimates(record: Record) -> list[tuple[int, float, float]]:
    """With noise: for each point its first trial, its estimate, and the standard error of that."""
    believed = record.estimates
    rows = zip(believed.groups, believed.means.tolist(), believed.errors.tolist(), strict=True)
    return sorted((group.first.number, mean, error) for group, mean, error in rows)


def improvements(record: Record) -> list[tuple[int, float]]:
    """Numbers and values of the trials that were better than all before them and keep the limits.

    With noise they are points, at their first measurements, with the estimates that they have in the end.
    """
    if record.goal.noise:
        pairs = [(number, mean) for number, mean, _ in estimates(record)]
    else:
        pairs = [(trial.number, float(trial.value or 0)) for trial in kept(record)]
    found: list[tuple[int, float]] = []
    for number, value in pairs:
        if not found or record.sign * value > record.sign * found[-1][1]:
            found.append((number, value))
    return found


@dataclass(frozen=True, eq=False)
class Comparison:
    """Studies of one domain that want the same."""

    records: tuple[Record, ...]

    @property
    def sign(self) -> float:
        """1 where large values are good; the hypervolume of several objectives always is."""
        return 1.0 if self.records[0].goal.several else self.records[0].sign

    @property
    def quantity(self) -> str:
        """What is compared: the objective with its unit, or the hypervolume of several."""
        goal = self.records[0].goal
        return "hypervolume" if goal.several else goal.label(goal.name)

    @cached_property
    def courses(self) -> tuple[list[tuple[int, float]], ...]:
        """For each study, trials that improved it and the best value, or the hypervolume, after them.

        Hypervolumes have one reference, the worst value of each objective in any of the studies.
        """
        goal = self.records[0].goal
        if not goal.several:
            return tuple(improvements(record) for record in self.records)
        worst = worst_of([trial for record in self.records for trial in record.judged], goal)
        return tuple(hypervolume_course(record.judged, goal, worst) for record in self.records)

    @cached_property
    def common(self) -> int | None:
        """The place of the study whose best is the least good; None where one has no value yet."""
        if not all(self.courses):
            return None
        return min(range(len(self.courses)), key=lambda k: self.sign * self.courses[k][-1][1])

    def reached(self, place: int) -> int | None:
        """How many trials a study took to be as good as the least good one in the end; None without one."""
        if self.common is None:
            return None
        level = self.sign * self.courses[self.common][-1][1]
        return next(number + 1 for number, value in self.courses[place] if self.sign * value >= level)

    @property
    def shared(self) -> int:
        """How many points all of them have measured."""
        points: list[set[Point]] = [{trial.point for trial in record.finished} for record in self.records]
        return len(set.intersection(*points))


def compared(records: Sequence[Record]) -> Comparison:
    """The studies side by side.

    Raises:
        JournalMismatch: they are about different domains, or want different things.
    """
    first = records[0]
    for other in records[1:]:
        written = replace(other.header, seed=first.header.seed, strategy=first.header.strategy)
        differs = difference(written, first.header)
        if differs is not None:
            raise JournalMismatch(
                f"{first.path} and {other.path} cannot be compared: the second was written {differs}"
            )
    return Comparison(tuple(records))
