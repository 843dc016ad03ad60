"""Strategies, which choose the next points."""

from milbox.strategies.evolution import ConEvo, NNConEvo, NNRegEvo, NNRejSample, RegEvo
from milbox.strategies.model_based import NNMILP, LinearMILP, ModelBased
from milbox.strategies.paper import PaperLinearMILP, PaperNNMILP, PaperStart
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
    "PaperLinearMILP",
    "PaperNNMILP",
    "PaperStart",
    "Penalised",
    "RandomSearch",
    "RegEvo",
    "Strategy",
]
