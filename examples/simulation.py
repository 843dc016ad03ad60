"""Choose the numerics of a simulation that is accurate and cheap, and that blows up where nobody has said.

A puff is carried round a ring and spreads as it goes: the equation of advection and diffusion, whose solution
is known. Explicit schemes are unstable beyond some step in time, each at its own; then the numbers grow
without bound, and the run is worth nothing. milbox is not told where. It sees which runs crashed.
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
cells = mb.integer("cells", 2, 12)  # times ten
steps = mb.integer("steps", 1, 40)  # times ten
space = mb.categorical("space", ["upwind", "central", "fourth order"])
time = mb.categorical("time", ["Euler", "Heun", "Runge-Kutta"])
filtering = mb.binary("filtering")
domain = mb.Domain(
    [cells, steps, space, time, filtering],
    [mb.implies(filtering == 1, space != "upwind"), mb.implies(time == "Runge-Kutta", steps <= 25)],
)
# [domain]

# [objective]
SPEED, SPREAD, END = 1.0, 0.01, 1.0


def derivative(u: np.ndarray, width: float, space: str) -> np.ndarray:
    """How fast each cell changes."""
    left, right = np.roll(u, 1), np.roll(u, -1)
    slope = (u - left) / width if space == "upwind" else (right - left) / (2 * width)
    bend = (left - 2 * u + right) / width**2
    if space == "fourth order":
        far = np.roll(u, 2), np.roll(u, -2)
        slope = (8 * (right - left) - (far[1] - far[0])) / (12 * width)
        bend = (-far[0] + 16 * left - 30 * u + 16 * right - far[1]) / (12 * width**2)
    return SPREAD * bend - SPEED * slope


def puff(x: np.ndarray, t: float) -> np.ndarray:
    """The solution, as a sum over the turns round the ring."""
    wide = 0.05**2 + 2 * SPREAD * t
    turns = np.arange(-4, 5)[:, None]
    return np.exp(-((x - 0.5 - SPEED * t + turns) ** 2) / (2 * wide)).sum(axis=0) * 0.05 / np.sqrt(wide)


def merit(cells: int, steps: int, space: str, time: str, filtering: int) -> float:
    """Digits that are right, less what they cost; raises where the run blows up."""
    n, m = 10 * cells, 10 * steps
    x, dt = np.arange(n) / n, END / m
    u = puff(x, 0.0)
    for _ in range(m):
        first = derivative(u, 1 / n, space)
        if time == "Euler":
            u = u + dt * first
        elif time == "Heun":
            u = u + dt / 2 * (first + derivative(u + dt * first, 1 / n, space))
        else:
            second = derivative(u + dt / 2 * first, 1 / n, space)
            third = derivative(u + dt / 2 * second, 1 / n, space)
            fourth = derivative(u + dt * third, 1 / n, space)
            u = u + dt / 6 * (first + 2 * second + 2 * third + fourth)
        if filtering:
            u = (
                u
                - 0.02
                * (np.roll(u, 2) - 4 * np.roll(u, 1) + 6 * u - 4 * np.roll(u, -1) + np.roll(u, -2))
                / 16
            )
        if not np.abs(u).max() < 100:
            raise FloatingPointError("the simulation blew up")
    error = float(np.sqrt(np.mean((u - puff(x, END)) ** 2)))
    work = n * m * {"Euler": 1, "Heun": 2, "Runge-Kutta": 4}[time]
    return -np.log10(error + 1e-6) - 0.6 * np.log10(work / 1000)


# [objective]


def main() -> None:
    options = parser.parse_args()
    # [run]
    result = mb.maximize(merit, domain, options.budget, initial=options.initial, seed=options.seed)
    # [run]

    print(f"found {result.best.value:.3f} in {len(result.trials)} runs:")
    for name, value in result.best.assignment.items():
        print(f"  {name} = {value}")
    for label, part in (
        ("random points", result.trials[: options.initial]),
        ("points that a model chose", result.trials[options.initial :]),
    ):
        crashed = sum(trial.state == "failed" for trial in part)
        print(f"{crashed} of {len(part)} {label} crashed")
    if options.picture:
        draw(options.picture, result, options.initial)


def draw(path: Path, result: mb.Result, initial: int) -> None:
    """Progress, and which runs crashed."""
    from pictures import BLUE, GREY, ORANGE, panels, progress, save

    figure, (left, right) = panels(1.2, 1)
    progress(left, [trial.value for trial in result.trials], initial, minimize=False, label="merit")
    left.legend(loc="lower right")
    left.set_title("digits less cost, of runs that ended")
    for state, colour, marker in (("finished", BLUE, "o"), ("failed", ORANGE, "x")):
        chosen = [trial for trial in result.trials if trial.state == state]
        points = [(10 * t.assignment["steps"], 10 * t.assignment["cells"]) for t in chosen]
        name = "ended" if state == "finished" else "crashed"
        right.scatter(
            *zip(*points, strict=True), s=16, color=colour, marker=marker, label=name
        ) if points else None
    right.set(xlabel="steps in time", ylabel="cells")
    right.legend(loc="upper left", labelcolor=GREY)
    right.set_title("a region that nobody knew")
    save(figure, path)


if __name__ == "__main__":
    main()
