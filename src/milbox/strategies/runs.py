"""The steps of several runs, each near its own best point: what has come to an end is left behind.

A run knows only its own points. It begins everywhere and goes on in a ball round its best point; when it has
had no gain for long, the next run begins. All of it is replayed from the history, so that nothing has to be
kept.
"""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from milbox.arrays import FloatArray
from milbox.domain import Domain
from milbox.domain.box import Box
from milbox.strategies.local import Step
from milbox.surrogates import Learner, LinearDraw, Ranked
from milbox.trials import History

PATIENCE = 50
"""So many points without a gain end a run."""

FIRST = 10
"""The first points of a run are searched for everywhere."""


@dataclass(frozen=True, slots=True)
class Runs:
    """A linear model drawn from its posterior, in a ball round the best point of the run.

    Attributes:
        learner: who learns.
        patience: how many points without a gain end a run.
        share: the share of the variables in which a point may differ from the best one.
    """

    learner: Learner = Ranked(LinearDraw())
    patience: int = PATIENCE
    share: float = 0.5

    def applies(self, domain: Domain) -> bool:
        """Whether the domain is discrete."""
        return not len(domain.coding.shares)

    def step(self, domain: Domain, history: History, ahead: int, rng: Generator) -> Step:
        """The step that follows a history, whatever was chosen since."""
        del ahead, rng
        number, begin = self.run(history.values)
        name = f"a linear draw, of run {number}"
        # The first step of a run has the last point before it: one value says nothing, so it draws the prior.
        fitted = np.arange(min(begin, len(history.values) - 1), len(history.values))
        if len(history.values) - begin < FIRST:
            return Step(self.learner, name, fitted=fitted)
        order = begin + np.argsort(-history.values[begin:], kind="stable")
        centre = next((i for i in order.tolist() if domain.contains(history.points[i])), None)
        if centre is None:
            return Step(self.learner, name, fitted=fitted)
        box = Box.ball(domain, history.points[centre], self.reach(domain))
        return Step(self.learner, name, fitted=fitted, box=box)

    def run(self, values: FloatArray) -> tuple[int, int]:
        """Which run comes after these values, and the first of them that belongs to it."""
        number, begin, best, since = 1, 0, -np.inf, 0
        for place, value in enumerate(values.tolist()):
            best, since = (value, 0) if value > best else (best, since + 1)
            if since == self.patience:
                number, begin, best, since = number + 1, place + 1, -np.inf, 0
        return number, begin

    def reach(self, domain: Domain) -> int:
        """In how many variables a point may differ from the best one of its run."""
        return max(1, round(self.share * len(domain.variables)))

    def next_step(self, domain: Domain, history: History) -> str:
        """Where the next point is searched for, and by which beliefs."""
        number, begin = self.run(history.values)
        if len(history.values) - begin < FIRST:
            return f"everywhere, by a linear draw, at the beginning of run {number}"
        return (
            f"at most {self.reach(domain)} variables away from the best one of run {number}, by a linear draw"
        )
