"""Place twelve departments on twelve sites so that people walk as little as possible.

A quadratic assignment: the cost of a plan is the sum over pairs of departments of traffic times distance.
Here it is the instance nug12 of QAPLIB (Nugent, Vollmann and Ruml 1968), whose optimum is known: 578.
milbox does not see traffic or distances. It is told the cost of a plan, as if each had to be simulated or
tried out, and may ask for some hundred plans out of 479,001,600.
"""

import argparse
from pathlib import Path

import numpy as np

import milbox as mb

parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
parser.add_argument("--budget", type=int, default=200)
parser.add_argument("--initial", type=int, default=50)
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--picture", type=Path)

OPTIMUM = 578

# [domain]
site = mb.integer("site", 0, 11, 12)  # where each department goes
domain = mb.Domain([site], [mb.permutation(site)])
# [domain]

# [objective]
TRAFFIC = np.array(
    [
        [0, 5, 2, 4, 1, 0, 0, 6, 2, 1, 1, 1],
        [5, 0, 3, 0, 2, 2, 2, 0, 4, 5, 0, 0],
        [2, 3, 0, 0, 0, 0, 0, 5, 5, 2, 2, 2],
        [4, 0, 0, 0, 5, 2, 2, 10, 0, 0, 5, 5],
        [1, 2, 0, 5, 0, 10, 0, 0, 0, 5, 1, 1],
        [0, 2, 0, 2, 10, 0, 5, 1, 1, 5, 4, 0],
        [0, 2, 0, 2, 0, 5, 0, 10, 5, 2, 3, 3],
        [6, 0, 5, 10, 0, 1, 10, 0, 0, 0, 5, 0],
        [2, 4, 5, 0, 0, 1, 5, 0, 0, 0, 10, 10],
        [1, 5, 2, 0, 5, 5, 2, 0, 0, 0, 5, 0],
        [1, 0, 2, 5, 1, 4, 3, 5, 10, 5, 0, 2],
        [1, 0, 2, 5, 1, 0, 3, 0, 10, 0, 2, 0],
    ]
)
ROW, COLUMN = np.divmod(np.arange(12), 4)  # three rows of four sites
DISTANCE = abs(ROW[:, None] - ROW) + abs(COLUMN[:, None] - COLUMN)


def walking(site: np.ndarray) -> float:
    """Traffic times distance, over all pairs."""
    return float((TRAFFIC * DISTANCE[np.ix_(site, site)]).sum())


# [objective]


def main() -> None:
    options = parser.parse_args()
    # [run]
    result = mb.minimize(walking, domain, options.budget, initial=options.initial, seed=options.seed)
    # [run]

    best = result.best
    proofs = [trial.certificate for trial in result.trials if trial.certificate is not None]
    random = [trial.value for trial in result.trials[: options.initial]]
    print(f"found a plan with {best.value:g} in {len(result.trials)} trials")
    print(f"the best of {len(random)} random plans has {min(random):g}, the optimum {OPTIMUM}")
    proved = sum(proof.status is mb.Status.OPTIMAL for proof in proofs)
    print(f"{proved} of {len(proofs)} proposals proved to be the best of their surrogate")
    if options.picture:
        draw(options.picture, result, options.initial)


def draw(path: Path, result: mb.Result, initial: int) -> None:
    """Progress, and the floor plan with the heaviest traffic."""
    from pictures import BLUE, GREEN, INK, panels, progress, save

    figure, (left, right) = panels(1, 1)
    progress(left, [t.value for t in result.trials], initial, minimize=True, label="walking")
    left.axhline(OPTIMUM, color=GREEN, linewidth=1, linestyle=":")
    left.annotate("optimum of nug12", (initial, OPTIMUM), color=GREEN, va="bottom", fontsize=8)
    left.legend(loc="upper right")
    left.set_title("12 departments, 12 sites")

    site = result.best.assignment["site"]
    for a in range(12):
        for b in range(a):
            if TRAFFIC[a, b]:
                x, y = COLUMN[site[[a, b]]], -ROW[site[[a, b]]]
                bend = 0.12 if DISTANCE[site[a], site[b]] > 1 else 0.0
                right.plot(
                    [x[0], x.mean() + bend * (y[1] - y[0]), x[1]],
                    [y[0], y.mean() + bend * (x[1] - x[0]), y[1]],
                    color=BLUE, linewidth=TRAFFIC[a, b] / 2.5, alpha=0.35, solid_joinstyle="round",
                )  # fmt: skip
    for department, where in enumerate(site):
        right.text(
            COLUMN[where], -ROW[where], f"{department + 1}", ha="center", va="center", color="white",
            bbox={"boxstyle": "circle,pad=0.35", "color": INK},
        )  # fmt: skip
    right.set(xlim=(-0.4, 3.4), ylim=(-2.4, 0.4))
    right.axis("off")
    right.set_title(f"the best plan: {result.best.value:g}")
    save(figure, path)


if __name__ == "__main__":
    main()
