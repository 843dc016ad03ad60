"""What is a point worth to a network, was it tried, and do its neighbours do better?

Compiled, once for all problems: arrays are C-contiguous, of float64, int64 or bool. A *letter* is one state
of one block; letters are numbered through, block after block, and a point is one letter per block.
"""

from typing import NamedTuple

from milbox.arrays import FloatArray, IntArray
from milbox.compiled.jit import kernel, larger, vectorised

# Phases of a unit. An asserted one was branched on; a certain one (2 or -2) holds at every point of the node,
# or at every better point.
OPEN, ACTIVE, INACTIVE, SURELY_ACTIVE, SURELY_INACTIVE = 0, 1, -1, 2, -2
# A tie is no unit but a row that every point must satisfy: its input is at most zero, or zero.
BELOW, LEVEL = 3, 4

NOTHING = -2.0
"""Below any value: networks are scaled so that |f| < 1."""


SWEEPS = 20
"""A climb that still moves after so many rounds of all blocks is stopped."""


class Network(NamedTuple):
    """f(x) = h_N + sum_{j<N} sign_j max(0, h_j) + sum_{k<K} upper_sign_k max(0, z_k).

        h = bias + sum_p by_letter[x_p],   z = upper_bias + sum_{j<N} max(0, h_j) above[j].

    With one hidden layer there are no upper units; with two, a unit says nothing straight to the output and
    has sign 0. The sizes of weights are folded into the units, so that every h_j and z_k counts in units of
    f, and no unit of two layers says more than 1 in all. Ties are listed with the units and have sign 0.
    Their sums are exact: whole numbers times a power of two.
    """

    by_letter: FloatArray
    """(letters, N + 1): what a letter adds to each unit and, last, straight to the output."""
    by_unit: FloatArray
    """The same, transposed."""
    bias: FloatArray
    """(N + 1,)"""
    sign: FloatArray
    """(N,): +1 or -1; 0 for ties, and below another layer."""
    above: FloatArray
    """(N, K): what a unit's output adds to each upper unit."""
    upper_bias: FloatArray
    """(K,)"""
    upper_sign: FloatArray
    """(K,): +1 or -1."""
    phase: IntArray
    """(N + K,): `OPEN`; `BELOW` or `LEVEL` for ties."""
    first: IntArray
    """(blocks + 1,): the first letter of each block, and the number of letters."""
    key: IntArray
    """(letters,): random bits. A point's key is the exclusive or of its letters' keys."""


class Tried(NamedTuple):
    """The points that must not be returned, in ascending order of their keys."""

    key: IntArray
    point: IntArray
    """(tried, blocks)"""


class Pool(NamedTuple):
    """The best untried points found so far, best first; `NOTHING` marks a free place."""

    value: FloatArray
    point: IntArray
    key: IntArray


class Starts(NamedTuple):
    """Points to begin with."""

    point: IntArray
    """(starts, blocks)"""


@vectorised
def worth(net: Network, sign: FloatArray, above: FloatArray, h: FloatArray, count: int) -> float:
    """The value where `count` units and the output have inputs h; leaves there those of the upper units."""
    units, uppers = net.above.shape
    z = h[units + 1 :]
    for k in range(uppers):
        z[k] = net.upper_bias[k]
    total = float(h[units])
    for j in range(count):
        output = larger(h[j], 0.0)
        total += sign[j] * output
        for k in range(uppers):
            z[k] += output * above[j, k]
    for k in range(uppers):
        total += net.upper_sign[k] * larger(z[k], 0.0)
    return total


@vectorised
def value_at(net: Network, point: IntArray, h: FloatArray) -> float:
    """f(point), always added up in the same order; leaves the inputs of units and upper units in h."""
    units = len(net.sign)
    for j in range(units + 1):
        h[j] = net.bias[j]
    for p in range(len(point)):
        added = net.by_letter[point[p]]
        for j in range(units + 1):
            h[j] += added[j]
    return worth(net, net.sign, net.above, h, units)


@kernel
def key_of(net: Network, point: IntArray) -> int:
    """The point's hash."""
    key: int = net.key[point[0]]
    for p in range(1, len(point)):
        key ^= net.key[point[p]]
    return key


@kernel
def same(a: IntArray, b: IntArray) -> bool:
    """Whether two points are equal, letter by letter."""
    for p in range(len(a)):  # noqa: SIM110 - compiled
        if a[p] != b[p]:
            return False
    return True


@kernel
def is_tried(tried: Tried, point: IntArray, key: int) -> bool:
    """Whether the point is in the list; the key says where it would be, the letters decide."""
    low, high = 0, len(tried.key)
    while low < high:
        middle = (low + high) // 2
        if tried.key[middle] < key:
            low = middle + 1
        else:
            high = middle
    while low < len(tried.key) and tried.key[low] == key:
        if same(point, tried.point[low]):
            return True
        low += 1
    return False


@kernel
def satisfies_ties(net: Network, h: FloatArray) -> bool:
    """Whether the inputs h are as the ties say."""
    for j in range(len(net.sign)):
        if (net.phase[j] >= BELOW and h[j] > 0.0) or (net.phase[j] == LEVEL and h[j] < 0.0):
            return False
    return True


@kernel
def offer(net: Network, tried: Tried, pool: Pool, point: IntArray, key: int, h: FloatArray) -> None:
    """Put the point in the pool if it is untried, new to the pool, good enough, and satisfies the ties."""
    if is_tried(tried, point, key):
        return
    last = len(pool.value) - 1
    for i in range(last + 1):
        if pool.key[i] == key and pool.value[i] > NOTHING and same(point, pool.point[i]):
            return
    value = value_at(net, point, h)
    if value <= pool.value[last] or not satisfies_ties(net, h):
        return
    i = last
    while i > 0 and pool.value[i - 1] < value:
        pool.value[i] = pool.value[i - 1]
        pool.key[i] = pool.key[i - 1]
        for p in range(len(point)):
            pool.point[i, p] = pool.point[i - 1, p]
        i -= 1
    pool.value[i] = value
    pool.key[i] = key
    for p in range(len(point)):
        pool.point[i, p] = point[p]


@vectorised
def values_with(
    table: FloatArray, sign: FloatArray, h: FloatArray, count: int, begin: int, end: int, values: FloatArray
) -> None:
    """The value for each letter of a block, when the inputs h of `count` units and of the output lack it."""
    last = len(table) - 1
    h0 = h[last]
    own, row = values[begin:end], table[last, begin:end]
    for i in range(len(own)):
        own[i] = h0 + row[i]
    j = 0
    while j + 2 <= count:
        h0, h1, s0, s1 = h[j], h[j + 1], sign[j], sign[j + 1]
        row, next_row = table[j, begin:end], table[j + 1, begin:end]
        for i in range(len(own)):
            own[i] += s0 * larger(h0 + row[i], 0.0) + s1 * larger(h1 + next_row[i], 0.0)
        j += 2
    if j < count:
        h0, s0 = h[j], sign[j]
        row = table[j, begin:end]
        for i in range(len(own)):
            own[i] += s0 * larger(h0 + row[i], 0.0)


@vectorised
def add_upper(
    net: Network,
    table: FloatArray,
    above: FloatArray,
    h: FloatArray,
    count: int,
    begin: int,
    end: int,
    values: FloatArray,
) -> None:
    """Add what upper units say to `values_with`; the inputs behind h's `last` are overwritten."""
    z = h[len(table) :]
    for i in range(begin, end):
        for k in range(len(z)):
            z[k] = net.upper_bias[k]
        for j in range(count):
            output = larger(h[j] + table[j, i], 0.0)
            for k in range(len(z)):
                z[k] += output * above[j, k]
        for k in range(len(z)):
            values[i] += net.upper_sign[k] * larger(z[k], 0.0)


@kernel
def climb(
    net: Network,
    tried: Tried,
    pool: Pool,
    point: IntArray,
    slack: float,
    h: FloatArray,
    spare: FloatArray,
    values: FloatArray,
) -> None:
    """Change one block after another to its best letter, offering whatever beats the pool on the way.

    The climb itself passes through tried points; only what it offers is untried.
    """
    last = len(pool.value) - 1
    units, uppers = net.above.shape
    current = value_at(net, point, h)
    key = key_of(net, point)
    for _ in range(SWEEPS):
        moved = False
        for p in range(len(point)):
            old = point[p]
            gone = net.by_letter[old]
            for j in range(units + 1):
                h[j] -= gone[j]
            best = current + slack
            to = old
            floor = pool.value[last] + slack
            begin, end = net.first[p], net.first[p + 1]
            values_with(net.by_unit, net.sign, h, units, begin, end, values)
            if uppers > 0:
                add_upper(net, net.by_unit, net.above, h, units, begin, end, values)
            for letter in range(begin, end):
                value = values[letter]
                if value > floor:
                    point[p] = letter
                    offer(net, tried, pool, point, key ^ net.key[old] ^ net.key[letter], spare)
                    point[p] = old
                    floor = pool.value[last] + slack
                if value > best:
                    best = value
                    to = letter
            if to != old:
                key ^= net.key[old] ^ net.key[to]
                point[p] = to
                current = best
                moved = True
            come = net.by_letter[to]
            for j in range(units + 1):
                h[j] += come[j]
        if not moved:
            break
