"""Passes over the edges of a diagram: longest paths, ranges of inputs, and the inputs along a path."""

from milbox.arrays import FloatArray
from milbox.compiled.jit import kernel, larger, smaller, vectorised
from milbox.inner.search.state import BELOW, BIAS, EQUAL, OUTPUT, UNIT, UNREACHED, Desk, Problem, Small


@vectorised
def set_costs(table: FloatArray, letters: int, slope: FloatArray, cost: FloatArray) -> None:
    """Set cost = table @ slope."""
    rows = table.shape[1]
    for i in range(letters):
        total = 0.0
        for r in range(rows):
            total += slope[r] * table[i, r]
        cost[i] = total


@vectorised
def longest(
    nodes: int, first: Small, source: Small, letter: Small, cost: FloatArray, ahead: FloatArray
) -> float:
    """The lengths of the longest paths from the root to every node; that to the terminal."""
    ahead[0] = 0.0
    for v in range(1, nodes):
        best = UNREACHED
        for e in range(first[v], first[v + 1]):
            best = larger(best, ahead[source[e]] + cost[letter[e]])
        ahead[v] = best
    return float(ahead[nodes - 1])


@vectorised
def longest_back(
    nodes: int, first: Small, source: Small, letter: Small, cost: FloatArray, behind: FloatArray
) -> None:
    """The lengths of the longest paths from every node to the terminal."""
    for v in range(nodes - 1):
        behind[v] = UNREACHED
    behind[nodes - 1] = 0.0
    for v in range(nodes - 1, 0, -1):
        here = behind[v]
        for e in range(first[v], first[v + 1]):
            behind[source[e]] = larger(behind[source[e]], here + cost[letter[e]])


@kernel
def trace(
    nodes: int, first: Small, source: Small, letter: Small, cost: FloatArray, ahead: FloatArray, path: Small
) -> int:
    """Leave the edges of a longest path in `path`, last first; their number."""
    v = nodes - 1
    length = 0
    while v > 0:
        at, last = first[v], first[v + 1] - 1
        while at < last and ahead[source[at]] + cost[letter[at]] < ahead[v]:
            at += 1
        path[length] = at
        length += 1
        v = source[at]
    return length


@vectorised
def add_inputs(
    table: FloatArray, bias: FloatArray, letter: Small, path: Small, length: int, h: FloatArray
) -> None:
    """Set h to the inputs of all rows at a path."""
    rows = table.shape[1]
    for r in range(rows):
        h[r] = bias[r]
    for i in range(length):
        at = letter[path[i]]
        for r in range(rows):
            h[r] += table[at, r]


@vectorised
def extremes(desk: Desk, reach: FloatArray, way: float) -> None:
    """For each node and row the largest sum of way * table over paths from the root."""
    nodes, rows = desk.size[0], desk.table.shape[1]
    for r in range(rows):
        reach[0, r] = 0.0
    for v in range(1, nodes):
        for r in range(rows):
            reach[v, r] = UNREACHED
        for e in range(desk.first[v], desk.first[v + 1]):
            u, at = desk.source[e], desk.letter[e]
            for r in range(rows):
                reach[v, r] = larger(reach[v, r], reach[u, r] + way * desk.table[at, r])


@vectorised
def longest_lanes(desk: Desk, cost: FloatArray, reach: FloatArray) -> None:
    """Longest paths from the root for eight costs at once."""
    for k in range(8):
        reach[0, k] = 0.0
    for v in range(1, desk.size[0]):
        for k in range(8):
            reach[v, k] = UNREACHED
        for e in range(desk.first[v], desk.first[v + 1]):
            u, at = desk.source[e], desk.letter[e]
            for k in range(8):
                reach[v, k] = larger(reach[v, k], reach[u, k] + cost[at, k])


@vectorised
def worth(rows: FloatArray, above: FloatArray, uppers: FloatArray, h: FloatArray, z: FloatArray) -> float:
    """The value of inputs h, ties as penalties; leaves the inputs of upper units in z.

    The tables are those of the problem: handing over all of it for each path would take as long as this.
    """
    width, layer = above.shape
    total = 0.0
    for r in range(width):
        total += rows[OUTPUT, r] * larger(h[r], 0.0) + rows[BELOW, r] * smaller(h[r], 0.0)
    if layer > 0:
        for k in range(layer):
            z[k] = uppers[BIAS, k]
        for r in range(width):
            output = larger(h[r], 0.0)
            for k in range(layer):
                z[k] += output * above[r, k]
        for k in range(layer):
            total += uppers[OUTPUT, k] * larger(z[k], 0.0)
    return total


@kernel
def ties_hold(net: Problem, h: FloatArray) -> bool:
    """Whether no tie is broken; sums of ties are exact."""
    for r in range(len(net.tie)):
        if net.tie[r] != UNIT and (h[r] > 0.0 or (net.tie[r] == EQUAL and h[r] < 0.0)):
            return False
    return True
