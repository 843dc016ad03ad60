"""Tune a neural network with Optuna, under constraints that Optuna does not have.

The network reads digits (scikit-learn's) and must fit a device: at most 4,000 weights, which is a sum of
products of layer widths; layers do not grow; some settings of the training do not go together. Of all
combinations six in a hundred are allowed. Every trial that the sampler suggests is one of them.
"""

import argparse
import itertools
import warnings
from pathlib import Path

import numpy as np
import optuna
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier

import milbox as mb
from milbox.integrations.optuna import MilboxSampler

parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
parser.add_argument("--budget", type=int, default=80)
parser.add_argument("--initial", type=int, default=25)
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--picture", type=Path)

# [domain]
WIDTHS = [0, 8, 16, 24, 32, 48, 64]  # 0: no such layer
RATES = [3e-4, 1e-3, 3e-3, 1e-2, 3e-2]
BATCHES = [16, 32, 64, 128]
DECAYS = [1e-5, 1e-4, 1e-3, 1e-2, 1e-1]

width = mb.categorical("width", WIDTHS, 3)
solver = mb.categorical("solver", ["adam", "sgd"])
rate = mb.categorical("rate", RATES)
batch = mb.categorical("batch", BATCHES)
decay = mb.categorical("decay", DECAYS)
activation = mb.categorical("activation", ["relu", "tanh"])


def fits(row: tuple[int, int, int]) -> bool:
    """Layers do not grow, and from 64 inputs to 10 outputs there are at most 4,000 weights."""
    sizes = [64, *(w for w in row if w), 10]
    weights = sum(a * b for a, b in itertools.pairwise(sizes))
    return row[0] > 0 and row[0] >= row[1] >= row[2] and weights <= 4_000


domain = mb.Domain(
    [width, solver, rate, batch, decay, activation],
    [
        mb.table(width, [row for row in itertools.product(WIDTHS, repeat=3) if fits(row)]),
        mb.implies(solver == "sgd", mb.all_of(rate != 3e-4, batch != 128)),  # it would not get anywhere
        mb.implies(solver == "adam", rate != 3e-2),  # it would blow up
        mb.implies(width[2] != 0, rate != 1e-2),
    ],
)
# [domain]

images, labels = load_digits(return_X_y=True)
train_x, test_x, train_y, test_y = train_test_split(
    images / 16.0, labels, train_size=1000, random_state=0, stratify=labels
)


# [objective]
def objective(trial: optuna.Trial) -> float:
    """Log-likelihood of held-out digits after a short training."""
    sizes = [trial.suggest_categorical(f"width[{i}]", WIDTHS) for i in range(3)]
    network = MLPClassifier(
        hidden_layer_sizes=[w for w in sizes if w],
        solver=trial.suggest_categorical("solver", ["adam", "sgd"]),
        learning_rate_init=trial.suggest_categorical("rate", RATES),
        batch_size=trial.suggest_categorical("batch", BATCHES),
        alpha=trial.suggest_categorical("decay", DECAYS),
        activation=trial.suggest_categorical("activation", ["relu", "tanh"]),
        max_iter=12,
        random_state=0,
    ).fit(train_x, train_y)
    odds = network.predict_proba(test_x)[np.arange(len(test_y)), test_y]
    return float(np.log(np.maximum(odds, 1e-6)).mean())


# [objective]


def main() -> None:
    options = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)  # twelve passes are meant to be few
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    # [run]
    sampler = MilboxSampler(domain, seed=options.seed, strategy=mb.NNMILP(initial=options.initial))
    study = optuna.create_study(direction="maximize", sampler=sampler)
    study.optimize(objective, n_trials=options.budget)
    # [run]

    points = {tuple(trial.params.values()) for trial in study.trials}
    share = domain.size / domain.box_size
    print(f"{domain.size:,} of {domain.box_size:,} combinations are allowed ({share:.0%})")
    print(f"{len(study.trials)} trials, all allowed, {len(points)} different")
    random = max(trial.value for trial in study.trials[: options.initial])
    print(f"found {study.best_value:.4f}, with")
    for name, value in study.best_params.items():
        print(f"  {name} = {value}")
    print(f"the best of {options.initial} random points has {random:.4f}")
    if options.picture:
        draw(options.picture, study, options.initial)


def draw(path: Path, study: optuna.Study, initial: int) -> None:
    """Progress, and the size of the networks against the limit."""
    from pictures import BLUE, GREY, ORANGE, panels, progress, save

    figure, (left, right) = panels(1, 1)
    values = [trial.value for trial in study.trials]
    progress(left, values, initial, minimize=False, label="log-likelihood")
    left.legend(loc="lower right")
    left.set_title("hyper-parameters of a network")

    sizes = []
    for trial in study.trials:
        layers = [64, *(trial.params[f"width[{i}]"] for i in range(3) if trial.params[f"width[{i}]"]), 10]
        sizes.append(sum(a * b for a, b in itertools.pairwise(layers)))
    colours = [GREY] * initial + [BLUE] * (len(sizes) - initial)
    right.scatter(sizes, values, s=12, color=colours)
    right.axvline(4_000, color=ORANGE, linewidth=1.4)
    right.annotate("does not fit", (4_050, min(values)), color=ORANGE, fontsize=8)
    right.set(xlabel="weights", ylabel="log-likelihood", xlim=(0, 4_900))
    right.set_title("every trial keeps within the limit")
    save(figure, path)


if __name__ == "__main__":
    main()
