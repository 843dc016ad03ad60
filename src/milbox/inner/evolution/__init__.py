"""Evolution: the paper's inexact inner solver, its mutators, and the compiled loops of both."""

from milbox.inner.evolution.solver import Evolution, parents

__all__ = ["Evolution", "parents"]
