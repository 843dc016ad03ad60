"""The compiled climb: a change of one variable, and a chain of repairs until the constraints hold.

One variable changes; while some row is violated, the change of a variable in it that leaves the least total
violation follows (ejection chains, Glover 1996). Chains that end feasible are moves.
"""

from typing import NamedTuple

import numpy as np

from milbox.arrays import FloatArray, IntArray
from milbox.compiled.jit import entry, inlined, kernel, larger

LONGEST = 8
"""Changes in a chain before it is given up."""
TOLERANCE = 1e-9


class Options(NamedTuple):
    """What each (variable, code) does: to which variable it belongs, and what it adds to the rows."""

    variable: IntArray
    """(options,)"""
    first: IntArray
    """(variables + 1,): where each variable's options begin."""
    row_start: IntArray
    """(options + 1,): where each option's entries begin."""
    row: IntArray
    adds: FloatArray
    option_start: IntArray
    """(rows + 1,): where each row's options begin."""
    option: IntArray
    """In ascending order within each row: those of one variable follow one another."""
    lower: FloatArray
    upper: FloatArray


class Layers(NamedTuple):
    """The network, its first layer over options."""

    table: FloatArray
    """(options, units)"""
    bias: FloatArray
    """(units,)"""
    weights: FloatArray
    """Those of the other layers: each one's matrix, then its bias."""
    sizes: IntArray
    """(layers,): how many units each has."""


class Tried(NamedTuple):
    """The points that must not be found: as options of the variables."""

    state: IntArray
    """(tried, variables)"""
    label: IntArray
    """(tried,)"""


class Found(NamedTuple):
    """The best points met that were not tried before: as options of the variables."""

    options: IntArray
    """(kept, variables)"""
    values: FloatArray


class Desk(NamedTuple):
    """The point at hand, and room to work in; what is in there when a climb begins does not matter."""

    state: IntArray
    """(variables,): the options of the point at hand."""
    order: IntArray
    """(options,): which is changed to first, second and so on."""
    hidden: FloatArray
    """(units,): its first pre-activations."""
    activity: FloatArray
    """(rows,)"""
    scratch: FloatArray
    """(2, widest layer)"""
    moved: IntArray
    """(LONGEST,): the variables of a chain, and the options they had."""
    olds: IntArray


@kernel
def forward(weights: FloatArray, sizes: IntArray, hidden: FloatArray, scratch: FloatArray) -> float:
    """The network's output from its first pre-activations: ReLU, then layer by layer."""
    below, above = scratch[0], scratch[1]
    width = len(hidden)
    for j in range(width):
        below[j] = larger(hidden[j], 0.0)
    at = 0
    for depth in range(1, len(sizes)):
        units = sizes[depth]
        matrix, bias = weights[at : at + width * units], weights[at + width * units :]
        for k in range(units):
            total = bias[k]
            for j in range(width):
                total += below[j] * matrix[j * units + k]
            if depth < len(sizes) - 1 and total < 0.0:
                total = 0.0
            above[k] = total
        at += (width + 1) * units
        width = units
        below, above = above, below
    return float(below[0])


@inlined
def excess(activity: float, lower: float, upper: float) -> float:
    """How far a row is from its limits."""
    if activity > upper + TOLERANCE:
        return activity - upper
    if activity < lower - TOLERANCE:
        return lower - activity
    return 0.0


@inlined
def violation(options: Options, desk: Desk, row: int) -> float:
    """How far the point at hand is from a row's limits."""
    return excess(desk.activity[row], options.lower[row], options.upper[row])


@inlined
def shift(table: FloatArray, hidden: FloatArray, old: int, new: int) -> None:
    """Replace one option by another in the first pre-activations."""
    gone, come = table[old], table[new]
    for j in range(len(hidden)):
        hidden[j] += come[j] - gone[j]


@inlined
def change(layers: Layers, options: Options, desk: Desk, old: int, new: int) -> float:
    """Replace one option by another; returns what that adds to the total violation."""
    shift(layers.table, desk.hidden, old, new)
    added = 0.0
    for side in range(2):
        option = old if side == 0 else new
        for e in range(options.row_start[option], options.row_start[option + 1]):
            r = options.row[e]
            added -= violation(options, desk, r)
            desk.activity[r] += -options.adds[e] if side == 0 else options.adds[e]
            added += violation(options, desk, r)
    return added


@kernel
def best_repair(layers: Layers, options: Options, desk: Desk, violated: int, count: int) -> int:
    """The option, of a variable in the violated row, that leaves the least violation, then the best value."""
    chosen = -1
    least = 1e300
    most = -1e300
    before = -1
    for k in range(options.option_start[violated], options.option_start[violated + 1]):
        variable = options.variable[options.option[k]]
        if variable == before:
            continue
        before = variable
        free = True
        for m in range(count):
            if desk.moved[m] == variable:
                free = False
        if not free:
            continue
        old = desk.state[variable]
        for new in range(options.first[variable], options.first[variable + 1]):
            if new == old:
                continue
            apart = violation(options, desk, violated)
            added = change(layers, options, desk, old, new)
            if violation(options, desk, violated) < apart and added <= least + TOLERANCE:
                value = forward(layers.weights, layers.sizes, desk.hidden, desk.scratch)
                if added < least - TOLERANCE or value > most:
                    chosen, least, most = new, min(added, least), value
            change(layers, options, desk, new, old)
    return chosen


@kernel
def labelled(state: IntArray) -> int:
    """A number for a point; two points may share one, which costs a climb a point and nothing else."""
    mixed = np.uint64(1469598103934665603)
    for i in range(len(state)):
        mixed = (mixed ^ np.uint64(state[i])) * np.uint64(1099511628211)
    return np.int64(mixed >> np.uint64(1))  # type: ignore[return-value]  # an int, once compiled


@entry
def label_all(tried: Tried) -> None:
    """Number the tried points."""
    for k in range(len(tried.label)):
        tried.label[k] = labelled(tried.state[k])


@kernel
def keep(state: IntArray, value: float, label: IntArray, found: Found) -> None:
    """Remember a point if it is among the best that were not tried, whose labels are in ascending order."""
    worst = 0
    for k in range(len(found.values)):
        if found.values[k] < found.values[worst]:
            worst = k
        if found.values[k] == value:
            same = True
            for i in range(len(state)):
                if found.options[k, i] != state[i]:
                    same = False
                    break
            if same:
                return
    if value <= found.values[worst]:
        return
    own = labelled(state)
    low, high = 0, len(label)
    while low < high:
        middle = (low + high) // 2
        if label[middle] < own:
            low = middle + 1
        else:
            high = middle
    if low < len(label) and label[low] == own:
        return
    found.values[worst] = value
    for i in range(len(state)):
        found.options[worst, i] = state[i]


@entry
def climb(layers: Layers, options: Options, tried: Tried, found: Found, desk: Desk, rounds: int) -> None:
    """Take every chain that ends feasible and higher, until none does or the rounds are over."""
    state, hidden, activity, moved, olds = desk.state, desk.hidden, desk.activity, desk.moved, desk.olds
    for j in range(len(hidden)):
        hidden[j] = layers.bias[j]
    for r in range(len(activity)):
        activity[r] = 0.0
    for i in range(len(state)):
        come = layers.table[state[i]]
        for j in range(len(hidden)):
            hidden[j] += come[j]
        for e in range(options.row_start[state[i]], options.row_start[state[i] + 1]):
            activity[options.row[e]] += options.adds[e]
    value = forward(layers.weights, layers.sizes, desk.hidden, desk.scratch)
    for _ in range(rounds):
        improved = False
        for step in range(len(desk.order)):
            new = desk.order[step]
            variable = options.variable[new]
            old = state[variable]
            if new == old:
                continue
            wrong = change(layers, options, desk, old, new)
            state[variable] = new
            count = 0
            moved[count], olds[count] = variable, old
            count += 1
            while wrong > TOLERANCE and count < LONGEST:
                violated = -1
                for m in range(count):
                    for side in range(2):
                        option = olds[m] if side == 0 else state[moved[m]]
                        for e in range(options.row_start[option], options.row_start[option + 1]):
                            if violation(options, desk, options.row[e]) > 0.0:
                                violated = options.row[e]
                                break
                        if violated >= 0:
                            break
                    if violated >= 0:
                        break
                if violated < 0:
                    break
                repair = best_repair(layers, options, desk, violated, count)
                if repair < 0:
                    break
                variable = options.variable[repair]
                moved[count], olds[count] = variable, state[variable]
                wrong += change(layers, options, desk, state[variable], repair)
                state[variable] = repair
                count += 1
            if wrong <= TOLERANCE:
                here = forward(layers.weights, layers.sizes, desk.hidden, desk.scratch)
                keep(state, here, tried.label, found)
                if here > value + 1e-12 * abs(value):
                    value = here
                    improved = True
                    continue
            for m in range(count - 1, -1, -1):
                change(layers, options, desk, state[moved[m]], olds[m])
                state[moved[m]] = olds[m]
        if not improved:
            break
