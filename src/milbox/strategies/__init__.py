"""Who chooses the next points."""

from milbox.strategies.model_based import NNMILP, LinearMILP, ModelBased
from milbox.strategies.protocol import Strategy
from milbox.strategies.random import RandomSearch

__all__ = ["NNMILP", "LinearMILP", "ModelBased", "RandomSearch", "Strategy"]
