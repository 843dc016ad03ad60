"""Feasible points where sums are in no diagram, by repairing random ones.

Each part of the domain's product takes a state at random. While a sum is violated, a part changes its
state, or two parts of equally many states exchange theirs, whichever leaves the least violation. A state
that was left is tabu for a while (Glover 1989), and sums that stay violated where no move helps weigh more
(Morris 1993). The points are random but not uniform: those at which more repairs end are more likely.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from milbox.arrays import FloatArray, IntArray, Point
from milbox.domain import Domain
from milbox.domain.diagrams.machines import added
from milbox.domain.diagrams.product import Block
from milbox.domain.kept import kept

STATES = 1 << 12
"""The most states of a part that are listed."""

CELLS = 1 << 20
"""The most states times sums: about a millisecond a move."""

MOVES = 1_000
"""Moves before a repair is given up."""

PAIRS = 2_000
"""Exchanges that are looked at before a move, drawn at random where there are more."""

TABU = 3, 11
"""Between how many moves a state that was left is tabu."""


@dataclass(frozen=True, slots=True, eq=False)
class Sums:
    """What the states of all parts, one behind the other, add to the sums."""

    blocks: tuple[Block, ...]
    first: IntArray
    """(blocks,): the first state of each."""
    block: IntArray
    """(states,)"""
    adds: FloatArray
    """(states, sums): whole numbers."""
    lower: FloatArray
    upper: FloatArray
    weight: FloatArray
    """(sums,): one divided by the largest number that is added."""

    def violation(self, sums: FloatArray) -> FloatArray:
        """By how much each sum misses its limits."""
        missed: FloatArray = np.maximum(sums - self.upper, 0.0) + np.maximum(self.lower - sums, 0.0)
        return missed


@kept
def sums_of(domain: Domain) -> Sums | None:
    """The sums of the domain's ties over the states of its parts; None where there are none, or too many."""
    product = domain.product
    blocks = product.blocks(STATES) if product.ties and not product.rest else None
    if blocks is None or any(not len(block.states) for block in blocks):
        return None
    sizes = np.array([len(block.states) for block in blocks])
    if int(sizes.sum()) * len(product.ties) > CELLS:
        return None
    adds = np.zeros((int(sizes.sum()), len(product.ties)))
    first = np.cumsum(sizes) - sizes
    lows = domain.coding.low
    for k, tie in enumerate(product.ties):
        by_variable = added(tie, domain.variables, domain.index)
        for block, begin in zip(blocks, first.tolist(), strict=True):
            for place, i in enumerate(block.variables.tolist()):
                if i in by_variable:
                    codes = block.states[:, place] - lows[i]
                    adds[begin : begin + len(codes), k] += np.asarray(by_variable[i])[codes]
    lower, upper = (np.array([getattr(tie, side) for tie in product.ties]) for side in ("lower", "upper"))
    largest = np.maximum(np.abs(adds).max(axis=0), 1.0)
    return Sums(blocks, first, np.repeat(np.arange(len(blocks)), sizes), adds, lower, upper, 1.0 / largest)


def repaired(domain: Domain, rng: Generator, moves: int = MOVES) -> Point | None:
    """A random feasible point; None where the domain has no sums to repair, or that took too many moves."""
    sums = sums_of(domain)
    if sums is None:
        return None
    sizes = np.bincount(sums.block)
    states = sums.first + rng.integers(sizes)
    weight, tabu = sums.weight.copy(), np.zeros(len(sums.block), dtype=np.int64)
    for move in range(moves):
        own = sums.adds[states]
        total = own.sum(axis=0)
        missed = sums.violation(total)
        if not missed.any():
            return point_of(domain, sums, states)
        single = sums.violation(total - own[sums.block] + sums.adds) @ weight
        single[states] = math.inf
        single[tabu > move] = math.inf
        best = int(np.argmin(single + 1e-9 * rng.random(len(single))))
        one, other = exchanges(sizes, rng)
        there, back = (
            sums.first[one] + (states - sums.first)[other],
            sums.first[other] + (states - sums.first)[one],
        )
        double = sums.violation(total - own[one] - own[other] + sums.adds[there] + sums.adds[back]) @ weight
        double[(there == states[one]) | (tabu[there] > move) | (tabu[back] > move)] = math.inf
        pair = int(np.argmin(double)) if len(double) else -1
        least = min(single[best], double[pair]) if pair >= 0 else single[best]
        if not math.isfinite(least):
            return None  # everything is tabu
        if least >= missed @ weight:
            weight = weight + sums.weight * (missed > 0.0)
        until = move + int(rng.integers(*TABU))
        if single[best] <= least:
            tabu[states[sums.block[best]]] = until
            states[sums.block[best]] = best
        else:
            changed = [one[pair], other[pair]]
            tabu[states[changed]] = until
            states[changed] = [there[pair], back[pair]]
    return None


def exchanges(sizes: IntArray, rng: Generator) -> tuple[IntArray, IntArray]:
    """Pairs of parts with equally many states: all of them, or some drawn at random."""
    count = len(sizes)
    if count * (count - 1) // 2 <= PAIRS:
        one, other = np.triu_indices(count, 1)
    else:
        one, other = rng.integers(count, size=(2, PAIRS))
    alike = (sizes[one] == sizes[other]) & (one != other)
    return one[alike], other[alike]


def point_of(domain: Domain, sums: Sums, states: IntArray) -> Point:
    """The point in which each part has its state."""
    codes = np.empty(len(domain.variables), dtype=np.int64)
    for block, state in zip(sums.blocks, (states - sums.first).tolist(), strict=True):
        codes[block.variables] = block.states[state]
    return tuple(codes.tolist())
