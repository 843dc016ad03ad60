"""Compiled selection, crossover and mutation, a whole batch at a time.

Compiled; the only randomness is splitmix64 (Steele et al. 2014), whose state is the one entry of `state`.
A *gene* is one entry of the arrays that evolution works on, coded 0, 1, ..., size - 1.
"""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from milbox.arrays import FloatArray, IntArray
from milbox.compiled.jit import entry, kernel
from milbox.compiled.random import STEP, bounded, fraction, mixed

State: TypeAlias = npt.NDArray[np.uint64]


@kernel
def below(size: int, state: State) -> int:
    """A number from 0 to size - 1."""
    state[0] += STEP
    return bounded(size, mixed(state[0]))


@kernel
def happens(probability: float, state: State) -> bool:
    """True with that probability."""
    state[0] += STEP
    return bool(fraction(mixed(state[0])) < probability)


@entry
def tournaments(
    values: FloatArray, tournament: int, firsts: IntArray, seconds: IntArray, state: State
) -> None:
    """For each place of `firsts` and `seconds`, the best two of `tournament` different members, in place."""
    alive = len(values)
    entrants = min(tournament, alive)
    order = np.arange(alive)
    for k in range(len(firsts)):
        best, second = -1, -1
        for i in range(entrants):
            # The first places of a shuffle; what earlier tournaments left behind is as good a start as any.
            j = i + below(alive - i, state)
            order[i], order[j] = order[j], order[i]
            member = order[i]
            if best < 0 or values[member] > values[best]:
                best, second = member, best
            elif second < 0 or values[member] > values[second]:
                second = member
        firsts[k] = best
        seconds[k] = second if second >= 0 else best


@entry
def cross(first: IntArray, second: IntArray, crossover: float, children: IntArray, state: State) -> None:
    """Copy two parents left to right, changing from one to the other with a probability after each gene."""
    for k in range(len(children)):
        here = below(2, state) == 0
        for p in range(children.shape[1]):
            children[k, p] = first[k, p] if here else second[k, p]
            if happens(crossover, state):
                here = not here


@entry
def mutate(children: IntArray, sizes: IntArray, rates: FloatArray, state: State) -> None:
    """Change each gene to a different one with its rate, in place."""
    for k in range(len(children)):
        for p in range(len(sizes)):
            if rates[p] > 0.0 and sizes[p] > 1 and happens(rates[p], state):
                other = below(sizes[p] - 1, state)
                children[k, p] = other if other < children[k, p] else other + 1


@entry
def mutate_balanced(
    children: IntArray, members: IntArray, starts: IntArray, mutation: float, state: State
) -> None:
    """The paper's paired-subset mutator (Appendix C.6), in place.

    Subset s is members[starts[s]:starts[s + 1]]; subsets 2j and 2j + 1 are a pair. One of the two, chosen at
    random, flips each of its items with probability `mutation`; the other flips as many zeros (or ones),
    chosen at random, as it takes to balance.
    """
    for k in range(len(children)):
        child = children[k]
        for j in range(len(starts) // 2):
            side = below(2, state)
            free, bound = 2 * j + side, 2 * j + 1 - side
            net = 0
            for place in range(starts[free], starts[free + 1]):
                if happens(mutation, state):
                    item = members[place]
                    net += 1 - 2 * child[item]
                    child[item] = 1 - child[item]
            old = 0 if net > 0 else 1
            left = 0
            for place in range(starts[bound], starts[bound + 1]):
                left += child[members[place]] == old
            due = abs(net)
            # Selection sampling (Knuth 3.4.2 S): each item left is taken with probability due / left.
            for place in range(starts[bound], starts[bound + 1]):
                item = members[place]
                if due > 0 and child[item] == old:
                    if below(left, state) < due:
                        child[item] = 1 - old
                        due -= 1
                    left -= 1


@entry
def exchange(children: IntArray, sizes: IntArray, members: IntArray, starts: IntArray, state: State) -> None:
    """Swap the values of two variables that share a constraint, once or a few times, in place.

    Constraint c is about members[starts[c]:starts[c + 1]]. A swap is drawn at random and takes place where
    both variables have the same number of codes.
    """
    rows = len(starts) - 1
    for k in range(len(children)):
        child = children[k]
        while True:
            row = below(rows, state)
            count = starts[row + 1] - starts[row]
            # Most pairs of a sparse point are equal, and swapping those changes nothing: try some.
            for _ in range(8):
                a = members[starts[row] + below(count, state)]
                b = members[starts[row] + below(count, state)]
                if child[a] != child[b] and sizes[a] == sizes[b]:
                    child[a], child[b] = child[b], child[a]
                    break
            if below(2, state) == 0:
                break


@entry
def evolve(
    genes: IntArray,
    values: FloatArray,
    founders: int,
    batch: int,
    tournament: int,
    alive: int,
    crossover: float,
    sizes: IntArray,
    rates: FloatArray,
    members: IntArray,
    starts: IntArray,
    mutation: float,
    table: FloatArray,
    first: IntArray,
    bias: FloatArray,
    weight: FloatArray,
    offset: float,
    state: State,
) -> None:
    """A whole evolution on f(x) = offset + sum_u weight_u max(0, h_u), h = bias + sum_p table[first_p + x_p].

    Rows of `genes` from `founders` on, and all `values`, are filled in place. The same children, drawn from
    the same random numbers, as by the kernels above one after another, which is what it calls; only h is
    carried over from the first parent, and what differs is added.
    """
    size, positions = genes.shape
    units = len(bias)
    hidden = np.empty((size, units))
    for k in range(founders):
        for u in range(units):
            hidden[k, u] = bias[u]
        for p in range(positions):
            row = first[p] + genes[k, p]
            for u in range(units):
                hidden[k, u] += table[row, u]
        values[k] = output(hidden[k], weight, offset)
    best, second = np.empty(batch, np.int64), np.empty(batch, np.int64)
    mothers, fathers = np.empty((batch, positions), np.int64), np.empty((batch, positions), np.int64)
    born = founders
    while born < size:
        count = min(batch, size - born)
        oldest = max(0, born - alive)
        tournaments(values[oldest:born], tournament, best[:count], second[:count], state)
        children = genes[born : born + count]
        for k in range(count):
            mothers[k] = genes[oldest + best[k]]
            fathers[k] = genes[oldest + second[k]]
        if len(starts) > 1:
            children[:] = mothers[:count]
            mutate_balanced(children, members, starts, mutation, state)
        else:
            cross(mothers[:count], fathers[:count], crossover, children, state)
        mutate(children, sizes, rates, state)
        for k in range(count):
            h = hidden[born + k]
            h[:] = hidden[oldest + best[k]]
            for p in range(positions):
                if children[k, p] != mothers[k, p]:
                    gone, come = first[p] + mothers[k, p], first[p] + children[k, p]
                    for u in range(units):
                        h[u] += table[come, u] - table[gone, u]
            values[born + k] = output(h, weight, offset)
        born += count


@kernel
def output(hidden: FloatArray, weight: FloatArray, offset: float) -> float:
    """The output layer on one point's pre-activations."""
    total = offset
    for u in range(len(weight)):
        total += weight[u] * max(hidden[u], 0.0)
    return total
