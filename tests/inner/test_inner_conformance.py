"""Every inner solver obeys the suite of inner solvers."""

from milbox.inner import Auto, Branch, Enumerate, Evolution, Mip, PaperMip, Sample
from milbox.milp.solvers import Highs
from milbox.testing.inner import InnerSolverConformance


class TestEnumerate(InnerSolverConformance):
    inner = Enumerate()


class TestBranch(InnerSolverConformance):
    inner = Branch()


class TestMip(InnerSolverConformance):
    inner = Mip()


class TestMipByHighs(InnerSolverConformance):
    inner = Mip(Highs())


class TestPaperMip(InnerSolverConformance):
    inner = PaperMip()


class TestAuto(InnerSolverConformance):
    inner = Auto()


class TestEvolution(InnerSolverConformance):
    inner = Evolution(evaluations=500)
    exact = False


class TestSample(InnerSolverConformance):
    inner = Sample(100)
    exact = False
