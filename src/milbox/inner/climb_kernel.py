"""How does a climb change several variables so that the constraints hold again? By a chain of repairs.

One variable changes; while some row is violated, the change of a variable in it that leaves the least total
violation follows (ejection chains, Glover 1996). Chains that end feasible are moves.
"""

from typing import NamedTuple

import numpy as np

from milbox.arrays import FloatArray, IntArray
from milbox.kernels import entry, kernel

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
    lower: FloatArray
    upper: FloatArray


class Found(NamedTuple):
    """The best points met that were not tried before: as options of the variables."""

    options: IntArray
    """(kept, variables)"""
    values: FloatArray


class Desk(NamedTuple):
    """Room to work in; what is in it when a climb begins does not matter."""

    hidden: FloatArray
    """(units,): the first pre-activations of the point at hand."""
    activity: FloatArray
    """(rows,)"""
    scratch: FloatArray
    """(2, widest layer)"""
    moved: IntArray
    """(LONGEST,): the variables of a chain, and the options they had."""
    olds: IntArray


@kernel
def forward(hidden: FloatArray, weights: FloatArray, sizes: IntArray, scratch: FloatArray) -> float:
    """The network's output from its first pre-activations: ReLU, then layer by layer."""
    width = sizes[0]
    for j in range(width):
        scratch[0, j] = max(hidden[j], 0.0)
    at = 0
    side = 0
    for depth in range(1, sizes.shape[0]):
        units = sizes[depth]
        for k in range(units):
            total = weights[at + width * units + k]
            for j in range(width):
                total += scratch[side, j] * weights[at + j * units + k]
            if depth < sizes.shape[0] - 1 and total < 0.0:
                total = 0.0
            scratch[1 - side, k] = total
        at += (width + 1) * units
        width = units
        side = 1 - side
    return float(scratch[side, 0])


@kernel
def excess(activity: float, lower: float, upper: float) -> float:
    """How far a row is from its limits."""
    if activity > upper + TOLERANCE:
        return activity - upper
    if activity < lower - TOLERANCE:
        return lower - activity
    return 0.0


@kernel
def change(
    old: int, new: int, table: FloatArray, options: Options, hidden: FloatArray, activity: FloatArray
) -> float:
    """Replace one option by another; returns what that adds to the total violation."""
    added = 0.0
    for j in range(hidden.shape[0]):
        hidden[j] += table[new, j] - table[old, j]
    for side in range(2):
        option = old if side == 0 else new
        for e in range(options.row_start[option], options.row_start[option + 1]):
            r = options.row[e]
            added -= excess(activity[r], options.lower[r], options.upper[r])
            activity[r] += -options.adds[e] if side == 0 else options.adds[e]
            added += excess(activity[r], options.lower[r], options.upper[r])
    return added


@kernel
def best_repair(
    violated: int,
    state: IntArray,
    moved: IntArray,
    count: int,
    table: FloatArray,
    options: Options,
    hidden: FloatArray,
    activity: FloatArray,
    weights: FloatArray,
    sizes: IntArray,
    scratch: FloatArray,
) -> int:
    """The option, of a variable in the violated row, that leaves the least violation, then the best value."""
    chosen = -1
    least = 1e300
    most = -1e300
    for k in range(options.option_start[violated], options.option_start[violated + 1]):
        variable = options.variable[options.option[k]]
        free = True
        for m in range(count):
            if moved[m] == variable:
                free = False
        if not free:
            continue
        old = state[variable]
        for new in range(options.first[variable], options.first[variable + 1]):
            if new == old:
                continue
            before = excess(activity[violated], options.lower[violated], options.upper[violated])
            added = change(old, new, table, options, hidden, activity)
            after = excess(activity[violated], options.lower[violated], options.upper[violated])
            if after < before and added <= least + TOLERANCE:
                value = forward(hidden, weights, sizes, scratch)
                if added < least - TOLERANCE or value > most:
                    chosen, least, most = new, min(added, least), value
            change(new, old, table, options, hidden, activity)
    return chosen


@entry
def label(state: IntArray) -> int:
    """A number for a point; two points may share one, which costs a climb a point and nothing else."""
    mixed = np.uint64(1469598103934665603)
    for i in range(state.shape[0]):
        mixed = (mixed ^ np.uint64(state[i])) * np.uint64(1099511628211)
    return np.int64(mixed >> np.uint64(1))  # type: ignore[return-value]  # an int, once compiled


@kernel
def keep(state: IntArray, value: float, tried: IntArray, found: Found) -> None:
    """Remember a point if it is among the best that were not tried."""
    worst = 0
    for k in range(found.values.shape[0]):
        if found.values[k] < found.values[worst]:
            worst = k
        if found.values[k] == value:
            same = True
            for i in range(state.shape[0]):
                if found.options[k, i] != state[i]:
                    same = False
                    break
            if same:
                return
    if value <= found.values[worst]:
        return
    mark = label(state)
    low, high = 0, tried.shape[0]
    while low < high:
        middle = (low + high) // 2
        if tried[middle] < mark:
            low = middle + 1
        else:
            high = middle
    if low < tried.shape[0] and tried[low] == mark:
        return
    found.values[worst] = value
    for i in range(state.shape[0]):
        found.options[worst, i] = state[i]


@entry
def climb(
    state: IntArray,
    order: IntArray,
    rounds: int,
    table: FloatArray,
    bias: FloatArray,
    weights: FloatArray,
    sizes: IntArray,
    options: Options,
    tried: IntArray,
    found: Found,
    desk: Desk,
) -> None:
    """Take every chain that ends feasible and higher, until none does or the rounds are over."""
    hidden, activity, scratch, moved, olds = desk
    for j in range(hidden.shape[0]):
        hidden[j] = bias[j]
    for r in range(activity.shape[0]):
        activity[r] = 0.0
    for i in range(state.shape[0]):
        for j in range(hidden.shape[0]):
            hidden[j] += table[state[i], j]
        for e in range(options.row_start[state[i]], options.row_start[state[i] + 1]):
            activity[options.row[e]] += options.adds[e]
    value = forward(hidden, weights, sizes, scratch)
    for _ in range(rounds):
        improved = False
        for step in range(order.shape[0]):
            new = order[step]
            variable = options.variable[new]
            old = state[variable]
            if new == old:
                continue
            wrong = change(old, new, table, options, hidden, activity)
            state[variable] = new
            moved[0], olds[0] = variable, old
            count = 1
            while wrong > TOLERANCE and count < LONGEST:
                violated = -1
                for m in range(count):
                    for side in range(2):
                        option = olds[m] if side == 0 else state[moved[m]]
                        for e in range(options.row_start[option], options.row_start[option + 1]):
                            r = options.row[e]
                            if excess(activity[r], options.lower[r], options.upper[r]) > 0.0:
                                violated = r
                                break
                        if violated >= 0:
                            break
                    if violated >= 0:
                        break
                if violated < 0:
                    break
                repair = best_repair(
                    violated, state, moved, count, table, options, hidden, activity, weights, sizes, scratch
                )
                if repair < 0:
                    break
                variable = options.variable[repair]
                moved[count], olds[count] = variable, state[variable]
                wrong += change(state[variable], repair, table, options, hidden, activity)
                state[variable] = repair
                count += 1
            if wrong <= TOLERANCE:
                here = forward(hidden, weights, sizes, scratch)
                keep(state, here, tried, found)
                if here > value + 1e-12 * abs(value):
                    value = here
                    improved = True
                    continue
            for m in range(count - 1, -1, -1):
                change(state[moved[m]], olds[m], table, options, hidden, activity)
                state[moved[m]] = olds[m]
        if not improved:
            break
