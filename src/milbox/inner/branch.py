"""What is the exact best untried point of a network over a product of small blocks?

The domain's independent groups of variables are the blocks, their feasible joint states the letters. Where
constraints leave no small groups, as in an assignment, sums among them become ties between smaller blocks.
See `branch_search` for the method.
"""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.random import Generator

from milbox.arrays import FloatArray, IntArray, Point
from milbox.domain import Domain
from milbox.domain.blocks import STATES, tied_blocks
from milbox.errors import UnsupportedProgram
from milbox.inner.branch_letters import Letters, letters
from milbox.inner.climb import climbed
from milbox.inner.loading import load_climbs, load_search
from milbox.inner.untried import untried
from milbox.milp.solution import Limits, Status
from milbox.surrogates.base import Surrogate
from milbox.surrogates.linear import Linear
from milbox.surrogates.relu import ReluNet
from milbox.trials.answer import Answer, Empty, Found, Unknown, joined
from milbox.trials.trial import Certificate, Proposal

if TYPE_CHECKING:
    from milbox.inner.branch_search import Found as Searched
    from milbox.inner.branch_sum import Sum

ROUNDING = 1e-10
"""The kernel's value and the surrogate's own may differ by this share of the largest value there can be."""

ENTRIES = 1 << 25
"""The largest table of letters by units and ties: 256 MB."""

LARGEST = 2.0**18
"""Sums of ties stay below this: a solver that looks for a first point has relative tolerances of a millionth,
and could not tell larger ones apart."""


@dataclass(frozen=True, slots=True)
class Branch:
    """Exact for networks of up to two hidden layers, and linear surrogates, where constraints make blocks.

    Sums over variables of several blocks, with whole coefficients, may tie blocks together.

    Attributes:
        limits: when the search stops; the best points in hand are returned with the bound proved so far.
            They do not keep it from finding `count` points at all.
        states: blocks with more joint states than this are left to other methods.
    """

    limits: Limits = Limits()
    states: int = STATES

    def refusal(self, surrogate: Surrogate, domain: Domain) -> str | None:
        """Why it cannot be used here; None when it can."""
        if not isinstance(surrogate, Linear | ReluNet):
            return f"it takes networks and linear surrogates, not {type(surrogate).__name__}"
        if isinstance(surrogate, ReluNet) and len(surrogate.hidden) > 2:
            return f"the network has {len(surrogate.hidden)} hidden layers, and it takes at most two"
        tied = tied_blocks(domain, self.states)
        if tied is None:
            return f"constraints that are no sums leave groups of more than {self.states} joint states"
        count, units = sum(len(block.states) for block in tied.blocks), hidden_units(surrogate)
        rows = units + 2 * len(tied.ties)
        if count * (rows + 1) > ENTRIES:
            return f"{count} joint states times {rows} units and sums are too many to keep in memory"
        listed = letters(domain, self.states)
        if listed is not None and listed.ties is not None and listed.ties.largest > LARGEST:
            return f"sums that tie variables together are too large: they may reach {LARGEST:,.0f}"
        return None

    def prepare(self, domain: Domain) -> None:
        """Load what a search of the domain calls, so that no time limit pays for compiling it."""
        load_search()
        listed = letters(domain, self.states)
        if listed is not None and listed.ties is not None:
            load_climbs()

    def best(
        self, surrogate: Surrogate, domain: Domain, forbidden: Sequence[Point], count: int, rng: Generator
    ) -> Answer:
        """The `count` best points, best first; fewer when fewer are left."""
        # numba is slow to import, so whoever does not search does not pay for it.
        from milbox.inner.branch_search import maximise

        refusal = self.refusal(surrogate, domain)
        if refusal is not None:
            raise UnsupportedProgram(f"branch and bound cannot be used: {refusal}")
        self.prepare(domain)
        began = time.perf_counter()
        listed = letters(domain, self.states)
        if listed is None:
            return Empty()  # a block has no state
        if listed.ties is not None:
            return self.best_tied(surrogate, domain, forbidden, count, rng, listed)
        tried = listed.numbers(forbidden)
        found = maximise(
            as_sum(surrogate, listed),
            tried,
            count,
            rng,
            seconds=self.limits.seconds - (time.perf_counter() - began),
            nodes=self.limits.nodes,
            gap=self.limits.gap,
        )
        if len(found.points):
            return Found(self.proposals(surrogate, domain, listed, tried, found, began))
        every = math.prod(len(block.states) for block in listed.blocks)
        if len(np.unique(tried, axis=0)) == every:
            return Empty()
        return Unknown(f"branch and bound met none of the untried ones among {every} points")

    def best_tied(
        self,
        surrogate: Surrogate,
        domain: Domain,
        forbidden: Sequence[Point],
        count: int,
        rng: Generator,
        listed: Letters,
    ) -> Answer:
        """The same with ties, one point after another: a point to start from has to be found elsewhere."""
        from milbox.inner.branch_search import maximise

        proposals: tuple[Proposal, ...] = ()
        until = time.perf_counter() + self.limits.seconds
        while len(proposals) < count:
            began = time.perf_counter()
            seen = [*forbidden, *(proposal.point for proposal in proposals)]
            start = first_point(surrogate, domain, seen, rng)
            if isinstance(start, Empty | Unknown):
                return joined(proposals, start)
            tried = listed.numbers(seen)
            found = maximise(
                as_sum(surrogate, listed),
                tried,
                1,
                rng,
                seconds=until - time.perf_counter(),
                nodes=self.limits.nodes,
                gap=self.limits.gap,
                start=listed.numbers([start])[0],
            )
            assert len(found.points), "the start is one"
            proposals += self.proposals(surrogate, domain, listed, tried, found, began)
        return Found(proposals)

    def proposals(
        self,
        surrogate: Surrogate,
        domain: Domain,
        listed: Letters,
        tried: IntArray,
        found: "Searched",
        began: float,
    ) -> tuple[Proposal, ...]:
        """What was found as points of the domain, checked and certified."""
        points = listed.points(found.points)
        own = surrogate.predict(domain.encode(points))
        seconds = time.perf_counter() - began
        proposals = []
        for place, point in enumerate(map(tuple, points.tolist())):
            assert domain.contains(point), "blocks list feasible states, and ties are exact"
            assert not (tried == found.points[place]).all(axis=1).any(), "tried points are told apart"
            proposals.append(
                Proposal(
                    point,
                    "branch and bound",
                    self.certificate(found, place, float(own[place]), len(tried), seconds),
                )
            )
        return tuple(proposals)

    def certificate(
        self, found: "Searched", place: int, prediction: float, no_goods: int, seconds: float
    ) -> Certificate:
        """What is proved about one of the points found, once those before it are taken."""
        value = float(found.values[place])
        bound = max(value + found.slack, found.rest)
        residual = abs(value - prediction)
        proved = bound - value <= max(2.0 * found.slack, self.limits.gap * max(abs(value), abs(bound)))
        if not residual <= ROUNDING * found.scale:  # also if one of them is no number
            # What was searched is not the surrogate, and proves nothing about it.
            proved, bound = False, math.inf
        return Certificate(
            status=Status.OPTIMAL if proved else Status.FEASIBLE,
            value=value,
            bound=bound,
            residual=residual,
            no_goods=no_goods,
            seconds=seconds,
            solver=f"branch and bound ({found.nodes} node{'' if found.nodes == 1 else 's'})",
        )


def first_point(
    surrogate: Surrogate, domain: Domain, seen: Sequence[Point], rng: Generator
) -> Point | Empty | Unknown:
    """An untried point: one that is good already, if climbs from tried points meet one, or any."""
    climb = climbed(surrogate, domain, seen, rng)
    if climb is not None:
        return climb[0]
    answer = untried(domain, seen, 1, rng)
    if not isinstance(answer, Found):
        return answer
    point = answer.proposals[0].point
    climb = climbed(surrogate, domain, [*seen, point], rng)
    own = float(surrogate.predict(domain.encode([point]))[0])
    return climb[0] if climb is not None and climb[1] > own else point


def hidden_units(surrogate: Linear | ReluNet) -> int:
    """How many ReLUs there are."""
    return sum(len(layer.bias) for layer in surrogate.hidden) if isinstance(surrogate, ReluNet) else 0


def as_sum(surrogate: Surrogate, listed: Letters) -> "Sum":
    """The surrogate over letters instead of features."""
    from milbox.inner.branch_sum import Layered, Sum

    if isinstance(surrogate, Linear):
        surrogate = ReluNet.of([(surrogate.weights[:, None], np.array([surrogate.bias]))])
    assert isinstance(surrogate, ReluNet), "refusal() says no to others"
    hidden, output = surrogate.hidden, surrogate.output
    if not hidden:
        return Sum(listed.features @ output.weights, listed.first, output.bias, np.zeros(0), listed.ties)
    table = listed.features @ hidden[0].weights
    weight: FloatArray | Layered = output.weights[:, 0]
    if len(hidden) == 2:
        weight = Layered(hidden[1].weights, hidden[1].bias, output.weights[:, 0])
    return Sum(
        np.column_stack([table, np.zeros(len(table))]),
        listed.first,
        np.append(hidden[0].bias, output.bias),
        weight,
        listed.ties,
    )
