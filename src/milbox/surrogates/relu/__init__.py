"""The ReLU network as surrogate, and its learner."""

from milbox.surrogates.relu.learner import DEFAULT, PAPER, ReluLearner, glorot
from milbox.surrogates.relu.net import Layer, ReluNet

__all__ = ["DEFAULT", "PAPER", "Layer", "ReluLearner", "ReluNet", "glorot"]
