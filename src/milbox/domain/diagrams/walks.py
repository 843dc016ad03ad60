"""Compiled walks along the edges of a diagram."""

from milbox.arrays import FloatArray, IntArray
from milbox.compiled.jit import entry


@entry
def accumulate(begin: IntArray, chances: FloatArray) -> None:
    """Turn the shares of each node's edges into running sums; the last is one."""
    for node in range(len(begin) - 1):
        total = 0.0
        for k in range(begin[node], begin[node + 1]):
            total += chances[k]
            chances[k] = total
        if begin[node + 1] > begin[node]:
            chances[begin[node + 1] - 1] = 1.0


@entry
def walk(
    begin: IntArray,
    letter: IntArray,
    target: IntArray,
    chances: FloatArray,
    uniform: FloatArray,
    lows: IntArray,
    codes: IntArray,
) -> None:
    """Go from the root to the terminal, once per row, by uniform numbers from [0, 1)."""
    for i in range(len(codes)):
        node = 0
        for layer in range(len(lows)):
            low, high = begin[node], begin[node + 1] - 1
            while low < high:
                middle = (low + high) // 2
                if chances[middle] > uniform[i, layer]:
                    high = middle
                else:
                    low = middle + 1
            codes[i, layer] = lows[layer] + letter[low]
            node = target[low]


@entry
def follow(
    begin: IntArray,
    letter: IntArray,
    target: IntArray,
    number: IntArray,
    lows: IntArray,
    codes: IntArray,
    edges: IntArray,
) -> None:
    """Find the edges that joint codes take, as far as there are any."""
    for i in range(len(codes)):
        node = 0
        for layer in range(len(lows)):
            wanted = codes[i, layer] - lows[layer]
            low, high = begin[node], begin[node + 1]
            while low < high:
                middle = (low + high) // 2
                if letter[middle] < wanted:
                    low = middle + 1
                else:
                    high = middle
            if low == begin[node + 1] or letter[low] != wanted:
                break
            edges[i, layer] = number[low]
            node = target[low]
