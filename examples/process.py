"""Run a batch reaction for much product at little cost, with at most five per cent of an impurity.

The product decays into the impurity while it is made (A -> B -> C), both faster when it is hot, by the law of
Arrhenius. milbox does not see the kinetics: it is told three numbers for each batch, as a laboratory would.
"""

import argparse
from pathlib import Path

import numpy as np

import milbox as mb

parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
parser.add_argument("--budget", type=int, default=60)
parser.add_argument("--initial", type=int, default=12)
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--picture", type=Path)

# [domain]
catalyst = mb.categorical("catalyst", ["none", "acid", "zeolite", "palladium"])
loading = mb.integer("loading", 0, 5)  # grams per litre
t = mb.real("t", 40, 120, step=1)  # degrees Celsius
hours = mb.real("hours", 0.5, 8.0, step=0.25)
domain = mb.Domain(
    [catalyst, loading, t, hours],
    [
        mb.implies(catalyst == "none", loading == 0),
        mb.implies(loading == 0, catalyst == "none"),
        mb.implies(catalyst == "acid", t <= 90),  # it corrodes the vessel
        t + 10 * hours <= 170,  # hot batches are ended early
    ],
)
# [domain]

# [objective]
MAKES = {"none": 0.0, "acid": 0.25, "zeolite": 0.4, "palladium": 1.0}  # how much a gram speeds A -> B up
SPOILS = {"none": 0.0, "acid": 0.15, "zeolite": 0.05, "palladium": 0.1}  # and B -> C
PRICE = {"none": 0.0, "acid": 0.5, "zeolite": 2.0, "palladium": 9.0}  # of a gram


def batch(catalyst: str, loading: int, t: float, hours: float) -> dict[str, float]:
    """Product and impurity after some hours, as shares of what went in, and what the batch costs."""
    heat = 1 / 333.15 - 1 / (t + 273.15)
    make = 0.25 * np.exp(6000 * heat) * (1 + MAKES[catalyst] * loading)
    spoil = 0.01 * np.exp(9000 * heat) * (1 + SPOILS[catalyst] * loading)
    product = make / (make - spoil) * (np.exp(-spoil * hours) - np.exp(-make * hours))
    impurity = 1 - np.exp(-make * hours) - product
    cost = 4 + 3 * hours + 0.02 * (t - 20) * hours + PRICE[catalyst] * loading
    return {"yield": float(product), "cost": float(cost), "impurity": float(impurity)}


# [objective]


def main() -> None:
    options = parser.parse_args()
    # [run]
    result = mb.optimize(
        batch, domain, options.budget, initial=options.initial, seed=options.seed,
        objectives={"yield": "maximize", "cost": "minimize"},
        limits={"impurity": ("<=", 0.05)},
    )  # fmt: skip
    # [run]

    front = sorted(result.front, key=lambda trial: trial.values["cost"])
    print(f"found {len(front)} trade-offs in {len(result.trials)} batches:")
    for trial in front[:: max(1, len(front) // 6)]:
        values, point = trial.values, trial.assignment
        print(
            f"  yield {values['yield']:5.1%} for {values['cost']:5.2f}: "
            f"{point['loading']} g of {point['catalyst']}, {point['t']:g} degrees, "
            f"{point['hours']:g} h; impurity {values['impurity']:.1%}"
        )
    worst = {"yield": 0.0, "cost": 60.0}
    print(f"hypervolume {result.hypervolume(worst):.2f} from a yield of 0 and a cost of 60")
    kept = sum(trial.values["impurity"] <= 0.05 for trial in result.trials[options.initial :])
    print(f"{kept} of {len(result.trials) - options.initial} batches that a model chose keep the limit")
    if options.picture:
        draw(options.picture, result, options.initial)


def draw(path: Path, result: mb.Result, initial: int) -> None:
    """What was made for which cost, the front, and the impurity of each batch."""
    from pictures import BLUE, GREY, INK, ORANGE, panels, save

    figure, (left, right) = panels(1.2, 1)
    kept = [trial.values["impurity"] <= 0.05 for trial in result.trials]
    for keeps, colour, name in ((False, GREY, "too impure"), (True, BLUE, "keeps the limit")):
        chosen = [t.values for t, own in zip(result.trials, kept, strict=True) if own is keeps]
        left.scatter(
            [v["cost"] for v in chosen], [v["yield"] for v in chosen], s=12, color=colour, label=name
        )
    front = sorted((t.values["cost"], t.values["yield"]) for t in result.front)
    left.step(*zip(*front, strict=True), where="post", color=ORANGE, label="front") if front else None
    left.set(xlabel="cost", ylabel="yield")
    left.set_title("trade-offs that nobody dominates")
    left.legend(loc="lower right")

    impurity = [trial.values["impurity"] for trial in result.trials]
    right.axvspan(-0.5, initial - 0.5, color="#eef1f4", linewidth=0)
    right.scatter(range(len(impurity)), impurity, s=12, color=[BLUE if own else GREY for own in kept])
    right.axhline(0.05, color=INK, linewidth=0.8)
    right.set(xlabel="trial", ylabel="impurity")
    right.set_title("a limit that is learned")
    save(figure, path)


if __name__ == "__main__":
    main()
