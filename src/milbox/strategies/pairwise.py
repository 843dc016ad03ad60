"""The steps by a pairwise model, searched exactly in a ball round the best point."""

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator

from milbox.domain import Domain
from milbox.domain.box import Box
from milbox.domain.kept import kept
from milbox.inner.pairs.moves import groups_of
from milbox.inner.pairs.solve import PROVABLE, Pairs
from milbox.strategies.local import Step, best_inside
from milbox.surrogates import Learner, QuadraticLearner, Ranked
from milbox.trials import Failed, History

FLIPS, LETTERS = 8, 4
"""In how many variables a point may differ from the best one: where they have few values, and else."""

PATIENCE, DOUBLED = 20, 16
"""So many points without a gain double the radius, and so often at most."""

FEWEST = 3
"""Equal labels say something where so many groups have one alphabet."""


@dataclass(frozen=True, slots=True)
class Pairwise:
    """A pairwise model near the best point, in a share of the steps; a network everywhere in the others.

    Attributes:
        share: the probability that a step is by the pairwise model.
        radius: in how many variables its point may differ from the best one, at first; None leaves it to the
            domain.
        pairs: who learns pairs.
        draws: how far from the posterior's mean (0) to a draw from it (1) models are, at random within these:
            some steps exploit, others explore.
        network: who learns in the other steps, and where trials have failed.
    """

    share: float = 1.0
    radius: int | None = None
    pairs: QuadraticLearner = QuadraticLearner(pairs=None)
    draws: tuple[float, float] = (0.0, 1.0)
    network: Learner = Ranked()

    def applies(self, domain: Domain) -> bool:
        """Whether the domain is discrete and its points have few enough neighbours."""
        return Pairs().domain_refusal(domain) is None

    def step(self, domain: Domain, history: History, ahead: int, rng: Generator) -> Step:
        """The step that follows a history, whatever was chosen since."""
        del ahead
        centre = best_inside(domain, history)
        by_pairs = rng.random() < self.share
        if centre is None:
            return Step(self.network, "a network, since no point near which to look has been measured")
        if history.goal.limits:
            return Step(self.network, "a network, since pairs do not learn limits")
        if learns_failures(history):
            return Step(self.network, "a network, since pairs do not learn failures")
        if not by_pairs:
            return Step(self.network, f"a network, by a chance of {1.0 - self.share:.0%}")
        learner = replace(self.pairs, draw=float(rng.uniform(*self.draws)), labels=labels_of(domain))
        name = "pairs" if self.share >= 1.0 else f"pairs, by a chance of {self.share:.0%}"
        ball = Box.ball(domain, history.points[centre], self.reach(domain, history))
        beyond = Step(self.network, "a network, since pairs met no untried point near the best one")
        return Step(learner, name, box=ball, beyond=beyond)

    def reach(self, domain: Domain, history: History) -> int:
        """In how many variables a point may differ: in fewer where each has many neighbours.

        Where groups of variables do not depend on one another, points without a gain double the number: a
        tabu search finds good points of large balls there, if no proofs.
        """
        groups = groups_of(domain)
        assert not isinstance(groups, str), "applies() says no to others"
        first = FLIPS if groups.moves <= 2 * len(domain.variables) else LETTERS
        reach = first if self.radius is None else self.radius
        doubled = since_gain(domain, history) // PATIENCE if groups.free else 0
        return min(reach << min(doubled, DOUBLED), len(domain.variables))

    def next_step(self, domain: Domain, history: History) -> str:
        """Where the next point is searched for, and by which beliefs."""
        reach = self.reach(domain, history)
        proved = ", as far as a proof is found" if reach <= PROVABLE else ""
        near = f"at most {reach} variables away from the best one{proved}, by pairs"
        return near if self.share >= 1.0 else f"{near}, or everywhere, by a network"


def since_gain(domain: Domain, history: History) -> int:
    """How many points that a surrogate chose have been measured after the best one."""
    best = best_inside(domain, history)
    if best is None:
        return 0
    later = {trial.point for trial in history.finished[best + 1 :] if trial.certificate is not None}
    return len(later - {history.finished[best].point})


def learns_failures(history: History) -> bool:
    """Whether failed trials take part in what is believed, which a network alone can say."""
    return history.goal.learn_failures and any(
        isinstance(trial.outcome, Failed) and trial.outcome.infeasible for trial in history
    )


@kept
def labels_of(domain: Domain) -> tuple[tuple[int, ...], ...]:
    """The features of each group that has one of several labels, for groups with one alphabet.

    Groups are one-hot variables, or parts of binaries of which exactly one is on. Those with the most common
    alphabet are listed, if they are several.
    """
    coding, found = domain.coding, Counter[object]()
    rows: list[tuple[object, tuple[int, ...]]] = []
    for i in np.flatnonzero(coding.onehot).tolist():
        variable = domain.variables[i]
        alphabet = (variable.kind, tuple(variable.codes), getattr(variable, "choices", None))
        rows.append((alphabet, tuple(coding.group(i).tolist())))
    for part in domain.product.parts:
        ones = len(part.variables)
        if ones > 1 and part.count == ones and coding.flag[part.variables].all():
            states = part.listed()
            if (states.sum(axis=1) == 1).all():
                features = np.sort(coding.start[part.variables])
                rows.append((ones, tuple(features.tolist())))
    found.update(alphabet for alphabet, row in rows if len(row) > 1)
    if not found:
        return ()
    common, count = found.most_common(1)[0]
    return tuple(row for alphabet, row in rows if alphabet == common) if count >= FEWEST else ()
