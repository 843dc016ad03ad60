"""Optimisers of the acquisition: exact methods, and the paper's inexact ones for comparison."""

from milbox.inner.auto import Auto
from milbox.inner.enumerate import Enumerate
from milbox.inner.evolution import Evolution
from milbox.inner.mip import Mip
from milbox.inner.paper_mip import PaperMip
from milbox.inner.protocol import InnerSolver
from milbox.inner.sample import Sample
from milbox.inner.search.branch import Branch

__all__ = ["Auto", "Branch", "Enumerate", "Evolution", "InnerSolver", "Mip", "PaperMip", "Sample"]
