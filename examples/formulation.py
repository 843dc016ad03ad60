"""Blend at most three of six solvents of a lacquer so that they dissolve a resin, dry slowly and cost little.

How well a blend dissolves a resin follows from Hansen's solubility parameters (Hansen Solubility Parameters:
A User's Handbook, CRC Press 2007): those of the blend are averages by volume, and their distance from the
resin's, relative to the radius of its sphere, is RED; below one it dissolves. milbox does not see this. It is
told a score, as if each blend had to be stirred and looked at.
"""

import argparse
from pathlib import Path

import numpy as np

import milbox as mb

parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
parser.add_argument("--budget", type=int, default=80)
parser.add_argument("--initial", type=int, default=12)
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--picture", type=Path)

# [domain]
SOLVENTS = ["acetone", "ethanol", "butyl acetate", "toluene", "cyclohexane", "propylene carbonate"]
share = mb.real("share", 0, 1, 6, step=0.005)  # the scale shows half a per cent
domain = mb.Domain(
    [share],
    [
        share.sum() == 1,
        mb.at_most(3, share > 0),
        *(mb.implies(share[i] > 0, share[i] >= 0.05) for i in range(6)),  # less cannot be weighed in
        share[0] + share[1] <= 0.5,  # acetone and ethanol: the flash point
        mb.implies(share[5] > 0, share[4] == 0),  # propylene carbonate and cyclohexane do not mix
    ],
)
# [domain]

# [objective]
HANSEN = np.array(  # dispersion, polarity, hydrogen bonds, in square roots of MPa
    [
        [15.5, 10.4, 7.0],
        [15.8, 8.8, 19.4],
        [15.8, 3.7, 6.3],
        [18.0, 1.4, 2.0],
        [16.8, 0.0, 0.2],
        [20.0, 18.0, 4.1],
    ]
)
EVAPORATION = np.array([5.6, 1.7, 1.0, 2.0, 5.6, 0.005])  # relative to butyl acetate
PRICE = np.array([1.0, 0.9, 1.6, 1.1, 1.2, 2.4])
RESIN, RADIUS = np.array([18.6, 10.5, 7.5]), 8.6


def score(share: np.ndarray) -> float:
    """How well the blend does: small RED, slow drying, low price."""
    apart = share @ HANSEN - RESIN
    red = np.sqrt(4 * apart[0] ** 2 + apart[1] ** 2 + apart[2] ** 2) / RADIUS
    haste = max(0.0, float(share @ EVAPORATION) - 1.5)
    return -float(red + 0.2 * haste + 0.15 * (share @ PRICE))


# [objective]


def main() -> None:
    options = parser.parse_args()
    # [run]
    result = mb.maximize(score, domain, options.budget, initial=options.initial, seed=options.seed)
    # [run]

    best = result.best
    random = [trial.value for trial in result.trials[: options.initial]]
    print(f"found {best.value:.4f} in {len(result.trials)} trials:")
    for solvent, amount in zip(SOLVENTS, best.assignment["share"], strict=True):
        if amount:
            print(f"  {amount:6.1%} {solvent}")
    print(f"the best of {len(random)} random blends has {max(random):.4f}")
    blends = [trial.assignment["share"] for trial in result.trials]
    exact = sum(round(float(sum(blend)), 9) == 1 and np.count_nonzero(blend) <= 3 for blend in blends)
    print(f"{exact} of {len(blends)} blends add up to one, of three solvents at most")
    boxed = [t for t in result.trials if t.certificate is not None and "box" in t.certificate.about]
    print(f"{len(boxed)} were chosen in a box round the best one so far")
    if options.picture:
        draw(options.picture, result, options.initial)


def draw(path: Path, result: mb.Result, initial: int) -> None:
    """Progress, and the blends that were tried, one column each."""
    from pictures import BLUE, GREEN, GREY, INK, ORANGE, panels, progress, save

    figure, (left, right) = panels(1, 1.3)
    progress(left, [t.value for t in result.trials], initial, minimize=False, label="score")
    left.legend(loc="lower right")
    left.set_title("at most three of six solvents")

    colours = [BLUE, ORANGE, GREEN, GREY, INK, "#b83280"]
    blends = np.array([trial.assignment["share"] for trial in result.trials])
    right.stackplot(range(len(blends)), blends.T, step="mid", colors=colours, labels=SOLVENTS)
    right.set(xlabel="trial", ylabel="share", xlim=(-0.5, len(blends) - 0.5), ylim=(0, 1))
    right.legend(loc="upper center", bbox_to_anchor=(0.5, -0.18), ncols=3, fontsize=8)
    right.set_title("every blend adds up to one")
    save(figure, path)


if __name__ == "__main__":
    main()
