"""The ReLU network as surrogate, and its learner."""

from milbox.surrogates.relu.learner import PAPER, ReluLearner, glorot
from milbox.surrogates.relu.net import Layer, ReluNet

__all__ = ["PAPER", "Layer", "ReluLearner", "ReluNet", "glorot"]
