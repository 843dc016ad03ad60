"""Orders of variables that keep few constraints open at a time.

The width of a diagram is bounded by the joint states of the constraints that have begun and not ended at a
layer; an order is good if those are few.
"""

from collections.abc import Sequence

LARGE = 4_000_000
"""Beyond this many looks at neighbours, no order is searched for."""


def frontier(order: Sequence[int], scopes: Sequence[Sequence[int]]) -> int:
    """The largest number of constraints that are open at once."""
    place = {v: i for i, v in enumerate(order)}
    change = [0] * (len(order) + 1)
    for scope in scopes:
        if scope:
            spots = [place[v] for v in scope]
            change[min(spots)] += 1
            change[max(spots)] -= 1
    widest = now = 0
    for step in change:
        now += step
        widest = max(widest, now)
    return widest


def narrow_order(count: int, scopes: Sequence[Sequence[int]]) -> list[int]:
    """A greedy order: next comes the variable that opens the fewest constraints, less those it closes."""
    members = [set(scope) for scope in scopes]
    around: list[list[int]] = [[] for _ in range(count)]
    for j, scope in enumerate(members):
        for v in scope:
            around[v].append(j)
    left = [len(scope) for scope in members]
    if sum(left) * max(left, default=0) > LARGE:
        return list(range(count))
    # How many constraints each variable would open, less those it would close.
    cost = [sum(left[j] > 1 for j in around[v]) for v in range(count)]
    order: list[int] = []
    waiting, near = set(range(count)), set[int]()
    while waiting:
        best = min(near or waiting, key=lambda v: (cost[v], v))
        order.append(best)
        waiting.discard(best)
        near.discard(best)
        for j in around[best]:
            if left[j] == len(members[j]):
                near |= members[j] & waiting
                for v in members[j]:
                    cost[v] -= 1
            left[j] -= 1
            if left[j] == 1:
                (last,) = members[j] & waiting
                cost[last] -= 1
    return order


def candidates(
    count: int, scopes: Sequence[Sequence[int]], sequences: Sequence[Sequence[int]]
) -> list[list[int]]:
    """Orders worth trying, the most promising first; `sequences` are best kept in their own order."""
    declared = list(range(count))
    found = [declared]
    if any(len(scope) < count for scope in scopes):
        greedy = narrow_order(count, scopes)
        wide, narrow = frontier(declared, scopes), frontier(greedy, scopes)
        # Of two orders that differ much only the better one is worth a try.
        found = [greedy] if 2 * narrow < wide else [greedy, declared] if narrow < 0.8 * wide else [declared]
    for sequence in sequences:
        if list(sequence) != sorted(sequence):
            inside = set(sequence)
            found.append([*sequence, *(v for v in declared if v not in inside)])
    return [order for i, order in enumerate(found) if order not in found[:i]]
