"""Choose which measurements to keep: nine of thirty, equally many of each kind, within a budget.

The data are real: 569 biopsies of breast tumours (Wisconsin, shipped with scikit-learn). Ten properties of
the cell nuclei were measured, each as a mean, a standard error and a worst case. A cheaper test is to use
nine of these thirty numbers, three of each kind, at most two that describe the same property, and not more
than the budget of the laboratory. The value of a choice is the cross-validated log-likelihood of a logistic
regression that sees nothing else.
"""

import argparse
from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import milbox as mb

parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
parser.add_argument("--budget", type=int, default=150)
parser.add_argument("--initial", type=int, default=40)
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--picture", type=Path)

# [domain]
KINDS = ("mean", "error", "worst")
PROPERTIES = (
    "radius", "texture", "perimeter", "area", "smoothness",
    "compactness", "concavity", "concave points", "symmetry", "fractal dimension",
)  # fmt: skip
MINUTES = np.array([2, 3, 2, 2, 4, 4, 5, 5, 3, 6] * 3)  # of a technician's time, whatever the kind

use = mb.binary("use", (3, 10))  # kinds by properties
domain = mb.Domain(
    [use],
    [
        use.sum() == 9,
        mb.balanced([use[0], use[1], use[2]]),
        *(use[:, p].sum() <= 2 for p in range(10)),
        mb.budget(use, MINUTES.tolist(), 30),
    ],
)
# [domain]

inputs, diagnosis = load_breast_cancer(return_X_y=True)
model = make_pipeline(StandardScaler(), LogisticRegression(C=1.0, max_iter=1000))
folds = StratifiedKFold(5, shuffle=True, random_state=0)


# [objective]
def likelihood(use: np.ndarray) -> float:
    """Mean log-likelihood of held-out diagnoses; 0 would be certainty."""
    chosen = inputs[:, use.ravel() == 1]
    return float(cross_val_score(model, chosen, diagnosis, cv=folds, scoring="neg_log_loss").mean())


# [objective]


def main() -> None:
    options = parser.parse_args()
    result = mb.maximize(likelihood, domain, options.budget, initial=options.initial, seed=options.seed)

    best = result.best
    everything = likelihood(np.ones((3, 10), dtype=int))
    print(f"found {best.value:.4f} in {len(result.trials)} trials, with")
    for kind, row in zip(KINDS, best.assignment["use"], strict=True):
        print(f"  {kind:<6}", ", ".join(name for name, bit in zip(PROPERTIES, row, strict=True) if bit))
    print(f"all thirty measurements together have {everything:.4f}")
    if options.picture:
        draw(options.picture, result, options.initial, everything)


def draw(path: Path, result: mb.Result, initial: int, everything: float) -> None:
    """Progress, and how often the best tenth of the subsets use each measurement."""
    from matplotlib.patches import Rectangle
    from pictures import GREEN, ORANGE, panels, progress, save

    figure, (left, right) = panels(1, 1.2)
    progress(left, [t.value for t in result.trials], initial, minimize=False, label="log-likelihood")
    left.axhline(everything, color=GREEN, linewidth=1, linestyle=":")
    left.annotate("all thirty", (initial / 2, everything), color=GREEN, va="top", ha="center", fontsize=8)
    left.legend(loc="lower right")
    left.set_title("nine of thirty measurements")

    finished = sorted((t for t in result.trials if t.value is not None), key=lambda t: -t.value)
    top = finished[: max(5, len(finished) // 10)]
    shares = np.mean([t.assignment["use"] for t in top], axis=0)
    right.imshow(shares, cmap="Blues", vmin=0, vmax=1, aspect="equal")
    for kind, place in np.argwhere(result.best.assignment["use"] == 1):
        right.add_patch(Rectangle((place - 0.5, kind - 0.5), 1, 1, fill=False, edgecolor=ORANGE, linewidth=2))
    right.set_xticks(range(10), PROPERTIES, rotation=40, ha="right")
    right.set_yticks(range(3), KINDS)
    right.set_title(f"share of the best {len(top)} that use it (framed: the best)")
    save(figure, path)


if __name__ == "__main__":
    main()
