"""The steps in a neighbourhood of the best point that grows and shrinks, for discrete domains.

A point of the neighbourhood differs from the best one in at most so many variables. Gains one after the other
double that number, failures halve it. All of it is replayed from the history, so that nothing has to be kept.
"""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from milbox.domain import Domain
from milbox.domain.box import Box
from milbox.strategies.local import Step, best_inside
from milbox.surrogates import Learner, Ranked
from milbox.trials import Failed, Finished, History

ROUND = 8
"""The last of so many steps is global."""

GAINS, PATIENCE = 2, 6
"""So many gains one after the other double the radius, so many failures halve it."""

LEAST = 2
"""A smaller radius starts again: where constraints are sums, two variables change at least."""

SHARE = 4
"""A fourth of the variables may change at first."""


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """A network, whose best point is searched for near the best one measured, and sometimes everywhere.

    Attributes:
        network: who learns.
    """

    network: Learner = Ranked()

    def applies(self, domain: Domain) -> bool:
        """Whether the domain is discrete."""
        return not len(domain.coding.shares)

    def step(self, domain: Domain, history: History, ahead: int, rng: Generator) -> Step:
        """The step that follows a history and so many points that were chosen since."""
        del rng
        centre = best_inside(domain, history)
        chosen = sum(trial.certificate is not None for trial in history) + ahead
        if centre is None:
            return Step(self.network, "a network, since no point near which to look has been measured")
        if is_global(chosen):
            return Step(self.network, f"a network, everywhere in every {ROUND}th step")
        ball = Box.ball(domain, history.points[centre], radius(domain, history))
        return Step(self.network, "a network", box=ball)

    def next_step(self, domain: Domain, history: History) -> str:
        """Where the next point is searched for."""
        if is_global(sum(trial.certificate is not None for trial in history)):
            return "everywhere"
        return f"at most {radius(domain, history)} variables away from the best point"


def is_global(chosen: int) -> bool:
    """Whether the step that follows so many is everywhere."""
    return chosen % ROUND == ROUND - 1


def radius(domain: Domain, history: History) -> int:
    """In how many variables a point may differ from the best one, after the gains and failures so far."""
    first = max(LEAST, len(domain.variables) // SHARE)
    size, gains, failures, chosen, best = first, 0, 0, 0, -np.inf
    for trial in history:
        inside = trial.certificate is not None and not is_global(chosen)
        chosen += trial.certificate is not None
        if not isinstance(trial.outcome, Finished | Failed):
            continue
        value = trial.outcome.value if isinstance(trial.outcome, Finished) else -np.inf
        if inside and value > best:
            gains, failures = gains + 1, 0
        elif inside:
            gains, failures = 0, failures + 1
        if gains == GAINS:
            size, gains = min(len(domain.variables), 2 * size), 0
        if failures == PATIENCE:
            size, failures = size // 2, 0
        if size < LEAST:
            size = first
        best = max(best, value)
    return size
