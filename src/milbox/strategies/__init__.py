"""Who chooses the next points."""

from milbox.strategies.evolution import ConEvo, NNConEvo, NNRegEvo, NNRejSample, RegEvo
from milbox.strategies.model_based import NNMILP, LinearMILP, ModelBased
from milbox.strategies.protocol import Strategy
from milbox.strategies.random import RandomSearch

__all__ = [
    "NNMILP",
    "ConEvo",
    "LinearMILP",
    "ModelBased",
    "NNConEvo",
    "NNRegEvo",
    "NNRejSample",
    "RandomSearch",
    "RegEvo",
    "Strategy",
]
