"""Learners, and the surrogates of the objective that they fit."""

from milbox.surrogates.base import Learner, Surrogate
from milbox.surrogates.drawn import LinearDraw
from milbox.surrogates.hinges import Hinges
from milbox.surrogates.linear import Linear, LinearLearner
from milbox.surrogates.quadratic import Quadratic, QuadraticLearner
from milbox.surrogates.ranked import Ranked
from milbox.surrogates.relu import PAPER, Layer, ReluLearner, ReluNet
from milbox.surrogates.several import Several
from milbox.surrogates.skip import LinearSkip
from milbox.surrogates.trees.learner import TreesLearner

__all__ = [
    "PAPER",
    "Hinges",
    "Layer",
    "Learner",
    "Linear",
    "LinearDraw",
    "LinearLearner",
    "LinearSkip",
    "Quadratic",
    "QuadraticLearner",
    "Ranked",
    "ReluLearner",
    "ReluNet",
    "Several",
    "Surrogate",
    "TreesLearner",
]
