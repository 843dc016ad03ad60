"""Choose a classifier and its settings, each of which exists only with the classifier that it belongs to.

The data are scikit-learn's breast cancer set; a point is scored by three-fold cross-validation.
"""

import argparse
from pathlib import Path

import milbox as mb

parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
parser.add_argument("--budget", type=int, default=50)
parser.add_argument("--initial", type=int, default=12)
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--picture", type=Path)

# [domain]
scale = mb.categorical("scale", ["none", "standard", "ranks"])
reduce = mb.binary("reduce")
components = mb.integer("components", 2, 20)
model = mb.categorical("model", ["neighbours", "vectors", "forest"])
neighbours = mb.integer("neighbours", 1, 25)
kernel = mb.categorical("kernel", ["linear", "rbf"])
softness = mb.real("softness", -2, 3, step=0.1)  # as a power of ten
gamma = mb.real("gamma", -4, 0, step=0.1)
trees = mb.integer("trees", 1, 10)  # times ten
depth = mb.integer("depth", 1, 12)
domain = mb.Domain(
    [scale, reduce, components, model, neighbours, kernel, softness, gamma, trees, depth],
    [
        mb.only_if(components, reduce == 1),
        mb.only_if(neighbours, model == "neighbours"),
        mb.only_if(kernel, model == "vectors"),
        mb.only_if(softness, model == "vectors"),
        mb.only_if(gamma, kernel == "rbf"),  # and so only with vectors
        mb.only_if(trees, model == "forest"),
        mb.only_if(depth, model == "forest"),
        mb.implies(model == "vectors", scale != "none"),
        mb.implies(model == "forest", reduce == 0),
    ],
)
# [domain]


# [objective]
def accuracy(scale, reduce, components, model, neighbours, kernel, softness, gamma, trees, depth):
    """The share that is classified rightly; what does not exist is None."""
    from sklearn.datasets import load_breast_cancer
    from sklearn.decomposition import PCA
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.model_selection import cross_val_score
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import QuantileTransformer, StandardScaler
    from sklearn.svm import SVC

    parts = {"none": [], "standard": [StandardScaler()], "ranks": [QuantileTransformer(n_quantiles=100)]}[
        scale
    ]
    if reduce:
        parts.append(PCA(components, random_state=0))
    if model == "neighbours":
        parts.append(KNeighborsClassifier(neighbours))
    elif model == "vectors":
        parts.append(SVC(C=10**softness, kernel=kernel, gamma="scale" if gamma is None else 10**gamma))
    else:
        parts.append(RandomForestClassifier(10 * trees, max_depth=depth, random_state=0))
    x, y = load_breast_cancer(return_X_y=True)
    return float(cross_val_score(make_pipeline(*parts), x, y, cv=3).mean())


# [objective]


def main() -> None:
    options = parser.parse_args()
    # [run]
    result = mb.maximize(accuracy, domain, options.budget, initial=options.initial, seed=options.seed)
    # [run]

    print(f"found {result.best.value:.4f} in {len(result.trials)} trials:")
    for name, value in result.best.assignment.items():
        if value is not None:
            print(f"  {name} = {value}")
    for name in ("neighbours", "vectors", "forest"):
        values = [t.value for t in result.trials if t.assignment["model"] == name and t.value is not None]
        if values:
            print(f"{name}: {len(values)} trials, best {max(values):.4f}")
    if options.picture:
        draw(options.picture, result, options.initial)


def draw(path: Path, result: mb.Result, initial: int) -> None:
    """Progress, and which variables existed in each trial."""
    from pictures import BLUE, panels, progress, save

    figure, (left, right) = panels(1.2, 1)
    progress(left, [trial.value for trial in result.trials], initial, minimize=False, label="accuracy")
    left.legend(loc="lower right")
    left.set_title("ten settings, of which some exist")
    names = list(result.best.assignment)
    places = [
        (trial.number, names.index(name))
        for trial in result.trials
        for name, value in trial.assignment.items()
        if value is not None
    ]
    right.scatter(*zip(*places, strict=True), marker="s", s=8, color=BLUE)
    right.set(xlabel="trial", yticks=range(len(names)), yticklabels=names)
    right.invert_yaxis()
    right.set_title("what exists")
    save(figure, path)


if __name__ == "__main__":
    main()
