"""Find the conditions of an assay with the strongest signal, where every plate reads something else.

The signal of an enzyme has its best acidity and salt, additives help or hinder one another, and a reading has
a relative error. The luckiest of many readings is not the best condition: milbox measures the leading ones
again, and recommends by what all readings say.
"""

import argparse
from pathlib import Path

import numpy as np

import milbox as mb

parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
parser.add_argument("--budget", type=int, default=96)  # a plate
parser.add_argument("--initial", type=int, default=16)
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--picture", type=Path)

# [domain]
buffer = mb.categorical("buffer", ["acetate", "phosphate", "Tris"])
ph = mb.real("ph", 4.0, 9.0, step=0.5)
salt = mb.integer("salt", 0, 6)  # times 50 mM
additive = mb.binary("additive", 6)  # glycerol, DTT, EDTA, magnesium, BSA, Tween
domain = mb.Domain(
    [buffer, ph, salt, additive],
    [
        mb.implies(buffer == "acetate", ph <= 5.5),  # where each buffer buffers
        mb.implies(buffer == "phosphate", (ph >= 6.0) & (ph <= 8.0)),
        mb.implies(buffer == "Tris", ph >= 7.5),
        additive.sum() <= 3,
        mb.forbid(additive[2] == 1, additive[3] == 1),  # EDTA binds the magnesium
    ],
)
# [domain]

# [objective]
ALONE = np.array([0.10, 0.25, -0.15, 0.35, 0.15, 0.05])
luck = np.random.default_rng(8)


def signal(buffer: str, ph: float, salt: int, additive: np.ndarray) -> float:
    """What an endless number of readings would say."""
    help_ = float(additive @ ALONE) + 0.3 * additive[3] * additive[4] - 0.2 * additive[0] * additive[1]
    shape = np.exp(-(((ph - 7.2) / 1.4) ** 2) - ((salt - 2.5) / 3) ** 2)
    return float(10 * shape * (1 + help_) * {"acetate": 0.9, "phosphate": 0.85, "Tris": 1.0}[buffer])


def reading(**condition: object) -> float:
    """One well of a plate."""
    return signal(**condition) + float(luck.normal(scale=1.5))


# [objective]


def main() -> None:
    options = parser.parse_args()
    # [run]
    result = mb.maximize(
        reading, domain, options.budget, initial=options.initial, seed=options.seed, noise=True
    )
    # [run]

    best, (mean, error) = result.best, result.estimate
    print(f"found {mean:.2f} with a standard error of {error:.2f} in {len(result.trials)} readings:")
    for name, value in best.assignment.items():
        print(f"  {name} = {value}")
    lucky = max(result.trials, key=lambda trial: trial.value)
    print(f"its true signal is {signal(**best.assignment):.2f}")
    truth = signal(**lucky.assignment)
    print(f"the largest reading was {lucky.value:.2f}, where the true signal is {truth:.2f}")
    again = sum(trial.proposal.repeat > 0 for trial in result.trials)
    print(f"{again} readings repeat a condition")
    if options.picture:
        draw(options.picture, result, options.initial)


def draw(path: Path, result: mb.Result, initial: int) -> None:
    """Readings next to the true signals, and how often the conditions that were repeated were read."""
    from pictures import BLUE, GREY, INK, ORANGE, panels, save

    figure, (left, right) = panels(1.2, 1)
    readings = [trial.value for trial in result.trials]
    truth = [signal(**trial.assignment) for trial in result.trials]
    left.axvspan(-0.5, initial - 0.5, color="#eef1f4", linewidth=0)
    left.scatter(range(len(readings)), readings, s=10, color=GREY, label="reading")
    left.scatter(range(len(truth)), truth, s=10, color=BLUE, label="true signal")
    left.set(xlabel="trial", ylabel="signal")
    left.set_title("every reading says something else")
    left.legend(loc="lower right")

    groups: dict[tuple[int, ...], list[float]] = {}
    for trial in result.trials:
        groups.setdefault(trial.point, []).append(trial.value)
    top = sorted(groups.items(), key=lambda pair: -np.mean(pair[1]))
    top = [pair for pair in top if len(pair[1]) > 1 or pair[0] == result.best.point][:8]
    for place, (point, values) in enumerate(top):
        own = ORANGE if point == result.best.point else GREY
        right.scatter([place] * len(values), values, s=10, color=own)
        right.scatter([place], [signal(**result_of(result, point))], marker="_", s=200, color=INK)
    right.set(xlabel="conditions read more than once, and the best", ylabel="signal", xticks=[])
    right.set_title("readings, and the truth as a line")
    save(figure, path)


def result_of(result: mb.Result, point: tuple[int, ...]) -> dict[str, object]:
    """The condition at a point."""
    return next(trial.assignment for trial in result.trials if trial.point == point)


if __name__ == "__main__":
    main()
