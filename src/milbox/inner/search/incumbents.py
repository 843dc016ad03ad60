"""Points in hand: which were tried, which are kept, and sweeps that find better ones.

A key decides where a point would be among the tried ones, its codes decide whether it is there: two
points with one key are told apart.
"""

from milbox.arrays import FloatArray, IntArray
from milbox.compiled.jit import inlined, inlined_sum, kernel, larger, smaller
from milbox.inner.search.passes import ties_hold, worth
from milbox.inner.search.state import (
    BEHIND,
    BELOW,
    FIXED,
    INTO,
    NAME,
    NOTHING,
    OUT,
    OUTPUT,
    PATH,
    PREFIX,
    PREFIX_KEY,
    SUFFIX,
    SUFFIX_KEY,
    UNREACHED,
    Desk,
    Int,
    Pool,
    Problem,
    Room,
    Small,
    Tried,
)


@kernel
def same(a: IntArray, b: IntArray) -> bool:
    """Whether two points are equal."""
    for i in range(len(a)):  # noqa: SIM110 - compiled
        if a[i] != b[i]:
            return False
    return True


@kernel
def first_with(keys: IntArray, key: int) -> int:
    """The place of the first key that is not smaller."""
    low, high = 0, len(keys)
    while low < high:
        middle = (low + high) // 2
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low


@inlined
def write_letter(
    pair: Small, options: Small, variable: Small, code: IntArray, name: int, codes: IntArray
) -> None:
    """Write the codes that a letter stands for."""
    for k in range(pair[name], pair[name + 1]):
        option = options[k]
        codes[variable[option]] = code[option]


@kernel
def write_fixed(net: Problem, desk: Desk) -> None:
    """Write the codes of the fixed letters."""
    pair, option, variable, code, codes = net.pair, net.option, net.variable, net.code, desk.codes
    for i in range(desk.size[3]):
        write_letter(pair, option, variable, code, desk.steps[FIXED, i], codes)


@kernel
def write_path(net: Problem, desk: Desk, path: Small, length: Int) -> None:
    """Write the codes of a path and of the fixed letters."""
    write_fixed(net, desk)
    pair, option, variable, code, codes = net.pair, net.option, net.variable, net.code, desk.codes
    for i in range(length):
        write_letter(pair, option, variable, code, desk.names[NAME, desk.letter[path[i]]], codes)


@kernel
def path_key(net: Problem, desk: Desk, path: Small, length: Int) -> int:
    """The key of a path with the fixed letters."""
    key: int = desk.size[4]
    for i in range(length):
        key ^= net.key[desk.names[NAME, desk.letter[path[i]]]]
    return key


@inlined
def has_codes(
    pair: Small, options: Small, variable: Small, code: IntArray, name: int, codes: IntArray
) -> bool:
    """Whether a point has the codes that a letter stands for."""
    for k in range(pair[name], pair[name + 1]):
        option = options[k]
        if codes[variable[option]] != code[option]:
            return False
    return True


@kernel
def leads_to(net: Problem, desk: Desk, path: Small, length: Int, codes: IntArray) -> bool:
    """Whether a path with the fixed letters is this point."""
    pair, option, variable, code = net.pair, net.option, net.variable, net.code
    for i in range(length):
        if not has_codes(pair, option, variable, code, desk.names[NAME, desk.letter[path[i]]], codes):
            return False
    for i in range(desk.size[3]):
        if not has_codes(pair, option, variable, code, desk.steps[FIXED, i], codes):
            return False
    return True


@kernel
def keep(pool: Pool, codes: IntArray, key: int, value: float) -> bool:
    """Put an untried point into the pool if it is new and good enough; whether it was."""
    last = len(pool.value) - 1
    if value <= pool.value[last]:
        return False
    for i in range(last + 1):
        if pool.key[i] == key and pool.value[i] > NOTHING and same(codes, pool.codes[i]):
            return False
    i = last
    while i > 0 and pool.value[i - 1] < value:
        pool.value[i] = pool.value[i - 1]
        pool.key[i] = pool.key[i - 1]
        for p in range(len(codes)):
            pool.codes[i, p] = pool.codes[i - 1, p]
        i -= 1
    pool.value[i] = value
    pool.key[i] = key
    for p in range(len(codes)):
        pool.codes[i, p] = codes[p]
    return True


@kernel
def offer_path(
    net: Problem, tried: Tried, pool: Pool, desk: Desk, path: Small, length: Int, h: FloatArray, value: float
) -> bool:
    """Offer a path with inputs h and a value above the floor; whether the pool took it."""
    if net.tied and not ties_hold(net, h):
        return False
    key = path_key(net, desk, path, length)
    at = first_with(tried.key, key)
    while at < len(tried.key) and tried.key[at] == key:
        if leads_to(net, desk, path, length, tried.codes[at]):
            return False
        at += 1
    write_path(net, desk, path, length)
    return keep(pool, desk.codes, key, value)


@inlined_sum
def joined(
    prefix: FloatArray,
    u: int,
    table: FloatArray,
    at: int,
    suffix: FloatArray,
    v: int,
    weight: FloatArray,
    below: FloatArray,
) -> float:
    """The value of the best prefix, a letter, and the best suffix, without upper units."""
    total = 0.0
    for r in range(len(weight)):
        h = prefix[u, r] + table[at, r] + suffix[v, r]
        total += weight[r] * larger(h, 0.0) + below[r] * smaller(h, 0.0)
    return total


@kernel
def joined_deep(
    net: Problem, desk: Desk, room: Room, edge: int, v: int, h: FloatArray, z: FloatArray
) -> float:
    """The same with upper units."""
    u, at = desk.source[edge], desk.letter[edge]
    for r in range(len(h)):
        h[r] = room.ends[PREFIX, u, r] + desk.table[at, r] + room.ends[SUFFIX, v, r]
    return worth(net.rows, net.above, net.uppers, h, z)


@kernel
def target_of(first: Small, edge: int, nodes: int) -> int:
    """The node an edge leads to."""
    low, high = 0, nodes
    while low < high:
        middle = (low + high) // 2
        if first[middle + 1] > edge:
            high = middle
        else:
            low = middle + 1
    return low


@kernel
def offer_joined(
    net: Problem,
    tried: Tried,
    pool: Pool,
    desk: Desk,
    room: Room,
    edge: int,
    v: int,
    h: FloatArray,
    value: float,
) -> bool:
    """Offer the best prefix, an edge, and the best suffix.

    A path whose key is that of a tried point is left out at once: a tried point that is better than the best
    in hand is met once for each of its edges. Should it be another point with the same key, the search will
    meet it again.
    """
    u, at = desk.source[edge], desk.letter[edge]
    key = room.keys[PREFIX_KEY, u] ^ net.key[desk.names[NAME, at]] ^ room.keys[SUFFIX_KEY, v]
    place = first_with(tried.key, key)
    if place < len(tried.key) and tried.key[place] == key:
        return False
    for r in range(len(h)):
        h[r] = room.ends[PREFIX, u, r] + desk.table[at, r] + room.ends[SUFFIX, v, r]
    if not ties_hold(net, h):
        return False
    nodes = desk.size[0]
    length = 0
    desk.steps[PATH, 0] = edge
    w = u
    while w > 0:
        length += 1
        desk.steps[PATH, length] = room.ways[INTO, w]
        w = desk.source[room.ways[INTO, w]]
    w = v
    while w < nodes - 1:
        length += 1
        desk.steps[PATH, length] = room.ways[OUT, w]
        w = target_of(desk.first, room.ways[OUT, w], nodes)
    write_path(net, desk, desk.steps[PATH], length + 1)
    return keep(pool, desk.codes, key, value)


@kernel
def suffixes(net: Problem, desk: Desk, room: Room, cost: FloatArray) -> None:
    """Set the best suffixes by cost: their inputs, keys and first edges."""
    nodes, rows = desk.size[0], desk.table.shape[1]
    behind = desk.lengths[BEHIND]
    for v in range(nodes - 1):
        behind[v] = UNREACHED
    behind[nodes - 1] = 0.0
    room.keys[SUFFIX_KEY, nodes - 1] = 0
    for r in range(rows):
        room.ends[SUFFIX, nodes - 1, r] = 0.0
    for v in range(nodes - 1, 0, -1):
        if v < nodes - 1:
            extend_suffix(net, desk, room, v)
        for e in range(desk.first[v], desk.first[v + 1]):
            value = behind[v] + cost[desk.letter[e]]
            u = desk.source[e]
            if value > behind[u]:
                behind[u] = value
                room.ways[OUT, u] = e


@kernel
def extend_suffix(net: Problem, desk: Desk, room: Room, v: int) -> None:
    """Set a node's suffix to its chosen edge and the suffix behind that."""
    e = room.ways[OUT, v]
    w = target_of(desk.first, e, desk.size[0])
    at = desk.letter[e]
    for r in range(desk.table.shape[1]):
        room.ends[SUFFIX, v, r] = desk.table[at, r] + room.ends[SUFFIX, w, r]
    room.keys[SUFFIX_KEY, v] = net.key[desk.names[NAME, at]] ^ room.keys[SUFFIX_KEY, w]


@kernel
def sweep_forward(
    net: Problem, tried: Tried, pool: Pool, desk: Desk, room: Room, h: FloatArray, z: FloatArray, slack: float
) -> None:
    """Look at best prefix + edge + best suffix for every edge; keep each node's prefix by that value."""
    nodes, rows = desk.size[0], desk.table.shape[1]
    last = len(pool.value) - 1
    deep = net.above.shape[1] > 0
    prefix, suffix, weight, below = room.ends[PREFIX], room.ends[SUFFIX], net.rows[OUTPUT], net.rows[BELOW]
    for r in range(rows):
        room.ends[PREFIX, 0, r] = desk.bias[r]
    room.keys[PREFIX_KEY, 0] = desk.size[4]
    for v in range(1, nodes):
        top = UNREACHED
        chosen = desk.first[v]
        for e in range(desk.first[v], desk.first[v + 1]):
            u, at = desk.source[e], desk.letter[e]
            if deep:
                value = joined_deep(net, desk, room, e, v, h, z)
            else:
                value = joined(prefix, u, desk.table, at, suffix, v, weight, below)
            if value > top:
                top = value
                chosen = e
            if value > pool.value[last] + slack:
                offer_joined(net, tried, pool, desk, room, e, v, h, value)
        u, at = desk.source[chosen], desk.letter[chosen]
        for r in range(rows):
            room.ends[PREFIX, v, r] = room.ends[PREFIX, u, r] + desk.table[at, r]
        room.keys[PREFIX_KEY, v] = room.keys[PREFIX_KEY, u] ^ net.key[desk.names[NAME, at]]
        room.ways[INTO, v] = chosen


@kernel
def sweep_backward(
    net: Problem, tried: Tried, pool: Pool, desk: Desk, room: Room, h: FloatArray, z: FloatArray, slack: float
) -> None:
    """The same from the terminal; keep each node's suffix by that value."""
    nodes = desk.size[0]
    last = len(pool.value) - 1
    deep = net.above.shape[1] > 0
    prefix, suffix, weight, below = room.ends[PREFIX], room.ends[SUFFIX], net.rows[OUTPUT], net.rows[BELOW]
    for v in range(nodes - 1):
        room.top[v] = UNREACHED
    for v in range(nodes - 1, 0, -1):
        for e in range(desk.first[v], desk.first[v + 1]):
            u, at = desk.source[e], desk.letter[e]
            if deep:
                value = joined_deep(net, desk, room, e, v, h, z)
            else:
                value = joined(prefix, u, desk.table, at, suffix, v, weight, below)
            if value > pool.value[last] + slack:
                offer_joined(net, tried, pool, desk, room, e, v, h, value)
            if value > room.top[u]:
                room.top[u] = value
                room.ways[OUT, u] = e
        # All edges that leave v - 1 have been seen.
        if v - 1 > 0:
            extend_suffix(net, desk, room, v - 1)
