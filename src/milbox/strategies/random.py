"""Random search: feasible points drawn at random, however hard the constraints are.

Where the domain is a product of decision diagrams, a path of each is drawn: exactly uniform. Otherwise
points of the box are drawn and the infeasible ones rejected; when that does not work, programs with random
objectives are solved (Section 5 of the paper).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from numpy.random import Generator

from milbox.arrays import Point
from milbox.domain import Domain
from milbox.embed.domain import formulate
from milbox.embed.nogood import forbid
from milbox.inner.enumerate import Enumerate, all_points
from milbox.inner.sample import sample
from milbox.milp.program import Affine, MilpBuilder
from milbox.milp.solution import Limits, Solver
from milbox.milp.solvers import Scip, Settings
from milbox.trials import History, Proposal


@dataclass(frozen=True, slots=True)
class RandomSearch:
    """Feasible points that were never asked, without a model.

    Attributes:
        draws: how many points of the box are drawn before rejection is given up.
        solver: solves programs with random objectives where rejection fails.
    """

    draws: int = 5_000
    solver: Solver = Scip(Settings.PAPER)

    def propose(self, domain: Domain, history: History, count: int, rng: Generator) -> Sequence[Proposal]:
        """`count` new feasible points, or all that are left."""
        seen = set(history.asked_points)
        found = [Proposal(point, "random") for point in self.drawn(domain, seen, count, rng)]
        if len(found) == count:
            return found
        seen.update(proposal.point for proposal in found)
        if Enumerate().refusal(None, domain) is None:  # type: ignore[arg-type]  # it needs no surrogate
            left = [point for point in map(tuple, all_points(domain)[0].tolist()) if point not in seen]
            chosen = rng.permutation(len(left))[: count - len(found)]
            return [*found, *(Proposal(left[i], "random") for i in chosen)]
        while len(found) < count:
            point = self.solved(domain, sorted(seen), rng)
            if point is None:
                break
            seen.add(point)
            found.append(Proposal(point, "random objective"))
        return found

    def drawn(self, domain: Domain, seen: set[Point], count: int, rng: Generator) -> list[Point]:
        """Up to `count` new points by drawing from diagrams, or from the box with rejection."""
        found: dict[Point, None] = {}
        batch, drawn = max(64, 4 * count), 0
        while len(found) < count and drawn < self.draws:
            for point in map(tuple, sample(domain, batch, rng).tolist()):
                if point not in seen and len(found) < count:
                    found[point] = None
            drawn += batch
            batch *= 4
        return list(found)

    def solved(self, domain: Domain, forbidden: Sequence[Point], rng: Generator) -> Point | None:
        """The best point of a random linear objective; None when nothing is left."""
        milp = MilpBuilder()
        formulation = formulate(domain, milp)
        forbid(forbidden, formulation)
        milp.maximize(Affine(formulation.inputs, rng.standard_normal(len(formulation.inputs))))
        solution = self.solver.solve(milp.build(), Limits(seconds=60.0, gap=0.05))
        return None if solution.x is None else domain.decode(solution.x[formulation.inputs])
