"""A learner that trains a torch network and hands it over as a `ReluNet`."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from numpy.random import Generator

from milbox.arrays import FloatArray
from milbox.surrogates.foreign.torch import read_torch
from milbox.surrogates.relu import Layer, ReluNet
from milbox.surrogates.scaling import Scale, checked


@dataclass(frozen=True, slots=True)
class TorchLearner:
    """Trains a fresh torch `nn.Sequential` by Adam at every step (Section 3.2 of the paper).

    Attributes:
        build: makes an untrained network from the number of features. A network that begins with a `Conv1d`
            is given the features as a one-hot sequence with letters as channels.
        steps: of Adam.
        batch: points per step.
        rate: Adam's learning rate.
        decay: Adam's weight decay.
    """

    build: Callable[[int], Any]
    steps: int = 1000
    batch: int = 64
    rate: float = 0.01
    decay: float = 0.0

    def fit(self, features: FloatArray, values: FloatArray, rng: Generator) -> ReluNet:
        """A network fitted to standardised values, in raw units."""
        import torch
        from torch import nn

        features, values = checked(features, values)
        scale = Scale.of_values(values)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(int(rng.integers(2**63)))
            network = self.build(features.shape[1])
            inputs = torch.tensor(features, dtype=torch.float32)
            first = next((m for m in network.modules() if isinstance(m, nn.Linear | nn.Conv1d)), None)
            if isinstance(first, nn.Conv1d):
                inputs = inputs.reshape(len(inputs), -1, first.in_channels).transpose(1, 2)
            targets = torch.tensor(scale.shrink(values), dtype=torch.float32)
            adam = torch.optim.Adam(network.parameters(), lr=self.rate, weight_decay=self.decay)
            network.train()
            for _ in range(self.steps):
                chosen = torch.randint(len(inputs), (min(self.batch, len(inputs)),))
                loss = nn.functional.mse_loss(network(inputs[chosen]).squeeze(-1), targets[chosen])
                adam.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                adam.step()
        return in_raw_units(read_torch(network.eval(), features.shape[1]), scale)


def in_raw_units(net: ReluNet, scale: Scale) -> ReluNet:
    """The network with its output in the units the values came in."""
    spread, centre = float(scale.spread), float(scale.centre)
    output = Layer(net.output.weights * spread, net.output.bias * spread + centre)
    return ReluNet((*net.hidden, output))
