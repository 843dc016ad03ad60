"""The result of a run."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from milbox import display
from milbox.errors import ObjectiveFailed
from milbox.study import Study
from milbox.trials import History, Trial
from milbox.trials.front import front_of, hypervolume_of
from milbox.trials.goal import ONE, Goal
from milbox.trials.journal import Place
from milbox.trials.sense import Sense


@dataclass(frozen=True, slots=True, repr=False)
class Result:
    """Every trial, the best of them, and whether it is the proved optimum."""

    trials: tuple[Trial, ...]
    """In the order they were asked, the user's own data first; values as they were measured."""
    sense: Sense
    proved: bool
    """Whether every point of the domain has been measured, so that the best trial is the optimum."""
    journal: Place | None
    winner: int | None
    """The number of the best trial; None when no trial finished, or none that keeps the limits."""
    goal: Goal = ONE
    estimate: tuple[float, float] | None = None
    """With noise: the mean at the best point, and its standard error."""
    judged: tuple[Trial, ...] = ()
    """The trials by which several objectives are judged: with noise one for each point, as believed."""
    stopped: str = ""
    """Why the run ended: "the budget of 60 is spent", say, or "stopped early" where the callback ended it."""

    @property
    def best(self) -> Trial:
        """The best finished trial that keeps the limits, the earliest of equals.

        Raises:
            ObjectiveFailed: there is none.
            ValueError: there are several objectives; `front` has the trials nobody dominates.
        """
        if self.goal.several:
            raise ValueError("there are several objectives, and so no best trial; look at result.front")
        if self.winner is None:
            raise ObjectiveFailed(f"there is no best trial: {self.message}")
        return self.trials[self.winner]

    @property
    def front(self) -> tuple[Trial, ...]:
        """The finished trials nobody dominates, in order, among those that keep the limits.

        With noise it has the first trial of a point, with what is believed of its outputs as its values.
        """
        return front_of(self.judged, self.goal)

    def hypervolume(self, reference: Mapping[str, float] | None = None) -> float:
        """The hypervolume that the front dominates, from a value of each objective on.

        By default these are the worst finished values.
        """
        return hypervolume_of(self.judged, self.goal, reference)

    @property
    def message(self) -> str:
        """The result in a sentence or two."""
        history = History(self.trials)
        failed, pending = len(history.failed), len(history.pending)
        rest = "".join(f", {n} {state}" for n, state in ((failed, "failed"), (pending, "pending")) if n)
        count = f"{len(self.trials)} trial{'' if len(self.trials) == 1 else 's'}{rest}"
        if self.goal.several and history.finished:
            front = len(self.front)
            estimated = ", estimated" if self.goal.front_estimated else ""
            found = f"a front of {front} trial{'' if front == 1 else 's'}{estimated} ({count})"
            return (
                f"{found}. Every point of the domain has been evaluated: it is proved"
                if self.proved
                else found
            )
        if self.winner is None and history.finished:
            return f"no trial keeps {' and '.join(map(str, self.goal.limits))} ({count})"
        if self.winner is None:
            first = f"; the first reason: {history.failed[0].reason}" if failed else ""
            return f"no trial finished ({count}){first}"
        unit = self.goal.unit(self.goal.name)
        shown = f"{self.best.value:g}{unit}"
        if self.estimate is not None:
            shown = f"{self.estimate[0]:g}{unit} (standard error {self.estimate[1]:.2g}), estimated,"
        best = f"best {self.goal.name} {shown} in trial {self.winner} ({count})"
        if self.proved:
            return f"{best}. Every point of the domain has been evaluated: this is the proved optimum"
        return best

    def frame(self) -> Any:
        """The trials as a pandas frame, one row each; `milbox.trials.frames` has polars too."""
        from milbox.trials.frames import to_pandas

        return to_pandas(self.trials)

    def __str__(self) -> str:
        if self.goal.several:
            return "\n".join([self.message, *(f"  trial {t.number}: {t.shown}" for t in self.front)])
        if self.winner is None:
            return self.message
        return f"{self.message}\n{_listed(self.best.assignment)}"

    def __repr__(self) -> str:
        first = self.message.partition("\n")[0]  # a reason goes on with a traceback
        return f"<Result to {self.goal}: {first}>"

    def _repr_html_(self) -> str:
        best = {} if self.winner is None else self.best.assignment
        return display.table(self.message, ("variable", "value"), best.items())


def result_of(study: Study, stopped: str) -> Result:
    """The result of a study so far, and why its run ended."""
    record = study.record
    winner = None if record.best is None else record.best.number
    return Result(
        record.trials,
        study.sense,
        study.proved,
        study.journal,
        winner,
        study.goal,
        record.estimate,
        record.judged,
        stopped,
    )


def how_to_resume(study: Study) -> str:
    """The message to a user who interrupted a run."""
    if study.journal is None:
        return "Nothing is kept on disk: to be able to resume, use a journal, as in journal='run.db'."
    return (
        f"Everything told is kept in {study.journal}: to resume, run the same again with "
        f"journal={str(study.journal)!r}."
    )


def _listed(assignment: Mapping[str, Any]) -> str:
    """One line per variable."""
    return "\n".join(f"  {name} = {value}" for name, value in assignment.items())
