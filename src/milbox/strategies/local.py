"""The steps where variables are real: mostly in a box round the best point, and by one of two beliefs.

A network with few units sees a wide domain coarsely. In a box round the best point, fitted to what was
measured near it, it sees what matters there; the box grows while points get better and shrinks while they do
not. All of it is replayed from the history, so that nothing has to be kept.
"""

from bisect import insort
from dataclasses import dataclass, replace
from enum import Enum
from typing import Protocol

import numpy as np
from numpy.random import Generator

from milbox.arrays import BoolArray, IntArray, Point
from milbox.domain import Domain
from milbox.domain.box import WIDEST, Box
from milbox.domain.kept import kept
from milbox.inner.walk import scattered
from milbox.surrogates import Hinges, Learner, Ranked, ReluLearner
from milbox.trials import Failed, Finished, History

SIDE, LEAST_SIDE = 0.8, 2.0**-7
"""The side of the first box, and the one below which it starts again."""

ROUND, VISITS = 8, (1, 5)
"""The last of so many steps is global; these, where variables are categorical, try other categories."""

GAINS = 3
"""So many gains one after the other double the side."""

NOTICED = 1e-4
"""What counts as a gain, as a share of the spread of values, or of the best one where that is less."""

CHANGED = 0.1
"""How far apart points are that differ in a variable without an order, as a share of a range."""

WIDE = 0.5
"""In a box of more than this side half of the hinges do: proofs with all of them would take a minute."""

NODES = 500
"""The most nodes of a program with hinges; what is not proved by then, the certificate leaves open."""

NEAREST = 20
"""At least so many points are fitted, and four for each variable and one more."""


class Kind(Enum):
    """Where the next point is searched for."""

    NEAR = "round the best point, in a box"
    ELSEWHERE = "in another category"
    GLOBAL = "everywhere"


@dataclass(frozen=True, slots=True)
class Step:
    """How one point is chosen.

    Attributes:
        learner: who learns.
        name: what its surrogate is called in the trial's record.
        fitted: the finished trials that it sees, by place; None for all.
        box: where its best point is searched for; None for the whole domain.
        nodes: a limit on the tree of a program, where proofs may take long.
        beyond: how the point is chosen if the box has none; None for the same surrogate in the whole domain.
    """

    learner: Learner
    name: str = ""
    fitted: IntArray | None = None
    box: Box | None = None
    nodes: int | None = None
    beyond: "Step | None" = None


class Steps(Protocol):
    """Anything that chooses learners and neighbourhoods step by step, as a pure function of the history."""

    def applies(self, domain: Domain) -> bool:
        """Whether it chooses on this domain."""
        ...

    def step(self, domain: Domain, history: History, ahead: int, rng: Generator) -> Step:
        """The step that follows a history and so many points that were chosen since."""
        ...

    def next_step(self, domain: Domain, history: History) -> str:
        """Where the next point is searched for, and by which beliefs."""
        ...


@dataclass(frozen=True, slots=True)
class Local:
    """Boxes round the best point for domains with reals or wide integers.

    Attributes:
        network: one belief, which every global step has.
        hinges: the other, which half of the steps in boxes have.
        ranked: the share of fits that see ranks in place of values.
    """

    network: Learner = ReluLearner(floor=0.005)
    hinges: Hinges = Hinges()
    ranked: float = 0.5

    def applies(self, domain: Domain) -> bool:
        """Whether the domain has reals, or integers so wide that they are scaled as reals are."""
        return bool(len(domain.coding.shares))

    def step(self, domain: Domain, history: History, ahead: int, rng: Generator) -> Step:
        """The step that follows a history and so many points that were chosen since."""
        chosen = sum(trial.certificate is not None for trial in history) + ahead
        centre = best_inside(domain, history)
        by_rank = rng.random() < self.ranked
        kind = kind_of(chosen, domain)
        together = bool(history.goal.limits)  # surrogates searched at once: too much for hinges
        network = "a network for each output" if together else "a network"
        if kind is Kind.GLOBAL or centre is None:
            return told(network, self.network, by_rank, len(history.values))
        if kind is Kind.ELSEWHERE:
            box = elsewhere(domain, history, centre, rng)
        else:
            box = Box.around(domain, history.points[centre], self.side(domain, history))
        fitted = near_points(domain, history, box)
        if together or rng.random() < 0.5:
            step = told(network, self.network, by_rank, len(fitted))
        else:
            places = scattered(domain, history.points.codes(domain), self.hinges.units, rng)
            units = self.hinges.units if box.side <= WIDE else self.hinges.units // 2
            hinges = replace(self.hinges, units=units, through=domain.encode(places))
            step = replace(told("hinges", hinges, by_rank, len(fitted)), nodes=NODES)
        return replace(step, fitted=fitted, box=box)

    def next_step(self, domain: Domain, history: History) -> str:
        """Where the next point is searched for, and by which beliefs."""
        kind = kind_of(sum(trial.certificate is not None for trial in history), domain)
        together = bool(history.goal.limits)
        network = "a network for each output" if together else "a network"
        if kind is Kind.GLOBAL:
            return f"{kind.value}, by {network}"
        wide = f" of {self.side(domain, history):g} of each range" if kind is Kind.NEAR else ""
        return f"{kind.value}{wide}, by {network}{'' if together else ' or by hinges'}"

    def side(self, domain: Domain, history: History) -> float:
        """The side of the box after the gains and failures of all steps in boxes."""
        patience = max(4, min(len(domain.variables), 8))
        side, gains, failures, chosen = SIDE, 0, 0, 0
        seen: list[float] = []
        for trial in history:
            boxed = trial.certificate is not None and kind_of(chosen, domain) is Kind.NEAR
            chosen += trial.certificate is not None
            if not isinstance(trial.outcome, Finished | Failed):
                continue
            value = trial.outcome.value if isinstance(trial.outcome, Finished) else -np.inf
            if boxed and seen:
                gained = value > seen[-1] + NOTICED * min(abs(seen[-1]), half_spread(seen))
                gains, failures = (gains + 1, 0) if gained else (0, failures + 1)
                if gains == GAINS:
                    side, gains = min(WIDEST, 2 * side), 0
                if failures == patience:
                    side, failures = side / 2, 0
                if side < LEAST_SIDE:
                    side = SIDE
            if isinstance(trial.outcome, Finished):
                insort(seen, value)
        return side


def told(kind: str, learner: Learner, by_rank: bool, count: int) -> Step:
    """A step over the whole domain that is fitted to so many points, with the name of its surrogate."""
    name = f"{kind}, of the {'ranks' if by_rank else 'values'} of {count} points"
    return Step(Ranked(learner, 1.0) if by_rank else learner, name)


def kind_of(chosen: int, domain: Domain) -> Kind:
    """Where a model searches after so many points that models have chosen."""
    place = chosen % ROUND
    if place == ROUND - 1:
        return Kind.GLOBAL
    return Kind.ELSEWHERE if place in VISITS and len(choices(domain)) else Kind.NEAR


@kept
def choices(domain: Domain) -> IntArray:
    """The categorical variables, by index."""
    choosing = [v.kind == "categorical" and len(v.codes) > 1 for v in domain.variables]
    return np.flatnonzero(choosing)


def elsewhere(domain: Domain, history: History, centre: int, rng: Generator) -> Box:
    """All points of another category, round the best one that has it.

    The category is one of those that the best point of all does not have, good ones more often. Where the
    best point's own is good enough to beat others that are hardly known, boxes round it never leave it.
    """
    codes, values = history.points.codes(domain), history.values
    best, places = codes[centre], domain.coding
    inside: BoolArray = np.all((codes >= places.low) & (codes <= places.high), axis=1)
    inside[inside] = domain.feasible(codes[inside])
    arms: list[tuple[float, int, Point]] = []
    for i in choices(domain).tolist():
        for code in domain.variables[i].codes:
            having = np.flatnonzero(inside & (codes[:, i] == code))
            if code == best[i]:
                continue
            if len(having):
                top = int(having[np.argmax(values[having])])
                arms.append((float(values[top]), i, history.points[top]))
            else:  # never tried, and so the first to be
                arms.append((np.inf, i, tuple(np.where(np.arange(len(best)) == i, code, best).tolist())))
    arms.sort(key=lambda arm: -arm[0])
    odds = 1.0 / np.arange(1, len(arms) + 1)
    _, i, point = arms[int(rng.choice(len(arms), p=odds / odds.sum()))]
    return Box.with_code(domain, point, i)


def half_spread(ordered: list[float]) -> float:
    """Half the distance between the quartiles of ordered values."""
    return (ordered[(3 * len(ordered)) // 4] - ordered[len(ordered) // 4]) / 2


def best_inside(domain: Domain, history: History) -> int | None:
    """The place of the best finished trial that is in the domain; None where none is."""
    order = np.argsort(-history.values, kind="stable").tolist()
    return next((place for place in order if domain.contains(history.points[place])), None)


def near_points(domain: Domain, history: History, box: Box) -> IntArray:
    """The finished trials nearest to the centre of a box, and all that are about as near as its sides."""
    codes, places = history.points.codes(domain), domain.coding
    ranges = np.maximum(1, places.high - places.low)
    away = np.abs(codes - box.centre) / ranges
    distance = np.where(box.unordered, 0.0, away).max(axis=1)
    distance = distance + CHANGED * (codes != box.centre)[:, box.unordered].sum(axis=1)
    count = max(NEAREST, 4 * (len(domain.variables) + 1))
    nearest = np.argsort(distance, kind="stable")[:count]
    return np.union1d(nearest, np.flatnonzero(distance <= box.side))
