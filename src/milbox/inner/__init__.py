"""Who optimises the acquisition: exact methods, and the paper's inexact ones for comparison."""

from milbox.inner.auto import Auto
from milbox.inner.enumerate import Enumerate
from milbox.inner.mip import Mip
from milbox.inner.protocol import InnerSolver

__all__ = ["Auto", "Enumerate", "InnerSolver", "Mip"]
