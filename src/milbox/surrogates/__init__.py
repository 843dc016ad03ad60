"""What we believe about the objective: learners, and the surrogates they fit."""

from milbox.surrogates.base import Learner, Surrogate
from milbox.surrogates.relu import DEFAULT, PAPER, Layer, ReluLearner, ReluNet

__all__ = ["DEFAULT", "PAPER", "Layer", "Learner", "ReluLearner", "ReluNet", "Surrogate"]
