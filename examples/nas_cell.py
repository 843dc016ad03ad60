"""Search for a network cell: a small graph of operations, trained for real on images of digits.

A network is a stem, one cell and a classifier. The cell has an input, up to four operations and an output,
joined by at most eight edges; every operation lies on a way from input to output, and the weights of the
cell fit the chip. These are hard constraints: no invalid cell is ever built. A value is the accuracy, on
digits held out, of the network that has this cell, trained from scratch (1,797 images of 8 x 8 pixels,
shipped with scikit-learn).
"""

import argparse
from pathlib import Path

import numpy as np
import torch
from sklearn.datasets import load_digits
from torch import nn

import milbox as mb

parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
parser.add_argument("--budget", type=int, default=120)
parser.add_argument("--initial", type=int, default=40)
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--epochs", type=int, default=4)
parser.add_argument("--picture", type=Path)

# [domain]
VERTICES, CHANNELS = 6, 12
WEIGHTS = {"conv3x3": 9 * CHANNELS**2, "conv1x1": CHANNELS**2, "maxpool": 0, "none": 0}

edge = mb.binary("edge", len(mb.arcs(VERTICES)))
op = mb.categorical("op", list(WEIGHTS), VERTICES - 2)
domain = mb.Domain(
    [edge, op],
    [
        mb.dag(edge, mb.arcs(VERTICES), active=op != "none", most=8),
        # The weights fit the chip: 3,000 of them.
        sum(size * (op == name).sum() for name, size in WEIGHTS.items()) <= 3_000,
        # Vertices that are not used come last, so that fewer points stand for the same cell.
        *(mb.implies(op[i] == "none", op[i + 1] == "none") for i in range(VERTICES - 3)),
    ],
)
# [domain]

images, labels = load_digits(return_X_y=True)
images = torch.tensor(images / 16.0, dtype=torch.float32).reshape(-1, 1, 8, 8)
labels = torch.tensor(labels)
TRAINED, HELD_OUT = slice(0, 1000), slice(1000, None)


class Cell(nn.Module):
    """The graph: each vertex applies its operation to the sum of what comes in."""

    def __init__(self, edge: np.ndarray, op: np.ndarray) -> None:
        super().__init__()
        self.sources = {v: [] for v in range(VERTICES)}
        for chosen, (a, b) in zip(edge, mb.arcs(VERTICES), strict=True):
            if chosen:
                self.sources[b].append(a)
        self.operations = nn.ModuleList(map(operation, op))

    def forward(self, signal: torch.Tensor) -> torch.Tensor:
        signals = {0: signal}
        for vertex in range(1, VERTICES):
            if self.sources[vertex]:
                total = sum(signals[source] for source in self.sources[vertex])
                last = vertex == VERTICES - 1
                signals[vertex] = total if last else self.operations[vertex - 1](total)
        return signals[VERTICES - 1]


def operation(name: str) -> nn.Module:
    """One vertex of a cell."""
    if name == "maxpool":
        return nn.MaxPool2d(3, stride=1, padding=1)
    if name == "none":
        return nn.Identity()
    size = int(name[-1])
    return nn.Sequential(
        nn.Conv2d(CHANNELS, CHANNELS, size, padding=size // 2, bias=False),
        nn.BatchNorm2d(CHANNELS),
        nn.ReLU(),
    )


# [objective]
def accuracy(edge: np.ndarray, op: np.ndarray, epochs: int = 4) -> float:
    """Train the network with this cell; per cent of the digits held out that it reads."""
    torch.manual_seed(0)
    network = nn.Sequential(
        nn.Conv2d(1, CHANNELS, 3, padding=1, bias=False),
        nn.BatchNorm2d(CHANNELS),
        nn.ReLU(),
        Cell(edge, op),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(16 * CHANNELS, 10),
    )
    adam = torch.optim.Adam(network.parameters(), lr=0.005)
    for _ in range(epochs):
        for batch in torch.randperm(1000).split(50):
            loss = nn.functional.cross_entropy(network(images[TRAINED][batch]), labels[TRAINED][batch])
            adam.zero_grad()
            loss.backward()
            adam.step()
    network.eval()
    with torch.no_grad():
        return float((network(images[HELD_OUT]).argmax(1) == labels[HELD_OUT]).float().mean()) * 100


# [objective]


def main() -> None:
    options = parser.parse_args()
    torch.set_num_threads(1)
    result = mb.maximize(
        lambda edge, op: accuracy(edge, op, options.epochs),
        domain,
        options.budget,
        initial=options.initial,
        seed=options.seed,
    )
    best = result.best
    random = [trial.value for trial in result.trials[: options.initial]]
    print(f"found a cell that reads {best.value:.2f} % in {len(result.trials)} trials")
    print(
        f"the best of {len(random)} random cells reads {max(random):.2f} %, the mean {np.mean(random):.2f} %"
    )
    print("operations:", ", ".join(f"{i}: {name}" for i, name in enumerate(best.assignment["op"], 1)))
    chosen = [pair for bit, pair in zip(best.assignment["edge"], mb.arcs(VERTICES), strict=True) if bit]
    print("edges:", ", ".join(f"{a}->{b}" for a, b in chosen))
    if options.picture:
        draw(options.picture, result, options.initial)


def draw(path: Path, result: mb.Result, initial: int) -> None:
    """Progress, and the best cell."""
    from matplotlib.patches import FancyArrowPatch
    from pictures import BLUE, GREEN, GREY, INK, ORANGE, panels, progress, save

    figure, (left, right) = panels(1.2, 1)
    progress(left, [t.value for t in result.trials], initial, minimize=False, label="accuracy, %")
    left.legend(loc="lower right")
    left.set_title("cells trained on digits")

    best = result.best.assignment
    names = ["input", *best["op"], "output"]
    used = [0, *(v for v in range(1, VERTICES - 1) if names[v] != "none"), VERTICES - 1]
    place = {v: ((0.5, 0.15, 0.5, 0.85)[i % 4], -i) for i, v in enumerate(used)}
    place[used[-1]] = (0.5, 1 - len(used))
    colours = {"conv3x3": BLUE, "conv1x1": GREEN, "maxpool": ORANGE}
    for bit, (a, b) in zip(best["edge"], mb.arcs(VERTICES), strict=True):
        if bit:
            bend = 0.0 if abs(used.index(a) - used.index(b)) == 1 else 0.25
            right.add_patch(
                FancyArrowPatch(
                    place[a], place[b], arrowstyle="-|>", mutation_scale=12, color=INK, linewidth=1,
                    shrinkA=13, shrinkB=13, connectionstyle=f"arc3,rad={bend}",
                )
            )  # fmt: skip
    for v in used:
        right.text(
            *place[v], names[v], ha="center", va="center", color="white",
            bbox={"boxstyle": "round,pad=0.4", "color": colours.get(names[v], GREY)},
        )  # fmt: skip
    right.set(xlim=(-0.2, 1.2), ylim=(-len(used) + 0.5, 0.5))
    right.axis("off")
    right.set_title("the best cell")
    save(figure, path)


if __name__ == "__main__":
    main()
