"""Strategies, which choose the next points."""

from milbox.strategies.evolution import ConEvo, NNConEvo, NNRegEvo, NNRejSample, RegEvo
from milbox.strategies.model_based import NNMILP, LinearMILP, ModelBased
from milbox.strategies.penalised import EnsembleRegEvo, Penalised
from milbox.strategies.protocol import Strategy
from milbox.strategies.random import RandomSearch

__all__ = [
    "NNMILP",
    "ConEvo",
    "EnsembleRegEvo",
    "LinearMILP",
    "ModelBased",
    "NNConEvo",
    "NNRegEvo",
    "NNRejSample",
    "Penalised",
    "RandomSearch",
    "RegEvo",
    "Strategy",
]
