"""Good values of the constrained Ising instances with n = 400, found on the scores themselves.

    python scripts/ising_ascent.py

An ascent gives one block of ten spins after the other its best balanced state. It is repeated from the best
point with some blocks drawn anew. No algorithm of the benchmark sees what this does.
"""

import numpy as np

from milbox.arrays import FloatArray
from milbox.bench.problems.ising import INSTANCES, SUBSET, balanced_states, pairwise_scores, score_tables

SIZE, PERTURBED = 400, 400
BLOCK = 2 * SUBSET
STATES = balanced_states(SUBSET, SUBSET).astype(np.float64)


def best_found(instance: int) -> float:
    """The largest score that was met."""
    scores = pairwise_scores(score_tables(SIZE, instance), SIZE)
    both, rng, blocks = scores.upper + scores.upper.T, np.random.default_rng(0), SIZE // BLOCK
    parts = [slice(BLOCK * b, BLOCK * (b + 1)) for b in range(blocks)]
    inside = [np.einsum("si,ij,sj->s", STATES, scores.upper[p, p], STATES) for p in parts]

    def climb(x: FloatArray) -> float:
        """Improve x in place; its score in the end."""
        field, better = scores.linear + both @ x, True
        while better:
            better = False
            for b in rng.permutation(blocks):
                part = parts[b]
                outside = field[part] - both[part, part] @ x[part]
                values = STATES @ outside + inside[b]
                now = x[part] @ outside + x[part] @ scores.upper[part, part] @ x[part]
                if values.max() > now + 1e-9:
                    new = STATES[int(np.argmax(values))]
                    field += both[:, part] @ (new - x[part])
                    x[part], better = new, True
        return float(scores(x[None].astype(np.int64))[0])

    best = STATES[rng.integers(len(STATES), size=blocks)].ravel()
    value = climb(best)
    for _ in range(PERTURBED):
        other = best.copy()
        for b in rng.choice(blocks, size=rng.integers(2, blocks // 4), replace=False):
            other[parts[b]] = STATES[rng.integers(len(STATES))]
        reached = climb(other)
        if reached > value:
            best, value = other, reached
    return value


if __name__ == "__main__":
    for number in range(INSTANCES):
        print(f"ising/{SIZE}/{number}: {best_found(number):.1f}")
