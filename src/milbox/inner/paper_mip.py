"""The paper's program, row for row as described, without any of our shortcuts."""

from collections.abc import Sequence
from dataclasses import dataclass

from milbox.arrays import IntArray, Point
from milbox.domain import Domain
from milbox.domain.box import Box
from milbox.embed import embed
from milbox.embed.domain import Formulation, formulate
from milbox.embed.nogood import forbid_by_features
from milbox.embed.relu.bounds import Bounded, interval_bounds, rescaled
from milbox.embed.relu.tighten import tighten
from milbox.errors import UnsupportedProgram
from milbox.inner.mip import Mip
from milbox.inner.query import Query
from milbox.inner.spacing import ranges_refused
from milbox.milp.program import MilpBuilder
from milbox.milp.solution import Limits, Solver
from milbox.milp.solvers import Scip, Settings
from milbox.surrogates.base import Surrogate
from milbox.surrogates.relu import ReluNet


@dataclass(frozen=True, slots=True)
class PaperMip(Mip):
    """The paper's inner solver as published: SCIP with its default settings, and 500 seconds at most.

    The program is that of Section 3.3: one-hot columns, one no-good over all of them for each tried point,
    and two-sided big-M rows for each neuron, whose constants are the optima of linear programs over the
    domain and the no-goods (Appendix A). There is no start, and no row is left out.
    """

    solver: Solver = Scip(Settings.PAPER)
    limits: Limits = Limits(seconds=500.0)
    start: bool = False
    lp_bounds: bool = True
    one_sided: bool = False

    def refusal(self, query: Query) -> str | None:
        """The reason why it cannot answer; None when it can."""
        if query.region.box is not None:
            return "it searches no part of a domain"
        return self.domain_refusal(query.domain) or Mip.refusal(self, query)

    def domain_refusal(self, domain: Domain) -> str | None:
        """Its program has a column for each value, which a range has not."""
        return ranges_refused(domain)

    def program(
        self,
        surrogate: Surrogate,
        domain: Domain,
        rows: Sequence[Point],
        apart: IntArray | None = None,
        radius: int = 1,
        box: Box | None = None,
    ) -> tuple[MilpBuilder, Formulation]:
        """The acquisition problem of Section 3.3 as a program being built."""
        del apart, box
        refusal = self.refusal(Query.of(surrogate, domain))
        if refusal is not None:
            raise UnsupportedProgram(refusal)

        def extend(formulation: Formulation) -> None:
            forbid_by_features(rows, formulation, radius)

        milp = MilpBuilder()
        formulation = formulate(domain, milp)
        extend(formulation)
        if isinstance(surrogate, ReluNet):
            # Only neurons below all tolerances, or far above, are scaled: SCIP would claim what is not so.
            boxed = Bounded(surrogate, interval_bounds(surrogate, *milp.bounds(formulation.inputs)))
            seconds = self.limits.seconds / 4
            surrogate = tighten(rescaled(boxed).net, domain, extend, seconds, parts=False)
        milp.maximize(embed(surrogate, milp, formulation.inputs))
        return milp, formulation
